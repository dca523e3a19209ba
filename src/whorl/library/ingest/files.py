"""Read documents from files: the text as any run reads it, and the fields in other columns."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from whorl._internal.atomic_file import appearing
from whorl.corpus import (
    EVERYTHING,
    WHOLE,
    Batch,
    Columns,
    ReadOptions,
    Rejects,
    Selection,
    Source,
    read_files,
    read_source,
)
from whorl.corpus.compression import open_writer
from whorl.corpus.contract import TEXT_COLUMN
from whorl.corpus.discovery import readable
from whorl.corpus.formats.json.nested import has_value_at, names_of
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library.ingest.columns import ColumnReader, UnparsedValues
from whorl.library.ingest.documents import FileDocument, with_history
from whorl.recipe import Recipe
from whorl.types.library import Document

_STDIN_NAME = "stdin"
_DIGEST = 16
_HEADED = frozenset(("csv", "parquet"))
"""Formats in which all rows of a file have the same columns."""


def read_documents(
    inputs: Sequence[str],
    recipe: Recipe,
    rejects: Rejects,
    *,
    named: Mapping[str, str | None],
    misread: Counter[UnparsedValues],
    selection: Selection = EVERYTHING,
) -> Iterator[Document]:
    """Yield the rows of files as documents, with all fields in their columns.

    A row without an id gets the id ``FILE:ROW``. FILE is the path as passed, plus the path below it for a folder; for
    an absolute path, or one that leads upwards, only its last component. Rows of standard input are named by their
    text.

    Args:
        inputs: files, folders and globs; ``-`` is JSONL on standard input.
        recipe: supplies text columns, id column, encoding and maximum row length.
        rejects: collects input that cannot be read.
        named: column of each explicitly mapped field; None applies the usual names of ``whorl.library.ingest.columns``.
        misread: counts values that could not be parsed and are kept as metadata.
        selection: filter for files of folders and globs.

    Raises:
        InputError: an explicitly named file cannot be read or lacks a named column, or no file can be read at all.

    Cost: one pass over each file; the next files are parsed in parallel.
    """
    columns, options = asked_of(recipe)
    sources = read_files(inputs, columns, rejects, options, selection=selection)
    for source, batches in groupby(sources, itemgetter(0)):
        rows = (batch for _, batch in batches)
        yield from documents_of(source, rows, inputs, recipe, named=named, misread=misread)


def asked_of(recipe: Recipe) -> tuple[Columns, ReadOptions]:
    """Return the columns and options with which a recipe reads files as documents."""
    return Columns(recipe.text, recipe.id, others=True), ReadOptions.of(recipe)


def documents_of(
    source: Source,
    batches: Iterator[Batch],
    inputs: Sequence[str],
    recipe: Recipe,
    *,
    named: Mapping[str, str | None],
    misread: Counter[UnparsedValues],
) -> Iterator[Document]:
    """Yield the rows of one file found through ``inputs``, like ``read_documents``; ``batches`` are its rows."""
    chosen = {field: column for field, column in named.items() if column is not None}
    is_whole = source.format in WHOLE
    reading = ColumnReader({} if is_whole else chosen, _texts_of(source, recipe), None if is_whole else recipe.id)
    namer = _Namer.of(source, inputs)
    for batch in _demanded(reading.columns(), source, batches):
        yield from (document for _, document in _documents(batch, namer, reading))
    misread.update(reading.misread)


def _texts_of(source: Source, recipe: Recipe) -> tuple[str, ...]:
    """Return the text columns of one file."""
    return Columns(recipe.text).texts_of(source.name).text


def name_of(source: Source, inputs: Sequence[str]) -> str:
    """Return the id of the only document of a file without ids."""
    return f"{_Namer.of(source, inputs).name}:1"


class _Namer(NamedTuple):
    """Names rows of a file that have no id.

    Attributes:
        origin: absolute, resolved path of the file; None for standard input.
        name: name of the file.
    """

    origin: str | None
    name: str

    @classmethod
    def of(cls, source: Source, inputs: Sequence[str]) -> _Namer:
        if source.path is None:
            return cls(None, _STDIN_NAME)
        if source.address is not None:
            return cls(source.address, source.address)
        path, here = source.path, Path.cwd()
        input_path = Path(os.path.normpath(here / inputs[source.input_index]))
        is_below = not Path(inputs[source.input_index]).is_absolute() and path.is_relative_to(here)
        root = here if is_below else Path(os.path.commonpath((input_path, path))).parent
        return cls(readable(Path(os.path.realpath(path)).as_posix()), readable(path.relative_to(root).as_posix()))

    def named(self, row: int, id_: str | None, text: str) -> Document:
        """Return the document of a row."""
        if id_:
            return Document(id_, text)
        if self.origin is None:
            # Standard input has different texts in the same rows each time: they are not revisions.
            digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
            return Document(f"{self.name}:{row}:{digest}", text)
        return FileDocument(f"{self.name}:{row}", text, origin=f"{self.origin}:{row}")


def read_rows(source: Source, recipe: Recipe, rejects: Rejects) -> Generator[tuple[int, Document], None, None]:
    """Yield the rows of one file with their numbers, like ``read_documents``; a file is one row, or has many.

    Args:
        source: the file.
        recipe: supplies text columns, id column, encoding and maximum row length.
        rejects: collects input that cannot be read.
    """
    is_whole = source.format in WHOLE
    reading = ColumnReader({}, _texts_of(source, recipe), None if is_whole else recipe.id)
    namer = _Namer.of(source, ())
    columns, options = asked_of(recipe)
    for batch in read_source(source, columns, rejects, options):
        yield from _documents(batch, namer, reading)


def _documents(batch: Batch, namer: _Namer, reading: ColumnReader) -> Iterator[tuple[int, Document]]:
    import pyarrow as pa

    texts, ids = pa.array(batch.texts).to_pylist(), pa.array(batch.ids).to_pylist()
    for row, text, id_, others in zip(batch.rows.tolist(), texts, ids, batch.others or (), strict=True):
        row_fields = reading.fields_of(others, batch.notices.get(TEXT_COLUMN))
        document = replace(namer.named(row, id_ or row_fields.id, text), **row_fields.fields)
        yield row, with_history(document, others)


def _demanded(lacking: set[str], source: Source, batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the batches of a file, and require that each named column occurs in some row.

    Raises:
        InputError: a named column is missing. Raised before the first batch if all rows have the same columns or the
            file is a single batch, otherwise at the end: a late line of JSONL may have the column.
    """
    met: dict[str, None] = {}
    begun = list(islice(batches, 2 if lacking else 0))
    _look_for(lacking, begun, met)
    if source.format in _HEADED or len(begun) < 2:
        _demand_none(lacking, met, source)
    for batch in chain(begun, batches):
        _look_for(lacking, [batch], met)
        yield batch
    _demand_none(lacking, met, source)


def _look_for(lacking: set[str], batches: Iterable[Batch], met: dict[str, None]) -> None:
    """Remove columns that some row has from the missing ones; record the columns seen."""
    for others in chain.from_iterable(batch.others or () for batch in batches):
        if not lacking:
            return
        lacking.difference_update([column for column in lacking if has_value_at(others, column)])
        met.update(dict.fromkeys(names_of(others)))


def _demand_none(lacking: set[str], met: Mapping[str, None], source: Source) -> None:
    if lacking and met:
        problem = say(
            "{label} has no column {asked}; its columns are {names}",
            label=source.label,
            asked=repr(min(lacking)),
            names=", ".join(met),
        )
        raise InputError(problem, hint=say("name one of these, or omit the option"))


def write_documents(documents: Iterable[Mapping[str, Any]], path: Path) -> tuple[int, int]:
    """Write documents as JSON Lines, compressed as the suffix says; return their number and uncompressed bytes.

    The file appears atomically, when it is complete.

    Raises:
        UsageError: the file already exists.
    """
    if path.exists():
        raise UsageError(say("{path} already exists", path=path), hint=say("choose a new file"))
    suffixes = {".gz": "gz", ".zst": "zst", ".zstd": "zst"}
    count = size = 0
    with appearing(path) as place, open_writer(place, suffixes.get(path.suffix)) as file:
        for document in documents:
            line = json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
            file.write(line)
            count, size = count + 1, size + len(line)
    return count, size


__all__ = ["asked_of", "documents_of", "name_of", "read_documents", "read_rows", "write_documents"]

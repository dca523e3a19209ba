"""Documents out of files: the text as any run reads it, and what else a row tells."""

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
from whorl.corpus.appearing import appearing
from whorl.corpus.compression import open_writer
from whorl.corpus.contract import TEXT_COLUMN
from whorl.corpus.discover import readable
from whorl.corpus.nested import has_value_at, names_of
from whorl.errors import InputError, UsageError
from whorl.language import say
from whorl.library.columns import Misread, Reading
from whorl.library.documents import FromFile, with_history
from whorl.library.model import Document
from whorl.recipe import Recipe

_STDIN_NAME = "stdin"
_DIGEST = 16
_HEADED = frozenset(("csv", "parquet"))
"""The formats of which all rows of a file have the same columns."""


def read_documents(
    inputs: Sequence[str],
    recipe: Recipe,
    rejects: Rejects,
    *,
    named: Mapping[str, str | None],
    misread: Counter[Misread],
    selection: Selection = EVERYTHING,
) -> Iterator[Document]:
    """Yield the rows of files as documents, with all that their columns tell.

    A row without an id is called ``FILE:ROW``, where the file is the path that was given and what lies below it; of an
    absolute path, or one that leads upwards, only the last part. On standard input it is called by its text.

    Args:
        inputs: files, folders and globs; ``-`` is JSONL on standard input.
        recipe: its text columns, its column of ids, its encoding and its longest row count.
        rejects: for what cannot be read.
        named: fields of a document, each with its column; None takes the usual ones of ``whorl.library.columns``.
        misread: counts what was not understood and is kept as metadata.
        selection: which files of folders and globs are read.

    Raises:
        InputError: a file that was named cannot be read as asked, or lacks a column that was named; or no file at all
            can be read.

    Cost: one pass over each file; files that come next are parsed beside it.
    """
    columns, options = asked_of(recipe)
    found = read_files(inputs, columns, rejects, options, selection=selection)
    for source, batches in groupby(found, itemgetter(0)):
        own = (batch for _, batch in batches)
        yield from documents_of(source, own, inputs, recipe, named=named, misread=misread)


def asked_of(recipe: Recipe) -> tuple[Columns, ReadOptions]:
    """What of a file is read as documents by a recipe, and how."""
    return Columns(recipe.text, recipe.id, others=True), ReadOptions(recipe.encoding, recipe.max_row_bytes)


def documents_of(
    source: Source,
    batches: Iterator[Batch],
    inputs: Sequence[str],
    recipe: Recipe,
    *,
    named: Mapping[str, str | None],
    misread: Counter[Misread],
) -> Iterator[Document]:
    """Yield the rows of one file that was found through inputs, as ``read_documents``; ``batches`` are its rows."""
    chosen = {field: column for field, column in named.items() if column is not None}
    is_whole = source.format in WHOLE
    reading = Reading({} if is_whole else chosen, _texts_of(source, recipe), None if is_whole else recipe.id)
    namer = _Namer.of(source, inputs)
    for batch in _demanded(reading.columns(), source, batches):
        yield from (document for _, document in _documents(batch, namer, reading))
    misread.update(reading.misread)


def _texts_of(source: Source, recipe: Recipe) -> tuple[str, ...]:
    """The text columns of one file."""
    return Columns(recipe.text).texts_of(source.name).text


def name_of(source: Source, inputs: Sequence[str]) -> str:
    """Return what the only document of a file is called that was found through inputs, and has no id."""
    return f"{_Namer.of(source, inputs).name}:1"


class _Namer(NamedTuple):
    """How the rows of a file are called that have no id.

    Attributes:
        origin: the file, absolute and with links followed; None for standard input.
        name: what the file is called.
    """

    origin: str | None
    name: str

    @classmethod
    def of(cls, source: Source, given: Sequence[str]) -> _Namer:
        if source.path is None:
            return cls(None, _STDIN_NAME)
        if source.address is not None:
            return cls(source.address, source.address)
        path, here = source.path, Path.cwd()
        asked = Path(os.path.normpath(here / given[source.input_index]))
        is_below = not Path(given[source.input_index]).is_absolute() and path.is_relative_to(here)
        root = here if is_below else Path(os.path.commonpath((asked, path))).parent
        return cls(readable(Path(os.path.realpath(path)).as_posix()), readable(path.relative_to(root).as_posix()))

    def named(self, row: int, id_: str | None, text: str) -> Document:
        """The document of a row."""
        if id_:
            return Document(id_, text)
        if self.origin is None:
            # Another input has other texts in the same rows: these are no revisions.
            digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
            return Document(f"{self.name}:{row}:{digest}", text)
        return FromFile(f"{self.name}:{row}", text, origin=f"{self.origin}:{row}")


def read_rows(source: Source, recipe: Recipe, rejects: Rejects) -> Generator[tuple[int, Document], None, None]:
    """Yield the rows of one file, each with its number, as ``read_documents`` does; a file is one row, or has many.

    Args:
        source: the file.
        recipe: its text columns, its column of ids, its encoding and its longest row count.
        rejects: for what cannot be read.
    """
    is_whole = source.format in WHOLE
    reading = Reading({}, _texts_of(source, recipe), None if is_whole else recipe.id)
    namer = _Namer.of(source, ())
    columns, options = asked_of(recipe)
    for batch in read_source(source, columns, rejects, options):
        yield from _documents(batch, namer, reading)


def _documents(batch: Batch, namer: _Namer, reading: Reading) -> Iterator[tuple[int, Document]]:
    import pyarrow as pa

    texts, ids = pa.array(batch.texts).to_pylist(), pa.array(batch.ids).to_pylist()
    for row, text, id_, others in zip(batch.rows.tolist(), texts, ids, batch.others or (), strict=True):
        told = reading.told(others, batch.notices.get(TEXT_COLUMN))
        document = replace(namer.named(row, id_ or told.id, text), **told.fields)
        yield row, with_history(document, others)


def _demanded(lacking: set[str], source: Source, batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the batches of a file, some row of which has to have each column that was named.

    Raises:
        InputError: no row has one. It is raised before anything is yielded where all rows have the same columns, or one
            batch is all; else at the end: a line of JSONL that has the column may come late.
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
    """Take the columns that some row has off those that are lacking; note what was met before."""
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
        raise InputError(problem, cure=say("name one of these, or leave the option away"))


def write_documents(documents: Iterable[Mapping[str, Any]], path: Path) -> tuple[int, int]:
    """Write documents as JSON Lines, compressed as the name says; return how many, and their bytes before that.

    The file appears when it is whole.

    Raises:
        UsageError: the file is there already.
    """
    if path.exists():
        raise UsageError(say("{path} is there already", path=path), cure=say("name a new file"))
    suffixes = {".gz": "gz", ".zst": "zst", ".zstd": "zst"}
    count = size = 0
    with appearing(path) as place, open_writer(place, suffixes.get(path.suffix)) as file:
        for document in documents:
            line = json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
            file.write(line)
            count, size = count + 1, size + len(line)
    return count, size


__all__ = ["asked_of", "documents_of", "name_of", "read_documents", "read_rows", "write_documents"]

"""Documents out of files: the text as any run reads it, and what else a row tells."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from whorl.corpus import (
    EVERYTHING,
    WHOLE,
    Columns,
    ReadOptions,
    Rejects,
    Selection,
    Source,
    discover,
    format_of,
    read_source,
    sources_ahead,
)
from whorl.corpus.appearing import appearing
from whorl.corpus.compression import open_writer, standard_input
from whorl.corpus.discover import readable
from whorl.errors import InputError, UsageError
from whorl.library.columns import Misread, Reading
from whorl.library.documents import FromFile, with_history
from whorl.library.model import Document
from whorl.recipe import Recipe

_STDIN = "-"
_STDIN_NAME = "stdin"
_DIGEST = 16


def read_documents(
    inputs: Sequence[str],
    recipe: Recipe,
    rejected: Path,
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
        rejected: an empty folder for what cannot be read, byte for byte with the reason.
        named: fields of a document, each with its column; None takes the usual ones of ``whorl.library.columns``.
        misread: counts what was not understood and is kept as metadata.
        selection: which files of folders and globs are read.

    Raises:
        InputError: a file that was named cannot be read as asked, or lacks a column that was named; or no file at all
            can be read.

    Cost: two passes over each file.
    """
    chosen = {field: column for field, column in named.items() if column is not None}
    with TemporaryDirectory(prefix="whorl-") as scratch, Rejects(rejected) as rejects:
        given = [place for place in inputs if place != _STDIN]
        found = discover(given, selection=selection) if given else []
        namers = {source: _Namer.of(source, given) for source in found}
        if _STDIN in inputs:
            namers[_spooled(Path(scratch))] = _Namer(None, _STDIN_NAME)
        columns, options = Columns(recipe.text, recipe.id), ReadOptions(recipe.encoding, recipe.max_row_bytes)
        any_read = False
        for source in sources_ahead(namers, columns, rejects, options):
            own = chosen if source.format not in WHOLE else {}
            reading = Reading(own, recipe.text, None if source.format in WHOLE else recipe.id)
            for document in _documents(source, namers[source], columns, options, reading, rejects):
                any_read = True
                yield document
            misread.update(reading.misread)
        if not any_read:
            rejects.demand_readable()


def _spooled(folder: Path) -> Source:
    """Standard input as a file, which can be read once for each column."""
    place = folder / "stdin.jsonl"
    with place.open("wb") as file:
        copyfileobj(standard_input(), file)
    return Source(place, place.name, "jsonl")


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
        path, here = Path(str(source.path)), Path.cwd()
        asked = Path(os.path.normpath(here / given[source.given]))
        is_below = not Path(given[source.given]).is_absolute() and path.is_relative_to(here)
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


def _documents(
    source: Source, namer: _Namer, columns: Columns, options: ReadOptions, reading: Reading, rejects: Rejects
) -> Iterator[Document]:
    import pyarrow as pa

    demanded = False
    with closing(_Rows(source, options)) as others:
        for batch in read_source(source, columns, rejects, options):
            if not demanded:
                _demand_columns(source, reading, options)
                demanded = True
            texts, ids = pa.array(batch.texts).to_pylist(), pa.array(batch.ids).to_pylist()
            for row, text, id_ in zip(batch.rows.tolist(), texts, ids, strict=True):
                values = others.at(row)
                told = reading.told(values)
                document = replace(namer.named(row, id_ or told.id, text), **told.fields)
                yield with_history(document, values)


def _demand_columns(source: Source, reading: Reading, options: ReadOptions) -> None:
    """Look for the columns that were named, as far as the first row that has each.

    Raises:
        InputError: no row has one.
    """
    lacking = reading.columns()
    met: dict[str, None] = {}
    with closing(_Rows(source, options)) as rows:
        for row in rows if lacking else ():
            lacking -= row.keys()
            met |= dict.fromkeys(row)
            if not lacking:
                return
    if lacking and met:
        column = min(lacking)
        problem = f"{source.label} has no column {column!r}; its columns are {', '.join(met)}"
        raise InputError(problem, cure="name one of these, or leave the option away")


class _Rows:
    """The rows of a file with all their columns, asked for in their order."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._rows = format_of(source).rows(source, options)
        self._next: tuple[int, Mapping[str, Any]] | None = None

    def at(self, row: int) -> Mapping[str, Any]:
        """The columns of a row; none where it cannot be read."""
        while self._next is None or self._next[0] < row:
            self._next = next(self._rows, None)
            if self._next is None:
                return {}
        return self._next[1] if self._next[0] == row else {}

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return (row for _, row in self._rows)

    def close(self) -> None:
        """Read no more."""
        self._rows.close()


def write_documents(documents: Iterable[Mapping[str, Any]], path: Path) -> tuple[int, int]:
    """Write documents as JSON Lines, compressed as the name says; return how many, and their bytes before that.

    The file appears when it is whole.

    Raises:
        UsageError: the file is there already.
    """
    if path.exists():
        raise UsageError(f"{path} is there already", cure="name a new file")
    suffixes = {".gz": "gz", ".zst": "zst", ".zstd": "zst"}
    count = size = 0
    with appearing(path) as place, open_writer(place, suffixes.get(path.suffix)) as file:
        for document in documents:
            line = json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
            file.write(line)
            count, size = count + 1, size + len(line)
    return count, size


__all__ = ["read_documents", "write_documents"]

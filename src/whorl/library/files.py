"""Documents out of files: the text as any run reads it, and what else a row tells."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

from whorl.corpus import WHOLE, Columns, ReadOptions, Rejects, Source, discover, format_of
from whorl.corpus.compression import open_writer
from whorl.errors import InputError, UsageError
from whorl.library.documents import time_of
from whorl.recipe import Recipe

USUAL = {"title": "title", "url": "url", "source": "source", "author": "author", "published_at": "published_at"}
"""The columns of what else is known of a document, where they are not named."""

_OF_WHOLE_FILES = {"title": "title", "url": "url", "author": "author", "published_at": "date"}
_STDIN = "-"


def read_documents(
    inputs: Sequence[str], recipe: Recipe, named: Mapping[str, str | None], rejected: Path
) -> Iterator[dict[str, Any]]:
    """Yield the rows of files as the fields of documents; a row without an id is called ``FILE:ROW``.

    Args:
        inputs: files, folders and globs; ``-`` is JSONL on standard input.
        recipe: its text columns, its column of ids, its encoding and its longest row count.
        named: the fields of ``USUAL`` to read, each with its column; None takes the usual one, where there is one.
        rejected: an empty folder for what cannot be read, byte for byte with the reason.

    Raises:
        InputError: a file cannot be read as asked, or lacks a column that was named.

    Cost: a pass over each file for its texts and one for each further column.
    """
    with TemporaryDirectory(prefix="whorl-") as scratch, Rejects(rejected) as rejects:
        for source in discover([_spooled(Path(scratch)) if given == _STDIN else given for given in inputs]):
            yield from _documents(source, recipe, named, rejects, Path(scratch))


def _spooled(folder: Path) -> str:
    """Standard input as a file, which can be read once for each column."""
    place = folder / "stdin.jsonl"
    with place.open("wb") as file:
        copyfileobj(sys.stdin.buffer, file)
    return str(place)


def _documents(
    source: Source, recipe: Recipe, named: Mapping[str, str | None], rejects: Rejects, scratch: Path
) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    options = ReadOptions(recipe.encoding, recipe.max_row_bytes)
    fields = [name for name in named if source.format not in WHOLE or name in _OF_WHOLE_FILES]
    with TemporaryDirectory(dir=scratch) as folder, Rejects(Path(folder)) as unread, ExitStack() as opened:
        others = {name: _Values(source, name, named[name], options, unread) for name in fields}
        for values in others.values():
            opened.callback(values.close)
        for batch in format_of(source).read(source, Columns(recipe.text, recipe.id), rejects, options):
            texts, ids = pa.array(batch.texts).to_pylist(), pa.array(batch.ids).to_pylist()
            for row, text, id_ in zip(batch.rows.tolist(), texts, ids, strict=True):
                told = {name: value for name, values in others.items() if (value := values.at(row))}
                if source.format in WHOLE and not _is_time(told.get("published_at")):
                    # Pages state dates in any form; what is no time says nothing.
                    told.pop("published_at", None)
                yield {"id": id_ or f"{source.name}:{row}", "text": text} | told


def _is_time(value: str | None) -> bool:
    try:
        return time_of(value, "published_at") is not None
    except InputError:
        return False


class _Values:
    """The values of one column of a file, asked for in the order of rows."""

    def __init__(self, source: Source, field: str, column: str | None, options: ReadOptions, rejects: Rejects) -> None:
        self._is_named = column is not None
        if source.format in WHOLE:
            # A file that is one document has its text for any column of text; what it has not it has not as an order.
            columns = Columns(order=column or _OF_WHOLE_FILES[field])
        else:
            columns = Columns((column or USUAL[field],))
        self._rows = self._read(format_of(source).read(source, columns, rejects, options))
        self._next: tuple[int, str] | None = None

    def at(self, row: int) -> str | None:
        """The value of a row; None where it has none."""
        while self._next is None or self._next[0] < row:
            self._next = next(self._rows, None)
            if self._next is None:
                return None
        return self._next[1] if self._next[0] == row else None

    def close(self) -> None:
        """Read no more."""
        self._rows.close()

    def _read(self, batches: Iterator[Any]) -> Generator[tuple[int, str], None, None]:
        import pyarrow as pa

        try:
            for batch in batches:
                values = batch.texts if batch.order is None else batch.order
                yield from zip(batch.rows.tolist(), pa.array(values).to_pylist(), strict=True)
        except InputError:
            if self._is_named:
                raise


def write_documents(documents: Iterable[Mapping[str, Any]], path: Path) -> tuple[int, int]:
    """Write documents as JSON Lines, compressed as the name says; return how many, and their bytes before that.

    Raises:
        UsageError: the file is there already.
    """
    if path.exists():
        raise UsageError(f"{path} is there already", cure="name a new file")
    suffixes = {".gz": "gz", ".zst": "zst", ".zstd": "zst"}
    count = size = 0
    with open_writer(path, suffixes.get(path.suffix)) as file:
        for document in documents:
            line = json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
            file.write(line)
            count, size = count + 1, size + len(line)
    return count, size


__all__ = ["USUAL", "read_documents", "write_documents"]

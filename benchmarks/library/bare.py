"""What a commit takes without a library: the same rows, written by SQLite alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.rivals.library_task import spread, timed

FILE = "library.sqlite"
_CACHE_KIB = 32 * 1024
_ROWS_OF = (("content", "number"), ("text", "document"), ("sketch", "content"), ("pair", "high"))

Rows = list[tuple[str, tuple[Any, ...]]]


def beside_bare(library: Any, folder: Path, documents: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Add documents one by one, and after each commit the rows that it made to files that have no library.

    One of the files is a copy of the library's, so that tables and indexes are as large; the other has one table, and
    gets the packed text alone, or the keys where no texts are kept.

    Args:
        library: that which is asked.
        folder: where it lives; the other files come beside it.
        documents: new ones.

    Returns:
        The milliseconds of ``add``, of the same rows (``bare``) and of the text alone (``blob``): median, 99 %, most.
    """
    library.backup(folder / "copy")
    os.sync()
    times: dict[str, list[float]] = {"add": [], "bare": [], "blob": []}
    with (
        closing(sqlite3.connect(folder / "library" / FILE)) as source,
        closing(_durable(folder / "copy" / FILE)) as copy,
        closing(_durable(folder / "blob.sqlite", source)) as blobs,
    ):
        blobs.execute("CREATE TABLE text (number INTEGER PRIMARY KEY, body BLOB)")
        for document in documents:
            times["add"].append(timed(library.add, document))
            rows = list(_rows(source, document["id"]))
            times["bare"].append(timed(lambda rows: _commit(copy, rows), rows))
            body = next(row[-1] for table, row in rows if table in ("text", "sketch"))
            times["blob"].append(timed(lambda body: _commit(blobs, [("text", (None, body))]), body))
    return {name: spread(taken) for name, taken in times.items()}


def _durable(path: Path, like: sqlite3.Connection | None = None) -> sqlite3.Connection:
    """A file that is written as a library's is; a new one has pages as large as ``like``."""
    connection = sqlite3.connect(path, isolation_level=None)
    if like is not None:
        connection.execute(f"PRAGMA page_size = {like.execute('PRAGMA page_size').fetchone()[0]}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def _rows(source: sqlite3.Connection, name: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """What a library wrote of a document that is no other's copy word for word, table by table."""
    found = source.execute("SELECT * FROM document WHERE id = ?", (name,))
    (document,) = found
    fields = dict(zip([column[0] for column in found.description], document, strict=True))
    yield "document", document
    for table, column in _ROWS_OF:
        number = fields["number" if column == "document" else "content"]
        for row in source.execute(f"SELECT * FROM {table} WHERE {column} = ?", (number,)):
            yield table, row


def _commit(connection: sqlite3.Connection, rows: Rows) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table, row in rows:
        connection.execute(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    connection.execute("COMMIT")

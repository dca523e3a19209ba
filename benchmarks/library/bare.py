"""Cost of a commit without a library: SQLite alone writes the same rows."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.rivals.library_task import spread, timed

FILE = "library.sqlite"
_CACHE_KIB = 32 * 1024
_ROWS_OF = (("content", "number"), ("text", "document"), ("sketch", "content"), ("pair", "high"))

Rows = list[tuple[str, tuple[Any, ...]]]


def beside_bare(library: Any, folder: Path, documents: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Add documents one by one; after each commit write its rows to SQLite files without a library.

    One file is a copy of the library's, so that tables and indexes have the same size. The other has one table, which
    receives the packed text alone, or the keys if the library stores no texts.

    Args:
        library: the measured library.
        folder: its folder, which also receives the other files.
        documents: new documents.

    Returns:
        The milliseconds of ``add``, of the same rows (``bare``) and of the text alone (``blob``): median, 99%, maximum.
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
    return {name: spread(samples) for name, samples in times.items()}


def batch_beside_bare(library: Any, folder: Path, documents: list[dict[str, Any]]) -> list[float]:
    """Add documents in one batch; then fingerprint their texts, and write the same rows to SQLite in bulk.

    The rows go to the copy of the library's file that ``beside_bare`` made.

    Args:
        library: the measured library.
        folder: its folder.
        documents: new documents.

    Returns:
        The processor seconds of ``add``, of fingerprinting, and of writing the rows.
    """
    adding = _processor_time(lambda: library.add(documents))
    family, texts = library.recipe.family(), [document["text"] for document in documents]
    fingerprinting = _processor_time(lambda: family.fingerprint(texts))
    rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    with (
        closing(sqlite3.connect(folder / "library" / FILE)) as source,
        closing(_durable(folder / "copy" / FILE)) as copy,
    ):
        for document in documents:
            for table, row in _rows(source, document["id"]):
                rows[table].append(row)
        writing = _processor_time(lambda: _commit_in_bulk(copy, rows))
    return [adding, fingerprinting, writing]


def _processor_time(act: Callable[[], object]) -> float:
    """Return the processor seconds of a call, in all threads."""
    began = process_time()
    act()
    return process_time() - began


def _durable(path: Path, like: sqlite3.Connection | None = None) -> sqlite3.Connection:
    """Open a file with the durability settings of a library; a new file gets the page size of ``like``."""
    connection = sqlite3.connect(path, isolation_level=None)
    if like is not None:
        connection.execute(f"PRAGMA page_size = {like.execute('PRAGMA page_size').fetchone()[0]}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def _rows(source: sqlite3.Connection, name: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Return the rows that a library wrote for a document without exact duplicates, by table."""
    cursor = source.execute("SELECT * FROM document WHERE id = ?", (name,))
    (document,) = cursor
    fields = dict(zip([column[0] for column in cursor.description], document, strict=True))
    yield "document", document
    for table, column in _ROWS_OF:
        number = fields["number" if column == "document" else "content"]
        for row in source.execute(f"SELECT * FROM {table} WHERE {column} = ?", (number,)):
            yield table, row


def _commit_in_bulk(connection: sqlite3.Connection, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table, of_table in rows.items():
        connection.executemany(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(of_table[0]))})", of_table)
    connection.execute("COMMIT")


def _commit(connection: sqlite3.Connection, rows: Rows) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table, row in rows:
        connection.execute(f"REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    connection.execute("COMMIT")

"""Queries and writes of rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

_VALUES = 1000
_Key = TypeVar("_Key")
_Row = TypeVar("_Row")


class SqliteRows:
    """A connection within a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def query(self, statement: str, *values: Any) -> Iterator[Any]:
        """Return the rows of any statement of SQL."""
        return self._connection.execute(statement, values)

    def select_in(self, select: str, column: str, values: Iterable[Any], rest: str = "") -> Iterator[Any]:
        """Yield the rows in which a column has one of the values."""
        return chain.from_iterable(
            self.query(f"{select} WHERE {column} IN ({', '.join('?' * len(some))}) {rest}", *some)
            for some in parts(values)
        )

    def number(self, statement: str) -> int:
        """Return the count that a statement selects."""
        return int(self._connection.execute(statement).fetchone()[0])


class SqliteChangingRows(SqliteRows):
    """A connection within a write transaction."""

    def next_number(self, table: str) -> int:
        """Return the next number for a row of a table, whose numbers are never reused."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 1 if row is None else int(row[0]) + 1

    def run(self, statement: str, *values: Any) -> None:
        """Run any statement of SQL."""
        self._connection.execute(statement, values)

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        """Run any statement of SQL for each row."""
        self._connection.executemany(statement, rows)

    def put(self, table: str, rows: Sequence[Any]) -> None:
        """Store records, whose fields are named like the columns, replacing those with the same key."""
        if rows:
            names = rows[0]._fields
            changed = ", ".join(f"{name} = excluded.{name}" for name in names)
            self.run_many(f"{_insert(table, names)} ON CONFLICT DO UPDATE SET {changed}", rows)

    def put_new(self, table: str, rows: Sequence[Any]) -> None:
        """Store records, whose fields are named like the columns, ignoring those with an existing key."""
        if rows:
            self.run_many(f"{_insert(table, rows[0]._fields)} ON CONFLICT DO NOTHING", rows)


def _insert(table: str, names: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def lists(rows: Iterable[tuple[_Key, _Row]]) -> dict[_Key, list[_Row]]:
    """Group rows by key, in their order."""
    groups: dict[_Key, list[_Row]] = {}
    for key, row in rows:
        groups.setdefault(key, []).append(row)
    return groups


def parts(values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Group the distinct values into tuples of the maximum size of a statement."""
    rest = iter(dict.fromkeys(values))
    while some := tuple(islice(rest, _VALUES)):
        yield some


__all__ = ["SqliteChangingRows", "SqliteRows", "lists", "parts"]

"""Queries and writes of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from whorl.stores.sql.dialect import Dialect, insertion, quoted
from whorl.stores.sql.schema import COUNTED, LIBRARY, columns, primary, with_keys

_VALUES = 10_000
_Key = TypeVar("_Key")
_Row = TypeVar("_Row")


class SqlRows:
    """A connection within a transaction.

    Args:
        connection: a connection with an open transaction.
        dialect: dialect of its server.
        counters: the last number assigned to each kind.
    """

    def __init__(self, connection: Any, dialect: Dialect, counters: Sequence[int]) -> None:
        self._connection = connection
        self._cursor = dialect.cursor(connection)
        self._dialect = dialect
        self._last = dict(zip(COUNTED, counters, strict=True))

    def last_numbers(self) -> dict[str, int]:
        """Return the last number assigned to each kind."""
        return dict(self._last)

    def query(self, statement: str, *values: Any) -> Sequence[Any]:
        """Return the rows of any statement of SQL."""
        self._cursor.execute(statement, values or None)
        rows: Sequence[Any] = self._cursor.fetchall()
        return rows

    def select_in(self, select: str, column: str, values: Iterable[Any], rest: str = "") -> Iterator[Any]:
        """Yield the rows in which a column has one of the values, without a query for an empty list."""
        condition = self._dialect.in_list(column)
        for some in parts(values):
            yield from self.query(f"{select} WHERE {condition} {rest}", self._dialect.list_parameter(some))

    def pages(self, names: Sequence[str], table: str, where: str = "", *values: Any) -> Iterator[Any]:
        """Yield all rows of a table, ordered by its primary key: one or two numbers, which come first in ``names``."""
        key = primary(table)
        order, statement = quoted(key), f'SELECT {quoted(names)} FROM "{table}"'
        condition = where
        while True:
            clause = f"WHERE {condition}" if condition else ""
            rows = self.query(f"{statement} {clause} ORDER BY {order} LIMIT {_VALUES}", *values)
            yield from rows
            if len(rows) < _VALUES:
                return
            condition = " AND ".join(filter(None, [where, _behind(key, rows[-1])]))

    def scan(self, statement: str, *values: Any) -> Sequence[Any]:
        """Return the rows of a statement that scans whole tables."""
        with self._dialect.scanning(self._cursor):
            return self.query(statement, *values)

    def stream(self, statement: str, *values: Any) -> Iterator[Any]:
        """Yield the rows of a statement that scans whole tables in blocks; read them all before the next query."""
        with self._dialect.scanning(self._cursor):
            yield from self._dialect.stream(self._connection, statement, values)

    def number(self, statement: str, *values: Any) -> int:
        """Return the count that a statement selects by scanning whole tables."""
        return int(self.scan(statement, *values)[0][0] or 0)


class SqlChangingRows(SqlRows):
    """A connection within a write transaction."""

    def next_number(self, table: str) -> int:
        """Return the next number for a row of a table, whose numbers are never reused."""
        return self._last[table] + 1

    def count_to(self, table: str, number: int) -> None:
        """Reserve all numbers of a table up to this one."""
        self._last[table] = max(self._last[table], number)

    def counted(self) -> str:
        """Return the statement that stores the counters."""
        assignments = ", ".join(f'"{name}" = {number:d}' for name, number in self._last.items())
        return f'UPDATE "{LIBRARY}" SET {assignments}'

    def run(self, statement: str, *values: Any) -> None:
        """Run any statement of SQL."""
        self._cursor.execute(statement, values or None)

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        """Run any statement of SQL for each row; the driver batches insertions."""
        if many := list(rows):
            self._cursor.executemany(statement, many)

    def delete(self, table: str, column: str, values: Iterable[Any]) -> None:
        """Remove the rows in which a column has one of these values."""
        for some in parts(values):
            self.run(f'DELETE FROM "{table}" WHERE {self._dialect.in_list(column)}', self._dialect.list_parameter(some))

    def delete_pairs(self, table: str, pairs: Sequence[tuple[int, int]]) -> None:
        """Remove the rows of pairs of numbers."""
        for some in parts(pairs):
            condition = self._dialect.in_pairs("low", "high")
            self.run(f'DELETE FROM "{table}" WHERE {condition}', *self._dialect.pair_parameters(some))

    def put(self, table: str, rows: Sequence[Any], names: Sequence[str] | None = None) -> None:
        """Store records, whose fields are named like the columns, replacing those with the same key."""
        if rows:
            fields = names or rows[0]._fields
            written = columns(table, fields)
            changed = [name for name in written if name not in primary(table)]
            statement = f"{insertion(table, written)} {self._dialect.on_conflict(table, changed)}"
            self.run_many(statement, with_keys(table, fields, rows))

    def put_new(self, table: str, rows: Sequence[Any], names: Sequence[str] | None = None) -> None:
        """Store records, whose fields are named like the columns, ignoring those with an existing key."""
        if rows:
            fields = names or rows[0]._fields
            statement = f"{insertion(table, columns(table, fields))} {self._dialect.on_conflict(table, [])}"
            self.run_many(statement, with_keys(table, fields, rows))

    def insert(self, table: str, rows: Sequence[Any], names: Sequence[str] | None = None) -> None:
        """Store records, whose fields are named like the columns and whose keys are all new."""
        if rows:
            fields = names or rows[0]._fields
            self._dialect.insert(self._cursor, table, columns(table, fields), with_keys(table, fields, rows))

    def put_numbered(self, table: str, rows: Sequence[Any]) -> None:
        """Store records with numbers that are never reused, replacing those with the same number."""
        last = self._last[table]
        self.insert(table, [row for row in rows if row.number > last])
        self.put(table, [row for row in rows if row.number <= last])
        self.count_to(table, max((row.number for row in rows), default=0))


def _behind(key: Sequence[str], row: Sequence[int]) -> str:
    """Return the condition for rows after one, in a form for which every server uses the index."""
    first = f'"{key[0]}" > {row[0]:d}'
    return first if len(key) == 1 else f'"{key[0]}" >= {row[0]:d} AND ({first} OR "{key[1]}" > {row[1]:d})'


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


__all__ = ["SqlChangingRows", "SqlRows", "lists", "parts"]

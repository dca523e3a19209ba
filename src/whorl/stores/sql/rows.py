"""Queries and writes of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from whorl.stores.sql.counters import COUNTED
from whorl.stores.sql.dialect import Dialect, insertion, quoted

_PAGE = 10_000
_Key = TypeVar("_Key")
_Row = TypeVar("_Row")


class SqlRows:
    """A connection within a transaction.

    Args:
        connection: a connection with an open transaction.
        dialect: dialect of its database.
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
        """Yield the rows in which a column has one of the integers or keys, without a query for an empty list."""
        for some in self.parts(values):
            condition = self._dialect.in_list(column, some)
            yield from self.query(f"{select} WHERE {condition.text} {rest}", *condition.values)

    def select_texts(self, select: str, column: str, texts: Iterable[str], rest: str = "") -> Iterator[Any]:
        """Yield the rows in which a column with a key has one of the texts, without a query for an empty list."""
        return self.select_in(select, self._dialect.key(column), self._dialect.keys(texts), rest)

    def pages(self, names: Sequence[str], table: str, where: str = "", *values: Any) -> Iterator[Any]:
        """Yield all rows of a table, ordered by its primary key: one or two numbers, which come first in ``names``."""
        key = self._dialect.primary(table)
        order, statement = quoted(key), f'SELECT {quoted(names)} FROM "{table}"'
        condition = where
        while True:
            clause = f"WHERE {condition}" if condition else ""
            rows = self.query(f"{statement} {clause} ORDER BY {order} LIMIT {_PAGE}", *values)
            yield from rows
            if len(rows) < _PAGE:
                return
            condition = " AND ".join(filter(None, [where, _behind(key, rows[-1])]))

    def parts(self, values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """Group the distinct values into tuples of the maximum size of a list."""
        rest, size = iter(dict.fromkeys(values)), self._dialect.list_size
        while some := tuple(islice(rest, size)):
            yield some

    def scan(self, statement: str, *values: Any) -> Iterable[Any]:
        """Return the rows of a statement that scans whole tables."""
        with self._dialect.scanning(self._cursor):
            return self.query(statement, *values)

    def stream(self, statement: str, *values: Any) -> Iterator[Any]:
        """Yield the rows of a statement that scans whole tables in blocks; read them all before the next query."""
        with self._dialect.scanning(self._cursor):
            yield from self._dialect.stream(self._connection, statement, values)

    def number(self, statement: str, *values: Any) -> int:
        """Return the count that a statement selects by scanning whole tables."""
        ((number,),) = self.scan(statement, *values)
        return int(number or 0)


class SqlChangingRows(SqlRows):
    """A connection within a write transaction."""

    def next_number(self, table: str) -> int:
        """Return the next number for a row of a table, whose numbers are never reused."""
        return self._last[table] + 1

    def count_to(self, table: str, number: int) -> None:
        """Note that rows with numbers up to this one were stored."""
        self._last[table] = max(self._last[table], number)

    def reserve(self, table: str, number: int) -> None:
        """Reserve all numbers of a table up to this one, without rows."""
        self.count_to(table, number)

    def run(self, statement: str, *values: Any) -> None:
        """Run any statement of SQL."""
        self._cursor.execute(statement, values or None)

    def run_many(self, statement: str, rows: Iterable[Any]) -> None:
        """Run any statement of SQL for each row; the driver batches insertions."""
        if many := list(rows):
            self._cursor.executemany(statement, many)

    def delete(self, table: str, column: str, values: Iterable[Any]) -> None:
        """Remove the rows in which a column has one of these values."""
        for some in self.parts(values):
            condition = self._dialect.in_list(column, some)
            self.run(f'DELETE FROM "{table}" WHERE {condition.text}', *condition.values)

    def delete_pairs(self, table: str, pairs: Sequence[tuple[int, int]]) -> None:
        """Remove the rows of pairs of numbers."""
        for some in self.parts(pairs):
            condition = self._dialect.in_pairs("low", "high", some)
            self.run(f'DELETE FROM "{table}" WHERE {condition.text}', *condition.values)

    def put(self, table: str, rows: Sequence[Any], names: Sequence[str] | None = None) -> None:
        """Store records, whose fields are named like the columns, replacing those with the same key."""
        self._insert_or(table, rows, names, replaces=True)

    def put_new(self, table: str, rows: Sequence[Any], names: Sequence[str] | None = None) -> None:
        """Store records, whose fields are named like the columns, ignoring those with an existing key."""
        self._insert_or(table, rows, names, replaces=False)

    def _insert_or(self, table: str, rows: Sequence[Any], names: Sequence[str] | None, *, replaces: bool) -> None:
        if rows:
            fields = names or rows[0]._fields
            statement = _insertion(self._dialect, table, fields, replaces)
            self.run_many(statement, self._dialect.with_keys(table, fields, rows))

    def insert(self, table: str, rows: Sequence[Any], names: Sequence[str] | None = None) -> None:
        """Store records, whose fields are named like the columns and whose keys are all new."""
        if rows:
            fields = names or rows[0]._fields
            written, keyed = self._dialect.columns(table, fields), self._dialect.with_keys(table, fields, rows)
            self.insert_columns(table, written, keyed)

    def insert_columns(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Store rows with values for these columns, whose keys are all new."""
        self._dialect.insert(self._cursor, table, columns, rows)

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


@lru_cache(maxsize=256)
def _insertion(dialect: Dialect, table: str, names: Sequence[str], replaces: bool) -> str:
    columns = dialect.columns(table, names)
    return f"{insertion(table, columns)} {dialect.on_conflict(table, columns if replaces else ())}"


__all__ = ["SqlChangingRows", "SqlRows", "lists"]

"""Transactions on the file: those of `whorl.stores.sql`, with the statements that SQLite needs in another form."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from whorl.stores.monitoring_records import PermissionRecord, SnapshotRecord
from whorl.stores.records import ContentReview, ReviewRecord
from whorl.stores.sql.counters import COUNTED
from whorl.stores.sql.dialect import quoted
from whorl.stores.sql.reading import SqlReader
from whorl.stores.sql.writing import SqlWriter
from whorl.stores.sqlite.dialect import SQLITE
from whorl.stores.sqlite.schema import NOTHING

_COUNTERS = (
    "SELECT name, seq FROM sqlite_sequence UNION ALL SELECT 'change', coalesce(max(number), 0) FROM change "
    "UNION ALL SELECT 'verdict', EXISTS (SELECT 1 FROM verdict)"
)
_SNAPSHOT = quoted(SnapshotRecord._fields)


class SqliteReader(SqlReader):
    """Rows of a snapshot; implements `whorl.stores.Reader`, which documents the methods."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        last: dict[str, int] = dict(connection.execute(_COUNTERS))
        super().__init__(connection, SQLITE, [last.get(kind, 0) for kind in COUNTED])
        self._has_reviews = bool(last["verdict"])

    def stream(self, statement: str, *values: Any) -> Iterator[Any]:
        """See the base; other statements may run before the last row is read."""
        return SQLITE.stream(self._connection, statement, values)

    def scan(self, statement: str, *values: Any) -> Iterator[Any]:
        """See the base; the rows are read one by one."""
        return self.stream(statement, *values)

    def pages(self, names: Sequence[str], table: str, where: str = "", *values: Any) -> Iterator[Any]:
        """See the base; the rows are read one by one."""
        clause, order = f"WHERE {where}" if where else "", quoted(SQLITE.primary(table))
        return self.stream(f'SELECT {quoted(names)} FROM "{table}" {clause} ORDER BY {order}', *values)

    def reviewed(self, contents: Iterable[int]) -> list[ContentReview]:
        """See the contract."""
        # This runs with every batch and every check, and few libraries have any decisions.
        return super().reviewed(contents) if self._has_reviews else []

    def invalid_json(self, table: str, column: str, where: str) -> int:
        """See the base."""
        return self.number(
            f"SELECT count(*) FROM (SELECT {column} AS text FROM {table} {where}) WHERE NOT json_valid(text)"
        )

    def _latest(self, column: str, values: Iterable[Any], rest: str) -> Iterator[SnapshotRecord]:
        """Yield the latest snapshot for each value of a column; each is found by the end of its part of the index."""
        chosen = f"SELECT number FROM snapshot WHERE {column} = wanted {rest}"
        latest = f"{chosen} ORDER BY fetched_at DESC, number DESC LIMIT 1"
        for some in self.parts(values):
            queries = f"WITH queries (wanted) AS (VALUES {', '.join(['(?)'] * len(some))})"
            select = f"SELECT {_SNAPSHOT} FROM queries CROSS JOIN snapshot ON number = ({latest})"
            yield from map(SnapshotRecord._make, self.query(f"{queries} {select}", *some))


class SqliteWriter(SqliteReader, SqlWriter):
    """Rows of a transaction; implements `whorl.stores.Writer`, which documents the methods."""

    def reserve(self, table: str, number: int) -> None:
        """See the base; the tables of numbered rows keep the last number themselves, as soon as they have rows."""
        if number <= self._last[table]:
            return
        if table == "change":
            self.run('INSERT INTO "change" VALUES (?, ?, 0, 0)', number, NOTHING)
        else:
            self.run("DELETE FROM sqlite_sequence WHERE name = ?", table)
            self.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, number)
        self.count_to(table, number)

    def put_verdicts(self, verdicts: Sequence[ReviewRecord]) -> None:
        """See the contract."""
        super().put_verdicts(verdicts)
        self._has_reviews = True

    def remove_permissions(self, permissions: Sequence[PermissionRecord]) -> None:
        """See the contract."""
        rows = ((permission.domain, permission.path, permission.author, permission.since) for permission in permissions)
        self.run_many('DELETE FROM "permission" WHERE domain = ? AND path = ? AND author = ? AND since IS ?', rows)


__all__ = ["SqliteReader", "SqliteWriter"]

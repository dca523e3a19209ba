"""SQLite as a dialect: statements of `whorl.stores.sql`, and those for which SQLite has a faster form."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from whorl.stores.sql.dialect import Dialect, SqlStatement, insertion

_BEHIND = "substr(url, instr(url, '://') + 3)"
_PRIMARY = {"document": ("number",), "pair": ("high", "low"), "verdict": ("low", "high")}


class SqliteCursor(sqlite3.Cursor):
    """A cursor for statements whose parameters are written ``%s``."""

    def execute(self, statement: str, values: Sequence[Any] | None = None, /) -> SqliteCursor:  # type: ignore[override]
        """Run a statement."""
        super().execute(statement.replace("%s", "?"), values or ())
        return self

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> SqliteCursor:  # type: ignore[override]
        """Run a statement for each row."""
        super().executemany(statement.replace("%s", "?"), rows)
        return self


class Sqlite(Dialect):
    """SQLite, in which texts are looked up without hashes."""

    bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    site = (
        f"CASE WHEN instr(url, '://') THEN '//' || substr({_BEHIND}, 1, instr({_BEHIND} || '/', '/') - 1) "
        "ELSE coalesce(source, '') END"
    )
    modulo = "({0} % {1})"
    position = "instr"
    ordered_join = "CROSS JOIN"
    list_size = 1000

    def cursor(self, connection: sqlite3.Connection) -> SqliteCursor:
        """See the base."""
        return connection.cursor(SqliteCursor)

    def stream(self, connection: sqlite3.Connection, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """See the base; other statements may run before the last row is read."""
        return self.cursor(connection).execute(statement, values)

    def insert(self, cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """See the base."""
        cursor.executemany(insertion(table, columns), rows)

    def firsts(self, names: str, contents: Sequence[int], limit: int, collection: str | None) -> Iterator[SqlStatement]:
        """See the base."""
        condition, values = ("", ()) if collection is None else ("AND +collection = %s", (collection,))
        first = f"SELECT number FROM document WHERE content = wanted {condition} ORDER BY number LIMIT %s"
        for start in range(0, len(contents), self.list_size):
            some = contents[start : start + self.list_size]
            yield SqlStatement(
                f"WITH queries (wanted) AS (VALUES {', '.join(['(?)'] * len(some))}) "
                f"SELECT {names} FROM queries CROSS JOIN document ON number IN ({first}) ORDER BY number",
                (*some, *values, limit),
            )

    def in_list(self, column: str, values: Sequence[Any]) -> SqlStatement:
        """See the base."""
        return SqlStatement(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))

    def in_pairs(self, first: str, second: str, pairs: Sequence[tuple[int, int]]) -> SqlStatement:
        """See the base; by the second condition alone, SQLite would scan the table."""
        firsts = self.in_list(first, [pair[0] for pair in pairs])
        condition = f"({first}, {second}) IN (VALUES {', '.join(['(?, ?)'] * len(pairs))})"
        values = (*firsts.values, *(number for pair in pairs for number in pair))
        return SqlStatement(f"{firsts.text} AND {condition}", values)

    def on_conflict(self, table: str, written: Sequence[str]) -> str:  # noqa: ARG002 - of any key of the table
        """See the base."""
        assignments = ", ".join(f'"{name}" = excluded."{name}"' for name in written)
        return f"ON CONFLICT DO UPDATE SET {assignments}" if assignments else "ON CONFLICT DO NOTHING"

    def primary(self, table: str) -> Sequence[str]:
        """See the base."""
        return _PRIMARY[table]

    def key(self, column: str) -> str:
        """See the base."""
        return column

    def key_of(self, *parts: object) -> Any:
        """See the base."""
        (text,) = parts
        return text

    def keys(self, texts: Iterable[str]) -> Iterator[Any]:
        """Return the texts that SQLite can store."""
        return filter(_can_be_kept, texts)

    def columns(self, table: str, names: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - of any table
        """See the base."""
        return names

    def with_keys(self, table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:  # noqa: ARG002
        """See the base."""
        return rows

    def unindexed(self, column: str) -> str:
        """See the base."""
        return f"+{column}"


def _can_be_kept(text: Any) -> bool:
    """Return True if SQLite can store a text: it has no lone surrogates."""
    return isinstance(text, str) and (text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text))


SQLITE = Sqlite()

__all__ = ["SQLITE", "Sqlite", "SqliteCursor"]

"""Differences between database servers: connections, transactions, tables and failures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from sqlalchemy import Table

from whorl.errors import WhorlError
from whorl.stores.sql import schema
from whorl.stores.sql.address import SqlAddress
from whorl.stores.sql.dialect import Dialect, SqlStatement

CONNECTING = 10
"""Timeout in seconds for a connection attempt."""

PATIENCE = 60
"""Timeout in seconds for the write lock."""

STATEMENT = 90
"""Timeout in seconds for a statement."""

GRACE = 5
"""Seconds after the timeout of a statement until the connection of a server that does not end it is given up."""

MIGRATING = 3600
"""Timeout in seconds for a statement that changes the tables of a library, which may be large."""

LEASE = 600
"""Seconds after which the server ends a connection that is idle within a transaction, which releases the write lock."""


class SqlServer(Dialect):
    """A kind of server, and its driver.

    Attributes:
        scheme: scheme of addresses of its stores.
        error: base class of all errors of the driver.
        clock: statement that returns the time of the server in UTC, without a zone.
        ignoring: clause for an insertion that ignores a row with an existing key; empty if it fails instead.
        materialized: keyword for common table expressions that must be evaluated only once.
        revision: expression for a row that differs after each change of the row; a constant if the server has none.
            Then only the counters show changes: all of documents, matches, decisions and boilerplate.
        has_returning: whether an insertion can return values of the row.
        numbering: statement with a table and a number, after which further rows get larger numbers in the column
            ``number``; empty if the server does so itself.
    """

    scheme: ClassVar[str]
    error: type[Exception]
    clock: ClassVar[str]
    ignoring: ClassVar[str]
    materialized: ClassVar[str]
    revision: ClassVar[str]
    has_returning: ClassVar[bool]
    numbering: ClassVar[str] = ""
    list_size = 10_000

    @abstractmethod
    def connect(self, place: SqlAddress, *, lock_s: int = PATIENCE, statement_s: int = STATEMENT) -> Any:
        """Return a new connection, without a transaction unless one is begun.

        A server that does not respond is noticed: each statement ends, whatever happens to the server or the network.

        Args:
            place: location on the server; its timeouts replace those of the arguments.
            lock_s: timeout in seconds for a lock.
            statement_s: timeout in seconds for a statement.
        """

    @abstractmethod
    def begin(self, connection: Any, counters: str, *, writes: bool) -> tuple[int, ...] | None:
        """Begin a read snapshot, or wait for the write lock and begin to write.

        Args:
            connection: a connection without a transaction.
            counters: statement that selects the counters.
            writes: whether to take the write lock, which the end of the transaction releases.

        Returns:
            The counters; None if the database has no library.
        """

    @abstractmethod
    def begin_changes(self, connection: Any, *, is_synced: bool) -> None:
        """Begin to write without the write lock.

        Args:
            connection: a connection without a transaction.
            is_synced: False permits the server to lose the transaction if it crashes within a second, where it has
                such a mode.
        """

    @abstractmethod
    def rows_of_all(self, connection: Any, statements: Sequence[SqlStatement]) -> list[Sequence[Any]]:
        """Return the rows of each of several queries, in one round trip."""

    @abstractmethod
    def further_texts(self, contents: Sequence[int], limit: int) -> SqlStatement:
        """Return the query for texts of documents after the first one of each content, up to a number in total.

        Contents that come first are preferred. Rows: number of the document, text.
        """

    @abstractmethod
    def few_pairs(self, names: str, contents: Sequence[int], limit: int) -> SqlStatement:
        """Return the query for the pairs of contents, up to a number for each content and side; some occur twice."""

    @abstractmethod
    def commit(self, connection: Any, last: str) -> None:
        """Run a last statement, and commit."""

    @abstractmethod
    def is_duplicate(self, error: Exception) -> bool:
        """Return True if a row was refused because another one has its key, and the transaction goes on."""

    @abstractmethod
    def replacing(self, key: Sequence[str], columns: Sequence[str]) -> str:
        """Return the clause for an insertion with an existing key: replace some columns of that row."""

    @abstractmethod
    def is_lost(self, connection: Any) -> bool:
        """Return True if a connection is known to be unusable, without a round trip."""

    @abstractmethod
    def failure(self, place: SqlAddress, error: Exception, *, lost: bool) -> WhorlError:
        """Return the error for a failure, with a hint."""

    @abstractmethod
    def creating(self, connection: Any, place: SqlAddress) -> AbstractContextManager[Any]:
        """Create a place and return a cursor there, locked against concurrent schema changes; commit at the end."""

    @abstractmethod
    def create(self, cursor: Any) -> None:
        """Create all tables, including those that an interrupted creation lacks."""

    @abstractmethod
    def add_tables(self, cursor: Any, tables: Iterable[Table]) -> None:
        """Create tables that do not exist, with their indexes."""

    @abstractmethod
    def tables(self, cursor: Any) -> set[str]:
        """Return the names of all tables at the place of a connection; empty if the place does not exist."""

    @abstractmethod
    def analyze(self, connection: Any) -> None:
        """Refresh the statistics of the query planner."""

    @abstractmethod
    def in_namespace(self, address: str, place: SqlAddress, name: str) -> str:
        """Return the address of a namespace beside a place; see `whorl.stores.in_namespace`."""

    @abstractmethod
    def create_namespace(self, connection: Any, place: SqlAddress, name: str) -> None:
        """Create a namespace beside a place, if it does not exist and opening a library would not create it."""

    @abstractmethod
    def remove_namespace(self, connection: Any, place: SqlAddress, name: str) -> None:
        """Remove a namespace beside a place with everything in it, if it exists."""

    def primary(self, table: str) -> Sequence[str]:
        """See the base."""
        return schema.primary(table)

    def key(self, column: str) -> str:
        """See the base."""
        return f"{column}_key"

    def key_of(self, *parts: object) -> bytes:
        """See the base."""
        return schema.key_of(*parts)

    def columns(self, table: str, names: Sequence[str]) -> Sequence[str]:
        """See the base."""
        return schema.columns(table, names)

    def with_keys(self, table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
        """See the base."""
        return schema.with_keys(table, names, rows)


def versions_in(cursor: Any, table: str) -> tuple[int, int] | None:
    """Return the version of tables, and the oldest version whose programs can use them.

    Args:
        cursor: cursor of the server.
        table: the table with a single row that contains them; without the second one, only programs of the same
            version can.

    Returns:
        None if the row is missing.
    """
    cursor.execute(f'SELECT * FROM "{table}" WHERE one = 1')
    row = cursor.fetchone()
    if row is None:
        return None
    values: dict[str, Any] = dict(zip((column[0] for column in cursor.description), row, strict=True))
    version = int(values["version"])
    return version, int(values.get("oldest", version))


__all__ = ["CONNECTING", "GRACE", "LEASE", "MIGRATING", "PATIENCE", "STATEMENT", "SqlServer", "versions_in"]

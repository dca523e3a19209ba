"""Differences between database servers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, NamedTuple

from sqlalchemy import Table

from whorl.errors import WhorlError
from whorl.stores.sql.address import SqlAddress


class SqlStatement(NamedTuple):
    """A statement of SQL, and its parameters."""

    text: str
    values: tuple[Any, ...] = ()


class Dialect(ABC):
    """A kind of server, and its driver.

    Attributes:
        scheme: scheme of addresses of its stores.
        bytes: statement that returns the bytes of all tables on disk.
        site: expression for the site of a document, as defined by ``Reader.names``.
        error: base class of all errors of the driver.
    """

    scheme: ClassVar[str]
    bytes: ClassVar[str]
    site: ClassVar[str]
    error: type[Exception]

    @abstractmethod
    def connect(self, place: SqlAddress) -> Any:
        """Return a new connection, without a transaction unless one is begun."""

    @abstractmethod
    def cursor(self, connection: Any) -> Any:
        """Return a cursor of a connection."""

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
    def commit(self, connection: Any, last: str) -> None:
        """Run a last statement, and commit."""

    @abstractmethod
    def is_lost(self, connection: Any) -> bool:
        """Return True if a connection is known to be unusable, without a round trip."""

    @abstractmethod
    def failure(self, place: SqlAddress, error: Exception, *, lost: bool) -> WhorlError:
        """Return the error for a failure, with a hint."""

    @abstractmethod
    def scanning(self, cursor: Any) -> AbstractContextManager[None]:
        """Context for statements that scan whole tables, where an index is not always best."""

    @abstractmethod
    def stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """Yield the rows of a statement in blocks; the connection is occupied until the last row is read."""

    @abstractmethod
    def insert(self, cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert many new rows in the fastest way."""

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
    def firsts(self, names: str, contents: Sequence[int], limit: int, collection: str | None) -> Iterator[SqlStatement]:
        """Return the statement for the first documents of each content, optionally of one collection."""

    @abstractmethod
    def in_list(self, column: str) -> str:
        """Return the condition that a column has one of many values, which are passed as one parameter."""

    @abstractmethod
    def list_parameter(self, values: Sequence[Any]) -> Any:
        """Return integers or bytes as the parameter of ``in_list``."""

    @abstractmethod
    def in_pairs(self, first: str, second: str) -> str:
        """Return the condition that two columns have one of many pairs of numbers, passed by ``pair_parameters``."""

    @abstractmethod
    def pair_parameters(self, pairs: Sequence[tuple[int, int]]) -> tuple[Any, ...]:
        """Return pairs of numbers as the parameters of ``in_pairs``."""

    @abstractmethod
    def on_conflict(self, table: str, changed: Sequence[str]) -> str:
        """Return the clause for an insertion with an existing primary key: update columns, or ignore the row."""


def quoted(names: Iterable[str]) -> str:
    """Return names of columns quoted for a statement."""
    return ", ".join(f'"{name}"' for name in names)


def insertion(table: str, names: Sequence[str]) -> str:
    """Return the statement that inserts a row."""
    return f'INSERT INTO "{table}" ({quoted(names)}) VALUES ({", ".join(["%s"] * len(names))})'


__all__ = ["Dialect", "SqlStatement", "insertion", "quoted"]

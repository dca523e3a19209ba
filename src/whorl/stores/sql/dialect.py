"""Differences between SQL databases in statements.

Statements are written once, with ``%s`` for parameters, and double quotes around names that some database reserves.
Servers look a text up by its hash in another column, because their indexes are limited to short values; SQLite looks up
the text itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, NamedTuple


class SqlStatement(NamedTuple):
    """A statement of SQL, or a condition in it, and its parameters."""

    text: str
    values: tuple[Any, ...] = ()


class Dialect(ABC):
    """A kind of database.

    Attributes:
        bytes: statement that returns the bytes of all tables on disk.
        site: expression for the site of a document, as defined by ``Reader.names``.
        modulo: expression for the remainder of {0} and {1}, which has the sign of {0}.
        position: function of a text and a part of it that returns the position of the part, 0 if it is absent.
        ordered_join: join of tables that the planner should read in the order in which they are written.
        list_size: maximum number of values in a list.
    """

    bytes: ClassVar[str]
    site: ClassVar[str]
    modulo: ClassVar[str] = "mod({0}, {1})"
    position: ClassVar[str]
    ordered_join: ClassVar[str] = "JOIN"
    list_size: ClassVar[int]

    @abstractmethod
    def cursor(self, connection: Any) -> Any:
        """Return a cursor of a connection."""

    def scanning(self, cursor: Any) -> AbstractContextManager[None]:  # noqa: ARG002 - most databases know by themselves
        """Context for statements that scan whole tables, where an index is not always best."""
        return nullcontext()

    @abstractmethod
    def stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """Yield the rows of a statement in blocks; the connection is occupied until the last row is read."""

    @abstractmethod
    def insert(self, cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert many new rows in the fastest way."""

    @abstractmethod
    def firsts(self, names: str, contents: Sequence[int], limit: int, collection: str | None) -> Iterator[SqlStatement]:
        """Return the statements for the first documents of each content, optionally of one collection."""

    @abstractmethod
    def in_list(self, column: str, values: Sequence[Any]) -> SqlStatement:
        """Return the condition that a column has one of many integers or keys."""

    @abstractmethod
    def in_pairs(self, first: str, second: str, pairs: Sequence[tuple[int, int]]) -> SqlStatement:
        """Return the condition that two columns have one of many pairs of numbers."""

    @abstractmethod
    def on_conflict(self, table: str, written: Sequence[str]) -> str:
        """Return the clause for an insertion with an existing key: replace these columns, or ignore the row if none."""

    @abstractmethod
    def primary(self, table: str) -> Sequence[str]:
        """Return the columns of the primary key of a table."""

    @abstractmethod
    def key(self, column: str) -> str:
        """Return the column by whose index rows with a text are looked up; it is NULL or empty without a text."""

    @abstractmethod
    def key_of(self, *parts: object) -> Any:
        """Return the value of the column ``key`` for a text, or a tuple of values."""

    def keys(self, texts: Iterable[str]) -> Iterator[Any]:
        """Return the values of the column ``key`` for texts; texts that no row can have may be omitted."""
        return map(self.key_of, texts)

    @abstractmethod
    def columns(self, table: str, names: Sequence[str]) -> Sequence[str]:
        """Return the columns that are written for records with these fields."""

    @abstractmethod
    def with_keys(self, table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
        """Return rows with the values of the columns that ``columns`` adds."""

    def unindexed(self, column: str) -> str:
        """Return a column in a form for which the planner does not choose its index, where it would choose badly."""
        return column


def quoted(names: Iterable[str]) -> str:
    """Return names of columns quoted for a statement."""
    return ", ".join(f'"{name}"' for name in names)


def insertion(table: str, names: Sequence[str]) -> str:
    """Return the statement that inserts a row."""
    return f'INSERT INTO "{table}" ({quoted(names)}) VALUES ({", ".join(["%s"] * len(names))})'


__all__ = ["Dialect", "SqlStatement", "insertion", "quoted"]

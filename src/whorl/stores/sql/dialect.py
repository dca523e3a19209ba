"""What differs from server to server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, NamedTuple

from whorl.errors import WhorlError
from whorl.stores.sql.address import Place


class Statement(NamedTuple):
    """A statement of SQL, and the values in its places."""

    text: str
    values: tuple[Any, ...] = ()


class Dialect(ABC):
    """A kind of server, and its driver.

    Attributes:
        scheme: of addresses of its stores.
        bytes: the statement that tells how many bytes all tables have on the disk.
        site: the expression that tells the site of a document, as ``Reader.names`` has it.
        error: the class of all errors of the driver.
    """

    scheme: ClassVar[str]
    bytes: ClassVar[str]
    site: ClassVar[str]
    error: type[Exception]

    @abstractmethod
    def connect(self, place: Place) -> Any:
        """Return a new connection, on which nothing is begun unless it is told so."""

    @abstractmethod
    def cursor(self, connection: Any) -> Any:
        """What runs statements on a connection."""

    @abstractmethod
    def begin(self, connection: Any, counters: str, *, writes: bool) -> tuple[int, ...] | None:
        """Begin to read what is true at one moment, or to change it when it is this one's turn.

        Args:
            connection: on which nothing is begun.
            counters: the statement that tells the counters.
            writes: whether to wait for the turn, which the end of the transaction ends.

        Returns:
            The counters; None where the library has none.
        """

    @abstractmethod
    def commit(self, connection: Any, last: str) -> None:
        """Run one more statement, and let all count."""

    @abstractmethod
    def is_lost(self, connection: Any) -> bool:
        """Whether a connection is of no use any more, as far as this end of it knows."""

    @abstractmethod
    def failure(self, place: Place, error: Exception, *, lost: bool) -> WhorlError:
        """Return what went wrong, with a cure."""

    @abstractmethod
    def scanning(self, cursor: Any) -> AbstractContextManager[None]:
        """The time of statements that look at whole tables, for which an index is not always the best."""

    @abstractmethod
    def stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Any]:
        """The rows of a statement, some at a time; until the last one is read nothing else may be asked."""

    @abstractmethod
    def insert(self, cursor: Any, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows, of which none is there yet, in the fastest way."""

    @abstractmethod
    def creating(self, connection: Any, place: Place) -> AbstractContextManager[Any]:
        """A cursor at a place, which is made, while nobody else makes or changes tables there; ends what it began."""

    @abstractmethod
    def create(self, cursor: Any) -> None:
        """Make all tables where none of them is, or half of them: whoever made those did not end."""

    @abstractmethod
    def tables(self, cursor: Any) -> set[str]:
        """The names of all tables at the place of a connection; none where there is no such place."""

    @abstractmethod
    def analyze(self, connection: Any) -> None:
        """Tell the server to look how many rows there are of what."""

    @abstractmethod
    def firsts(self, names: str, contents: Sequence[int], most: int, collection: str | None) -> Iterator[Statement]:
        """What tells the first documents of each content, or of those of a collection."""

    @abstractmethod
    def among(self, column: str) -> str:
        """The condition that a column has one of many values, which stand in one place."""

    @abstractmethod
    def asked(self, values: Sequence[Any]) -> Any:
        """Whole numbers, or bytes, as they are put into the place of ``among``."""

    @abstractmethod
    def among_pairs(self, first: str, second: str) -> str:
        """The condition that two columns have one of many pairs of numbers, which stand in the place of ``paired``."""

    @abstractmethod
    def paired(self, pairs: Sequence[tuple[int, int]]) -> tuple[Any, ...]:
        """Pairs of numbers, as they are put into the place of ``among_pairs``."""

    @abstractmethod
    def on_conflict(self, table: str, changed: Sequence[str]) -> str:
        """What an insertion does where a row of the same primary key is: change these columns, or nothing."""


def quoted(names: Iterable[str]) -> str:
    """Names of columns as they stand in a statement."""
    return ", ".join(f'"{name}"' for name in names)


def insertion(table: str, names: Sequence[str]) -> str:
    """The statement that writes a row."""
    return f'INSERT INTO "{table}" ({quoted(names)}) VALUES ({", ".join(["%s"] * len(names))})'


__all__ = ["Dialect", "Statement", "insertion", "quoted"]

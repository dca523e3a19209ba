"""What all databases of the service state have in common. All processes of a service share one.

The state is in a SQLite file (`whorl.service.state.sqlite`) or on a server (`whorl.service.state.server`). Statements
are written once, with ``?`` for parameters. Names that a database reserves, such as "user", "key" and "by", are
quoted: unquoted, ``user`` is the database user in PostgreSQL. What differs is in the methods of `Connection`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from whorl._internal.disk import free_bytes
from whorl.errors import DiskFullError, InputError, WhorlError
from whorl.i18n import say

LEAST_ROOM = 2**20
"""Minimum free space in bytes: a change and its audit entry must both fit."""


class Row(Protocol):
    """A row, with values by name and by position."""

    def keys(self) -> Iterable[str]:
        """Return the names of the columns."""

    def __getitem__(self, column: str | int, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...


class Cursor(Protocol):
    """The result of a statement.

    Attributes:
        rowcount: number of rows that a change applied to.
    """

    @property
    def rowcount(self) -> int:
        """Number of rows that a change applied to, whether or not their values differ."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> Sequence[Any]:
        """Return the remaining rows."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection, within a transaction if it was borrowed for writing.

    Attributes:
        materialized: keyword for common table expressions that must be evaluated only once.
    """

    materialized: str

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run a statement."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Cursor:
        """Run a statement for each row of parameters."""

    def insert(self, table: str, values: Mapping[str, Any], number: str = "number") -> int:
        """Insert a row, and return its number from the column ``number``."""

    def add(self, table: str, values: Mapping[str, Any]) -> bool:
        """Insert a row and return True, unless there is one with its key."""

    def put(self, table: str, values: Mapping[str, Any], key: Sequence[str], updated: Sequence[str]) -> None:
        """Insert a row; if there is one with its key, replace the columns ``updated`` of that row."""

    def number_after(self, table: str, number: int) -> None:
        """Give further rows larger numbers than that of a row which was inserted with its number."""

    def key_of(self, text: str) -> str:
        """Return the value of a column by which rows with a text of any length are looked up."""

    def time(self) -> datetime:
        """Return the current time in UTC, the same for all processes that share the database."""

    def now(self) -> str:
        """Return the current time in the format of the database."""


class Database(ABC):
    """A database of the service state. Thread-safe and process-safe.

    Attributes:
        folder: folder of the database; None on a server.
    """

    folder: Path | None = None

    def __init__(self) -> None:
        self._has_failed = False

    @abstractmethod
    def reading(self) -> AbstractContextManager[Connection]:
        """Borrow a connection for reading; each statement sees what was committed before it."""

    @abstractmethod
    def writing(self, *, is_synced: bool = True, is_exclusive: bool = True) -> AbstractContextManager[Connection]:
        """Borrow a connection within a transaction, which is durable at the end of the block.

        Args:
            is_synced: False permits the database to lose the transaction in a power failure, or in a crash of its
                server, before the next synced one. It survives a crash of this process.
            is_exclusive: False for a transaction that only adds rows, or whose statements each check what they
                change. On a server, only exclusive transactions take turns.
        """

    @abstractmethod
    def time(self) -> datetime:
        """Return the current time in UTC, the same for all processes that share the database."""

    @abstractmethod
    def close(self) -> None:
        """Close idle connections."""

    @abstractmethod
    def _write_nothing(self, connection: Connection) -> None:
        """Write without changing anything."""

    def now(self) -> str:
        """Return the current time in the sortable format of the database."""
        return stamp(self.time())

    def demand_room(self) -> None:
        """Refuse to start a change whose audit entry might not fit; a server checks its disks itself.

        Raises:
            DiskFullError: the disk is full or almost full.
        """
        if self.folder is not None:
            demand_room(self.folder)

    def accepts_writes(self) -> bool:
        """Return True if there is space and the last transaction succeeded; after a failure, try a small one."""
        try:
            self.demand_room()
            if self._has_failed:
                with self.writing(is_synced=False) as connection:
                    self._write_nothing(connection)
        except WhorlError:
            return False
        return True


def insertion(table: str, columns: Iterable[str], count: int = 1) -> str:
    """Return the statement that inserts a number of rows."""
    names = [f'"{name}"' for name in columns]
    rows = ", ".join([f"({', '.join('?' * len(names))})"] * count)
    return f'INSERT INTO "{table}" ({", ".join(names)}) VALUES {rows}'


def absent_state(label: str | Path) -> InputError:
    """Return the error for a place without a state."""
    return InputError(
        say("there is no state of a service at {label}", label=label),
        hint=say("name the folder of the served library, or the folder or database of --state"),
    )


def demand_room(folder: Path) -> None:
    """Refuse to write to a disk that is full or almost full.

    Raises:
        DiskFullError: fewer than ``LEAST_ROOM`` bytes are free.
    """
    try:
        free = free_bytes(folder)
    except OSError:
        return  # the following write reports the error
    if free < LEAST_ROOM:
        raise DiskFullError(
            say("the disk of the folder {name} is full: {free:,} bytes free", name=folder.name, free=free),
            hint=say("free at least {least:,} bytes; acknowledged changes are kept", least=LEAST_ROOM),
        )


def close_to_strangers(connection: Connection) -> None:
    """Record that access has been granted to somebody, so that anonymous access ends."""
    connection.add("closed", {"one": 1, "since": connection.now()})


def stamp(at: datetime) -> str:
    """Return a time in the format of the database."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


__all__ = [
    "LEAST_ROOM",
    "Connection",
    "Cursor",
    "Database",
    "Row",
    "absent_state",
    "close_to_strangers",
    "demand_room",
    "insertion",
    "stamp",
]

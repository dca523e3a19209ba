"""A library on a server: connection pool, transactions, and error handling."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from whorl.errors import InputError, ResourceError, UsageError, WhorlError
from whorl.i18n import say
from whorl.stores.contract import TableVersions
from whorl.stores.sql.address import SqlAddress
from whorl.stores.sql.ahead import OptimisticReader, ServerReader
from whorl.stores.sql.checking import faults
from whorl.stores.sql.counters import COUNTED
from whorl.stores.sql.dialect import SqlStatement, quoted
from whorl.stores.sql.pool import SqlPool
from whorl.stores.sql.reading import SqlReader
from whorl.stores.sql.schema import LIBRARY, MIGRATIONS, OLDEST, TABLES, VERSION
from whorl.stores.sql.server import SqlServer, versions_in
from whorl.stores.sql.writing import SqlWriter

_GROWN = 2
_COUNTERS = f'SELECT {quoted(COUNTED)} FROM "{LIBRARY}" WHERE one = 1'


class SqlStore:
    """A library on a server; implements `whorl.stores.Store`. Thread-safe.

    Concurrent threads use separate connections from a pool. A connection that the server has closed is detected before
    its first query, and replaced.

    Args:
        dialect: dialect of the server.
        address: the part after the scheme.
        read: parses the address.
        create: whether to create missing tables.
    """

    folder = None

    def __init__(self, dialect: SqlServer, address: str, read: Callable[[str], SqlAddress], create: bool) -> None:
        self._dialect, self._read = dialect, read
        self._place = read(address)
        self._turn = RLock()
        self._closed = False
        self._process = os.getpid()
        self._analyzed = 0
        self._pool = SqlPool(dialect, self._place)
        try:
            self._prepare(create)
        except BaseException:
            self._pool.close()
            raise

    @classmethod
    def is_at(cls, dialect: SqlServer, address: str, read: Callable[[str], SqlAddress]) -> bool:
        """Return True if a library exists at an address."""
        try:
            cls(dialect, address, read, create=False).close()
        except WhorlError:
            return False
        return True

    @classmethod
    def versions(cls, dialect: SqlServer, address: str, read: Callable[[str], SqlAddress]) -> TableVersions:
        """Return the versions of the tables at an address; see the contract of store modules."""
        place = read(address)
        pool = SqlPool(dialect, place)
        try:
            with pool.borrowed() as connection:
                existing = _version(dialect, connection)
        finally:
            pool.close()
        if existing is None:
            raise _no_library(place)
        return TableVersions(existing, VERSION, OLDEST)

    def settings(self) -> dict[str, str]:
        """See the contract."""
        with self.reading() as reader:
            return dict(reader.query("SELECT name, value FROM setting"))

    def settle(self, settings: Mapping[str, str]) -> dict[str, str]:
        """See the contract."""
        with self.writing() as writer:
            kept: dict[str, str] = dict(writer.query("SELECT name, value FROM setting"))
            if not kept:
                writer.insert("setting", list(settings.items()), ("name", "value"))
        return kept or dict(settings)

    @contextmanager
    def reading(self) -> Iterator[SqlReader]:
        """See the contract."""
        with self._begun(writes=False) as (connection, counters):
            yield ServerReader(connection, self._dialect, counters)

    @contextmanager
    def reading_optimistically(self) -> Iterator[SqlReader]:
        """See the contract."""
        self._demand_open()
        statement = SqlStatement(f'SELECT {self._dialect.revision}, {quoted(COUNTED)} FROM "{LIBRARY}" WHERE one = 1')

        def begin(connection: Any) -> Sequence[Any]:
            (states,) = self._dialect.rows_of_all(connection, [statement])
            if not states:
                raise _no_library(self._place)
            state: Sequence[Any] = states[0]
            return state

        with self._pool.begun(begin) as (connection, state):
            yield OptimisticReader(connection, self._dialect, statement, state)

    @contextmanager
    def writing(self) -> Iterator[SqlWriter]:
        """See the contract."""
        self._demand_open()
        with self._turn, self._begun(writes=True) as (connection, counters):
            writer = SqlWriter(connection, self._dialect, counters)
            yield writer
            self._commit(connection, _counted(writer))

    def _commit(self, connection: Any, last: str) -> None:
        try:
            self._dialect.commit(connection, last)
        except self._dialect.error as error:
            if not self._dialect.is_lost(connection):
                raise
            problem = say("{label}: the connection was lost during a commit", label=self._place.label)
            hint = say("try again: documents that were stored are recognized by their id and not stored twice")
            raise ResourceError(problem, hint=hint) from error

    @contextmanager
    def _begun(self, *, writes: bool) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """Yield a connection with an open transaction, and the counters; uncommitted changes are rolled back."""
        self._demand_open()

        def begin(connection: Any) -> tuple[int, ...]:
            counters = self._dialect.begin(connection, _COUNTERS, writes=writes)
            if counters is None:
                raise _no_library(self._place)
            return counters

        with self._pool.begun(begin) as begun:
            yield begun

    def backup(self, address: str) -> None:
        """See the contract; the scheme of the address may be omitted."""
        target_address = address.removeprefix(f"{self._dialect.scheme}:").removeprefix("//")
        with self.reading() as reader:
            target = SqlStore(self._dialect, target_address, self._read, create=True)
            try:
                with target.writing() as writer:
                    if any(writer.last_numbers().values()) or writer.query("SELECT name FROM setting"):
                        problem = say("{folder} already contains a library", folder=target.label)
                        raise UsageError(problem, hint=say("choose an empty location"))
                    self._copy(reader, writer)
            finally:
                target.close()

    def _copy(self, reader: SqlReader, writer: SqlWriter) -> None:
        """Copy all rows into an empty library on a server of the same kind."""
        for table in TABLES.sorted_tables:
            if table.name != LIBRARY:
                names = [column.name for column in table.columns]
                writer.insert_columns(table.name, names, reader.stream(f'SELECT {quoted(names)} FROM "{table.name}"'))
        for name, number in reader.last_numbers().items():
            writer.reserve(name, number)

    def tend(self) -> None:
        """Refresh the statistics of the server after the library has grown a lot; see the contract."""
        with self._begun(writes=False) as (_, counters):
            documents = counters[0]
        if documents > _GROWN * self._analyzed:
            with self._pool.borrowed() as connection:
                self._dialect.analyze(connection)
            self._analyzed = documents

    def faults(self) -> list[str]:
        """See the contract."""
        with self.reading() as reader:
            return faults(reader)

    def close(self) -> None:
        """See the contract."""
        self._closed = True
        if os.getpid() == self._process:
            with self._turn:
                self._pool.close()

    @property
    def label(self) -> str:
        """The address without secrets, for display."""
        return self._place.label

    def _prepare(self, create: bool) -> None:
        """Ensure that the tables of this version exist.

        Raises:
            InputError: there are no tables, and ``create`` is false.
            UsageError: the tables are of a newer version that this one cannot use, or of another application.
        """
        with self._pool.borrowed() as connection:
            version = _version(self._dialect, connection)
            if version is not None and version >= VERSION:
                return
            if version is None and not create:
                raise _no_library(self._place)
            with self._dialect.creating(connection, self._place) as cursor:
                version = _version(self._dialect, connection)
                if version is None:
                    self._make(cursor)
                for statements in MIGRATIONS[version - 1 :] if version else ():
                    for statement in statements:
                        cursor.execute(statement)
                missing = set(TABLES.tables) - self._dialect.tables(cursor)
                self._dialect.add_tables(cursor, [table for table in TABLES.sorted_tables if table.name in missing])
                if version is not None and version < VERSION:
                    cursor.execute(f'UPDATE "{LIBRARY}" SET version = {VERSION:d}, oldest = {OLDEST:d}')

    def _make(self, cursor: Any) -> None:
        if self._dialect.tables(cursor) - set(TABLES.tables):
            raise UsageError(
                say("{folder} contains other tables", folder=self.label),
                hint=say("use an empty database or schema, or a library"),
            )
        self._dialect.create(cursor)
        zeros = ", ".join(["0"] * len(COUNTED))
        columns = quoted(["one", "version", "oldest", *COUNTED])
        cursor.execute(f'INSERT INTO "{LIBRARY}" ({columns}) VALUES (1, {VERSION:d}, {OLDEST:d}, {zeros})')

    def _demand_open(self) -> None:
        if os.getpid() != self._process:
            problem = say("the library was opened before this process was forked")
            raise UsageError(problem, hint=say("open it again in each process: whorl.open(...)"))
        if self._closed:
            raise UsageError(say("the library is closed"), hint=say("open it again: whorl.open(...)"))


def _version(dialect: SqlServer, connection: Any) -> int | None:
    """Return the version of the tables; None if tables are missing."""
    with connection.cursor() as cursor:
        if LIBRARY not in dialect.tables(cursor):
            return None
        version, oldest = versions_in(cursor, LIBRARY) or (None, 0)
    if oldest > VERSION:
        hint = say("install that version of whorl, or a newer one")
        problem = say("this library was created by a newer version of whorl: tables {version}", version=version)
        raise UsageError(problem, hint=hint)
    return version


def _no_library(place: SqlAddress) -> InputError:
    problem = say("no library at {folder}", folder=place.label)
    return InputError(problem, hint=say("check the name; `whorl add` creates a library"))


def _counted(writer: SqlWriter) -> str:
    """Return the statement that stores the counters of a transaction."""
    assignments = ", ".join(f'"{name}" = {number:d}' for name, number in writer.last_numbers().items())
    return f'UPDATE "{LIBRARY}" SET {assignments}'


__all__ = ["SqlStore"]

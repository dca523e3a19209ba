"""The file: its connections, write access, and durability."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, LifoQueue
from threading import RLock
from time import monotonic

from whorl._internal.disk import make_folder
from whorl.errors import InputError, ResourceError, UsageError
from whorl.i18n import say
from whorl.stores.contract import TableVersions
from whorl.stores.sql.checking import faults
from whorl.stores.sqlite.failures import failures, is_busy
from whorl.stores.sqlite.schema import MIGRATIONS, migrate, version_of
from whorl.stores.sqlite.transactions import SqliteReader, SqliteWriter
from whorl.stores.sqlite.write_queue import Place, WriteQueue

FILE = "library.sqlite"
_PATIENCE = 60.0
_LONGEST_SLEEP = 0.1
"""Seconds after which a queueing writer tries without its turn, as often as in the busy handler of SQLite."""
_PAGE = 8192
_CACHE_KIB = 32 * 1024
_LOG_PAGES = 8000


def exists(address: str) -> bool:
    """Return True if a store exists in a folder; see the contract."""
    return os.path.isfile(os.path.join(address, FILE))  # noqa: PTH113, PTH118 - of any string, long ones too


def open_store(address: str, create: bool) -> SqliteStore:
    """Return the store in a folder; see the contract."""
    folder = Path(address)
    path = folder / FILE
    try:
        is_there = path.exists()
    except OSError as error:
        raise ResourceError(
            say("{label}: {reason}", label=folder, reason=error.strerror), hint=say("check the permissions")
        ) from error
    if not is_there:
        _prepare(folder, create)
    return SqliteStore(path, create)


def versions(address: str) -> TableVersions:
    """Return the versions of the tables of a file; see the contract."""
    path = Path(address) / FILE
    if not exists(address):
        raise _no_library(Path(address))
    with failures(path), closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)) as connection:
        existing = version_of(connection)
    if not existing:
        raise _no_library(Path(address))
    return TableVersions(existing, len(MIGRATIONS))


def _no_library(folder: Path) -> InputError:
    return InputError(
        say("no library at {folder}", folder=folder), hint=say("check the name; `whorl add` creates a library")
    )


def _prepare(folder: Path, create: bool) -> None:
    if not create:
        raise _no_library(folder)
    try:
        make_folder(folder, private=True)
        occupied = any(folder.iterdir())
        if not occupied:
            (folder / FILE).touch(0o600)
    except FileExistsError as error:
        raise UsageError(
            say("{path} is a file", path=folder), hint=say("a library is a folder: choose another name")
        ) from error
    except OSError as error:
        raise ResourceError(
            say("{label}: {reason}", label=folder, reason=error.strerror), hint=say("check the permissions")
        ) from error
    if occupied:
        raise UsageError(
            say("{folder} contains other files", folder=folder), hint=say("use an empty folder, or a library")
        )


class SqliteStore:
    """A library in one file; implements `whorl.stores.Store`. Thread-safe."""

    def __init__(self, path: Path, create: bool) -> None:
        self._path = path
        self._is_fixed = not os.access(path.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
        self._turn = RLock()
        self._queue = WriteQueue(path)
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._closed = False
        self._process = os.getpid()
        with failures(path):
            self._connection = self._connect()
            try:
                migrate(self._connection, create)
            except BaseException:
                self._connection.close()
                raise
        self._file = self._identity()

    @property
    def folder(self) -> Path | None:
        """The folder of the library."""
        return self._path.parent

    def settings(self) -> dict[str, str]:
        """See the contract."""
        with failures(self._path), self._turn:
            return dict(self._connection.execute("SELECT name, value FROM setting"))

    def settle(self, settings: Mapping[str, str]) -> dict[str, str]:
        """See the contract."""
        with self.writing():
            kept = self.settings()
            if not kept:
                self._connection.executemany("INSERT INTO setting VALUES (?, ?)", settings.items())
        return kept or dict(settings)

    @contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        """See the contract."""
        with self._damage_told(), self._snapshot() as reading:
            yield reading

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        """Report errors that corrupt rows cause as damage of the file, if it is damaged."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            with failures(self._path):
                faults = [] if self._closed else self.faults()
            if not faults:
                raise
            hint = say("check what is intact with `whorl library verify`, or restore a backup")
            raise InputError(say("{path} is damaged: {error}", path=self._path, error=faults[0]), hint=hint) from error

    @contextmanager
    def _snapshot(self) -> Iterator[SqliteReader]:
        with failures(self._path):
            connection = self._borrow()
            try:
                connection.execute("BEGIN")
                yield SqliteReader(connection)
            finally:
                connection.execute("ROLLBACK")
                self._give_back(connection)

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        """See the contract."""
        self._demand_open()
        with self._damage_told(), self._turn, failures(self._path):
            self._demand_open()
            self._demand_writable()
            with self._queue.joined() as place:
                self._begin(place)
                try:
                    yield SqliteWriter(self._connection)
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise

    def _begin(self, place: Place | None) -> None:
        """Begin to write when the turn comes, or if it does not come although nobody writes.

        The next one in the queue may be stopped, and others may hold the locks of the queue without writing.
        """
        end = monotonic() + _PATIENCE
        while place is not None and not place.comes(min(_LONGEST_SLEEP, max(end - monotonic(), 0))):
            try:
                return self._begin_within(0)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or monotonic() >= end:
                    raise
        return self._begin_within(max(end - monotonic(), 0))

    def _begin_within(self, patience_s: float) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {int(patience_s * 1000)}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(_PATIENCE * 1000)}")

    def backup(self, address: str) -> None:
        """See the contract."""
        path = Path(address)
        _prepare(path, create=True)
        with failures(path / FILE):
            source, target = self._borrow(), sqlite3.connect(path / FILE)
            try:
                source.backup(target)
            finally:
                target.close()
                self._give_back(source)

    def tend(self) -> None:
        """Checkpoint the log into the file, so that commits need not; see the contract."""
        with failures(self._path):
            connection = self._borrow()
            try:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            finally:
                self._give_back(connection)

    def faults(self) -> list[str]:
        """See the contract."""
        with failures(self._path):
            connection = self._borrow()
            try:
                lines = [text for (text,) in connection.execute("PRAGMA integrity_check")]
            finally:
                self._give_back(connection)
        if lines != ["ok"]:
            return [say("the file is damaged: {error}", error=text) for text in lines]
        with self._snapshot() as reader:
            return faults(reader)

    def close(self) -> None:
        """See the contract."""
        if self._is_of_a_parent():
            self._closed = True
            return
        with self._turn, failures(self._path):
            self._closed = True
            self._connection.close()
            while not self._idle.empty():
                self._idle.get().close()

    def _connect(self) -> sqlite3.Connection:
        address = f"{self._path.absolute().as_uri()}{self._mode()}"
        connection = sqlite3.connect(
            address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if not self._is_fixed:
            connection.execute(f"PRAGMA page_size = {_PAGE}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        return connection

    def _mode(self) -> str:
        if not self._is_fixed:
            return ""
        # SQLite would create a missing log file, unless the database is declared immutable.
        return "?mode=ro" if self._path.with_name(f"{FILE}-wal").exists() else "?immutable=1"

    def _borrow(self) -> sqlite3.Connection:
        self._demand_open()
        try:
            return self._idle.get_nowait()
        except Empty:
            return self._connect()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        # A connection to an immutable database may have stale pages in its cache.
        if self._closed or self._is_fixed:
            connection.close()
        else:
            self._idle.put(connection)

    def _demand_writable(self) -> None:
        if self._is_fixed:
            raise ResourceError(
                say("{path} is read-only", path=self._path.parent), hint=say("check the permissions of the folder")
            )

    def _is_of_a_parent(self) -> bool:
        """Return True in a forked process, which must not touch the connections of its parent."""
        return os.getpid() != self._process

    def _demand_open(self) -> None:
        if self._is_of_a_parent():
            problem = say("the library was opened before this process was forked")
            raise UsageError(problem, hint=say("open it again in each process: whorl.open(...)"))
        if self._closed:
            raise UsageError(say("the library is closed"), hint=say("open it again: whorl.open(...)"))
        if self._identity() != self._file:
            problem = say("{path} was moved or replaced while the library was open", path=self._path.parent)
            raise InputError(problem, hint=say("open it again at its new location: whorl.open(...)"))

    def _identity(self) -> tuple[int, int] | None:
        """Return the identity of the file at the path of the library."""
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


__all__ = ["FILE", "SqliteStore", "exists", "open_store", "versions"]

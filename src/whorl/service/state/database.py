"""SQLite database of the service: schema, connections and durability. All worker processes share it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, LifoQueue

from whorl._internal.disk import free_bytes, make_folder
from whorl.errors import DiskFullError, InputError, ResourceError, WhorlError
from whorl.i18n import say
from whorl.stores.sqlite.failures import failures

FILE = "service.sqlite"
_PATIENCE = 30.0
LEAST_ROOM = 2**20
"""Minimum free space in bytes: a change and its audit entry must both fit."""
_SCHEMA = """
CREATE TABLE key (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest BLOB NOT NULL UNIQUE, hint TEXT NOT NULL,
    scopes TEXT NOT NULL, libraries TEXT NOT NULL, made_at TEXT NOT NULL, used_at TEXT, revoked_at TEXT
) STRICT;
CREATE TABLE user (
    name TEXT PRIMARY KEY, password TEXT NOT NULL, role TEXT NOT NULL, libraries TEXT NOT NULL, made_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE session (
    digest BLOB PRIMARY KEY, user TEXT NOT NULL REFERENCES user ON DELETE CASCADE, made_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE failure (
    who TEXT NOT NULL, at TEXT NOT NULL
) STRICT;
CREATE INDEX failure_by_who ON failure (who, at);
CREATE TABLE job (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, library TEXT NOT NULL, given TEXT NOT NULL, by TEXT NOT NULL,
    state TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, total INTEGER, stage TEXT NOT NULL DEFAULT '',
    result TEXT, problem TEXT, tries INTEGER NOT NULL DEFAULT 0, is_cancelled INTEGER NOT NULL DEFAULT 0,
    worker TEXT, seen_at TEXT, made_at TEXT NOT NULL, begun_at TEXT, ended_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX job_by_state ON job (state, made_at);
CREATE TABLE answer (
    caller TEXT NOT NULL, key TEXT NOT NULL, request BLOB NOT NULL, status INTEGER, kind TEXT, body BLOB,
    location TEXT, made_at TEXT NOT NULL, PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, address TEXT NOT NULL, what TEXT NOT NULL,
    library TEXT NOT NULL, subject TEXT NOT NULL, status INTEGER NOT NULL, request TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_library ON audit (library, number);
"""
_SECOND = """
CREATE TABLE closed (one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL) STRICT;
INSERT INTO closed SELECT 1, min(made_at) FROM (SELECT made_at FROM key UNION ALL SELECT made_at FROM user)
    HAVING count(*) > 0
"""
"""After the first key or user, the service stays closed to anonymous callers even if all are removed."""
_THIRD = """
CREATE INDEX job_by_caller ON job (by, state);
ALTER TABLE key ADD COLUMN expires_at TEXT;
ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE TABLE second_factor (
    user TEXT PRIMARY KEY REFERENCES user ON DELETE CASCADE, secret TEXT NOT NULL, confirmed_at TEXT,
    last_step INTEGER NOT NULL DEFAULT -1
) STRICT, WITHOUT ROWID;
CREATE TABLE recovery_code (
    user TEXT NOT NULL REFERENCES user ON DELETE CASCADE, digest BLOB NOT NULL, PRIMARY KEY (user, digest)
) STRICT, WITHOUT ROWID
"""
"""Fair queues, key expiry, session details, and second factors."""
_FOURTH = """
CREATE TABLE tenant (
    name TEXT PRIMARY KEY, folder TEXT NOT NULL UNIQUE, recipe TEXT NOT NULL, zone TEXT NOT NULL, made_at TEXT NOT NULL,
    removed_at TEXT
) STRICT, WITHOUT ROWID
"""
"""Libraries that are created over HTTP."""
_VERSIONS = (_SCHEMA, _SECOND, _THIRD, _FOURTH)


class Database:
    """Connection pool of the database. Thread-safe and process-safe."""

    def __init__(self, folder: Path) -> None:
        """Open or create the database.

        Raises:
            InputError: it is damaged or newer than this version of whorl.
            ResourceError: it is not writable.
        """
        try:
            make_folder(folder, private=True)
        except OSError as error:
            raise ResourceError(
                say("{label}: {reason}", label=folder, reason=error.strerror), hint=say("check the permissions")
            ) from error
        self.folder = folder
        self.path = folder / FILE
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._has_failed = False
        if not self.path.exists():
            self.path.touch(mode=0o600)
        with self.reading() as connection:
            is_current = self._version(connection) == len(_VERSIONS)
        if not is_current:  # a current one is opened without writing: a worker also starts while the disk is full
            with self.writing() as connection:
                self._migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Borrow a connection for reading."""
        with failures(self.path):
            try:
                connection = self._idle.get_nowait()
            except Empty:
                connection = self._connect()
            try:
                yield connection
            finally:
                self._idle.put(connection)

    @contextmanager
    def writing(self, *, is_synced: bool = True) -> Iterator[sqlite3.Connection]:
        """Borrow a connection within a transaction, which is durable at the end of the block.

        Without ``is_synced``, the transaction is written to the file but not synced. It occupies disk space and
        survives a crash of the process, but a power failure only after the next synced transaction.
        """
        with self.reading() as connection:
            try:
                if not is_synced:
                    connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error:
                self._has_failed = True
                raise
            finally:
                if not is_synced:
                    connection.execute("PRAGMA synchronous=FULL")
            self._has_failed = False

    def demand_room(self) -> None:
        """Refuse to start a change whose audit entry might not fit.

        Raises:
            DiskFullError: the disk is full or almost full.
        """
        demand_room(self.folder)

    def accepts_writes(self) -> bool:
        """Return True if there is space and the last transaction succeeded; after a failure, try a small one."""
        try:
            self.demand_room()
            if self._has_failed:
                with self.writing(is_synced=False) as connection:
                    connection.execute(
                        f"PRAGMA user_version={len(_VERSIONS)}"
                    )  # writes a page without changing anything
        except WhorlError:
            return False
        return True

    def close(self) -> None:
        """Close idle connections."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, _PATIENCE, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(_VERSIONS):
            raise InputError(
                say("{path} was created by a newer version of whorl", path=self.path), hint=say("update whorl")
            )
        return int(version)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        for statements in _VERSIONS[self._version(connection) :]:
            for statement in statements.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={len(_VERSIONS)}")


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


def close_to_strangers(connection: sqlite3.Connection) -> None:
    """Record that access has been granted to somebody, so that anonymous access ends."""
    connection.execute("INSERT OR IGNORE INTO closed VALUES (1, ?)", (now(),))


def now() -> str:
    """Return the current UTC time in the sortable format of the database."""
    return stamp(datetime.now(UTC))


def stamp(at: datetime) -> str:
    """Return a time in the format of the database."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


__all__ = ["FILE", "LEAST_ROOM", "Database", "close_to_strangers", "demand_room", "now", "stamp"]

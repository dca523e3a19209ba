"""The service state in a SQLite file, which all processes on one machine share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any

from whorl._internal.disk import make_folder
from whorl.errors import InputError, ResourceError
from whorl.i18n import say
from whorl.service.state.database import Connection, Database, absent_state, insertion, stamp
from whorl.stores.sql.dialect import quoted
from whorl.stores.sqlite.failures import failures

FILE = "service.sqlite"
_PATIENCE = 30.0
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


class SqliteConnection(sqlite3.Connection):
    """A connection of SQLite."""

    materialized = "MATERIALIZED"

    def insert(self, table: str, values: Mapping[str, Any], number: str = "number") -> int:  # noqa: ARG002
        """See the base: the number is that of the row."""
        return self.execute(insertion(table, values), tuple(values.values())).lastrowid or 0

    def add(self, table: str, values: Mapping[str, Any]) -> bool:
        """See the base."""
        statement = f"{insertion(table, values)} ON CONFLICT DO NOTHING"
        return self.execute(statement, tuple(values.values())).rowcount > 0

    def put(self, table: str, values: Mapping[str, Any], key: Sequence[str], updated: Sequence[str]) -> None:
        """See the base."""
        assignments = ", ".join(f'"{name}" = excluded."{name}"' for name in updated)
        clause = f"ON CONFLICT ({quoted(key)}) DO UPDATE SET {assignments}"
        self.execute(f"{insertion(table, values)} {clause}", tuple(values.values()))

    def number_after(self, table: str, number: int) -> None:
        """See the base; SQLite does so."""

    def key_of(self, text: str) -> str:
        """Return the text itself."""
        return text

    def time(self) -> datetime:
        """Return the time of this machine."""
        return datetime.now(UTC)

    def now(self) -> str:
        """See the base."""
        return stamp(self.time())


class SqliteDatabase(Database):
    """The service state in a folder, with a pool of connections."""

    folder: Path

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        """Open or create the database.

        Raises:
            InputError: it is damaged or newer than this version of whorl, or does not exist and may not be created.
            ResourceError: it is not writable.
        """
        super().__init__()
        if not create and not (folder / FILE).exists():
            raise absent_state(folder)
        try:
            make_folder(folder, private=True)
        except OSError as error:
            raise ResourceError(
                say("{label}: {reason}", label=folder, reason=error.strerror), hint=say("check the permissions")
            ) from error
        self.folder = folder
        self.path = folder / FILE
        self._idle: LifoQueue[SqliteConnection] = LifoQueue()
        if not self.path.exists():
            self.path.touch(mode=0o600)
        with self._borrowed() as connection:
            is_current = self._version(connection) == len(_VERSIONS)
        if not is_current:  # a current one is opened without writing: a worker also starts while the disk is full
            with self._changing() as connection:
                self._migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See the base."""
        with self._borrowed() as connection:
            yield connection

    @contextmanager
    def writing(self, *, is_synced: bool = True, is_exclusive: bool = True) -> Iterator[Connection]:  # noqa: ARG002
        """See the base; all transactions take turns."""
        with self._changing(is_synced=is_synced) as connection:
            yield connection

    def time(self) -> datetime:
        """Return the time of this machine."""
        return datetime.now(UTC)

    def close(self) -> None:
        """See the base."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    @contextmanager
    def _borrowed(self) -> Iterator[SqliteConnection]:
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
    def _changing(self, *, is_synced: bool = True) -> Iterator[SqliteConnection]:
        with self._borrowed() as connection:
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

    def _write_nothing(self, connection: Connection) -> None:
        """Write a page without changing anything."""
        connection.execute(f"PRAGMA user_version={len(_VERSIONS)}")

    def _connect(self) -> SqliteConnection:
        connection = sqlite3.connect(
            self.path, _PATIENCE, isolation_level=None, check_same_thread=False, factory=SqliteConnection
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _version(self, connection: SqliteConnection) -> int:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(_VERSIONS):
            raise InputError(
                say("{path} was created by a newer version of whorl", path=self.path), hint=say("update whorl")
            )
        return int(version)

    def _migrate(self, connection: SqliteConnection) -> None:
        for statements in _VERSIONS[self._version(connection) :]:
            for statement in statements.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={len(_VERSIONS)}")


__all__ = ["FILE", "SqliteDatabase"]

"""Storage for the hashes of nshash: any object with ``get`` and ``put``.

Keys are strings and values integers, except for stop sentences, which are strings. A store may return a number as
``str`` or ``bytes``. This module has files for a single process; `hashdb_redis` and `hashdb_sql` are servers that many
processes share. A custom store takes ten lines, such as one for an open ``dbm``::

    class HashDBDbm:
        def __init__(self, file):
            self.file = file

        def get(self, key):
            return self.file.get(key)

        def put(self, key, value):
            self.file[key] = str(value)

Only one process at a time may write, unless the store also has ``turn``: a context manager that excludes other
processes and applies changes atomically.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from whorl.compat.legacy import read_pickle
from whorl.errors import InputError, ResourceError, UsageError, WhorlError
from whorl.i18n import say
from whorl.release import missing_package

COUNTER = "max_similar_id"
"""The key of the last assigned id."""

Value = int | str

_FORMAT = 1
_SAVE_AFTER = 100_000


@runtime_checkable
class HashDB(Protocol):
    """Interface of a store."""

    def get(self, key: str, /) -> Any:
        """Return the value of ``key``, or None."""
        ...

    def put(self, key: str, value: Value, /) -> None:
        """Set the value of ``key``."""
        ...


@runtime_checkable
class SharedHashDB(HashDB, Protocol):
    """Interface of a store that several processes write to."""

    def turn(self) -> AbstractContextManager[None]:
        """Exclude other processes while reading and writing; changes are applied atomically at the end.

        Raises:
            ResourceError: the lock was not released in time, or was lost in a long turn; no change was written.
        """
        ...


class HashDBMemory:
    """A dict persisted in the SQLite file ``name.hashdb.sqlite``.

    It is saved by ``close``, on garbage collection, at interpreter exit, and after every 100,000 changes. A save is a
    transaction: a process killed at any time leaves the last saved state.

    Args:
        name: name of the file, with its folder if needed.
        import_pickle: if the file does not exist, import ``name.hashdb.pkl`` of the original nshash. The pickle is
            read without executing anything in it, and is not changed.

    Raises:
        UsageError: another HashDBMemory has the file open, or there is only a pickle and ``import_pickle`` is not set.
        InputError: the file or the pickle is damaged or has another format.

    Cost: about 200 bytes of memory for each key; loading and saving take about a second for a million keys.
    """

    def __init__(self, name: str | PathLike[str], *, import_pickle: bool = False) -> None:
        self.path = Path(f"{fspath(name)}.hashdb.sqlite")
        pickled = Path(f"{fspath(name)}.hashdb.pkl")
        self._connection, self._values = _open(self.path, lambda: _inherited(pickled, import_pickle))
        self._changed: dict[str, Value] = {}
        self._closing = weakref.finalize(self, _close, self._connection, self._changed)

    def get(self, key: str | int) -> Value | None:
        """Return the value of ``key``, or None."""
        return self._values.get(str(key))

    def put(self, key: str | int, value: Value) -> None:
        """Set the value of ``key``.

        Raises:
            UsageError: the store is closed.
        """
        if not self._closing.alive:
            raise UsageError(say("{path} is closed", path=self.path), hint=say("open it again: HashDBMemory(name)"))
        name = str(key)
        self._values[name] = self._changed[name] = value
        if len(self._changed) >= _SAVE_AFTER:
            self.save()

    def __len__(self) -> int:
        return len(self._values)

    def save(self) -> None:
        """Write the changes since the last save."""
        _save(self._connection, self._changed)

    def close(self) -> None:
        """Save and release the file. A second call has no effect."""
        self._closing()


class HashDBLeveldb:
    """The LevelDB folder ``name.hashdb`` in the format of the original nshash. Needs the extra ``leveldb``.

    Every ``put`` is handed to the operating system: a killed process loses nothing, a power failure the last ones.

    Args:
        name: name of the folder, with its parent folder if needed.

    Raises:
        UsageError: plyvel is not installed.
        ResourceError: another process has the folder open, or it cannot be read.

    Cost: a few megabytes of memory, whatever the size. A folder of the original, which does not store its last id, is
    scanned once.
    """

    def __init__(self, name: str | PathLike[str]) -> None:
        try:
            import plyvel
        except ImportError:
            raise missing_package(
                say("{what} needs {package}", what="HashDBLeveldb", package="plyvel"), "leveldb"
            ) from None
        self.path = Path(f"{fspath(name)}.hashdb")
        try:
            self._db = plyvel.DB(str(self.path), create_if_missing=True)
        except plyvel.Error as error:
            raise ResourceError(
                say("cannot open {path}: {error}", path=self.path, error=error),
                hint=say("close it in the other process"),
            ) from error
        if self.get(COUNTER) is None:
            values = (decoded(value) for _, value in self._db)
            self.put(COUNTER, max((value for value in values if isinstance(value, int)), default=0))

    def get(self, key: str | int) -> Value | None:
        """Return the value of ``key``, or None; a number is an int."""
        value = self._db.get(str(key).encode())
        return None if value is None else decoded(value)

    def put(self, key: str | int, value: Value) -> None:
        """Set the value of ``key``."""
        self._db.put(str(key).encode(), str(value).encode())

    def close(self) -> None:
        """Release the folder. A second call has no effect."""
        self._db.close()


def decoded(value: bytes) -> Value:
    """Decode a stored value: digits become an int."""
    text = value.decode(errors="replace")
    return int(text) if text.isascii() and text.isdigit() else text


def _inherited(pickled: Path, import_pickle: bool) -> dict[str, int]:
    """Return the initial entries of a new store: the hashes of the original, if it exists."""
    if not pickled.exists():
        return {}
    if not import_pickle:
        hint = say("set import_pickle=True to import it safely, or rename it to start fresh")
        raise UsageError(say("{pickled} was written by the original nshash", pickled=pickled), hint=hint)
    hashes = read_pickle(pickled)
    return {COUNTER: max(hashes.values(), default=0)} | hashes


def _open(path: Path, inherit: Callable[[], dict[str, int]]) -> tuple[sqlite3.Connection, dict[str, Value]]:
    """Open or create the file, lock it (two writers would assign the same ids), and read it."""
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise InputError(
            say("cannot open {path}: {error}", path=path, error=error), hint=say("choose a file in an existing folder")
        ) from error
    try:
        return connection, _load(connection, path, inherit)
    except (sqlite3.Error, WhorlError) as error:
        connection.close()
        if path.exists() and not path.stat().st_size:
            path.unlink()
        if isinstance(error, WhorlError):
            raise
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            hint = say("close() the other one: two writers would assign the same ids")
            raise UsageError(say("{path} is already open", path=path), hint=hint) from error
        raise InputError(
            say("cannot read {path}: {error}", path=path, error=error), hint=say("restore it from a backup")
        ) from error


def _load(connection: sqlite3.Connection, path: Path, inherit: Callable[[], dict[str, int]]) -> dict[str, Value]:
    """Read all entries; a new file gets its imported entries in the transaction that creates it."""
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, _FORMAT):
        raise InputError(
            say("{path} has format {version}, expected {format}", path=path, version=version, format=_FORMAT),
            hint=say("use the version of whorl that wrote it"),
        )
    if version == 0:
        connection.execute("CREATE TABLE entry (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID")
        connection.executemany("INSERT INTO entry VALUES (?, ?)", inherit().items())
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
    connection.execute("COMMIT")
    return dict(connection.execute("SELECT key, value FROM entry"))


def _save(connection: sqlite3.Connection, changed: dict[str, Value]) -> None:
    if not changed:
        return
    try:
        with connection:
            connection.execute("BEGIN")
            connection.executemany("REPLACE INTO entry VALUES (?, ?)", changed.items())
    except sqlite3.OperationalError as error:
        raise ResourceError(
            say("cannot save the hashes: {error}", error=error), hint=say("free some disk space and save() again")
        ) from error
    changed.clear()


def _close(connection: sqlite3.Connection, changed: dict[str, Value]) -> None:
    try:
        _save(connection, changed)
    finally:
        connection.close()


__all__ = ["COUNTER", "HashDB", "HashDBLeveldb", "HashDBMemory", "SharedHashDB", "Value", "decoded"]

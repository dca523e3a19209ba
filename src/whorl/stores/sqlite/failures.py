"""Translate failures of SQLite into errors with a hint."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl.errors import DiskFullError, InputError, ResourceError, WhorlError
from whorl.i18n import say

_PRIMARY = 0xFF


@contextmanager
def failures(path: Path) -> Iterator[None]:
    """Translate failures of SQLite into errors with a hint."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _error(path, error) from error


def is_busy(error: sqlite3.Error) -> bool:
    """Return True if another connection holds a lock for too long."""
    return _code(error) == sqlite3.SQLITE_BUSY


def _error(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> WhorlError:
    code = _code(error)
    is_no_text = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    if is_no_text or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return InputError(
            say("{path} is damaged: {error}", path=path, error=error),
            hint=say("check what is intact with `whorl library verify`, or restore a backup"),
        )
    hints = {
        sqlite3.SQLITE_BUSY: say("another process is writing to the library; try again later"),
        sqlite3.SQLITE_FULL: say("free disk space; acknowledged data is intact"),
        sqlite3.SQLITE_IOERR: say("free disk space or check the disk; acknowledged data is intact"),
        sqlite3.SQLITE_READONLY: say("check the permissions of the file and its folder"),
        sqlite3.SQLITE_PERM: say("check the permissions of the file and its folder"),
        sqlite3.SQLITE_CANTOPEN: say("check the permissions of the file and its folder, which contains its log"),
    }
    kind = DiskFullError if code == sqlite3.SQLITE_FULL else ResourceError
    return kind(
        say("{label}: {reason}", label=path, reason=error),
        hint=hints.get(code, say("check the library with `whorl library verify`")),
    )


def _code(error: Exception) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    return code


__all__ = ["failures", "is_busy"]

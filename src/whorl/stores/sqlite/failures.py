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


def _error(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> WhorlError:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    is_no_text = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    if is_no_text or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return InputError(
            say("{path} is damaged: {error}", path=path, error=error),
            hint=say("see what is left: `whorl library verify`; restore a backup"),
        )
    hints = {
        sqlite3.SQLITE_BUSY: say("another process writes to the library; try again when it is done"),
        sqlite3.SQLITE_FULL: say("free some disk space; what was acknowledged is still there"),
        sqlite3.SQLITE_IOERR: say("free some disk space or check the disk; what was acknowledged is still there"),
        sqlite3.SQLITE_READONLY: say("check the permissions of the file and of its folder"),
        sqlite3.SQLITE_PERM: say("check the permissions of the file and of its folder"),
        sqlite3.SQLITE_CANTOPEN: say("check the permissions of the file and of its folder, in which it keeps its log"),
    }
    kind = DiskFullError if code == sqlite3.SQLITE_FULL else ResourceError
    return kind(
        say("{label}: {reason}", label=path, reason=error),
        hint=hints.get(code, say("see what is wrong: `whorl library verify`")),
    )


__all__ = ["failures"]

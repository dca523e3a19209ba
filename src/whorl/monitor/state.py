"""Location of the crawl state of a watch.

A library in a folder has the state beside it. A library on a server has none: its state is in a folder of the user on
the machine that watches, or in the folder that ``--state`` names. Machines without a state, such as that of a console,
see the cases of the library.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from whorl._internal.disk import user_states
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.monitor.frontier import FILE
from whorl.stores.sqlite.failures import failures

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks.library.arguments import Place

PROTECTED, WATCHED = "protected", "watched"
"""The usual collections of a watch."""
_POINTER = "folder"
"""File that names the folder of ``--state``."""
_PATIENCE = 5.0
_RENAMED = 3
"""Version of the crawl state in which the verdict of a permitted reprint became "reprint"."""
_WITH_NEW_NAMES = """
CREATE TEMP VIEW found AS
SELECT
    rowid, document, article, url, site, kind, iif(verdict = 'leave', 'reprint', verdict) AS verdict, share,
    similarity, length, fetched_at, found_at, run, gone_at
FROM main.found
"""
"""Findings of an older crawl state, which the next watch migrates."""


def state_folder(library: Library, state: Place | None = None) -> Path:
    """Return the folder of the crawl state of a library, and create it if needed.

    Args:
        library: the library.
        state: the folder; None for that of the library, or else of the user.

    Raises:
        UsageError: neither the library nor the user has a folder.
    """
    if state is None and library.folder is not None:
        return library.folder
    usual = _usual_folder(library)
    if state is not None:
        folder = Path(state)
        folder.mkdir(parents=True, exist_ok=True)
        if library.folder is None and usual is not None:
            usual.mkdir(parents=True, exist_ok=True, mode=0o700)
            (usual / _POINTER).write_text(str(folder.resolve()), encoding="utf-8")
        return folder
    if usual is None:
        raise UsageError(
            say("the store of this library has no folder"), hint=say("pass a folder for the crawl state: `state`")
        )
    usual.mkdir(parents=True, exist_ok=True, mode=0o700)
    return usual


def has_state(library: Library) -> bool:
    """Return True if the crawl state of a library is on this machine."""
    return _state_file(library) is not None


def is_watched_elsewhere(library: Library) -> bool:
    """Return True if a library is watched but its crawl state is on another machine or was lost."""
    if has_state(library):
        return False
    return len(library.cases) > 0 or (library.folder is None and bool(library.collections().get(WATCHED)))


@contextmanager
def looking(library: Library) -> Iterator[sqlite3.Connection]:
    """Open a read-only snapshot of the crawl state of a library.

    Raises:
        NotFoundError: this machine has no crawl state of the library.
        InputError: the crawl state is damaged.
    """
    path = _state_file(library)
    if path is None:
        raise NotFoundError(say("this library has no watch"), hint=say("start one: `whorl watch`"))
    with failures(path), closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)) as database:
        if database.execute("PRAGMA user_version").fetchone()[0] < _RENAMED:
            database.execute(_WITH_NEW_NAMES)
        database.execute("PRAGMA query_only = ON")
        database.execute("BEGIN")
        yield database


def _state_file(library: Library) -> Path | None:
    """Return the crawl state on this machine, or None."""
    if library.folder is not None:
        places = [library.folder]
    else:
        usual = _usual_folder(library)
        places = [] if usual is None else [usual]
        if usual is not None and (usual / _POINTER).is_file():
            places.insert(0, Path((usual / _POINTER).read_text(encoding="utf-8")))
    return next((place / FILE for place in places if (place / FILE).is_file()), None)


def _usual_folder(library: Library) -> Path | None:
    states = user_states()
    return None if states is None else states / "watch" / sha256(library.identity.encode()).hexdigest()[:32]


__all__ = ["PROTECTED", "WATCHED", "has_state", "is_watched_elsewhere", "looking", "state_folder"]

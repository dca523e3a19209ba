"""Location of the crawl state of a watch, and its substitute on machines that lack it.

A library in a folder has the state beside it. A library on a server has none: its state is in a folder of the user on
the machine that watches, or in the folder that ``--state`` names. Machines without a state, such as that of a console,
see what the library has: the pages that were stored, and the copies among them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from whorl._internal.disk import user_states
from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.library.reviews.copies import GONE_STATUSES
from whorl.monitor.copy_records import CopyPlace, copy_places, site_names
from whorl.monitor.frontier import FILE, create_tables
from whorl.stores.sqlite.failures import failures

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks.library.arguments import Place

PROTECTED, WATCHED = "protected", "watched"
"""The usual collections of a watch."""
_POINTER = "folder"
"""File that names the folder of ``--state``."""
_PATIENCE = 5.0
_FRESH_SECONDS = 60.0
_RUN = 1
_ERRORS = 400
"""First HTTP status of errors."""
_rebuilt: dict[str, tuple[float, bytes]] = {}
_lock = Lock()


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


@contextmanager
def looking(library: Library) -> Iterator[sqlite3.Connection]:
    """Open a read-only snapshot of the crawl state of a library, or of its substitute.

    Raises:
        NotFoundError: the library has no watch.
        InputError: the crawl state is damaged.
    """
    path = _state_file(library)
    if path is None:
        with closing(_from_library(library)) as database:
            yield database
        return
    with failures(path), closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)) as database:
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


def _from_library(library: Library) -> sqlite3.Connection:
    """Return a substitute for the crawl state of a library on a server, at most a minute old.

    Raises:
        NotFoundError: the library has no watched pages.
    """
    if library.folder is not None or not library.collections().get(WATCHED):
        raise NotFoundError(say("this library has no watch"), hint=say("start one: `whorl watch`"))
    identity = library.identity
    with _lock:
        made_at, content = _rebuilt.get(identity, (0.0, b""))
    if not content or monotonic() - made_at > _FRESH_SECONDS:
        content = _rebuild(library)
        with _lock:
            _rebuilt[identity] = monotonic(), content
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.deserialize(content)
    return database


def _rebuild(library: Library) -> bytes:
    """Return a crawl state with the pages and the copies of a library as a serialized database."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        create_tables(database)
        database.execute("BEGIN")
        places = copy_places(library, PROTECTED, (), (), datetime.now(UTC), within=WATCHED)
        sites = {place.url: place.site for place in places}
        called = site_names(library, (), ())
        for place in places:
            database.execute(
                "INSERT OR IGNORE INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _finding(place)
            )
        first, last = None, None
        for page in library.pages:
            first, last = first or page.fetched_at, page.fetched_at
            is_gone = page.status in GONE_STATUSES
            at = page.fetched_at.isoformat()
            site = sites.get(page.url) or called(page.url)
            database.execute(
                "INSERT INTO pages (url, site, kind, depth, hops, state, found_at, run, fetched_at, status, document)"
                " VALUES (?, ?, 'page', 0, 0, ?, ?, ?, ?, ?, ?) ON CONFLICT (url) DO UPDATE SET"
                " state = excluded.state, fetched_at = excluded.fetched_at, status = excluded.status",
                (page.url, site, "gone" if is_gone else "done", at, _RUN, at, page.status, page.document),
            )
            if page.url in sites:
                outcome = "gone" if is_gone else "there" if page.status < 400 else "unknown"
                database.execute(
                    "INSERT INTO checks VALUES (?, ?, ?, ?, ?)", (page.url, at, _RUN, page.status, outcome)
                )
        if first is not None and last is not None:
            times = (_RUN, first.isoformat(), last.isoformat())
            database.execute("INSERT INTO runs VALUES (?, ?, ?)", times)
        database.execute("COMMIT")
        return database.serialize()


def _finding(place: CopyPlace) -> tuple[object, ...]:
    found_at = place.found_at.isoformat()
    gone_at = None if place.gone_at is None else place.gone_at.isoformat()
    shares = (place.share, place.similarity, round(place.share * place.characters))
    return (
        *(place.document, place.article.id, place.url, place.site, place.relation, place.verdict),
        *shares,
        *(found_at, found_at, _RUN, gone_at),
    )


__all__ = ["PROTECTED", "WATCHED", "has_state", "looking", "state_folder"]

"""What was counted lately, so that a page may be loaded often though it takes long to count."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from whorl.library import Library
from whorl.tasks.arguments import Texts
from whorl.tasks.ranking import rank
from whorl.tasks.review import Queue

T = TypeVar("T")

_REST = 20
"""What was counted is kept for so many times as long as it took."""
_QUICK = 0.05
"""Matches that are ranked in so many seconds are ranked for each page."""


class _Own:
    """What was counted of a library."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.kept: dict[Hashable, tuple[float, Any]] = {}


class Recent:
    """What was counted lately of libraries: counting takes a twentieth of a core of each at most."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._own: WeakKeyDictionary[Library, _Own] = WeakKeyDictionary()

    def get(self, library: Library, about: Hashable, count: Callable[[], T], *, quick: float = 0) -> T:
        """Return what was counted about something, or count it; who asks meanwhile waits for it.

        What takes fewer seconds than ``quick`` is not kept.
        """
        with self._turn:
            own = self._own.setdefault(library, _Own())
        with own.turn:
            begun = monotonic()
            own.kept = {name: kept for name, kept in own.kept.items() if kept[0] > begun}
            if about not in own.kept:
                counted = count()
                took = monotonic() - begun
                if took < quick:
                    return counted
                own.kept[about] = (monotonic() + _REST * took, counted)
            found: T = own.kept[about][1]
            return found


RECENT = Recent()
"""Of this process."""


def queue_of(library: Library, among: str | None, states: Texts, reviewers: int) -> Queue:
    """Return the queue of a library as ``review_queue`` tells it, of matches that may have been ranked a while ago.

    What was decided meanwhile is heeded at once.
    """
    ranking = RECENT.get(library, ("ranking", among), lambda: rank(library, among), quick=_QUICK)
    return Queue(library, ranking, states, reviewers)


__all__ = ["RECENT", "Recent", "queue_of"]

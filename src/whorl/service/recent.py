"""Cache of expensive statistics, so that pages can be loaded often."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from whorl.library import Library
from whorl.tasks.library.arguments import Texts
from whorl.tasks.review.ranking import rank
from whorl.tasks.review.run import RankedQueue

T = TypeVar("T")

_REST = 20
"""Lifetime of a result as a multiple of its computation time."""
_QUICK = 0.05
"""Rankings that take at most this many seconds are not cached."""


class _Cached:
    """Cached results of a library."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.kept: dict[Hashable, tuple[float, Any]] = {}


class Recent:
    """Cache of statistics of libraries. Computing takes at most a twentieth of a core per statistic."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._cached: WeakKeyDictionary[Library, _Cached] = WeakKeyDictionary()

    def get(self, library: Library, about: Hashable, count: Callable[[], T], *, quick: float = 0) -> T:
        """Return a cached result or compute it; concurrent calls share the computation.

        Results that take fewer seconds than ``quick`` are not cached.
        """
        with self._turn:
            cached = self._cached.setdefault(library, _Cached())
        with cached.turn:
            begun = monotonic()
            cached.kept = {name: kept for name, kept in cached.kept.items() if kept[0] > begun}
            if about not in cached.kept:
                counted = count()
                took = monotonic() - begun
                if took < quick:
                    return counted
                cached.kept[about] = (monotonic() + _REST * took, counted)
            cached_result: T = cached.kept[about][1]
            return cached_result


RECENT = Recent()
"""Cache of this process."""


def queue_of(library: Library, collection: str | None, states: Texts, reviewers: int) -> RankedQueue:
    """Return the review queue of a library based on a cached ranking of matches.

    New decisions take effect immediately.
    """
    ranking = RECENT.get(library, ("ranking", collection), lambda: rank(library, collection), quick=_QUICK)
    return RankedQueue(library, ranking, states, reviewers)


__all__ = ["RECENT", "Recent", "queue_of"]

"""What was counted lately, so that a page may be loaded often though it takes long to count."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from whorl.library import Library

T = TypeVar("T")

_REST = 20
"""What was counted is kept for so many times as long as it took."""


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

    def get(self, library: Library, about: Hashable, count: Callable[[], T]) -> T:
        """Return what was counted about something, or count it; who asks meanwhile waits for it."""
        with self._turn:
            own = self._own.setdefault(library, _Own())
        with own.turn:
            begun = monotonic()
            own.kept = {name: kept for name, kept in own.kept.items() if kept[0] > begun}
            if about not in own.kept:
                counted = count()
                own.kept[about] = (monotonic() + _REST * (monotonic() - begun), counted)
            found: T = own.kept[about][1]
            return found


RECENT = Recent()
"""Of this process."""

__all__ = ["RECENT", "Recent"]

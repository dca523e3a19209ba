"""State that all parts of a library share."""

from __future__ import annotations

from dataclasses import field
from threading import RLock
from typing import Any

from whorl._internal.frozen import frozen
from whorl.library.boilerplate.cache import BoilerplateCache
from whorl.library.maintenance.segments import Maintenance
from whorl.library.rules import Making
from whorl.library.search.indexing import Index
from whorl.stores import Store
from whorl.stores.records import Entry

_LATELY = 8


class OtherWriters:
    """Tracks whether other processes write to the library too."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._alone = _LATELY

    def is_there(self) -> bool:
        """Return True if another process wrote between the last batches of this one."""
        return self._alone < _LATELY

    def note(self, first: int, following: int) -> None:
        """Record the first free content number before a batch and the next one after it."""
        self._alone = self._alone + 1 if self._next in (None, first) else 0
        self._next = following


@frozen
class Core:
    """State of an open library.

    Attributes:
        store: source of truth.
        making: recipe and rules.
        index: finds contents that share keys.
        notices: learned boilerplate.
        upkeep: background maintenance.
        turn: lock held by the writing thread until the index has been updated.
        company: tracks whether other processes write too.
    """

    store: Store
    making: Making
    index: Index
    notices: BoilerplateCache
    upkeep: Maintenance
    turn: Any = field(default_factory=RLock)
    company: OtherWriters = field(default_factory=OtherWriters)

    def when(self, entry: Entry) -> int:
        """Return the time of a document that the window applies to."""
        return self.clock(entry.published_at, entry.first_seen_at)

    def clock(self, published: int | None, first_seen: int) -> int:
        """Return whichever of two times the window applies to."""
        if self.making.rules.clock == "published" and published is not None:
            return min(published, first_seen)
        return first_seen

    def period(self, when: int) -> int:
        """Return the period of a time; 0 in a library without a window."""
        step = self.making.rules.step
        return when // step if step else 0

    def periods_near(self, when: int) -> tuple[int, int]:
        """Return the first and the last period within the window of a time."""
        span = self.making.rules.span
        return (0, 0) if span is None else (self.period(when - span), self.period(when + span))

    def near(self, entry: Entry, when: int) -> bool:
        """Return True if a document is within the window of a time."""
        span = self.making.rules.span
        return span is None or abs(self.when(entry) - when) <= span


__all__ = ["Core", "OtherWriters"]

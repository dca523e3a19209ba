"""What every part of a library works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from whorl.library.indexing import Index
from whorl.library.notice_cache import NoticeCache
from whorl.library.rules import Making
from whorl.library.upkeep import Upkeep
from whorl.stores import Store
from whorl.stores.records import Entry

_LATELY = 8


class Company:
    """Whether other processes write into a library as well."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._alone = _LATELY

    def is_there(self) -> bool:
        """Whether others have written between the last batches of this process."""
        return self._alone < _LATELY

    def note(self, first: int, following: int) -> None:
        """Know which number the first new content of a batch could have, and which one that after its last."""
        self._alone = self._alone + 1 if self._next in (None, first) else 0
        self._next = following


@dataclass(frozen=True, slots=True)
class Core:
    """An open library.

    Attributes:
        store: the truth.
        making: what it was made with.
        index: who shares keys.
        notices: its boilerplate.
        upkeep: what is done beside.
        turn: held by the thread that writes, until the index knows what it wrote.
        company: whether others write as well.
    """

    store: Store
    making: Making
    index: Index
    notices: NoticeCache
    upkeep: Upkeep
    turn: Any = field(default_factory=RLock)
    company: Company = field(default_factory=Company)

    def when(self, entry: Entry) -> int:
        """The time of a document by the clock of the window."""
        return self.clock(entry.published_at, entry.first_seen_at)

    def clock(self, published: int | None, first_seen: int) -> int:
        """The one of two times by which the window goes."""
        if self.making.rules.clock == "published" and published is not None:
            return min(published, first_seen)
        return first_seen

    def period(self, when: int) -> int:
        """The period of a time; 0 in a library without a window."""
        step = self.making.rules.step
        return when // step if step else 0

    def periods_near(self, when: int) -> tuple[int, int]:
        """The first and the last period that are within the window of a time."""
        span = self.making.rules.span
        return (0, 0) if span is None else (self.period(when - span), self.period(when + span))

    def near(self, entry: Entry, when: int) -> bool:
        """Whether a document is within the window of a time."""
        span = self.making.rules.span
        return span is None or abs(self.when(entry) - when) <= span


__all__ = ["Company", "Core"]

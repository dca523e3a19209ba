"""Progress of recognition, from the process that recognizes to the command that displays it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PageTracker = Callable[[str, int, int], None]
"""Receives the label of a file, the number of its recognized pages, and the number of those to recognize."""

_TRACKER: ContextVar[PageTracker | None] = ContextVar("whorl_pages", default=None)


@contextmanager
def pages_tracked(tracker: PageTracker) -> Iterator[None]:
    """Call ``tracker`` after each recognized page of the files that this thread reads."""
    token = _TRACKER.set(tracker)
    try:
        yield
    finally:
        _TRACKER.reset(token)


def page_recognized(label: str, done: int, total: int) -> None:
    """Report a recognized page."""
    tracker = _TRACKER.get()
    if tracker is not None:
        tracker(label, done, total)


__all__ = ["PageTracker", "page_recognized", "pages_tracked"]

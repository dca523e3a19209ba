"""Collect garbage less often in short commands, and while documents are added: they create many objects that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

SELDOM = (100_000, 20, 20)
"""Thresholds in objects and rounds: with those of Python, collection takes a tenth of the time of adding.

Of a short command it takes as much: it creates fewer objects than the first one, most of them by imports.
"""


class _Seldom:
    """Collector thresholds before the first of the concurrent blocks raised them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks = 0
        self._before = SELDOM

    @contextmanager
    def active(self) -> Iterator[None]:
        """Raise the thresholds until the last block has ended; never lower them."""
        with self._lock:
            if not self._blocks:
                self._before = gc.get_threshold()
                if 0 < self._before[0] < SELDOM[0]:
                    gc.set_threshold(*SELDOM)
            self._blocks += 1
        try:
            yield
        finally:
            with self._lock:
                self._blocks -= 1
                if not self._blocks:
                    gc.set_threshold(*self._before)


garbage_sought_seldom = _Seldom().active
"""Context in which garbage is collected seldom, in the whole process. Thread-safe, constant cost."""


__all__ = ["SELDOM", "garbage_sought_seldom"]

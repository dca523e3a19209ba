"""Collect garbage less often while documents are added: this creates many small objects that are not garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_SOUGHT_AFTER = (50_000, 20, 20)
"""Thresholds in objects and rounds: with Python's defaults, collection takes a tenth of the time of adding."""


class _Seldom:
    """Collector thresholds before the first of the concurrent blocks raised them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks = 0
        self._before = _SOUGHT_AFTER

    @contextmanager
    def active(self) -> Iterator[None]:
        """Raise the thresholds until the last block has ended; never lower them."""
        with self._lock:
            if not self._blocks:
                self._before = gc.get_threshold()
                if 0 < self._before[0] < _SOUGHT_AFTER[0]:
                    gc.set_threshold(*_SOUGHT_AFTER)
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


__all__ = ["garbage_sought_seldom"]

"""Garbage is sought less often while documents are added, for which many small objects are made that are none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_SOUGHT_AFTER = (50_000, 20, 20)
"""Objects and rounds: with Python's own, a tenth of the time of adding."""


class _Seldom:
    """How often garbage was sought before the first of all who want it seldom came."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanted = 0
        self._before = _SOUGHT_AFTER

    @contextmanager
    def wanted(self) -> Iterator[None]:
        """Seek it seldom until the last one has gone; never more often than before."""
        with self._lock:
            if not self._wanted:
                self._before = gc.get_threshold()
                if 0 < self._before[0] < _SOUGHT_AFTER[0]:
                    gc.set_threshold(*_SOUGHT_AFTER)
            self._wanted += 1
        try:
            yield
        finally:
            with self._lock:
                self._wanted -= 1
                if not self._wanted:
                    gc.set_threshold(*self._before)


garbage_sought_seldom = _Seldom().wanted
"""A block in which garbage is sought seldom, in the whole process. Safe from threads, constant cost."""


__all__ = ["garbage_sought_seldom"]

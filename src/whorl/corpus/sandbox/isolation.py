"""Which files are read by worker processes, and by how many.

Most runs read no such file, and then import nothing of what starts processes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

from whorl.corpus.contract import Source
from whorl.corpus.sandbox.budget import BUDGETS, OURS


class _Limit(local):
    """Maximum number of processes for files read in this thread."""

    processes: int | None = None


_LIMIT = _Limit()


def is_isolated(source: Source) -> bool:
    """True if a file is read by a worker process: by its format, and always if another user sent it."""
    is_bounded = source.format in BUDGETS and (source.untrusted or source.format not in OURS)
    return is_bounded and source.path is not None and is_possible()


def is_possible() -> bool:
    """True if a process can be started: a program that embeds Python is not an interpreter."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


@contextmanager
def processes_bounded(limit: int | None) -> Iterator[None]:
    """Limit the number of processes for files read in this thread; None is one per core, which is also the maximum."""
    before, _LIMIT.processes = _LIMIT.processes, limit
    try:
        yield
    finally:
        _LIMIT.processes = before


def process_limit() -> int:
    """Return the number of processes for reading."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if _LIMIT.processes is None else min(cores, _LIMIT.processes)


__all__ = ["is_isolated", "is_possible", "process_limit", "processes_bounded"]

"""Limit the threads of a call and the processes that read for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from whorl import _core
from whorl.corpus.sandbox import processes_bounded
from whorl.errors import UsageError
from whorl.i18n import say

MAX_WORKERS = 1024


@contextmanager
def bounded(workers: int | None) -> Iterator[None]:
    """Limit the threads of computations by this thread within the block; other threads are not affected.

    The number of processes that parse its files has the same limit.

    Args:
        workers: from 1 to ``MAX_WORKERS``; None is one per core.

    Raises:
        UsageError: the number is out of range.

    Cost: the first call with a number in a process starts that many threads, which are reused by later calls with it.
    """
    if workers is not None and (type(workers) is not int or not 1 <= workers <= MAX_WORKERS):
        problem = say("workers is {workers!r}, expected an integer from 1 to {most}", workers=workers, most=MAX_WORKERS)
        raise UsageError(problem, hint=say("omit it to use all cores"))
    before = _core.set_workers(workers or 0)
    try:
        with processes_bounded(workers):
            yield
    finally:
        _core.set_workers(before)


__all__ = ["MAX_WORKERS", "bounded"]

"""On how many threads a call computes, and how many processes read for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from whorl import _core
from whorl.corpus.isolated import processes_bounded
from whorl.errors import UsageError
from whorl.language import say

MOST = 1024


@contextmanager
def bounded(workers: int | None) -> Iterator[None]:
    """Bound the threads of what this thread computes meanwhile; other threads, and what comes after, are not bound.

    The processes that parse the files that it reads are as many at most.

    Args:
        workers: from 1 to ``MOST``; None is one a core.

    Raises:
        UsageError: it is none of these.

    Cost: the first call with a number in a process starts so many threads, which wait for the next one with it.
    """
    if workers is not None and (type(workers) is not int or not 1 <= workers <= MOST):
        problem = say("workers is {workers!r}, not a whole number from 1 to {most}", workers=workers, most=MOST)
        raise UsageError(problem, cure=say("leave it away for all cores"))
    before = _core.set_workers(workers or 0)
    try:
        with processes_bounded(workers):
            yield
    finally:
        _core.set_workers(before)


__all__ = ["MOST", "bounded"]

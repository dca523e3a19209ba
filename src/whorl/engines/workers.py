"""How many threads compute, and how many processes read."""

from __future__ import annotations

from whorl import _core
from whorl.corpus.isolated import use_processes
from whorl.errors import UsageError

MOST = 1024


def use_workers(count: int | None) -> None:
    """Bound the threads of everything that runs in parallel, for which only the first call in a process counts.

    The processes that parse files are as many at most.

    Args:
        count: from 1 to ``MOST``; None leaves it at one a core.

    Raises:
        UsageError: it is none of these.
    """
    if count is None:
        return
    if type(count) is not int or not 1 <= count <= MOST:
        problem = f"workers is {count!r}, not a whole number from 1 to {MOST}"
        raise UsageError(problem, cure="leave it away for all cores")
    _core.set_workers(count)
    use_processes(count)


__all__ = ["MOST", "use_workers"]

"""Do what waits for a file or another program in a thread, while the rest of this one computes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from whorl import _core

Item = TypeVar("Item")


def read_ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """Yield ``items``, each of which is made in a thread while the one before it is used.

    Memory: one item more than without.
    """
    missing = object()
    with _thread("whorl-read") as pool:
        upcoming: Future[Any] = pool.submit(next, items, missing)
        while (item := upcoming.result()) is not missing:
            upcoming = pool.submit(next, items, missing)
            yield item


class Behind:
    """Does one thing after the other in a thread, while the rest of the program goes on.

    One thing is waited for before the next one begins; an error shows then, or at the end.
    """

    def __init__(self, name: str) -> None:
        self._pool = _thread(name)
        self._pending: Future[Any] | None = None

    def do(self, work: Callable[..., Any], *given: Any) -> None:
        """Do something with what is given when what came before it is done."""
        self._wait()
        self._pending = self._pool.submit(work, *given)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if kind is None:
                self._wait()
        finally:
            self._pool.shutdown()

    def _wait(self) -> None:
        if self._pending is not None:
            self._pending.result()
            self._pending = None


def _thread(name: str) -> ThreadPoolExecutor:
    """A thread that computes with as many workers as this one."""
    _core.set_workers(bound := _core.set_workers(0))
    return ThreadPoolExecutor(1, name, _core.set_workers, (bound,))


__all__ = ["Behind", "read_ahead"]

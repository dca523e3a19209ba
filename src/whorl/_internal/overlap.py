"""Overlap of I/O and computation: run blocking work in a thread while the main thread computes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from whorl import _core

Item = TypeVar("Item")


def read_ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """Yield ``items``, preparing each one in a thread while the previous one is used.

    Memory: one additional item.
    """
    missing = object()
    with _thread("whorl-read") as pool:
        upcoming: Future[Any] = pool.submit(next, items, missing)
        while (item := upcoming.result()) is not missing:
            upcoming = pool.submit(next, items, missing)
            yield item


class Behind:
    """Run tasks one at a time in a background thread.

    Each task waits for the previous one; errors are raised by the next call or at the end.
    """

    def __init__(self, name: str) -> None:
        self._pool = _thread(name)
        self._pending: Future[Any] | None = None

    def do(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Run a call in the background once the previous one has finished."""
        self._wait()
        self._pending = self._pool.submit(work, *arguments)

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
    """Return a one-thread executor with the worker count of the current thread."""
    _core.set_workers(bound := _core.set_workers(0))
    return ThreadPoolExecutor(1, name, _core.set_workers, (bound,))


__all__ = ["Behind", "read_ahead"]

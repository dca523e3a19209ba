"""Do the reading or writing of a file while the rest of the program computes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from whorl import _core

Item = TypeVar("Item")


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield ``items``, each of which is made in a thread while the one before it is used.

    Memory: one item more than without.
    """
    missing = object()
    _core.set_workers(bound := _core.set_workers(0))  # the thread has as many workers as this one
    with ThreadPoolExecutor(1, "whorl-read", _core.set_workers, (bound,)) as pool:
        upcoming: Future[Any] = pool.submit(next, items, missing)
        while (item := upcoming.result()) is not missing:
            upcoming = pool.submit(next, items, missing)
            yield item


class WriteBehind:
    """Writes to ``file`` in a thread, one buffer at a time; an error shows at the next write or at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="whorl-write")
        self._pending: Future[int] | None = None

    def write(self, data: bytes | _core.Buffer) -> None:
        """Write ``data`` when what came before it is written."""
        self._wait()
        self._pending = self._pool.submit(self._file.write, data)

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


__all__ = ["WriteBehind", "read_ahead"]

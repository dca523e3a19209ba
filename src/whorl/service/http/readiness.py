"""Readiness of a process, checked at most once a second, as anybody may request it at any rate."""

from __future__ import annotations

import asyncio
from asyncio import Task
from collections.abc import Callable
from time import monotonic

from fastapi.concurrency import run_in_threadpool

_FRESH_SECONDS = 1.0
_PATIENCE_SECONDS = 3.0


class Readiness:
    """Cached result of a blocking check. Only for the event loop thread."""

    def __init__(self, fresh_seconds: float = _FRESH_SECONDS, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        """Create an empty cache.

        Args:
            fresh_seconds: lifetime of a result.
            patience_seconds: time after which a caller gets no result, while the check goes on.
        """
        self._fresh_seconds = fresh_seconds
        self._patience_seconds = patience_seconds
        self._at = float("-inf")
        self._asking: Task[str] | None = None

    async def get(self, ask: Callable[[], str]) -> str | None:
        """Return the cached result or run the check; concurrent calls share one check.

        The result is None if the check takes too long: a database does not respond, or all threads wait for it.
        """
        if self._asking is None or (self._asking.done() and monotonic() - self._at >= self._fresh_seconds):
            self._asking = asyncio.create_task(self._ask(ask))
        done, _ = await asyncio.wait([self._asking], timeout=self._patience_seconds)
        return self._asking.result() if done else None

    async def _ask(self, ask: Callable[[], str]) -> str:
        try:
            return await run_in_threadpool(ask)
        finally:
            self._at = monotonic()


__all__ = ["Readiness"]

"""Whether a process can answer, found out once a second at most: anybody may ask, as often as they like."""

from __future__ import annotations

import asyncio
from asyncio import Task
from collections.abc import Callable
from time import monotonic

from fastapi.concurrency import run_in_threadpool

_FRESH_SECONDS = 1.0


class Readiness:
    """The last answer to a question that takes a thread. For the thread of the event loop only."""

    def __init__(self, fresh_seconds: float = _FRESH_SECONDS) -> None:
        """Begin without an answer.

        Args:
            fresh_seconds: for how long an answer is given again.
        """
        self._fresh_seconds = fresh_seconds
        self._at = float("-inf")
        self._asking: Task[str] | None = None

    async def get(self, ask: Callable[[], str]) -> str:
        """Return the last answer, or ask; all who come meanwhile wait for the same answer."""
        if self._asking is None or (self._asking.done() and monotonic() - self._at >= self._fresh_seconds):
            self._asking = asyncio.create_task(self._ask(ask))
        return await asyncio.shield(self._asking)

    async def _ask(self, ask: Callable[[], str]) -> str:
        try:
            return await run_in_threadpool(ask)
        finally:
            self._at = monotonic()


__all__ = ["Readiness"]

"""Admission of slow requests: fair between callers, separate for each kind of work, cancelled when the client leaves.

With one pool of slots for everything, two abandoned reports hold up every file check. Here each kind of work has its
separate slots, a caller never holds all slots of a kind, and freed slots go round the waiting callers regardless of
queue length. Waiting requests take no thread. A client that disconnects loses its place in the queue immediately. Work
that has begun is interrupted (`whorl._internal.interruption`) and keeps its slot until its thread ends, because it uses
the processor until then.
"""

from __future__ import annotations

import asyncio
from asyncio import FIRST_COMPLETED, Future, Task
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Literal, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import Request

from whorl._internal.interruption import Interrupted, cancelled_by
from whorl.i18n import say
from whorl.service.http.bodies import RefusedError
from whorl.service.http.callers import caller_of
from whorl.service.throttling import TooManyError, network_of

WorkKind = Literal["files", "reports", "traces", "texts", "passwords", "meanings"]
SLOTS: dict[WorkKind, int] = {"files": 2, "reports": 2, "traces": 2, "texts": 4, "passwords": 2, "meanings": 2}
"""Requests of a kind that a process works on at the same time; one caller holds at most all but one of them."""
MAX_WAITING = 20
"""Requests of a kind that may wait for one caller in a process."""
CLIENT_LEFT = 499
"""Logged status of a request whose client left before the response."""
_RETRY_SECONDS = 5
_MAX_REMEMBERED = 1000
"""Number of callers whose last grant is remembered."""

T = TypeVar("T")


class FairSlots:
    """Slots for one kind of work, granted round-robin over callers. Only for the event loop thread."""

    def __init__(self, slots: int, max_waiting: int = MAX_WAITING) -> None:
        """Create free slots.

        Args:
            slots: number of slots.
            max_waiting: waiting requests per caller.
        """
        self._free = slots
        self._per_caller = max(1, slots - 1)
        self._max_waiting = max_waiting
        self._working: Counter[str] = Counter()
        self._waiting: dict[str, deque[Future[None]]] = {}
        self._grants: OrderedDict[str, int] = OrderedDict()
        self._number = 0

    def enter(self, caller: str) -> Future[None]:
        """Queue a request; the returned future completes once the request has a slot.

        Raises:
            TooManyError: too many requests of this caller are waiting.
        """
        queue = self._waiting.setdefault(caller, deque())
        if len(queue) >= self._max_waiting:
            raise TooManyError(
                say("{count} requests of this kind already wait for you", count=len(queue)),
                hint=say("send fewer requests at the same time"),
                seconds=_RETRY_SECONDS,
            )
        turn: Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        self._hand_out()
        return turn

    def release(self, caller: str, turn: Future[None]) -> None:
        """Release a slot, or remove a request from the queue."""
        if turn.done() and not turn.cancelled():
            self._free += 1
            self._working[caller] -= 1
            self._working += Counter()  # drop callers without work
            self._hand_out()
            return
        turn.cancel()
        queue = self._waiting.get(caller, deque())
        with suppress(ValueError):
            queue.remove(turn)
        if not queue:
            self._waiting.pop(caller, None)

    def _hand_out(self) -> None:
        """Grant each free slot to the waiting caller whose last grant is oldest."""
        while self._free:
            callers = [name for name in self._waiting if self._working[name] < self._per_caller]
            if not callers:
                return
            caller = min(callers, key=lambda name: self._grants.get(name, -1))
            queue = self._waiting[caller]
            turn = queue.popleft()
            if not queue:
                del self._waiting[caller]
            self._free -= 1
            self._working[caller] += 1
            self._note_grant(caller)
            turn.set_result(None)

    def _note_grant(self, caller: str) -> None:
        self._number += 1
        self._grants[caller] = self._number
        self._grants.move_to_end(caller)
        if len(self._grants) > _MAX_REMEMBERED:
            self._grants.popitem(last=False)


class FairQueue:
    """Slow requests of a process. Only for the event loop thread."""

    def __init__(self) -> None:
        self._slots = {kind: FairSlots(count) for kind, count in SLOTS.items()}
        self._threads = CapacityLimiter(sum(SLOTS.values()))

    async def run(self, request: Request, kind: WorkKind, work: Callable[[], T]) -> T:
        """Run work in a thread once its caller has a slot, and return its result.

        Raises:
            TooManyError: too many requests of this kind are waiting for the caller.
            RefusedError: the client left.
        """
        caller, slots = _name_of(request), self._slots[kind]
        turn = slots.enter(caller)
        leaving = asyncio.create_task(_until_left(request))
        has_begun = False
        try:
            await asyncio.wait({turn, leaving}, return_when=FIRST_COMPLETED)
            if leaving.done():
                raise _client_left()
            cancelled = Event()
            working = asyncio.create_task(self._work(work, cancelled))
            has_begun = True
            working.add_done_callback(lambda task: _end(task, slots, caller, turn))
            try:
                await asyncio.wait({working, leaving}, return_when=FIRST_COMPLETED)
            finally:
                if not working.done():
                    cancelled.set()
            if not working.done():
                raise _client_left()
            return working.result()
        finally:
            leaving.cancel()
            if not has_begun:
                slots.release(caller, turn)

    async def _work(self, work: Callable[[], T], cancelled: Event) -> T:
        def interruptible() -> T:
            with cancelled_by(cancelled):
                try:
                    return work()
                except Interrupted:
                    raise _client_left() from None

        return await run_sync(interruptible, limiter=self._threads)


def _end(task: Task[T], slots: FairSlots, caller: str, turn: Future[None]) -> None:
    """Release the slot of finished work. Its error is retrieved, as it may have no other reader."""
    if not task.cancelled():
        task.exception()
    slots.release(caller, turn)


async def _until_left(request: Request) -> None:
    """Return once the client of a request has disconnected."""
    try:
        while (await request.receive())["type"] != "http.disconnect":
            pass
    except RefusedError:  # an unread body is too large or too slow: the response is sent regardless
        await asyncio.get_running_loop().create_future()


def _name_of(request: Request) -> str:
    caller = caller_of(request)
    return caller.who if caller else f"address {network_of(request.client and request.client.host)}"


def _client_left() -> RefusedError:
    return RefusedError(CLIENT_LEFT, say("the client disconnected before the response"), say("wait for the response"))


__all__ = ["CLIENT_LEFT", "MAX_WAITING", "SLOTS", "FairQueue", "FairSlots", "WorkKind"]

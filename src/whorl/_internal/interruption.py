"""Cooperative cancellation: long work asks whether anybody still waits for its result.

A thread cannot be stopped from outside. Whoever starts work in a thread puts an event into the context of that thread,
and loops of such work call `demand_interest` between two pieces. Without an event nothing is ever cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_CANCELLED: ContextVar[Event | None] = ContextVar("whorl_cancelled", default=None)


class Interrupted(BaseException):
    """Nobody waits for the result. It is no `Exception`, so that no handler of errors takes it for one."""


@contextmanager
def cancelled_by(event: Event) -> Iterator[None]:
    """Cancel the work of the block, in this context, once an event is set."""
    token = _CANCELLED.set(event)
    try:
        yield
    finally:
        _CANCELLED.reset(token)


def is_cancelled() -> bool:
    """Whether nobody waits for the result of the current work any longer."""
    event = _CANCELLED.get()
    return event is not None and event.is_set()


def demand_interest() -> None:
    """Stop the current work if nobody waits for its result.

    Raises:
        Interrupted: nobody does.
    """
    if is_cancelled():
        raise Interrupted


__all__ = ["Interrupted", "cancelled_by", "demand_interest", "is_cancelled"]

"""Translate failures of Redis into errors with a hint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from whorl.errors import ResourceError
from whorl.i18n import Message, say

_DAMAGE = ("WRONGTYPE", "value is not an integer", "damaged")
"""What a server says of a key of another type, of a field that is no number, and what our scripts say of others."""


@contextmanager
def failures(where: str) -> Iterator[None]:
    """Translate failures of a server into errors with a hint; ``where`` is its address without secrets."""
    try:
        yield
    except redis.RedisError as error:
        raise ResourceError(say("{label}: {reason}", label=where, reason=_reason(error)), hint=_hint(error)) from error


def is_damage(error: ResourceError) -> bool:
    """Whether a server has refused since its keys are not what was put there, which building them again hints."""
    message = str(error.__cause__)
    return isinstance(error.__cause__, redis.ResponseError) and any(mark in message for mark in _DAMAGE)


def _reason(error: redis.RedisError) -> str:
    """Return the message of the server, which contains no secrets and no document text."""
    return str(error) or type(error).__name__


def _hint(error: redis.RedisError) -> Message:
    text = str(error)
    if isinstance(error, redis.AuthenticationError) or text.startswith(("NOAUTH", "WRONGPASS", "NOPERM")):
        return say("check the user and password of the server")
    if isinstance(error, redis.OutOfMemoryError) or text.startswith(("OOM", "MISCONF")):
        return say("give the server more memory or disk space; acknowledged data is intact")
    if isinstance(error, redis.ReadOnlyError) or text.startswith("READONLY"):
        return say("use the primary server, not a replica")
    return say("start the server, or open the library without `?index=` to use a local index")


__all__ = ["failures", "is_damage"]

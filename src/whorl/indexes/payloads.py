"""Payloads of index rows: bytes or JSON, stored with a row and returned by its id.

A byte before each payload tells bytes from JSON; a row without a payload has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_BYTES = 64 * 2**10
"""Maximum size of a payload. Payloads are copied whenever segments are merged."""
_BYTES, _JSON = b"\0", b"\1"


def packed(payloads: Any, count: int) -> list[bytes] | None:
    """Return the stored form of payloads, or None without any.

    Args:
        payloads: bytes, JSON values or None, one for each row; or None.
        count: number of rows.

    Raises:
        UsageError: their number differs, or one is too large or no JSON value.
    """
    if payloads is None:
        return None
    listed = list(payloads) if isinstance(payloads, Iterable) and not isinstance(payloads, str | bytes) else []
    if len(listed) != count:
        raise UsageError(
            say("expected {count} {name}, one per row, got {given}", given=len(listed), name="payloads", count=count),
            hint=say("give one of the {name} for each row", name="payloads"),
        )
    return [_packed(payload) for payload in listed]


def _packed(payload: Any) -> bytes:
    if payload is None:
        return b""
    if isinstance(payload, bytes | bytearray | memoryview):
        stored = _BYTES + bytes(payload)
    else:
        try:
            stored = _JSON + json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise UsageError(
                say("expected bytes or a JSON value as a payload, got {payload!r:.60}", payload=payload),
                hint=say("use bytes, or what json.dumps accepts"),
            ) from error
    if len(stored) - 1 > MAX_BYTES:
        raise UsageError(
            say("a payload has {size:,} bytes, the maximum is {most:,}", size=len(stored) - 1, most=MAX_BYTES),
            hint=say("store large data elsewhere, and its key here"),
        )
    return stored


def payload_columns(stored: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Return stored payloads as one array of bytes, and the end of each."""
    ends = np.cumsum(np.fromiter(map(len, stored), np.uint64, len(stored)), dtype=np.uint64)
    return np.frombuffer(b"".join(stored), np.uint8), ends


def unpacked(stored: bytes | None) -> Any:
    """Return a payload from its stored form; None without one."""
    if not stored:
        return None
    return stored[1:] if stored[:1] == _BYTES else json.loads(stored[1:])


__all__ = ["MAX_BYTES", "packed", "payload_columns", "unpacked"]

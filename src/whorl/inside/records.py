"""Records and pairs of the passage index as bytes, as the core reads and writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl import _core

RECORD = np.dtype([("key", "<u8"), ("surroundings", "<u8"), ("rank", "<u4"), ("place", "<u4")])
"""A key of a document with its place."""
PAIR_NUMBERS = 5
"""Rank and place of a document, of an earlier one with the same key, and the number of places with the key."""
PAIR_BYTES = 4 * PAIR_NUMBERS


def in_bytes(bounds: _core.Buffer, size: int) -> NDArray[np.uint64]:
    """Return bounds of the core in bytes instead of values of this size."""
    return np.frombuffer(memoryview(bounds), np.uint64) * np.uint64(size)


__all__ = ["PAIR_BYTES", "PAIR_NUMBERS", "RECORD", "in_bytes"]

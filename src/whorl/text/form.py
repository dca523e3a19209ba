"""Which of several versions of a text is in the best form: complete, clean, and long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core

_TRICKS_BITS = 16
_LENGTH_COUNTS = np.array([25, 15, 10, 6], np.int64)
"""Weight of a length in 25ths: intact; many evasion tricks; truncated; truncated with many tricks.

The form decides only among texts of similar length. If the lengths differ by a factor of two, the shorter one is an
excerpt, which can be removed in favor of it but not vice versa.
"""
_TRICK_COST, _DEDUCTED_PART = 8, 10
"""Code points that a trick deducts from the length, and the part of the length that is deducted at most.

So the clean version stays although a disguised one has a sentence more, such as the name of the site that copied it.
"""


def blemishes(texts: Any) -> NDArray[np.uint32]:
    """Return how bad the form of each text is; linear, on all cores."""
    return np.frombuffer(memoryview(_core.blemishes(texts)), np.uint32)


def best_order(lengths: NDArray[np.uint32], blemishes: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return the rank value of each text by its length in folded code points and its blemishes, the best lowest."""
    grade, tricks = blemishes >> _TRICKS_BITS, blemishes & ((1 << _TRICKS_BITS) - 1)
    whole = lengths.astype(np.int64)
    deducted = np.minimum(whole // _DEDUCTED_PART, tricks.astype(np.int64) * _TRICK_COST)
    counted: NDArray[np.int64] = (whole - deducted) * _LENGTH_COUNTS[grade]
    return np.asarray(tricks - (counted << _TRICKS_BITS), np.float64)


__all__ = ["best_order", "blemishes"]

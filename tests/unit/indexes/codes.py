"""Codes for tests of an index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_codes(count: int, seed: int = 1) -> NDArray[np.uint64]:
    """Return codes of 64 bits; the same for the same seed."""
    return np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)

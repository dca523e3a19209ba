"""Byte format of postings: fields named by the first bits of keys, with five bytes per key and three per content."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_NUMBERS = 1 << 24
"""Maximum range of content numbers in a period."""

_BYTES_OF_ID = 3
_LEAST_BITS, _MOST_BITS, _CONTENTS_OF_FIELD = 8, 24, 2.5
_GROUPS = 8192
_MIXED = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def bits_for(contents: int) -> int:
    """Return the number of key bits that name a field, for a number of contents.

    With about a hundred keys per article, a field has 80 to 320 postings: longer fields take longer to search, shorter
    ones more memory.
    """
    fits = (bits for bits in range(_LEAST_BITS, _MOST_BITS, 2) if contents < _CONTENTS_OF_FIELD * 2**bits)
    return next(fits, _MOST_BITS)


def mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix keys bijectively so that their first bits are uniform (finalizer of splitmix64)."""
    first, second, third = _SHIFTS
    keys = (keys ^ (keys >> first)) * _MIXED[0]
    keys = (keys ^ (keys >> second)) * _MIXED[1]
    return keys ^ (keys >> third)


def encode_query(keys: NDArray[np.uint64]) -> bytes:
    """Encode mixed keys for a query."""
    return keys.astype(">u8").tobytes()


def decode_answer(answer: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Decode an answer into positions of keys and contents relative to their base."""
    rows = np.frombuffer(answer, np.uint8).reshape(-1, 2 + _BYTES_OF_ID).astype(np.int64)
    return rows[:, 0] | rows[:, 1] << 8, rows[:, 2] << 16 | rows[:, 3] << 8 | rows[:, 4]


def postings(keys: NDArray[np.uint64], offsets: NDArray[np.int64], bits: int) -> Iterator[bytes]:
    """Yield the postings of mixed keys as ``append`` of the scripts takes them, at most 8,192 fields each.

    Args:
        keys: mixed keys.
        offsets: content of each key, relative to the base of its period.
        bits: number of key bits that name a field.
    """
    width = -(-bits // 8)
    tops = keys >> np.uint64(64 - bits)
    order = np.argsort(tops, kind="stable")
    fields, starts = np.unique(tops[order], return_index=True)
    names = (fields << np.uint64(64 - bits)).astype(">u8").tobytes()
    records = np.concatenate([_bytes(keys[order], 8)[:, 3:], _bytes(offsets[order], 8)[:, 8 - _BYTES_OF_ID :]], axis=1)
    encoded = records.tobytes()
    bounds = list(pairwise([*starts.tolist(), len(keys)]))
    for group in range(0, len(bounds), _GROUPS):
        yield b"".join(
            names[8 * number : 8 * number + width] + (end - start).to_bytes(4, "little") + encoded[8 * start : 8 * end]
            for number, (start, end) in enumerate(bounds[group : group + _GROUPS], group)
        )


def _bytes(numbers: NDArray[np.uint64] | NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    return numbers.astype(">u8").view(np.uint8).reshape(-1, width)


__all__ = ["MOST_NUMBERS", "bits_for", "decode_answer", "encode_query", "mixed", "postings"]

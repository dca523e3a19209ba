"""Number of tasks that the work of a run is divided into."""

from __future__ import annotations

_SEGMENT_BYTES = range(4 * 2**20, 256 * 2**20)
_SEGMENTS = 64
_PARTITION_BYTES = 4 * 2**20
_BITS = range(2, 14)
_PARTS = range(1, 4096)
_DOCUMENTS_A_PART = 20_000


def segment_bytes(corpus: int) -> int:
    """Return the minimum number of bytes per task for a corpus of this size."""
    return _within(corpus // _SEGMENTS, _SEGMENT_BYTES)


def partition_bits(postings: int) -> int:
    """Return the number of leading key bits that select the partition, for postings of this size."""
    return _within((postings // _PARTITION_BYTES).bit_length(), _BITS)


def parts_of(documents: int) -> int:
    """Return the number of parts for this number of documents; linked documents may need fewer, larger parts."""
    return _within(documents // _DOCUMENTS_A_PART, _PARTS)


def _within(value: int, bounds: range) -> int:
    return min(max(value, bounds.start), bounds.stop)


__all__ = ["partition_bits", "parts_of", "segment_bytes"]

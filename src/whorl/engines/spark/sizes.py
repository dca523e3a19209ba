"""Into how many tasks the work of a run is divided."""

from __future__ import annotations

_SEGMENT_BYTES = range(4 * 2**20, 256 * 2**20)
_SEGMENTS = 64
_PARTITION_BYTES = 4 * 2**20
_BITS = range(2, 14)
_PARTS = range(1, 4096)
_DOCUMENTS_A_PART = 20_000


def segment_bytes(corpus: int) -> int:
    """Return how many bytes of files a task reads at least, of a corpus of so many."""
    return _within(corpus // _SEGMENTS, _SEGMENT_BYTES)


def partition_bits(postings: int) -> int:
    """Return how many bits of a key tell its partition, where all postings have so many bytes."""
    return _within((postings // _PARTITION_BYTES).bit_length(), _BITS)


def parts_of(documents: int) -> int:
    """Return into how many parts so many documents are divided, unless more of them hang together."""
    return _within(documents // _DOCUMENTS_A_PART, _PARTS)


def _within(value: int, bounds: range) -> int:
    return min(max(value, bounds.start), bounds.stop)


__all__ = ["partition_bits", "parts_of", "segment_bytes"]

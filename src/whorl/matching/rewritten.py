"""Pairs of texts that may be rewritten copies of each other, without a passage in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.fingerprints import family
from whorl.indexes.inverted import KeyIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TEXTS = 1000
"""A key of more texts is a word of their topic."""
MOST_CANDIDATES = 8
"""Number of texts with the most keys in common that each text is paired with."""
_MOST_LISTED = 64
"""Number of these texts before those of the same group are left out."""


def find_rewritten(texts: Any, groups: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Find the pairs of texts with the same rare words, names and numbers.

    Args:
        texts: strings, or an Arrow string array.
        groups: a number for each text; texts with equal numbers are not a pair.

    Returns:
        Ordered pairs, the lower text first, as uint32 (n, 2).

    Cost: segmentation into words, about 0.1 µs a character, on all cores; at most ``MOST_CANDIDATES`` pairs a text.
    """
    content = family("content")
    prints = content.fingerprint(texts)
    index = KeyIndex(most_documents=MOST_TEXTS)
    index.add(prints)
    answers = index.query_many(prints, limit=_MOST_LISTED, min_shared=content.min_shared)
    query, other = answers.query.astype(np.uint32), answers.id.astype(np.uint32)
    differ = groups[query] != groups[other]
    query, other = query[differ], other[differ]
    best = np.arange(len(query)) - np.searchsorted(query, query) < MOST_CANDIDATES
    pairs = np.stack([query[best], other[best]], axis=1)
    pairs.sort(axis=1)
    return np.unique(pairs, axis=0)


__all__ = ["find_rewritten"]

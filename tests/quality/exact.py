"""Exact similarity in plain Python, so that the core is checked by independent code."""

from __future__ import annotations

from whorl.text import body, tokens

Shingles = frozenset[int]
"""Hashes of n-grams, which need half their memory. They have 64 bits, so that none is expected to collide."""


def shingles(text: str, width: int = 5) -> Shingles:
    """Return the distinct n-grams of ``width`` tokens; a shorter text is one n-gram, an empty one has no n-grams."""
    token_list = tokens(body(text))
    if not token_list:
        return frozenset()
    if len(token_list) < width:
        return frozenset([hash(tuple(token_list))])
    return frozenset(map(hash, zip(*(token_list[start:] for start in range(width)), strict=False)))


def similarity(a: Shingles, b: Shingles) -> float:
    """The Jaccard similarity of two sets; 0 for texts without features."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


def jaccard(a: str, b: str, width: int = 5) -> float:
    """The exact similarity of two texts."""
    return similarity(shingles(a, width), shingles(b, width))

"""Exact similarity in plain Python, so that the core is checked by independent code."""

from __future__ import annotations

from whorl.text import body, tokens

Shingles = frozenset[tuple[str, ...]]


def shingles(text: str, width: int = 5) -> Shingles:
    """Return the distinct n-grams of ``width`` tokens; a shorter text is one n-gram, an empty one has no n-grams."""
    found = tokens(body(text))
    if not found:
        return frozenset()
    if len(found) < width:
        return frozenset([tuple(found)])
    return frozenset(zip(*(found[start:] for start in range(width)), strict=False))


def similarity(a: Shingles, b: Shingles) -> float:
    """The Jaccard similarity of two sets; 0 for texts without features."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


def jaccard(a: str, b: str, width: int = 5) -> float:
    """The exact similarity of two texts."""
    return similarity(shingles(a, width), shingles(b, width))

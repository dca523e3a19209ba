"""The measures in the plainest possible code: on tokens and words as strings, without hashes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Any

from whorl.matching.verify import Verification
from whorl.text import tokens
from whorl.text.look_alikes import undo_look_alikes
from whorl.text.pinyin import pinyin_fold
from whorl.text.words import segment

Feature = tuple[str, ...]


def features(text: str, demanded: Verification) -> list[Feature]:
    """Return the features of a text, in order."""
    if demanded.fold == "look_alikes":
        text = undo_look_alikes(text).text
    by_sound = demanded.fold == "pinyin"
    if demanded.over == "shingles":
        units = tokens(pinyin_fold(text) if by_sound else text)
    else:
        words = segment([text], demanded.over, fold=True, hmm=demanded.hmm)[0]
        units = [pinyin_fold(word.text) if by_sound else word.text for word in words]
    if not units:
        return []
    width = min(demanded.width or 1, len(units))
    return [tuple(units[start : start + width]) for start in range(len(units) - width + 1)]


def jaccard(a: list[Feature], b: list[Feature]) -> float:
    """Return the intersection divided by the union."""
    return len(set(a) & set(b)) / len(set(a) | set(b))


def containment(a: list[Feature], b: list[Feature]) -> float:
    """Return the intersection divided by the first set."""
    return len(set(a) & set(b)) / len(set(a))


def cosine(a: list[Feature], b: list[Feature]) -> float:
    """Return the dot product divided by the lengths."""
    counts_a, counts_b = Counter(a), Counter(b)
    product = sum(count * counts_b[feature] for feature, count in counts_a.items())
    squares = [sum(count**2 for count in counts.values()) for counts in (counts_a, counts_b)]
    return product / sqrt(squares[0] * squares[1])


def euclidean(a: list[Feature], b: list[Feature]) -> float:
    """By the angle: half the squared distance is 1 - cosine, whose square is a fraction of integers."""
    counts_a, counts_b = Counter(a), Counter(b)
    product = sum(count * counts_b[feature] for feature, count in counts_a.items())
    squares = [sum(count**2 for count in counts.values()) for counts in (counts_a, counts_b)]
    squared = Fraction(product**2, squares[0] * squares[1])
    return 1 - sqrt(float(1 - squared) / (1 + sqrt(squared)))


def edit(a: list[Feature], b: list[Feature]) -> float:
    """Fill the table of all prefixes row by row."""
    row = list(range(len(b) + 1))
    for index, element in enumerate(a):
        following = [index + 1]
        for place, other in enumerate(b):
            following.append(min(row[place] + (element != other), row[place + 1] + 1, following[place] + 1))
        row = following
    longer = max(len(a), len(b))
    return (longer - row[-1]) / longer


MEASURES: dict[str, Any] = {
    "jaccard": jaccard,
    "containment": containment,
    "cosine": cosine,
    "euclidean": euclidean,
    "edit": edit,
}


def similarity(a: str, b: str, demanded: Verification) -> float:
    """Return the similarity of two texts; 1 if they fold to the same tokens, 0 if one has no features."""
    if not tokens(a) or not tokens(b):
        return 0.0
    if tokens(a) == tokens(b):
        return 1.0
    measure: float = MEASURES[demanded.measure](features(a, demanded), features(b, demanded))
    return measure

"""Detection of the misprinted text of a pair: a misprint splits a word of the dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from whorl.text import edit_runs
from whorl.text.words import segment
from whorl.types.comparison import Passage

_LONGEST = 3
_AROUND = 4
_MAX_PLACES = 50


class _Place(NamedTuple):
    """Characters with their context, and their position in it."""

    text: str
    start: int
    end: int


def misprints(a: str, b: str, passages: Iterable[Passage]) -> tuple[int, int]:
    """Return the number of places where only text a has a misprint, and where only text b has one.

    Up to fifty replacements of a few characters, of equal length in both texts, are examined. With their context, both
    versions are segmented by the dictionary: a character that is part of a word in one text and single in the other is
    a misprint there, as 气 in 机气 instead of 机器. Languages other than Chinese have no misprints.

    Args:
        a: the first text.
        b: the second text.
        passages: what they share.

    Cost: another comparison of the changed passages; the first call loads the dictionary.
    """
    pairs = list(islice(_places(a, b, passages), _MAX_PLACES))
    if not pairs:
        return 0, 0
    alone = _alone([place for pair in pairs for place in pair])
    counts = list(zip(alone[::2], alone[1::2], strict=True))
    return sum(first > second for first, second in counts), sum(second > first for first, second in counts)


def _places(a: str, b: str, passages: Iterable[Passage]) -> Iterator[tuple[_Place, _Place]]:
    """Yield the replaced characters in both texts."""
    for passage in passages:
        if not passage.replaced:
            continue
        first, second = a[passage.a_start : passage.a_end], b[passage.b_start : passage.b_end]
        for run in edit_runs(first, second):
            length = run.a_end - run.a_start
            is_short = 0 < length == run.b_end - run.b_start <= _LONGEST
            if is_short and run.kind in ("homophones", "replaced"):
                yield _around(first, run.a_start, run.a_end), _around(second, run.b_start, run.b_end)


def _around(text: str, start: int, end: int) -> _Place:
    first = max(0, start - _AROUND)
    return _Place(text[first : end + _AROUND], start - first, end - first)


def _alone(places: list[_Place]) -> list[int]:
    """Count the characters of each place that are single-character words."""
    cut = segment([place.text for place in places], hmm=False)
    return [
        sum(word.end - word.start == 1 and place.start <= word.start < place.end for word in words)
        for place, words in zip(places, cut, strict=True)
    ]


__all__ = ["misprints"]

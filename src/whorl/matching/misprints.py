"""Which of two texts has a misprint where they differ: the one whose word falls apart there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from whorl.model import Passage
from whorl.text import edit_runs
from whorl.text.words import segment

_LONGEST = 3
_AROUND = 4
_MOST = 50


class _Place(NamedTuple):
    """Characters with those around them, and where they stand among these."""

    text: str
    start: int
    end: int


def misprints(a: str, b: str, passages: Iterable[Passage]) -> tuple[int, int]:
    """Return at how many places only text a has a misprint, and at how many only text b has.

    Looked at are up to fifty places of a few characters that are others, the same number in both. With those around
    them they are cut into words of the dictionary: what is part of a word in one text and stands alone in the other is
    a misprint there, as 气 of 机气 is in the place of 机器. Other languages than Chinese have none.

    Args:
        a: the first text.
        b: the second text.
        passages: what they share.

    Cost: that of comparing the passages with changed characters again; the first call loads the dictionary.
    """
    pairs = list(islice(_places(a, b, passages), _MOST))
    if not pairs:
        return 0, 0
    alone = _alone([place for pair in pairs for place in pair])
    told = list(zip(alone[::2], alone[1::2], strict=True))
    return sum(one > other for one, other in told), sum(other > one for one, other in told)


def _places(a: str, b: str, passages: Iterable[Passage]) -> Iterator[tuple[_Place, _Place]]:
    """Where characters are others, in both texts."""
    for passage in passages:
        if not passage.replaced:
            continue
        one, other = a[passage.a_start : passage.a_end], b[passage.b_start : passage.b_end]
        for run in edit_runs(one, other):
            length = run.a_end - run.a_start
            is_short = 0 < length == run.b_end - run.b_start <= _LONGEST
            if is_short and run.kind in ("homophones", "replaced"):
                yield _around(one, run.a_start, run.a_end), _around(other, run.b_start, run.b_end)


def _around(text: str, start: int, end: int) -> _Place:
    first = max(0, start - _AROUND)
    return _Place(text[first : end + _AROUND], start - first, end - first)


def _alone(places: list[_Place]) -> list[int]:
    """How many of the characters of each place are words by themselves."""
    cut = segment([place.text for place in places], hmm=False)
    return [
        sum(word.end - word.start == 1 and place.start <= word.start < place.end for word in words)
        for place, words in zip(places, cut, strict=True)
    ]


__all__ = ["misprints"]

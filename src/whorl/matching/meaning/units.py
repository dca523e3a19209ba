"""Sentences of a text, each long enough that it has a meaning of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.types.comparison import Span

MIN_SIZE = 10
"""Minimum size of a unit, so that a page of 500 Han characters, or of 1,500 letters, has at most 50."""
MAX_SIZE = 150
"""Sentences that are longer, such as text without punctuation, are divided: models read a few hundred characters."""
_LETTERS = 3
_ENDS = "。！？；…!?;.：:"


@frozen
class Unit:
    """A sentence, or several short ones.

    Attributes:
        start: start in the text.
        end: end in the text, exclusive.
        size: Han characters and a third of the letters and digits.
    """

    start: int
    end: int
    size: float


def size_of(text: str) -> float:
    """Return the size of a text: characters of scripts without spaces, and a third of other letters and digits."""
    dense = sum(sign >= "\u2e80" and sign.isalnum() for sign in text)
    return dense + (sum(map(str.isalnum, text)) - dense) / _LETTERS


def units_of(text: str, excluded: Iterable[Span] = ()) -> list[Unit]:
    """Divide the body of a text, without bylines, into sentences; short ones are joined with the next.

    Args:
        text: the text.
        excluded: ranges that are no part of any unit.

    Cost: linear.
    """
    units: list[Unit] = []
    for start, end in _without(_core.body_ranges(text), excluded):
        parts = [(start + first, start + last) for first, last in _core.sentences(text[start:end])]
        units += _joined(text, _unwrapped(text, parts))
    return units


def _without(ranges: Iterable[Span], excluded: Iterable[Span]) -> Iterable[Span]:
    """Yield what remains of ranges."""
    barriers = sorted(excluded)
    for start, end in ranges:
        place = start
        for first, last in barriers:
            if last > place and first < end:
                if first > place:
                    yield place, first
                place = last
        if place < end:
            yield place, end


def _unwrapped(text: str, sentences: Sequence[Span]) -> list[Span]:
    """Join the lines of sentences that were broken where a page was full: the next line starts with a small letter."""
    joined: list[Span] = []
    for start, end in sentences:
        if joined and text[start].islower() and text[joined[-1][1] - 1] not in _ENDS:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _joined(text: str, sentences: Iterable[Span]) -> list[Unit]:
    units: list[Unit] = []
    first: int | None = None
    for start, end in sentences:
        first = start if first is None else first
        size = size_of(text[first:end])
        if size >= MIN_SIZE:
            units += _divided(text, Unit(first, end, size))
            first = None
        last = end
    if first is not None:
        rest = Unit(first, last, size_of(text[first:last]))
        if units:
            rest = Unit(units[-1].start, last, units.pop().size + rest.size)
        units += [rest] if rest.size else []
    return units


def _divided(text: str, unit: Unit) -> list[Unit]:
    count = int(-(-unit.size // MAX_SIZE))
    length = unit.end - unit.start
    cuts = [unit.start + length * number // count for number in range(count + 1)]
    if count == 1:
        return [unit]
    return [Unit(start, end, size_of(text[start:end])) for start, end in pairwise(cuts)]


__all__ = ["MAX_SIZE", "MIN_SIZE", "Unit", "size_of", "units_of"]

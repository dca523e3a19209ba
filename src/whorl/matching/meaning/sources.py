"""The meaning channel with several sources: which of them says the same as the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from whorl.matching.meaning import with_meaning
from whorl.matching.meaning.encoder import Encoder
from whorl.matching.rewritten import MOST_CANDIDATES, find_rewritten
from whorl.types.comparison import Comparison, Span


def with_meanings(
    parts: Mapping[int, Comparison],
    sources: Sequence[str],
    text: str,
    encoder: Encoder,
    compared: Callable[[int], Comparison],
    ignored: Callable[[str], Sequence[Span]],
) -> dict[int, Comparison]:
    """Add what the text says in other words than its sources.

    Args:
        parts: comparisons with sources by their numbers, each on the text that is assigned to the source.
        sources: the sources.
        text: the examined text.
        encoder: the model.
        compared: returns the comparison of the text with a source that is not in ``parts``.
        ignored: returns the ranges of a text that are neither compared nor counted.

    Returns:
        The comparisons, with those of further sources. Each part of the text counts for one source.

    Cost: that of `with_meaning` for the sources with the most rare words, names and numbers in common with the text, at
        most ``MOST_CANDIDATES``; for all sources if there are no more.
    """
    extended = dict(parts)
    covered = [(passage.b_start, passage.b_end) for part in parts.values() for passage in part.passages]
    without = ignored(text)
    for number in _candidates(sources, text):
        before = extended[number] if number in extended else compared(number)
        source = sources[number]
        comparison = with_meaning(before, source, text, encoder, (ignored(source), without), covered, number)
        if comparison is not before:
            extended[number] = comparison
            covered += [(passage.b_start, passage.b_end) for passage in comparison.passages]
    return extended


def _candidates(sources: Sequence[str], text: str) -> list[int]:
    if len(sources) <= MOST_CANDIDATES:
        return list(range(len(sources)))
    pairs = find_rewritten([text, *sources], np.arange(len(sources) + 1, dtype=np.uint32))
    return [int(other) - 1 for first, other in pairs if first == 0][:MOST_CANDIDATES]


__all__ = ["with_meanings"]

"""Comparison of many texts with each other: find the pairs that share a passage, and compare these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import Comparing, comparison_of, composition_of
from whorl.types.comparison import Comparison, Composition, Passage, Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.matching.meaning.crosswise import MeaningChannel

_SAME_CONTENT = ("reworded", "translation")
"""Relations of texts without a passage."""
LETTERS = 3
"""Number of letters that a Han character is worth."""


@frozen
class LearnedForm:
    """A stretch that too many texts contain.

    Attributes:
        text: number of the first text that contains it.
        start: start there, in code points.
        end: end there, exclusive.
        documents: number of texts that contain all of it.
    """

    text: int
    start: int
    end: int
    documents: int


@frozen
class Nominations:
    """Pairs of texts that may share a passage.

    Attributes:
        pairs: numbers of both texts, the lower one first; two columns.
        forms: learned boilerplate.
        notices: the same as a matcher.
    """

    pairs: NDArray[np.uint32]
    forms: tuple[LearnedForm, ...]
    notices: Notices


@frozen
class CrosswiseText:
    """A text compared with its sources.

    Attributes:
        text: its number.
        sources: numbers of the sources with a passage.
        alone: comparison with each of these sources alone.
        composition: comparison with all of them, in which each stretch belongs to one source. Its largest share is
            that of a source alone.
    """

    text: int
    sources: tuple[int, ...]
    alone: tuple[Comparison, ...]
    composition: Composition


def nominate_pairs(
    texts: Any,
    fresh: Sequence[bool],
    *,
    min_length: int,
    excluded: Sequence[Sequence[Span]] = (),
    notices: Notices | None = None,
    limit: int | None = None,
) -> Nominations:
    """Find the pairs of texts that may share a passage. Linear in the texts and in their common k-grams.

    Args:
        texts: strings, or an Arrow string array.
        fresh: for each text, whether its pairs are wanted. Pairs of two other texts are not returned.
        min_length: minimum length of a passage in Han characters, or a third of the letters.
        excluded: ranges of each text that nominate no pair.
        notices: boilerplate that nominates no pair.
        limit: text that more than this many fresh texts contain is learned as boilerplate; None learns none.
    """
    sought = notices.sought if notices else None
    numbers, forms, learned = _core.nominated_pairs(texts, fresh, excluded, sought, LETTERS * min_length, limit)
    pairs = np.frombuffer(memoryview(numbers), "<u4").reshape(-1, 2)
    return Nominations(pairs, tuple(LearnedForm(*row) for row in forms), Notices.of(learned))


def examine_texts(
    texts: Any,
    jobs: Sequence[tuple[int, Sequence[int]]],
    comparing: Comparing,
    *,
    excluded: Sequence[Sequence[Span]] = (),
    notices: Notices | None = None,
    authorised: Sequence[Sequence[int]] = (),
    content: bool = False,
    meaning: MeaningChannel | None = None,
    batch: int = 64,
) -> Iterator[CrosswiseText]:
    """Compare each text with its sources, on all cores; memory for the results of a batch.

    Args:
        texts: strings, or an Arrow string array.
        jobs: each text with its possible sources, by number.
        comparing: options. ``least`` counts Han characters, or a third of the letters.
        excluded: ranges of each text that are neither counted nor reported.
        notices: boilerplate to exclude.
        authorised: for each job, the sources by the same author.
        content: also return sources with hardly a passage in common whose sentences have the same content. No stretch
            of the text belongs to them.
        meaning: also return sources without a passage that say the same in other words or in another language. A
            stretch of the text that belongs to no other source belongs to them.
        batch: number of texts compared at a time.
    """
    sought = notices.sought if notices else None
    quotations, references = ("quotations" in comparing.exclude, "references" in comparing.exclude)
    comparer = _core.Comparer(texts, excluded, sought, quotations, references, comparing.least)
    for start in range(0, len(jobs), batch):
        part = jobs[start : start + batch]
        for place, (job, rows) in enumerate(zip(part, comparer.examine(part, content), strict=True), start):
            same_author = frozenset(authorised[place]) if authorised else frozenset()
            further: dict[int, Comparison] = {}
            if meaning is not None:
                missing = sorted(set(job[1]) - {source for source, *_ in rows})
                further = _by_meaning(job[0], missing, comparer, comparing, meaning)
            yield _examined(job[0], rows, further, comparing, same_author)


def _by_meaning(
    text: int, sources: Sequence[int], comparer: _core.Comparer, comparing: Comparing, meaning: MeaningChannel
) -> dict[int, Comparison]:
    """Return the comparisons with sources that have the same content in other words, the largest share first."""
    all_judged = comparer.pairs([(source, text) for source in sources], True, True)
    compared = {
        source: meaning.extended(comparison_of(judged, comparing, authorised=False), source, text)
        for source, judged in zip(sources, all_judged, strict=True)
    }
    related = [source for source in sources if compared[source].relation in _SAME_CONTENT]
    related.sort(key=lambda source: -compared[source].ratios.same_content)
    return {source: compared[source] for source in related}


def _examined(
    text: int,
    rows: Sequence[tuple[int, _core.Judged, bool, _core.Judged | None]],
    further: Mapping[int, Comparison],
    comparing: Comparing,
    same_author: frozenset[int],
) -> CrosswiseText:
    alone, parts = [], {}
    for place, (source, judged, has_stretch, again) in enumerate(rows):
        is_own = source in same_author
        alone.append(comparison_of(judged, comparing, authorised=is_own))
        if has_stretch:
            parts[place] = comparison_of(again or judged, comparing, authorised=is_own, source=place)
    parts |= _claimed(parts, further.values(), len(rows))
    alone += further.values()
    composition = composition_of(parts, comparing, len(alone))
    largest = max((comparison.ratios.copied for comparison in alone), default=0.0)
    ratios = replace(composition.ratios, largest=largest)
    sources = (*(source for source, *_ in rows), *further)
    return CrosswiseText(text, sources, tuple(alone), replace(composition, ratios=ratios))


def _claimed(parts: Mapping[int, Comparison], further: Iterable[Comparison], first: int) -> dict[int, Comparison]:
    """Return further comparisons, numbered from ``first``, on the stretches that belong to no other source."""
    covered = [(passage.b_start, passage.b_end) for part in parts.values() for passage in part.passages]
    claimed = {}
    for place, comparison in enumerate(further, first):
        passages = [
            replace(passage, source=place)
            for passage in comparison.passages
            if not any(passage.b_start < end and start < passage.b_end for start, end in covered)
        ]
        if passages:
            covered += [(passage.b_start, passage.b_end) for passage in passages]
            ratios = replace(
                comparison.ratios,
                translated=comparison.ratios.translated * _remaining(comparison.passages, passages, "translated"),
                meaning=comparison.ratios.meaning * _remaining(comparison.passages, passages, "meaning"),
            )
            claimed[place] = replace(comparison, passages=tuple(passages), ratios=ratios)
    return claimed


def _remaining(passages: Iterable[Passage], claimed: Iterable[Passage], kind: str) -> float:
    """Return the share of the passages of a kind that are among the claimed ones, by their lengths."""
    whole, part = (
        sum(passage.b_end - passage.b_start for passage in some if passage.kind == kind) for some in (passages, claimed)
    )
    return part / whole if whole else 0.0


__all__ = ["LETTERS", "CrosswiseText", "LearnedForm", "Nominations", "examine_texts", "nominate_pairs"]

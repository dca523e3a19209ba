"""Whether two texts have the same content, by the vectors of their sentences and by their facts.

# Problem

A free retelling shares hardly a term with its source, so nothing but its meaning relates the two. Yet the vectors of
its sentences are no closer to those of the source than are those of another report on the same subject: of news in
Chinese, the articles most alike reach a mean cosine of 0.5 to 0.7, retellings 0.4 to 0.7.

# Choice

A retelling is accepted if nearly all of the shorter text is aligned with the longer one, mostly in order, and if its
numbers, dates and names are those of the longer text: see `whorl.matching.meaning.facts`. Without facts there is no
finding. The order is evidence, so where it is broken, aligned sentences must be more similar to each other than to the
other sentences. In two languages, names differ but vectors discriminate: aligned sentences reach 0.5 or more, others
less. So runs of aligned sentences are accepted, wherever they are.

# Alternatives

A cosine of whole texts, and the share of sentences that choose each other, were measured, and do not separate
retellings from other reports either. A margin over the second-best sentence does so only where the order is broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen
from whorl.matching.meaning.alignment import Group, align
from whorl.matching.meaning.facts import Agreement, agreement, facts_of
from whorl.matching.meaning.languages import is_dense, is_same_language, latin_words
from whorl.matching.meaning.units import Unit

SIMILAR = 0.4
"""Minimum mean cosine of the aligned sentences of a retelling, weighted by their sizes,"""
ALIKE = 0.6
"""and minimum cosine of the means of all aligned sentences of both texts."""
RETOLD = 0.8
"""Minimum aligned share of the shorter text of a retelling,"""
COVERED = 0.3
"""and of the longer one."""
PAIRS = 3
"""Minimum number of pairs of aligned sentences of a retelling, or of texts that are translations as a whole."""
EVIDENCE = 1.5
"""Minimum weight of the facts that agree,"""
AGREEING = 0.75
"""and their minimum share."""
STRETCH = 0.55
"""Minimum mean cosine of a run of translated sentences,"""
STRETCH_PAIRS = 7
"""and minimum number of its pairs."""
WHOLE = 0.45
"""Minimum mean cosine of a run that is nearly all of a text,"""
WHOLE_OTHER = 0.6
"""and its minimum share of the other."""
SINGLE = 0.55
"""Minimum cosine of a further pair of texts that are known to be translations."""
FAITHFUL = 0.6
"""Minimum share of the numbers, dates and Latin words of a translation that agree, if there are several."""
_SKIPPED = 2


@frozen(eq=False)
class Side:
    """A text with what the comparison needs of it.

    Attributes:
        text: the text.
        units: its sentences.
        vectors: a row of length 1 for each, without what all sentences of a language have in common.
        size: the size of the whole body.
    """

    text: str
    units: Sequence[Unit]
    vectors: NDArray[np.float32]
    size: float

    @property
    def joined(self) -> NDArray[np.bool_]:
        """For each sentence, True if nothing lies between it and the previous one."""
        between = [self.text[last.end : unit.start] for last, unit in pairwise(self.units)]
        return np.array([False, *(not text.strip() for text in between)], bool)[: len(self.units)]

    def sized(self, start: int, end: int) -> float:
        """Return the size of some sentences."""
        return sum(unit.size for unit in self.units[start:end])

    def text_of(self, numbers: Sequence[int]) -> str:
        """Return the text of some sentences."""
        return "\n".join(self.text[self.units[number].start : self.units[number].end] for number in numbers)


@frozen
class Finding:
    """Two texts with the same content.

    Attributes:
        relation: "reworded", or "translation" for texts in two languages.
        groups: the aligned sentences, in order of text b.
        confidence: in [0.5, 1]; 0.5 at the limit.
    """

    relation: str
    groups: tuple[Group, ...]
    confidence: float


def find_content(a: Side, b: Side, *, is_translation: bool = False) -> Finding | None:
    """Return what of text b says the same as text a; None if nothing does.

    Args:
        a: the source.
        b: the examined text.
        is_translation: it is known that parts of the texts, which are not in their sentences, are translations.
    """
    if not a.units or not b.units:
        return None
    similarities = a.vectors @ b.vectors.T
    groups = align(similarities, (a.joined, b.joined))
    if not groups:
        return None
    if is_same_language(a.text, b.text):
        return _retelling(a, b, groups, similarities)
    return _translation(a, b, groups, is_translation=is_translation)


def _retelling(a: Side, b: Side, groups: Sequence[Group], similarities: NDArray[np.float32]) -> Finding | None:
    similarity = _similarity(b, groups)
    of_a, of_b = _numbers(groups)
    shares = _shares(a, b, groups)
    jumps = sum(not _follows(last, group) for last, group in pairwise(groups))
    if a.size < b.size:
        shares.reverse()
        facts = _agreement(a, of_a, b)
    else:
        facts = _agreement(b, of_b, a)
    is_covered = shares[1] >= RETOLD and shares[0] >= COVERED
    is_ordered = jumps == 0 or (2 * jumps < len(groups) and _distinction(b, groups, similarities) >= 0)
    is_alike = similarity >= SIMILAR and _cosine(a.vectors[of_a].mean(axis=0), b.vectors[of_b].mean(axis=0)) >= ALIKE
    has_facts = facts.values > 0 and facts.agreeing >= EVIDENCE and facts.share >= AGREEING
    if len(groups) < PAIRS or not (is_covered and is_ordered and is_alike and has_facts):
        return None
    margins = (
        (similarity - SIMILAR) / SIMILAR,
        (facts.share - AGREEING) / (1 - AGREEING),
        (facts.agreeing - EVIDENCE) / (4 * EVIDENCE),
    )
    return Finding("reworded", tuple(groups), _confidence(min(margins)))


def _translation(a: Side, b: Side, groups: Sequence[Group], *, is_translation: bool) -> Finding | None:
    runs: list[list[Group]] = []
    for group in groups:
        if runs and _follows(runs[-1][-1], group):
            runs[-1].append(group)
        else:
            runs.append([group])
    kept: list[Group] = []
    margins = []
    for run in runs:
        margin = _margin(a, b, run)
        if margin is not None:
            kept += run
            margins.append(margin)
        elif is_translation or margins:
            kept += [group for group in run if group.similarity >= SINGLE]
    if not kept or not (margins or is_translation):
        return None
    return Finding(
        "translation", tuple(sorted(kept, key=lambda group: group.b_start)), _confidence(max(margins, default=1))
    )


def _margin(a: Side, b: Side, run: Sequence[Group]) -> float | None:
    """Return how far a run of sentences is above the limit of a translation, in [0, 1]; None below it."""
    similarity = _similarity(b, run)
    shares = _shares(a, b, run)
    is_whole = max(shares) >= RETOLD and min(shares) >= WHOLE_OTHER
    limit, pairs = (WHOLE, PAIRS) if is_whole else (STRETCH, STRETCH_PAIRS)
    if len(run) < pairs or similarity < limit or not _is_faithful(a, b, run):
        return None
    return (similarity - limit) / (1 - limit)


def _is_faithful(a: Side, b: Side, run: Sequence[Group]) -> bool:
    """True unless the numbers, dates and Latin words of translated sentences are others."""
    of_a, of_b = _numbers(run)
    facts = _agreement(b, of_b, a, names=False)
    written, read = (b.text_of(of_b), a.text_of(of_a)) if is_dense(b.text) else (a.text_of(of_a), b.text_of(of_b))
    words, others = latin_words(written), latin_words(read)
    common = len(words & others) if is_dense(written) else len(words)
    return facts.agreeing + common >= FAITHFUL * (facts.agreeing + facts.differing + len(words)) - 1


def _agreement(retold: Side, numbers: Sequence[int], other: Side, *, names: bool = True) -> Agreement:
    return agreement(facts_of(retold.text_of(numbers)), facts_of(other.text), names=names)


def _follows(last: Group, group: Group) -> bool:
    return 0 <= group.a_start - last.a_end <= _SKIPPED


def _numbers(groups: Sequence[Group]) -> tuple[list[int], list[int]]:
    of_a = [number for group in groups for number in range(group.a_start, group.a_end)]
    return of_a, [number for group in groups for number in range(group.b_start, group.b_end)]


def _shares(a: Side, b: Side, groups: Sequence[Group]) -> list[float]:
    """Return the shares of both bodies in aligned sentences."""
    of_a = sum(a.sized(group.a_start, group.a_end) for group in groups)
    return [of_a / a.size, sum(b.sized(group.b_start, group.b_end) for group in groups) / b.size]


def _similarity(b: Side, groups: Sequence[Group]) -> float:
    sizes = [b.sized(group.b_start, group.b_end) for group in groups]
    weighted = sum(size * group.similarity for size, group in zip(sizes, groups, strict=True))
    return weighted / max(sum(sizes), 1e-9)


def _distinction(b: Side, groups: Sequence[Group], similarities: NDArray[np.float32]) -> float:
    """Return by how much the aligned sentences are more similar than either is to others, on average by size."""
    margins, sizes = [], []
    for group in groups:
        inside = similarities[group.a_start : group.a_end, group.b_start : group.b_end]
        row, column = divmod(int(inside.argmax()), inside.shape[1])
        of_a = np.delete(similarities[group.a_start + row], slice(group.b_start, group.b_end))
        of_b = np.delete(similarities[:, group.b_start + column], slice(group.a_start, group.a_end))
        margins.append(float(inside.max()) - max(of_a.max(initial=-1), of_b.max(initial=-1)))
        sizes.append(b.sized(group.b_start, group.b_end))
    return float(np.average(margins, weights=sizes))


def _cosine(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    return float(first @ second / max(float(np.linalg.norm(first) * np.linalg.norm(second)), 1e-9))


def _confidence(margin: float) -> float:
    return 0.5 + 0.5 * min(1.0, max(0.0, margin))


__all__ = ["Finding", "Side", "find_content"]

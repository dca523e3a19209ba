"""Passage detection scores of the PAN competitions: precision, recall, granularity and plagdet.

Source: Potthast, Stein, Barrón-Cedeño, Rosso: An Evaluation Framework for Plagiarism Detection, COLING 2010, section 3.
A detection matches a case if both have the same two texts and overlap on both sides. The score counts the characters
of the overlap, of copy and source together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log2

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say

Span = tuple[int, int]
_Stretches = dict[str, list[Span]]


@frozen
class CopiedStretch:
    """A copied passage with its source, either true or detected.

    Attributes:
        copy: name of the copying text.
        copy_start: start in the copy, in characters.
        copy_end: end in the copy, exclusive.
        source: name of the source text.
        source_start: start in the source.
        source_end: end in the source, exclusive.

    Raises:
        UsageError: a side is empty.
    """

    copy: str
    copy_start: int
    copy_end: int
    source: str
    source_start: int
    source_end: int

    def __post_init__(self) -> None:
        if not (0 <= self.copy_start < self.copy_end and 0 <= self.source_start < self.source_end):
            raise UsageError(say("empty passage: {passage}", passage=self), hint=say("omit it"))


@frozen
class PlagdetScore:
    """The scores of a set of detections.

    Attributes:
        precision: share of the detected text that is truly copied, in [0, 1]; 0 without detections.
        recall: share of the truly copied text that was detected, in [0, 1].
        granularity: detections per detected case, at least 1; 1 if no case was detected.
    """

    precision: float
    recall: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """The harmonic mean of precision and recall over log₂(1 + granularity), in [0, 1]."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total / log2(1 + self.granularity) if total else 0.0


def macro(cases: Sequence[CopiedStretch], detections: Sequence[CopiedStretch]) -> PlagdetScore:
    """Score detections with equal weight for every case and every detection. PAN ranks by this score.

    Args:
        cases: true copied passages.
        detections: detected passages.

    Cost: for each pair of texts, cases × detections.
    """
    overlaps, hits = _matches(cases, detections)
    recall = [_share(case, overlaps[number]) for number, case in enumerate(cases)]
    precision = [_share(detection, hits[number]) for number, detection in enumerate(detections)]
    return PlagdetScore(_mean(precision), _mean(recall), _granularity(overlaps))


def micro(cases: Sequence[CopiedStretch], detections: Sequence[CopiedStretch]) -> PlagdetScore:
    """Score detections with equal weight for every character. Arguments and cost are those of `macro`."""
    overlaps, _ = _matches(cases, detections)
    shared = _total(stretch for matches in overlaps.values() for match in matches for stretch in match)
    relevant = _total(stretch for case in cases for stretch in _sides(case))
    detected = _total(stretch for detection in detections for stretch in _sides(detection))
    return PlagdetScore(
        shared / detected if detected else 0.0, shared / relevant if relevant else 0.0, _granularity(overlaps)
    )


_Matches = Mapping[int, list[list[tuple[str, Span]]]]


def _matches(cases: Sequence[CopiedStretch], detections: Sequence[CopiedStretch]) -> tuple[_Matches, _Matches]:
    """Return the overlap of each case with each matching detection, by case and by detection."""
    by_texts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, detection in enumerate(detections):
        by_texts[detection.copy, detection.source].append(number)
    overlaps: dict[int, list[list[tuple[str, Span]]]] = defaultdict(list)
    hits: dict[int, list[list[tuple[str, Span]]]] = defaultdict(list)
    for number, case in enumerate(cases):
        for candidate in by_texts[case.copy, case.source]:
            if shared := list(_shared(case, detections[candidate])):
                overlaps[number].append(shared)
                hits[candidate].append(shared)
    return overlaps, hits


def _sides(stretch: CopiedStretch) -> Iterator[tuple[str, Span]]:
    """Yield both sides; a text in the role of copy differs from the same text as source."""
    yield f"c{stretch.copy}", (stretch.copy_start, stretch.copy_end)
    yield f"s{stretch.source}", (stretch.source_start, stretch.source_end)


def _shared(case: CopiedStretch, detection: CopiedStretch) -> Iterator[tuple[str, Span]]:
    """Yield the overlap of two passages of the same texts, if they overlap on both sides."""
    parts = [
        (text, (max(span[0], with_span[0]), min(span[1], with_span[1])))
        for (text, span), (_, with_span) in zip(_sides(case), _sides(detection), strict=True)
    ]
    if all(start < end for _, (start, end) in parts):
        yield from parts


def _share(stretch: CopiedStretch, matches: list[list[tuple[str, Span]]]) -> float:
    return _total(part for match in matches for part in match) / _total(_sides(stretch))


def _granularity(overlaps: _Matches) -> float:
    counts = [len(matches) for matches in overlaps.values() if matches]
    return _mean(counts) if counts else 1.0


def _total(stretches: Iterable[tuple[str, Span]]) -> int:
    """Count the distinct characters that passages cover."""
    by_text: _Stretches = defaultdict(list)
    for text, span in stretches:
        by_text[text].append(span)
    return sum(_covered(spans) for spans in by_text.values())


def _covered(spans: list[Span]) -> int:
    covered = reached = 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


__all__ = ["CopiedStretch", "PlagdetScore", "macro", "micro"]

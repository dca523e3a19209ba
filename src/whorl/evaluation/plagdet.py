"""How well passages were found: precision, recall, granularity and plagdet, as the PAN competitions count them.

Source: Potthast, Stein, Barrón-Cedeño, Rosso: An Evaluation Framework for Plagiarism Detection, COLING 2010, section 3.
A detection finds a case if both name the same two texts and overlap on both sides; what counts then is the characters
that they have in common, those of the copy and those of the source together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from whorl.errors import UsageError
from whorl.language import say

Span = tuple[int, int]
_Stretches = dict[str, list[Span]]


@dataclass(frozen=True, slots=True)
class CopiedStretch:
    """A passage of a text and where it comes from, as it is known or as it was detected.

    Attributes:
        copy: the name of the text that has the passage.
        copy_start: where it starts there, in characters.
        copy_end: where it ends there, exclusive.
        source: the name of the text it comes from.
        source_start: where it starts there.
        source_end: where it ends there, exclusive.

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
            raise UsageError(
                say("an empty passage counts for nothing: {passage}", passage=self), cure=say("leave it out")
            )


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one set of detections.

    Attributes:
        precision: the share of what was detected that is so, in [0, 1]; 0 where nothing was detected.
        recall: the share of what is so that was detected, in [0, 1].
        granularity: detections for each case that was found, 1 or more; 1 where none was.
    """

    precision: float
    recall: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """The harmonic mean of precision and recall over log₂(1 + granularity), in [0, 1]."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total / log2(1 + self.granularity) if total else 0.0


def macro(cases: Sequence[CopiedStretch], detections: Sequence[CopiedStretch]) -> Score:
    """Score detections; every case weighs the same, and every detection. This is what PAN ranks by.

    Args:
        cases: what is known to be copied.
        detections: what was detected.

    Cost: for each pair of texts, its cases times its detections.
    """
    found, hits = _matches(cases, detections)
    recall = [_share(case, found[number]) for number, case in enumerate(cases)]
    precision = [_share(detection, hits[number]) for number, detection in enumerate(detections)]
    return Score(_mean(precision), _mean(recall), _granularity(found))


def micro(cases: Sequence[CopiedStretch], detections: Sequence[CopiedStretch]) -> Score:
    """Score detections; every character weighs the same. Arguments and cost are those of `macro`."""
    found, _ = _matches(cases, detections)
    shared = _total(stretch for matches in found.values() for match in matches for stretch in match)
    known = _total(stretch for case in cases for stretch in _sides(case))
    detected = _total(stretch for detection in detections for stretch in _sides(detection))
    return Score(shared / detected if detected else 0.0, shared / known if known else 0.0, _granularity(found))


_Matches = Mapping[int, list[list[tuple[str, Span]]]]


def _matches(cases: Sequence[CopiedStretch], detections: Sequence[CopiedStretch]) -> tuple[_Matches, _Matches]:
    """What each case has in common with each detection that finds it, by case and by detection."""
    by_texts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, detection in enumerate(detections):
        by_texts[detection.copy, detection.source].append(number)
    found: dict[int, list[list[tuple[str, Span]]]] = defaultdict(list)
    hits: dict[int, list[list[tuple[str, Span]]]] = defaultdict(list)
    for number, case in enumerate(cases):
        for candidate in by_texts[case.copy, case.source]:
            if shared := list(_shared(case, detections[candidate])):
                found[number].append(shared)
                hits[candidate].append(shared)
    return found, hits


def _sides(stretch: CopiedStretch) -> Iterator[tuple[str, Span]]:
    """Both sides; a text is not the same as copy and as source."""
    yield f"c{stretch.copy}", (stretch.copy_start, stretch.copy_end)
    yield f"s{stretch.source}", (stretch.source_start, stretch.source_end)


def _shared(one: CopiedStretch, other: CopiedStretch) -> Iterator[tuple[str, Span]]:
    """What two stretches of the same texts have in common, if they overlap on both sides."""
    parts = [
        (text, (max(span[0], with_span[0]), min(span[1], with_span[1])))
        for (text, span), (_, with_span) in zip(_sides(one), _sides(other), strict=True)
    ]
    if all(start < end for _, (start, end) in parts):
        yield from parts


def _share(stretch: CopiedStretch, matches: list[list[tuple[str, Span]]]) -> float:
    return _total(part for match in matches for part in match) / _total(_sides(stretch))


def _granularity(found: _Matches) -> float:
    counts = [len(matches) for matches in found.values() if matches]
    return _mean(counts) if counts else 1.0


def _total(stretches: Iterable[tuple[str, Span]]) -> int:
    """The characters that stretches of texts cover, each counted once."""
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


__all__ = ["CopiedStretch", "Score", "macro", "micro"]

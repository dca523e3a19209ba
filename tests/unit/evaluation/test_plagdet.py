"""The measures of PAN, compared with figures computed by hand and with their definition over sets of characters."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import UsageError
from whorl.evaluation.plagdet import CopiedStretch, PlagdetScore, macro, micro

CASE = CopiedStretch("copy", 0, 100, "source", 50, 150)


def test_split_detections_only_affect_granularity() -> None:
    assert PlagdetScore(1.0, 1.0, 2.0).plagdet == pytest.approx(0.63093, abs=5e-6)
    assert PlagdetScore(1.0, 1.0, 1.0).plagdet == 1.0
    assert PlagdetScore(0.0, 0.0, 1.0).plagdet == 0.0
    halves = [CopiedStretch("copy", 0, 50, "source", 50, 100), CopiedStretch("copy", 50, 100, "source", 100, 150)]
    assert macro([CASE], halves) == micro([CASE], halves) == PlagdetScore(1.0, 1.0, 2.0)


def test_a_detection_must_overlap_on_both_sides_of_the_same_texts() -> None:
    elsewhere = CopiedStretch("copy", 0, 100, "source", 150, 250)
    other = CopiedStretch("copy", 0, 100, "another", 50, 150)
    assert macro([CASE], [elsewhere]) == macro([CASE], [other]) == PlagdetScore(0.0, 0.0, 1.0)
    assert macro([CASE], []) == micro([], [CASE]) == PlagdetScore(0.0, 0.0, 1.0)


def test_cases_weigh_the_same_in_macro_and_by_their_length_in_micro() -> None:
    short = CopiedStretch("copy", 200, 210, "source", 0, 10)
    result = macro([CASE, short], [CASE])
    assert (result.precision, result.recall) == (1.0, 0.5)
    assert micro([CASE, short], [CASE]).recall == pytest.approx(200 / 220)


def test_an_empty_passage_is_refused() -> None:
    with pytest.raises(UsageError, match="empty passage"):
        CopiedStretch("copy", 3, 3, "source", 0, 1)


starts = st.integers(0, 12)
lengths = st.integers(1, 8)
stretches = st.builds(
    lambda copy, c, n, source, s, m: CopiedStretch(copy, c, c + n, source, s, s + m),
    st.sampled_from("xy"),
    starts,
    lengths,
    st.sampled_from("xs"),
    starts,
    lengths,
)


def characters(stretch: CopiedStretch) -> set[tuple[str, str, int]]:
    copy = {("copy", stretch.copy, place) for place in range(stretch.copy_start, stretch.copy_end)}
    return copy | {("source", stretch.source, place) for place in range(stretch.source_start, stretch.source_end)}


def in_common(case: CopiedStretch, detection: CopiedStretch) -> set[tuple[str, str, int]]:
    both = characters(case) & characters(detection)
    finds = (case.copy, case.source) == (detection.copy, detection.source) and len({side for side, _, _ in both}) == 2
    return both if finds else set()


def by_definition(cases: list[CopiedStretch], detections: list[CopiedStretch]) -> tuple[PlagdetScore, PlagdetScore]:
    """Return macro and micro scores by the formulas of the paper over sets."""
    pairs = {(s, r): in_common(case, detected) for s, case in enumerate(cases) for r, detected in enumerate(detections)}
    counts = [sum(bool(pairs[s, r]) for r in range(len(detections))) for s in range(len(cases))]
    nonzero = [count for count in counts if count]
    granularity = sum(nonzero) / len(nonzero) if nonzero else 1.0

    def mean(parts: list[float]) -> float:
        return sum(parts) / len(parts) if parts else 0.0

    recall = mean(
        [
            len(set().union(*(pairs[s, r] for r in range(len(detections))))) / len(characters(case))
            for s, case in enumerate(cases)
        ]
    )
    precision = mean(
        [
            len(set().union(*(pairs[s, r] for s in range(len(cases))))) / len(characters(detection))
            for r, detection in enumerate(detections)
        ]
    )
    shared = len(set().union(*pairs.values()))
    total = len(set().union(*map(characters, cases)))
    detected = len(set().union(*map(characters, detections)))
    return PlagdetScore(precision, recall, granularity), PlagdetScore(
        shared / detected if detected else 0.0, shared / total if total else 0.0, granularity
    )


@given(st.lists(stretches, max_size=5), st.lists(stretches, max_size=5))
def test_the_figures_are_those_of_the_definition(cases: list[CopiedStretch], detections: list[CopiedStretch]) -> None:
    for counted, defined in zip(
        (macro(cases, detections), micro(cases, detections)), by_definition(cases, detections), strict=True
    ):
        assert counted.precision == pytest.approx(defined.precision)
        assert counted.recall == pytest.approx(defined.recall)
        assert counted.granularity == pytest.approx(defined.granularity)
        total = defined.precision + defined.recall
        plagdet = 2 * defined.precision * defined.recall / total / log2(1 + defined.granularity) if total else 0.0
        assert counted.plagdet == pytest.approx(plagdet)

"""Boilerplate learned from many samples is what learning from one after the other gives."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article
from tests.rounds import rounds

from whorl.matching.boilerplate import SAMPLE, Notices

EDGE = 40
SHARED = [article(9000 + number, 30).replace("。", "") for number in range(4)] + ["the harbour is closed to all ships"]


def slow_frames(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges that cover most of their lines or lie at the beginning or end of the text."""
    length = [len(line) for line in text.split("\n")]
    starts = list(accumulate(length, lambda start, size: start + size + 1, initial=0))[:-1]
    covered = [0] * len(length)
    lines = [(bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1) for start, end in spans]
    for (start, end), (first, last) in zip(spans, lines, strict=True):
        for line in range(first, last + 1):
            covered[line] += len(set(range(start, end)) & set(range(starts[line], starts[line] + length[line])))
    return [
        (start, end)
        for (start, end), (first, last) in zip(spans, lines, strict=True)
        if start <= EDGE
        or end >= len(text) - EDGE
        or 2 * sum(covered[first : last + 1]) > sum(length[first : last + 1])
    ]


def slow_framing(notices: Notices, texts: Sequence[str]) -> Notices:
    """Return the runs that frame most of the texts that contain them."""
    bearers: Counter[int] = Counter()
    framed: Counter[int] = Counter()
    for text, spans in zip(texts, notices.spans(texts), strict=True):
        parts = ["\n".join(text[start:end] for start, end in some) for some in (spans, slow_frames(text, spans))]
        of_text, of_frames = (notices.intersection(runs) for runs in Notices.runs_in(parts))
        bearers.update(of_text)
        framed.update(of_frames)
    return Notices(run for run, count in bearers.items() if 2 * framed[run] > count)


def slow_samples(
    texts: Sequence[str], samples: Sequence[tuple[Sequence[int], bool]], existing: Notices
) -> list[list[int]]:
    """Return what each sample teaches, learning from one sample at a time."""
    fresh, all_learned = Notices(), []
    for places, frames_only in samples:
        sample = [texts[place] for place in places]
        learned = Notices() if fresh.spans(sample[:1])[0] else Notices.of_sample(sample)
        learned = slow_framing(learned, sample) if frames_only else learned
        learned = learned - existing - fresh
        fresh |= learned
        all_learned.append(learned.runs)
    return all_learned


def written(parts: Sequence[tuple[int, int]], number: int) -> str:
    """Return a text of pieces of an article of its own and of shared ones, with the given ends."""
    pieces = []
    for place, (kind, end) in enumerate(parts):
        piece = article(31 * number + place, 60 + 10 * kind)
        pieces.append((piece if kind >= len(SHARED) else SHARED[kind]) + ("", "\n", "。")[end])
    return "".join(pieces)


PARTS = st.lists(st.tuples(st.integers(0, 2 * len(SHARED)), st.integers(0, 2)), min_size=1, max_size=7)


@settings(max_examples=rounds(60), deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=9), st.data())
def test_samples_teach_what_they_teach_one_by_one(parts: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    texts = [written(some, number) for number, some in enumerate(parts)]
    place = st.integers(0, len(texts) - 1)
    sample = st.tuples(st.lists(place, min_size=SAMPLE, max_size=SAMPLE), st.booleans())
    samples = data.draw(st.lists(sample, max_size=40))
    existing = Notices(set().union(*Notices.runs_in(data.draw(st.lists(st.sampled_from(SHARED), max_size=2)))))
    learned = [notices.runs for notices in Notices.of_samples(texts, samples, existing)]
    assert learned == slow_samples(texts, samples, existing)


def test_what_a_sample_taught_is_not_learned_again() -> None:
    texts = ["\n".join([article(number, 200), SHARED[0], article(500 + number, 200)]) for number in range(2 * SAMPLE)]
    samples = [(range(SAMPLE), True), (range(SAMPLE, 2 * SAMPLE), True)]
    first, second = Notices.of_samples(texts, samples, Notices())
    assert first
    assert not second
    assert not any(Notices.of_samples(texts, samples, first))

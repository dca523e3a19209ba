"""The meaning channel: text with the same content in other words or another language, by the vectors of sentences.

It is optional (extra ``meaning``) and off by default. It searches only texts in which the core has no passages but
translated ones, adds passages of the kind "meaning" to them, and changes no others. Nothing is removed because of it.

`units` divides texts into sentences, an `encoder` makes vectors of them (`bundled` or `folder`, which `models`
chooses), `alignment` aligns them, and `findings` decides, with the help of `facts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from whorl.matching.meaning.alignment import Group
from whorl.matching.meaning.encoder import Encoder, Model
from whorl.matching.meaning.findings import Finding, Side, find_content
from whorl.matching.meaning.models import open_encoder
from whorl.matching.meaning.sides import side_of
from whorl.matching.meaning.units import units_of
from whorl.types.comparison import Comparison, Passage, Span

_OPEN = ("unrelated", "translation")
"""The relations of texts that are compared by meaning."""
_MAX_PAIRS = 16_000_000
"""Maximum number of pairs of sentences of two texts: 4,000 sentences, some 80 pages, in each; 200 MB of memory."""


def with_meaning(
    comparison: Comparison,
    a: str,
    b: str,
    encoder: Encoder,
    ignored: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
    covered: Iterable[Span] = (),
    source: int = 0,
) -> Comparison:
    """Add what of text b says the same as text a, in other words or another language.

    Args:
        comparison: that of a and b without the meaning channel.
        a: the source.
        b: the examined text.
        encoder: the model.
        ignored: ranges of a and of b that are neither compared nor counted, such as boilerplate.
        covered: further ranges of b that are not compared.
        source: the number of the source, for passages.

    Returns:
        The comparison itself if the texts are related in another way or very long, or nothing is similar.

    Cost: that of the model for the sentences of both texts outside of passages, and of the alignment, which is
        proportional to the product of their numbers.
    """
    if comparison.relation not in _OPEN or len(units_of(a)) * len(units_of(b)) > _MAX_PAIRS:
        return comparison
    passages = comparison.passages
    first = side_of(a, encoder, ignored[0], [(passage.a_start, passage.a_end) for passage in passages])
    second = side_of(b, encoder, ignored[1], [*((passage.b_start, passage.b_end) for passage in passages), *covered])
    finding = find_content(first, second, is_translation=comparison.relation == "translation")
    return comparison if finding is None else _extended(comparison, first, second, finding, source)


def _extended(comparison: Comparison, a: Side, b: Side, finding: Finding, source: int) -> Comparison:
    joined = _by_paragraph(a, b, finding.groups) if finding.relation == "translation" else list(finding.groups)
    passages = sorted([*comparison.passages, *_passages(a, b, joined, source)], key=lambda passage: passage.b_start)
    share = min(1.0, sum(b.sized(group.b_start, group.b_end) for group in joined) / b.size)
    ratios = replace(comparison.ratios, meaning=min(share, 1.0 - comparison.ratios.translated))
    if comparison.relation != "unrelated":
        return replace(comparison, passages=tuple(passages), ratios=ratios)
    return replace(
        comparison,
        passages=tuple(passages),
        ratios=ratios,
        relation=finding.relation,
        confidence=finding.confidence,
    )


def _by_paragraph(a: Side, b: Side, groups: Sequence[Group]) -> list[Group]:
    """Join groups that follow each other in both texts within a paragraph."""
    joined: list[Group] = []
    for group in groups:
        last = joined[-1] if joined else None
        if last is not None and _continues(a, last.a_end, group.a_start) and _continues(b, last.b_end, group.b_start):
            similarity = max(last.similarity, group.similarity)
            joined[-1] = Group(last.a_start, group.a_end, last.b_start, group.b_end, similarity)
        else:
            joined.append(group)
    return joined


def _continues(side: Side, end: int, start: int) -> bool:
    """True if a sentence directly follows the one before another one, in the same paragraph."""
    return (
        start == end
        and bool(side.joined[start])
        and "\n" not in side.text[side.units[end - 1].end : side.units[start].start]
    )


def _passages(a: Side, b: Side, groups: Sequence[Group], source: int) -> list[Passage]:
    moved = {group for last, group in pairwise(groups) if group.a_start < last.a_end}
    return [
        Passage(
            a_start=a.units[group.a_start].start,
            a_end=a.units[group.a_end - 1].end,
            b_start=b.units[group.b_start].start,
            b_end=b.units[group.b_end - 1].end,
            similarity=group.similarity,
            kind="meaning",
            moved=group in moved,
            matched=0,
            replaced=0,
            homophones=0,
            inserted=0,
            deleted=0,
            script=0,
            noise=0,
            source=source,
        )
        for group in groups
    ]


__all__ = ["Encoder", "Model", "open_encoder", "with_meaning"]

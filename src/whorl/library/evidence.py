"""What two texts share: the one place where a library compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whorl.library.rules import Rules
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import WHOLE, compare_many
from whorl.model import Changes, Comparison, Passage

JOINING = ("exact", "near_duplicate", "version", "excerpt")
"""The relations that may put two articles into one cluster."""
LARGE_PART = 0.25
"""An excerpt joins the article that it is from if it is at least this share of it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What text b has from text a.

    Attributes:
        similarity: Jaccard similarity, in [0, 1].
        a_in_b: the share of a that b has, in [0, 1].
        b_in_a: the share of b that a has, in [0, 1].
        relation: of a and b, as of a comparison.
        direction: which text derives from the other, as of a comparison.
        copied: the copied shares of a and of b.
        passages: what they share.
        shared: folded code points that passages have in common; about, where there are none.
        changes: what distinguishes b from a; None for texts that were not compared.
    """

    similarity: float
    a_in_b: float
    b_in_a: float
    relation: str
    direction: str | None
    copied: tuple[float, float]
    passages: tuple[Passage, ...]
    shared: int
    changes: Changes | None = None

    def counts(self, rules: Rules) -> bool:
        """Whether it is a match; short texts need not share much."""
        return self.shared >= rules.least or self.joins(rules)

    def joins(self, rules: Rules) -> bool:
        """Whether it puts both into one cluster: copies of one document, and excerpts of much of it.

        An excerpt joins only what it is a large part of. What holds several articles joins none of them, but two texts
        do not show that: see `whorl.library.compilations`. Of texts that are not kept only the shares are known, and
        decide.
        """
        if self.changes is None:
            return min(self.copied) >= rules.similarity or max(self.copied) >= rules.containment
        if self.relation not in JOINING:
            return False
        low, high = min(self.copied), max(self.copied)
        if self.relation == "excerpt" and low < LARGE_PART:
            return False
        return low >= rules.similarity or high >= rules.containment


def compared(pairs: Sequence[tuple[str, str]], notices: Notices) -> list[Evidence]:
    """Return what the second text of each pair has from the first, without boilerplate, each pair compared once.

    Linear in the texts.
    """
    distinct = list(dict.fromkeys(pairs))
    found = dict(zip(distinct, map(_of, compare_many(distinct, notices=notices)), strict=True)) if distinct else {}
    return [found[pair] for pair in pairs]


def _of(comparison: Comparison) -> Evidence:
    return Evidence(
        comparison.similarity,
        comparison.a_in_b,
        comparison.b_in_a,
        comparison.relation,
        comparison.direction,
        comparison.copied,
        comparison.passages,
        sum(passage.matched for passage in comparison.passages),
        comparison.changes,
    )


def estimated(hits: int, keys_a: int, keys_b: int, density: float) -> Evidence:
    """Return the evidence of two texts that are not kept, estimated from keys, of which both have ``hits``.

    Args:
        hits: keys in common.
        keys_a: keys of a.
        keys_b: keys of b.
        density: folded code points a key, about.
    """
    a_in_b, b_in_a = hits / max(1, keys_a), hits / max(1, keys_b)
    similarity = hits / max(1, keys_a + keys_b - hits)
    return _estimated(similarity, a_in_b, b_in_a, hits * density)


def resembling(similarity: float, length_a: int, length_b: int) -> Evidence:
    """Return the evidence of two texts that are not kept, from an estimate of their similarity and their lengths.

    Of two sets of sizes a and b with similarity s, s / (1 + s) · (a + b) is in both.
    """
    both = similarity / (1 + similarity) * (length_a + length_b)
    a_in_b, b_in_a = min(1.0, both / max(1, length_a)), min(1.0, both / max(1, length_b))
    return _estimated(similarity, a_in_b, b_in_a, both)


def _estimated(similarity: float, a_in_b: float, b_in_a: float, shared: float) -> Evidence:
    relation, direction = _relation(similarity, a_in_b, b_in_a)
    return Evidence(similarity, a_in_b, b_in_a, relation, direction, (a_in_b, b_in_a), (), round(shared))


def _relation(similarity: float, a_in_b: float, b_in_a: float) -> tuple[str, str | None]:
    """The relation, as far as shares alone can tell it."""
    if similarity == 1:
        return "exact", None
    if min(a_in_b, b_in_a) >= WHOLE:
        return "near_duplicate", None
    if max(a_in_b, b_in_a) >= WHOLE:
        return "excerpt", "b" if b_in_a >= a_in_b else "a"
    return "partial", None


__all__ = ["Evidence", "compared", "estimated", "resembling"]

"""Evidence of common text: the only place where a library compares texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whorl import _core
from whorl.library.rules import Rules
from whorl.matching.boilerplate import Notices
from whorl.matching.compare import USUAL, WHOLE, judge_many, passages_of
from whorl.types.comparison import Changes, Comparison, Passage, new_changes

JOINING = ("exact", "near_duplicate", "version", "excerpt")
"""Relations that may put two articles into one cluster."""
LARGE_PART = 0.25
"""Minimum share of an article at which an excerpt joins its cluster."""


class Evidence(NamedTuple):
    """Text that b shares with a.

    Most evidence is only counted, so passages and changes become objects when they are read.

    Attributes:
        similarity: Jaccard similarity, in [0, 1].
        a_in_b: share of a that is in b, in [0, 1].
        b_in_a: share of b that is in a, in [0, 1].
        relation: relation of a and b, as in a comparison.
        direction: which text derives from the other, as in a comparison.
        copied: copied shares of a and of b.
        shared: normalised code points in common passages; an estimate if there are no passages.
        judged: the comparison; None for texts that were not compared.
        by_meaning: the comparison with what the meaning channel added; None without it.
    """

    similarity: float
    a_in_b: float
    b_in_a: float
    relation: str
    direction: str | None
    copied: tuple[float, float]
    shared: int
    judged: _core.Judged | None = None
    by_meaning: Comparison | None = None

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Text in common, or with the same content."""
        if self.by_meaning is not None:
            return self.by_meaning.passages
        return () if self.judged is None else passages_of(self.judged)

    @property
    def changes(self) -> Changes | None:
        """How b differs from a; None for texts that were not compared."""
        return None if self.judged is None else new_changes(*self.judged.changes)

    @property
    def same_content(self) -> float:
        """Share of b that has the same content as a in other words, in [0, 1]."""
        return 0.0 if self.by_meaning is None else self.by_meaning.ratios.same_content

    def counts(self, rules: Rules) -> bool:
        """Return True if it is a match; short texts need to share less."""
        return self.shared >= rules.least or self.joins(rules)

    def joins(self, rules: Rules) -> bool:
        """Return True if it joins clusters: copies of one document, and excerpts of a large part of it.

        An excerpt joins only the article that it is a large part of. A compilation joins none of its stories, but two
        texts alone cannot show that: see `whorl.library.search.compilations`. For texts that are not stored only the
        shares are known, and they decide.
        """
        if self.judged is None:
            return min(self.copied) >= rules.similarity or max(self.copied) >= rules.containment
        if self.relation not in JOINING:
            return False
        low, high = min(self.copied), max(self.copied)
        if self.relation == "excerpt" and low < LARGE_PART:
            return False
        return low >= rules.similarity or high >= rules.containment


def compared(pairs: Sequence[tuple[str, str]], notices: Notices, *, content: bool = False) -> list[Evidence]:
    """Return what the second text of each pair shares with the first, without boilerplate; each pair is compared once.

    With ``content``, texts with the same content in other words share the aligned sentences. Linear in the texts.
    """
    distinct = list(dict.fromkeys(pairs))
    all_judged = judge_many(distinct, USUAL, notices, content=content) if distinct else []
    evidence = {pair: Evidence(*judged.figures(), judged) for pair, judged in zip(distinct, all_judged, strict=True)}
    return [evidence[pair] for pair in pairs]


def estimated(hits: int, keys_a: int, keys_b: int, density: float) -> Evidence:
    """Estimate the evidence of two texts that are not stored from the number of keys that both have.

    Args:
        hits: keys in common.
        keys_a: keys of a.
        keys_b: keys of b.
        density: approximate normalised code points per key.
    """
    a_in_b, b_in_a = hits / max(1, keys_a), hits / max(1, keys_b)
    similarity = hits / max(1, keys_a + keys_b - hits)
    return _estimated(similarity, a_in_b, b_in_a, hits * density)


def resembling(similarity: float, length_a: int, length_b: int) -> Evidence:
    """Estimate the evidence of two texts that are not stored from their similarity and their lengths.

    Two sets of sizes a and b with similarity s have s / (1 + s) · (a + b) elements in common.
    """
    both = similarity / (1 + similarity) * (length_a + length_b)
    a_in_b, b_in_a = min(1.0, both / max(1, length_a)), min(1.0, both / max(1, length_b))
    return _estimated(similarity, a_in_b, b_in_a, both)


def _estimated(similarity: float, a_in_b: float, b_in_a: float, shared: float) -> Evidence:
    relation, direction = _relation(similarity, a_in_b, b_in_a)
    return Evidence(similarity, a_in_b, b_in_a, relation, direction, (a_in_b, b_in_a), round(shared))


def _relation(similarity: float, a_in_b: float, b_in_a: float) -> tuple[str, str | None]:
    """Return relation and direction, as far as shares alone determine them."""
    if similarity == 1:
        return "exact", None
    if min(a_in_b, b_in_a) >= WHOLE:
        return "near_duplicate", None
    if max(a_in_b, b_in_a) >= WHOLE:
        return "excerpt", "b" if b_in_a >= a_in_b else "a"
    return "partial", None


__all__ = ["Evidence", "compared", "estimated", "resembling"]

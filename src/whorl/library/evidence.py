"""What two texts share: the one place where a library compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whorl.library.rules import Making, Rules
from whorl.matching.verify import Verification

_WHOLE = 0.8


@dataclass(frozen=True, slots=True)
class Evidence:
    """What text b has from text a.

    Attributes:
        similarity: Jaccard similarity, in [0, 1].
        a_in_b: the share of a that b has, in [0, 1].
        b_in_a: the share of b that a has, in [0, 1].
        kind: what b is to a.
        passages: what they share.
        shared: folded code points, about, that both have.
    """

    similarity: float
    a_in_b: float
    b_in_a: float
    kind: str
    passages: tuple[Any, ...]
    shared: int

    def counts(self, rules: Rules) -> bool:
        """Whether it is a match."""
        return self.shared >= rules.least

    def joins(self, rules: Rules) -> bool:
        """Whether it puts both into one cluster."""
        return self.similarity >= rules.similarity or max(self.a_in_b, self.b_in_a) >= rules.containment


def compared(pairs: Sequence[tuple[str, str]], making: Making) -> list[Evidence]:
    """Return what the second text of each pair has from the first. Linear in the texts."""
    width = int(getattr(making.family, "shingle", 5))
    own = Verification("containment", 1.0, over="code_points", width=width).demand()
    both = Verification("jaccard", 1.0, over="code_points", width=width).demand()
    found = []
    for a, b in pairs:
        shared, united, similarity = both.figure(a, b)
        of_a = own.figure(a, b)[1]
        found.append(_evidence(similarity, shared, of_a, united - of_a + shared, shared + width - 1 if shared else 0))
    return found


def whole(a: int, b: int) -> Evidence:
    """Return the evidence of texts of so many characters that say the same."""
    return Evidence(1.0, 1.0, 1.0, "identical", (), min(a, b))


def estimated(hits: int, keys_a: int, keys_b: int, density: float) -> Evidence:
    """Return the evidence of two texts that are not kept, estimated from keys, of which both have ``hits``.

    Args:
        hits: keys in common.
        keys_a: keys of a.
        keys_b: keys of b.
        density: folded code points a key, about.
    """
    united = max(1, keys_a + keys_b - hits)
    return _evidence(hits / united, hits, keys_a, keys_b, round(hits * density))


def _evidence(similarity: float, shared: int, of_a: int, of_b: int, characters: int) -> Evidence:
    a_in_b, b_in_a = shared / max(1, of_a), shared / max(1, of_b)
    return Evidence(similarity, a_in_b, b_in_a, _kind(similarity, a_in_b, b_in_a), (), characters)


def _kind(similarity: float, a_in_b: float, b_in_a: float) -> str:
    if similarity == 1:
        return "identical"
    if min(a_in_b, b_in_a) >= _WHOLE:
        return "near-duplicate"
    if b_in_a >= _WHOLE:
        return "contains"
    return "contained" if a_in_b >= _WHOLE else "partial"


__all__ = ["Evidence", "compared", "estimated", "whole"]

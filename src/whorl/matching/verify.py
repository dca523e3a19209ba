"""The exact figures behind every acceptance."""

from __future__ import annotations

from dataclasses import dataclass

from whorl import _core
from whorl.fingerprints import Family, Verdict, keys


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many distinct shingles two texts share: the Jaccard similarity as a fraction of integers."""

    shared: int
    united: int

    @property
    def jaccard(self) -> float:
        """The Jaccard similarity in [0, 1]; 0 for texts without features, which equal nothing."""
        return self.shared / self.united if self.united else 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two texts are, or are not, copies.

    Attributes:
        keys_shared: keys that both have.
        keys_needed: keys they must share to be compared.
        keys_a: keys of the first text.
        keys_b: keys of the second text.
        estimate: similarity estimated from the sketches alone, in [0, 1].
        overlap: the exact overlap of their shingle sets.
        verdict: the judgement that was applied.
        copies: the answer.
        reason: one plain sentence.
    """

    keys_shared: int
    keys_needed: int
    keys_a: int
    keys_b: int
    estimate: float
    overlap: Overlap
    verdict: Verdict
    copies: bool
    reason: str


def overlap(a: str, b: str, shingle: int = 5) -> Overlap:
    """Return the exact overlap of the shingle sets of two texts. Linear in both."""
    return Overlap(*_core.overlap(a, b, shingle))


def explain(a: str, b: str, family: Family, threshold: float) -> Explanation:
    """Judge two texts the way a batch run would, and say why.

    Args:
        a: one text.
        b: the other.
        family: how keys are made.
        threshold: from which similarity they are copies, inclusive.

    Cost: linear in both texts.
    """
    verdict = family.verdict(threshold)
    keys_a, keys_b = keys(family, a), keys(family, b)
    shared = len(keys_a & keys_b)
    figure = overlap(a, b, verdict.shingle)
    similarity = family.similarity(a, b) if verdict.measure == "exact" else figure.jaccard
    compared = shared >= family.min_shared
    return Explanation(
        keys_shared=shared,
        keys_needed=family.min_shared,
        keys_a=len(keys_a),
        keys_b=len(keys_b),
        estimate=family.similarity(a, b),
        overlap=figure,
        verdict=verdict,
        copies=compared and similarity >= verdict.threshold,
        reason=_reason(bool(keys_a and keys_b), compared, similarity, verdict),
    )


def _reason(featured: bool, compared: bool, similarity: float, verdict: Verdict) -> str:
    if not featured:
        return "a text without letters, digits or characters equals nothing"
    if verdict.measure == "exact":
        return "the folded texts are equal" if similarity == 1 else "the folded texts differ"
    side = "reaches" if similarity >= verdict.threshold else "is below"
    judgement = f"their exact similarity {similarity:.4f} {side} the threshold {verdict.threshold:g}"
    return judgement if compared else f"they share too few keys to be compared; {judgement}"


__all__ = ["Explanation", "Overlap", "explain", "overlap"]

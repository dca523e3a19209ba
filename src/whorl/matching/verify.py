"""The exact figures behind every acceptance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whorl import _core
from whorl.fingerprints import Family, Verdict, keys


@dataclass(frozen=True, slots=True)
class Overlap:
    """A similarity as a fraction of integers: what two texts share, of what there is."""

    shared: int
    united: int

    @property
    def share(self) -> float:
        """The fraction in [0, 1]; 0 for texts without features, which equal nothing."""
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
        overlap: the exact figure, as the measure of the verdict counts.
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
    """Return the shingles that two texts share, of those in either. Linear in both."""
    return Overlap(*_core.overlap(a, b, shingle))


def _exact(a: str, b: str, family: Family, verdict: Verdict) -> Overlap:  # noqa: ARG001
    digests = family.fingerprint([a, b])
    return Overlap(int((digests.digests[0] == digests.digests[1]).all() and bool(digests.lengths.all())), 1)


def _jaccard(a: str, b: str, family: Family, verdict: Verdict) -> Overlap:  # noqa: ARG001
    return overlap(a, b, verdict.shingle)


def _containment(a: str, b: str, family: Family, verdict: Verdict) -> Overlap:  # noqa: ARG001
    return Overlap(overlap(a, b, verdict.shingle).shared, overlap(a, a, verdict.shingle).united)


def _keys(a: str, b: str, family: Family, verdict: Verdict) -> Overlap:  # noqa: ARG001
    own = keys(family, a)
    return Overlap(len(own & keys(family, b)), len(own))


def _hamming(a: str, b: str, family: Family, verdict: Verdict) -> Overlap:  # noqa: ARG001
    codes = family.fingerprint([a, b]).codes
    bits = 8 * codes.shape[1]
    return Overlap(bits - int(np.unpackbits(codes[0] ^ codes[1]).sum()), bits)


MEASURES = {"exact": _exact, "jaccard": _jaccard, "containment": _containment, "keys": _keys, "hamming": _hamming}
"""How the figure of each measure is computed; the first text is the one that may be dropped."""


def judge(a: str, b: str, family: Family, verdict: Verdict) -> tuple[Overlap, bool]:
    """Return the exact figure of two texts, and whether it makes ``a`` a copy of ``b``.

    Cost: linear in both texts.
    """
    figure = MEASURES[verdict.measure](a, b, family, verdict)
    if verdict.measure != "hamming":
        return figure, figure.share >= verdict.threshold
    length = int(family.fingerprint([a, b]).lengths.min())
    longest = verdict.limits[-1][1]
    limit = next((distance for reach, distance in verdict.limits if length <= reach), longest)
    return figure, figure.united - figure.shared <= limit


def explain(a: str, b: str, family: Family, threshold: float) -> Explanation:
    """Judge two texts the way a batch run would, and say why.

    Args:
        a: one text, the one that may be dropped.
        b: the other.
        family: how keys are made.
        threshold: from which similarity they are copies, inclusive.

    Cost: linear in both texts.
    """
    verdict = family.verdict(threshold)
    keys_a, keys_b = keys(family, a), keys(family, b)
    shared = len(keys_a & keys_b)
    figure, alike = judge(a, b, family, verdict)
    compared = shared >= family.min_shared
    return Explanation(
        keys_shared=shared,
        keys_needed=family.min_shared,
        keys_a=len(keys_a),
        keys_b=len(keys_b),
        estimate=family.similarity(a, b),
        overlap=figure,
        verdict=verdict,
        copies=compared and alike,
        reason=_reason(bool(keys_a and keys_b), compared, figure, alike, verdict),
    )


def _reason(featured: bool, compared: bool, figure: Overlap, alike: bool, verdict: Verdict) -> str:
    if not featured:
        return "a text without letters, digits or characters equals nothing"
    if verdict.measure == "exact":
        return "the folded texts are equal" if alike else "the folded texts differ"
    if verdict.measure == "hamming":
        distance = figure.united - figure.shared
        judgement = f"their distance {distance} is {'within' if alike else 'beyond'} the limit for their length"
    else:
        side = "reaches" if alike else "is below"
        judgement = f"their exact {verdict.measure} {figure.share:.4f} {side} the threshold {verdict.threshold:g}"
    return judgement if compared else f"they share too few keys to be compared; {judgement}"


__all__ = ["MEASURES", "Explanation", "Overlap", "explain", "judge", "overlap"]

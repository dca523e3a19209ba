"""Estimate precision, recall and agreement from labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from whorl.evaluation.intervals import CONFIDENCE, Share, draws, harmonic
from whorl.evaluation.labelling.sample import JUDGED, WIDER
from whorl.evaluation.labelling.workbook import Labelled, PairLabels


def estimate(labelled: Labelled) -> dict[str, Any]:
    """Return the estimates from the labels, ready for JSON.

    Precision is the share of copies among the labeled removals. Let N₁ be the number of removals, N₂ the number of
    pairs that only the wider recipe finds, and p₁ and p₂ the shares of copies among their labeled samples. Recall is
    N₁p₁ / (N₁p₁ + N₂p₂), relative to the wider recipe. The bounds are quantiles of draws of p₁ and p₂ from their
    posterior; a fully labeled stratum has no uncertainty.

    Source: the stratified estimator is that of Cochran: Sampling Techniques, 3rd ed. 1977, chapter 5; the draws are
    those of ``whorl.evaluation.intervals.f1_interval``.
    """
    judged, wider = (_share(labelled.answers[name]) for name in (JUDGED, WIDER))
    sizes = {name: int(labelled.run["strata"][name]["pairs"]) for name in (JUDGED, WIDER)}
    recall = _recall(judged, wider, sizes)
    f1 = None if judged.value is None or recall is None else harmonic(judged.value, recall["value"])
    answers = [answer for name in (JUDGED, WIDER) for answer in labelled.answers[name]]
    both = [answer for answer in answers if answer.development is not None and answer.product is not None]
    return {
        "confidence": CONFIDENCE,
        "precision": judged.as_dict() if judged.of else None,
        "recall": recall,
        "f1": f1,
        "strata": {
            name: {"pairs": sizes[name], "labelled": share.of, "copies": share.hits}
            for name, share in ((JUDGED, judged), (WIDER, wider))
        },
        "agreement": _agreement(both),
        "run": dict(labelled.run),
    }


def _share(answers: Iterable[PairLabels]) -> Share:
    verdicts = [answer.verdict for answer in answers]
    return Share(sum(verdicts), len(verdicts))


def _recall(judged: Share, wider: Share, sizes: Mapping[str, int]) -> dict[str, Any] | None:
    judged_copies = sizes[JUDGED] * (judged.value or 0.0)
    missed = sizes[WIDER] * (wider.value or 0.0)
    if not judged_copies + missed:
        return None
    drawn_found = sizes[JUDGED] * draws(judged, is_complete=judged.of == sizes[JUDGED], stream=0)
    drawn_missed = sizes[WIDER] * draws(wider, is_complete=wider.of == sizes[WIDER], stream=1)
    low, high = np.quantile(drawn_found / (drawn_found + drawn_missed), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return {"value": judged_copies / (judged_copies + missed), "low": float(low), "high": float(high)}


def _agreement(both: Sequence[PairLabels]) -> dict[str, Any] | None:
    """Return the agreement of the two labelers; None if only one labeled."""
    if not both:
        return None
    pairs = [(bool(answer.development), bool(answer.product)) for answer in both]
    return {"pairs": len(pairs), "equal": sum(a == b for a, b in pairs), "kappa": kappa(pairs)}


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of two labelers, the agreement beyond chance: (p − e) / (1 − e).

    p is the share of equal labels, e the share expected of random labels in the same proportions. 1 is full
    agreement, 0 is chance. None if both labelers gave a single label throughout, where kappa is undefined.

    Source: Cohen: A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20, 1960.
    """
    count = len(pairs)
    equal = sum(a == b for a, b in pairs)
    first, second = (sum(pair[place] for pair in pairs) for place in (0, 1))
    by_chance = first * second + (count - first) * (count - second)
    return (equal * count - by_chance) / (count * count - by_chance) if by_chance != count * count else None


__all__ = ["estimate", "kappa"]

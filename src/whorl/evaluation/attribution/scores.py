"""Evaluation of origin attribution: fit weights to simulated clusters, and score them on other clusters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl._internal.frozen import frozen
from whorl.attribution.case import AttributionCase
from whorl.attribution.intervals import earliest, precise
from whorl.attribution.member_facts import Relation, Witness
from whorl.attribution.mixture import strands
from whorl.attribution.origin import evidence
from whorl.attribution.syndication import signs_of_syndication
from whorl.attribution.verdict import attribute
from whorl.attribution.weights import FIXED, FIXED_SIGNS, ORIGIN, SYNDICATION, Weights
from whorl.evaluation.attribution.propagation import Simulated
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 50
_SMALL_STEP = 1e-7
_BINS = 10
_POINTERS = ("named", "names", "itself", "outside", "dateline", "canonical", "links", "seen", "attestation")


class TrainingStrand(NamedTuple):
    """One strand as training data.

    Attributes:
        values: float64 (candidates, kinds of evidence); the last candidate is "elsewhere".
        chosen: row of the original.
    """

    values: NDArray[np.float64]
    chosen: int


class Sign(NamedTuple):
    """One copy as training data for self-syndication: its features, and True if the author posted it."""

    values: NDArray[np.float64]
    is_own: bool


def choices(clusters: Iterable[Simulated]) -> list[TrainingStrand]:
    """Return the strands of clusters as training data."""
    return [
        choice for cluster in clusters for choice in choices_of(cluster.members, cluster.relations, cluster.originals)
    ]


def choices_of(
    members: Sequence[Witness], relations: Sequence[Relation], originals: Collection[str]
) -> list[TrainingStrand]:
    """Return the strands of one cluster, except those with two originals."""
    strand_choices = []
    for strand in strands(members, relations):
        case = AttributionCase([members[place] for place in strand], relations)
        chosen = [place for place, item in enumerate(case.members) if item.id in originals]
        if len(chosen) <= 1:
            values = np.array([item.values for item in evidence(case)]).T
            strand_choices.append(TrainingStrand(values, chosen[0] if chosen else len(case.members)))
    return strand_choices


def share_right(strand_choices: Sequence[TrainingStrand], weights: Weights) -> float:
    """Return the share of strands whose most probable candidate is the original."""
    vector = np.array([weights.origin[name] for name in ORIGIN])
    return float(np.mean([int((values @ vector).argmax()) == chosen for values, chosen in strand_choices]))


def signs(clusters: Iterable[Simulated]) -> list[Sign]:
    """Return the features for self-syndication of all copies in clusters that contain their original."""
    copies = []
    for cluster in clusters:
        posted = {member.id: member.id in cluster.syndicated for member in cluster.members}
        copies += signs_of(cluster.members, cluster.relations, cluster.originals, posted)
    return copies


def signs_of(
    members: Sequence[Witness], relations: Sequence[Relation], originals: Collection[str], posted: Mapping[str, bool]
) -> list[Sign]:
    """Return the features of the copies in one cluster whose syndication is labeled."""
    copies = []
    for strand in strands(members, relations):
        case = AttributionCase([members[place] for place in strand], relations)
        original = next((place for place, member in enumerate(case.members) if member.id in originals), None)
        for place, member in enumerate(case.members):
            if original is not None and place != original and member.id in posted:
                values = signs_of_syndication(case, place, original)
                copies.append(Sign(np.array(list(values.values())), posted[member.id]))
    return copies


def fit(
    strand_choices: Sequence[TrainingStrand],
    copies: Sequence[Sign] = (),
    *,
    start: Weights | None = None,
    strength: float = 1.0,
) -> Weights:
    """Return the weights that maximize the likelihood of the clusters.

    This is a conditional logit, fitted by Newton's method and regularized towards ``start``.

    Args:
        strand_choices: strands with their originals.
        copies: copies labeled for self-syndication; without any, these weights stay as they are.
        start: weights to regularize towards; None is the defaults.
        strength: strength of the regularization: roughly the number of clusters needed to outweigh it.

    Cost: linear in the number of clusters, a few dozen passes.
    """
    start = start or Weights()
    origin = np.array([start.origin[name] for name in ORIGIN])
    free = np.array([name not in FIXED for name in ORIGIN])
    fitted = _without_contradictions(origin, free, strength, strand_choices) if strand_choices else origin
    syndication = np.array([start.syndication[name] for name in SYNDICATION])
    if copies:
        free = np.array([name not in FIXED_SIGNS for name in SYNDICATION])
        syndication = _newton(syndication, free, strength, lambda weights: _of_signs(copies, weights))
    return Weights(
        {name: round(float(value), 3) for name, value in zip(ORIGIN, fitted, strict=True)},
        {name: round(float(value), 3) for name, value in zip(SYNDICATION, syndication, strict=True)},
        start.confidence,
    )


def _without_contradictions(
    start: NDArray[np.float64], free: NDArray[np.bool_], strength: float, strand_choices: Sequence[TrainingStrand]
) -> NDArray[np.float64]:
    """Fit, and drop features whose fitted sign contradicts their meaning."""
    may_be_negative = np.array([name == "elsewhere" for name in ORIGIN])
    while True:
        weights = _newton(start, free, strength, lambda weights: _of_choices(strand_choices, weights))
        wrong = free & ~may_be_negative & (weights < 0)
        if not wrong.any():
            return weights
        free, start = free & ~wrong, np.where(wrong, 0.0, start)


_Slopes = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


def _newton(
    start: NDArray[np.float64], free: NDArray[np.bool_], strength: float, slopes: Callable[..., _Slopes]
) -> NDArray[np.float64]:
    weights = start.copy()
    for _ in range(_STEPS):
        gradient, curvature = slopes(weights)
        gradient = gradient - strength * (weights - start)
        curvature = curvature + strength * np.eye(len(start))
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _SMALL_STEP:
            break
    return weights


def _of_choices(strand_choices: Sequence[TrainingStrand], weights: NDArray[np.float64]) -> _Slopes:
    gradient, curvature = np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for values, chosen in strand_choices:
        scores = values @ weights
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        mean = chances @ values
        gradient += values[chosen] - mean
        apart = values - mean
        curvature += (apart * chances[:, None]).T @ apart
    return gradient, curvature


def _of_signs(copies: Sequence[Sign], weights: NDArray[np.float64]) -> _Slopes:
    values = np.array([sign.values for sign in copies])
    truth = np.array([sign.is_own for sign in copies], float)
    chances = 1 / (1 + np.exp(-values @ weights))
    return values.T @ (truth - chances), (values * (chances * (1 - chances))[:, None]).T @ values


@frozen
class Bin(Plain):
    """Predictions of similar probability.

    Attributes:
        count: number of predictions.
        said: mean predicted probability.
        right: share of correct predictions.
    """

    count: int
    said: float
    right: float


@frozen
class Scores(Plain):
    """Scores of an attribution.

    Attributes:
        clusters: number of clusters.
        top1: share of strands whose most probable candidate is correct: the original, or "elsewhere" if it is missing.
        with_evidence: number of strands with evidence, by `has_evidence`.
        top1_with_evidence: `top1` among these.
        determined: share of strands that are not left undetermined.
        top1_determined: share of correct results among these.
        calibration_error: expected calibration error of the most probable candidate, in ten bins.
        bins: bins of the reliability plot.
        baselines: accuracy of simple rules on strands whose original is a member.
        top1_present: accuracy of the attribution on the same strands.
        author: on the same strands, share attributed to the original or to another page of its author.
        syndication: share of copies classified correctly as self-syndication or copying, given the right original.
        syndication_precision: precision for self-syndication.
        syndication_recall: recall for self-syndication.
    """

    clusters: int
    top1: float
    with_evidence: int
    top1_with_evidence: float
    determined: float
    top1_determined: float
    calibration_error: float
    bins: tuple[Bin, ...]
    baselines: Mapping[str, float]
    top1_present: float
    author: float
    syndication: float
    syndication_precision: float
    syndication_recall: float


def has_evidence(case: AttributionCase, *, is_present: bool) -> bool:
    """Return True if a labeled case has evidence of the original.

    Evidence is a member that certainly names or links to a source (a member, itself or an outsider), a first member
    seen more than one update cycle before all others, or an attestation. For an original outside of the cluster only a
    member that names an outsider is evidence.
    """
    values = {item.name: item.values for item in evidence(case)}
    pointers = _POINTERS if is_present else ("outside",)
    return max(abs(value) for name in pointers for value in values[name]) >= 1.0


def score(clusters: Sequence[Simulated], weights: Weights | None = None) -> Scores:
    """Attribute clusters and score the results. Linear in the number of clusters."""
    weights = weights or Weights()
    vector = np.array([weights.origin[name] for name in ORIGIN])
    probabilities, right, evident, present, authors = [], [], [], [], []
    hits = {name: [] for name in BASELINES}  # type: dict[str, list[bool]]
    for cluster in clusters:
        for strand in strands(cluster.members, cluster.relations):
            case = AttributionCase([cluster.members[place] for place in strand], cluster.relations)
            scores = np.array([item.values for item in evidence(case)]).T @ vector
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            truth = {place for place, item in enumerate(case.members) if item.id in cluster.originals}
            best = int(chances.argmax())
            probabilities.append(float(chances[best]))
            right.append(best in (truth or {len(case.members)}))
            evident.append(has_evidence(case, is_present=bool(truth)))
            present.append(bool(truth))
            authors.append(right[-1] or (best < len(case.members) and case.members[best].id in cluster.syndicated))
            for name, choose in BASELINES.items():
                hits[name] += [choose(case.members) in truth] if truth else []
    predicted, posted = _syndication(clusters, weights)
    chance, hit, with_evidence, is_present = (
        np.array(probabilities),
        np.array(right),
        np.array(evident),
        np.array(present),
    )
    sure = chance >= weights.confidence
    table = bins(chance, hit)
    return Scores(
        len(clusters),
        float(hit.mean()),
        int(with_evidence.sum()),
        float(hit[with_evidence].mean()),
        float(sure.mean()),
        float(hit[sure].mean()) if sure.any() else 0.0,
        sum(item.count * abs(item.said - item.right) for item in table) / len(hit),
        table,
        {name: float(np.mean(hit_values)) for name, hit_values in hits.items()},
        float(hit[is_present].mean()),
        float(np.array(authors)[is_present].mean()),
        float((predicted == posted).mean()) if len(predicted) else 1.0,
        float(predicted[posted].mean()) if posted.any() else 1.0,
        float(posted[predicted].mean()) if predicted.any() else 1.0,
    )


def _syndication(clusters: Sequence[Simulated], weights: Weights) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return, for copies with a correctly attributed original, whether the author posted them and the predictions."""
    predicted, posted = [], []
    for cluster in clusters:
        attribution = attribute(cluster.members, cluster.relations, weights)
        for member in attribution.members:
            if member.role in ("copy", "reprint", "syndication") and set(attribution.originals) & cluster.originals:
                predicted.append(member.id in cluster.syndicated)
                posted.append(member.role == "syndication")
    return np.array(predicted, bool), np.array(posted, bool)


def bins(chances: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[Bin, ...]:
    """Return predictions in bins of 0.1 probability, without empty bins."""
    places = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    return tuple(
        Bin(int(in_bin.sum()), float(chances[in_bin].mean()), float(right[in_bin].mean()))
        for in_bin in (places == number for number in range(_BINS))
        if in_bin.any()
    )


def _earliest_claim(members: Sequence[Witness]) -> int:
    claims = [(member.published_at, place) for place, member in enumerate(members)]
    times = [(precise(at).bounds.start, place) for at, place in claims if at is not None]
    return min(times)[1] if times else 0


def _first_crawled(members: Sequence[Witness]) -> int:
    times = [(at, place) for place, member in enumerate(members) if (at := earliest(member))]
    return min(times)[1] if times else 0


def _longest(members: Sequence[Witness]) -> int:
    return max(range(len(members)), key=lambda place: (members[place].length, -place))


BASELINES: Mapping[str, Callable[[Sequence[Witness]], int]] = {
    "earliest claimed date": _earliest_claim,
    "first crawled": _first_crawled,
    "longest": _longest,
}
"""Rules that people apply without evidence."""

__all__ = [
    "BASELINES",
    "Bin",
    "Scores",
    "Sign",
    "TrainingStrand",
    "bins",
    "choices",
    "choices_of",
    "fit",
    "has_evidence",
    "score",
    "share_right",
    "signs",
    "signs_of",
]

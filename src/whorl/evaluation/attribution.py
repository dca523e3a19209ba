"""How well it is told who was first: weights fitted to clusters with a truth, and what they reach on others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whorl.evaluation.propagation import Simulated
from whorl.matching.attribute import attribute
from whorl.matching.case import Case
from whorl.matching.mixture import strands
from whorl.matching.moments import earliest, utc
from whorl.matching.origin import evidence
from whorl.matching.syndication import signs_of_syndication
from whorl.matching.weights import FIXED, ORIGIN, SYNDICATION, Weights
from whorl.matching.witness import Relation, Witness
from whorl.model import Plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 50
_SMALL_STEP = 1e-7
_BINS = 10
_POINTERS = ("named", "names", "itself", "outside", "dateline", "canonical", "links", "seen", "proof")


class Choice(NamedTuple):
    """One strand as the fit sees it.

    Attributes:
        values: float64 (candidates, kinds of evidence); the last candidate is "elsewhere".
        chosen: the row of the original.
    """

    values: NDArray[np.float64]
    chosen: int


class Sign(NamedTuple):
    """One copy as the fit of self-syndication sees it: its signs, and whether the author posted it."""

    values: NDArray[np.float64]
    is_own: bool


def choices(clusters: Iterable[Simulated]) -> list[Choice]:
    """Return the strands of clusters as evidence and truth."""
    return [
        choice for cluster in clusters for choice in choices_of(cluster.members, cluster.relations, cluster.originals)
    ]


def choices_of(members: Sequence[Witness], relations: Sequence[Relation], originals: Collection[str]) -> list[Choice]:
    """Return the strands of one cluster, without those of which two members are original."""
    found = []
    for strand in strands(members, relations):
        case = Case([members[place] for place in strand], relations)
        chosen = [place for place, one in enumerate(case.members) if one.id in originals]
        if len(chosen) <= 1:
            values = np.array([one.values for one in evidence(case)]).T
            found.append(Choice(values, chosen[0] if chosen else len(case.members)))
    return found


def share_right(given: Sequence[Choice], weights: Weights) -> float:
    """Return the share of strands of which the most probable candidate is the original."""
    vector = np.array([weights.origin[name] for name in ORIGIN])
    return float(np.mean([int((values @ vector).argmax()) == chosen for values, chosen in given]))


def signs(clusters: Iterable[Simulated]) -> list[Sign]:
    """Return the copies of clusters whose original is among them, with what speaks for self-syndication."""
    found = []
    for cluster in clusters:
        told = {one.id: one.id in cluster.syndicated for one in cluster.members}
        found += signs_of(cluster.members, cluster.relations, cluster.originals, told)
    return found


def signs_of(
    members: Sequence[Witness], relations: Sequence[Relation], originals: Collection[str], told: Mapping[str, bool]
) -> list[Sign]:
    """Return the copies in one cluster of which it is told whether the author posted them, with their signs."""
    found = []
    for strand in strands(members, relations):
        case = Case([members[place] for place in strand], relations)
        original = next((place for place, one in enumerate(case.members) if one.id in originals), None)
        for place, one in enumerate(case.members):
            if original is not None and place != original and one.id in told:
                values = signs_of_syndication(case, place, original)
                found.append(Sign(np.array(list(values.values())), told[one.id]))
    return found


def fit(
    given: Sequence[Choice], copies: Sequence[Sign] = (), *, start: Weights | None = None, strength: float = 1.0
) -> Weights:
    """Return the weights under which the truth of clusters is most probable.

    A conditional logit by Newton's method, drawn to the weights that it starts from: few clusters change little.

    Args:
        given: strands with their originals.
        copies: copies with the truth about self-syndication; without any, these weights stay.
        start: the weights that are kept where clusters do not say otherwise; None is the usual.
        strength: of that draw: how many clusters it takes to outweigh it, by the order of magnitude.

    Cost: linear in the clusters, a few dozen passes.
    """
    start = start or Weights()
    origin = np.array([start.origin[name] for name in ORIGIN])
    free = np.array([name not in FIXED for name in ORIGIN])
    fitted = _without_contradictions(origin, free, strength, given) if given else origin
    own = np.array([start.syndication[name] for name in SYNDICATION])
    if copies:
        everything = np.ones(len(own), bool)
        own = _newton(own, everything, strength, lambda weights: _of_signs(copies, weights))
    return Weights(
        {name: round(float(value), 3) for name, value in zip(ORIGIN, fitted, strict=True)},
        {name: round(float(value), 3) for name, value in zip(SYNDICATION, own, strict=True)},
        start.confidence,
    )


def _without_contradictions(
    start: NDArray[np.float64], free: NDArray[np.bool_], strength: float, given: Sequence[Choice]
) -> NDArray[np.float64]:
    """Fit, and leave out what would then count against its own reason."""
    may_be_negative = np.array([name == "elsewhere" for name in ORIGIN])
    while True:
        weights = _newton(start, free, strength, lambda weights: _of_choices(given, weights))
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


def _of_choices(given: Sequence[Choice], weights: NDArray[np.float64]) -> _Slopes:
    gradient, curvature = np.zeros(len(weights)), np.zeros((len(weights), len(weights)))
    for values, chosen in given:
        scores = values @ weights
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        mean = chances @ values
        gradient += values[chosen] - mean
        apart = values - mean
        curvature += (apart * chances[:, None]).T @ apart
    return gradient, curvature


def _of_signs(copies: Sequence[Sign], weights: NDArray[np.float64]) -> _Slopes:
    values = np.array([one.values for one in copies])
    truth = np.array([one.is_own for one in copies], float)
    chances = 1 / (1 + np.exp(-values @ weights))
    return values.T @ (truth - chances), (values * (chances * (1 - chances))[:, None]).T @ values


@dataclass(frozen=True, slots=True)
class Bin(Plain):
    """Answers of about one probability.

    Attributes:
        count: how many.
        said: the mean probability that was said.
        right: the share that was right.
    """

    count: int
    said: float
    right: float


@dataclass(frozen=True, slots=True)
class Scores(Plain):
    """What was reached.

    Attributes:
        clusters: how many clusters there were.
        top1: the share of strands whose most probable candidate is the original; "elsewhere" where it is missing.
        with_evidence: how many strands have evidence, by `has_evidence`.
        top1_with_evidence: the share among these.
        determined: the share of strands that are not left undetermined.
        top1_determined: the share among these that is right.
        calibration_error: the expected calibration error of the most probable candidate, in ten bins.
        bins: of the reliability plot.
        baselines: what simple rules reach, of the strands whose original is among the members.
        top1_present: what this reaches there.
        author: there, the share whose most probable candidate is the original or another page that its author posted.
        syndication: the share of copies told rightly to be self-syndication or copying, the original being known.
        syndication_precision: the share of those told to be self-syndication that are.
        syndication_recall: the share of self-syndication that is told to be.
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


def has_evidence(case: Case, *, is_present: bool) -> bool:
    """Whether there is evidence of the original, for a case whose truth is known.

    Somebody surely names or points to a member, to itself or to somebody outside as the source, or the first member was
    seen before every other one by more than an update cycle, or there is a proof. Of an original that is not among the
    members there is evidence only where somebody names one outside.
    """
    told = {one.name: one.values for one in evidence(case)}
    pointers = _POINTERS if is_present else ("outside",)
    return max(abs(value) for name in pointers for value in told[name]) >= 1.0


def score(clusters: Sequence[Simulated], weights: Weights | None = None) -> Scores:
    """Judge clusters and compare with their truth. Linear in them."""
    weights = weights or Weights()
    vector = np.array([weights.origin[name] for name in ORIGIN])
    said, right, evident, present, authors = [], [], [], [], []
    hits = {name: [] for name in BASELINES}  # type: dict[str, list[bool]]
    for cluster in clusters:
        for strand in strands(cluster.members, cluster.relations):
            case = Case([cluster.members[place] for place in strand], cluster.relations)
            scores = np.array([one.values for one in evidence(case)]).T @ vector
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            truth = {place for place, one in enumerate(case.members) if one.id in cluster.originals}
            best = int(chances.argmax())
            said.append(float(chances[best]))
            right.append(best in (truth or {len(case.members)}))
            evident.append(has_evidence(case, is_present=bool(truth)))
            present.append(bool(truth))
            authors.append(right[-1] or (best < len(case.members) and case.members[best].id in cluster.syndicated))
            for name, choose in BASELINES.items():
                hits[name] += [choose(case.members) in truth] if truth else []
    own, posted = _syndication(clusters, weights)
    chance, hit, seen, there = np.array(said), np.array(right), np.array(evident), np.array(present)
    sure = chance >= weights.confidence
    table = bins(chance, hit)
    return Scores(
        len(clusters),
        float(hit.mean()),
        int(seen.sum()),
        float(hit[seen].mean()),
        float(sure.mean()),
        float(hit[sure].mean()) if sure.any() else 0.0,
        sum(one.count * abs(one.said - one.right) for one in table) / len(hit),
        table,
        {name: float(np.mean(found)) for name, found in hits.items()},
        float(hit[there].mean()),
        float(np.array(authors)[there].mean()),
        float((own == posted).mean()) if len(own) else 1.0,
        float(own[posted].mean()) if posted.any() else 1.0,
        float(posted[own].mean()) if own.any() else 1.0,
    )


def _syndication(clusters: Sequence[Simulated], weights: Weights) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each copy whose original was determined rightly: whether the author posted it, and whether that is said."""
    own, posted = [], []
    for cluster in clusters:
        found = attribute(cluster.members, cluster.relations, weights)
        for member in found.members:
            if member.role in ("copy", "reprint", "syndication") and set(found.originals) & cluster.originals:
                own.append(member.id in cluster.syndicated)
                posted.append(member.role == "syndication")
    return np.array(own, bool), np.array(posted, bool)


def bins(chances: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[Bin, ...]:
    """Return answers by tenths of their probability; empty tenths are left out."""
    places = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    return tuple(
        Bin(int(own.sum()), float(chances[own].mean()), float(right[own].mean()))
        for own in (places == number for number in range(_BINS))
        if own.any()
    )


def _earliest_claim(members: Sequence[Witness]) -> int:
    times = [(utc(one.published_at), place) for place, one in enumerate(members) if one.published_at]
    return min(times)[1] if times else 0


def _first_crawled(members: Sequence[Witness]) -> int:
    times = [(at, place) for place, one in enumerate(members) if (at := earliest(one))]
    return min(times)[1] if times else 0


def _longest(members: Sequence[Witness]) -> int:
    return max(range(len(members)), key=lambda place: (members[place].length, -place))


BASELINES: Mapping[str, Callable[[Sequence[Witness]], int]] = {
    "earliest claimed date": _earliest_claim,
    "first crawled": _first_crawled,
    "longest": _longest,
}
"""What people do without evidence."""

__all__ = [
    "BASELINES",
    "Bin",
    "Choice",
    "Scores",
    "Sign",
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

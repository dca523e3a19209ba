"""Attribution: the probable original of a cluster, with probabilities and reasons.

Each kind of evidence (`origin`) has a weight in log-odds (`weights`). The sums compete by softmax, together with the
possibility that the original is outside of the cluster. A member composed of several unrelated members is a mixed
article; its sources are judged separately, each with the members that share its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from whorl._internal.frozen import frozen
from whorl.attribution.case import AttributionCase, EvidenceValues
from whorl.attribution.member_facts import Relation, Witness
from whorl.attribution.mixture import Strand, shares, strands
from whorl.attribution.origin import evidence
from whorl.attribution.syndication import chance_of_syndication, is_known_account
from whorl.attribution.weights import Weights
from whorl.types.attribution import Attributed, Attribution, Origin, Reason

ROLES = ("original", "copy", "reprint", "syndication", "undetermined")
"""Roles of a member: the probable original; a copy; a permitted reprint; a repost on a site or account that is known to
belong to the author of the original; or undetermined."""

_HARDLY = 0.05
_NOTABLE = 0.1
_LEAST_REASON = 0.05
_ALWAYS_TOLD = ("published", "impossible", "attestation")


def attribute(
    members: Sequence[Witness],
    relations: Sequence[Relation] = (),
    weights: Weights | None = None,
    *,
    is_complete: bool = True,
) -> Attribution:
    """Attribute the original of a cluster.

    Args:
        members: members of one cluster, with unique ids.
        relations: common text of pairs of members; pairs that are not listed are assumed to be identical.
        weights: weights of the evidence; None is the defaults.
        is_complete: True if all related pairs are listed, which is required to detect mixed articles.

    Returns:
        Probabilities with reasons. They sum to 1 together with "elsewhere"; if a mixed article splits the cluster, they
        do so for each part.

    Cost: linear in members and relations; at most eight relations of a member are examined in pairs.
    """
    weights = weights or Weights()
    parted = strands(members, relations) if is_complete else [list(range(len(members)))]
    judged = [_judged(strand, members, relations, weights) for strand in parted]
    return _together(members, relations, judged, weights)


@frozen
class _Judged:
    """One strand: its case, the probability of each candidate (the last is "elsewhere"), and the reasons."""

    case: AttributionCase
    probabilities: list[float]
    reasons: list[tuple[Reason, ...]]

    @property
    def best(self) -> int:
        """The index of the most probable original; the first one of equals."""
        return max(range(len(self.case.members)), key=lambda place: (self.probabilities[place], -place))

    def syndication(self, weights: Weights) -> dict[str, float]:
        """Return the probability of each other member of being posted by the author of the best original."""
        best = self.best
        return {
            member.id: chance_of_syndication(self.case, place, best, weights)
            for place, member in enumerate(self.case.members)
            if place != best
        }

    def known_accounts(self) -> set[str]:
        """Return the other members at sites or accounts known to belong to the author of the best original."""
        best = self.best
        others = (place for place in range(len(self.case.members)) if place != best)
        return {self.case.members[place].id for place in others if is_known_account(self.case, place, best)}


def _judged(strand: Strand, members: Sequence[Witness], relations: Sequence[Relation], weights: Weights) -> _Judged:
    case = AttributionCase([members[place] for place in strand], relations)
    gathered = evidence(case)
    scores = [sum(weights.origin[item.name] * item.values[row] for item in gathered) for row in range(len(strand) + 1)]
    return _Judged(case, softmax(scores), _reasons(gathered, weights))


def softmax(scores: Sequence[float]) -> list[float]:
    """Return the normalized exponentials of scores."""
    highest = max(scores)
    raised = [exp(score - highest) for score in scores]
    total = sum(raised)
    return [value / total for value in raised]


def _reasons(gathered: Sequence[EvidenceValues], weights: Weights) -> list[tuple[Reason, ...]]:
    """Return the reasons of each candidate, the strongest first, weighted against the mean of the other members."""
    reasons: list[list[Reason]] = [[] for _ in gathered[0].values]
    for item in gathered:
        total, others = sum(item.values[:-1]), max(1, len(item.values) - 2)
        for row, (value, message) in enumerate(zip(item.values, item.messages, strict=True)):
            if message is None:
                continue
            mean = 0.0 if row == len(item.values) - 1 else (total - value) / others
            weight = round(weights.origin[item.name] * (value - mean), 3)
            if abs(weight) >= _LEAST_REASON or item.name in _ALWAYS_TOLD:
                reasons[row].append(Reason(item.name, message, weight))
    return [
        tuple(sorted(reasons_of_one, key=lambda reason: (-abs(reason.weight), reason.evidence)))
        for reasons_of_one in reasons
    ]


def _together(
    members: Sequence[Witness], relations: Sequence[Relation], judged: Sequence[_Judged], weights: Weights
) -> Attribution:
    """Combine the strands: a member is the original only if it is so for all of its text."""
    chances: dict[str, list[float]] = {}
    reasons: dict[str, tuple[Reason, ...]] = {}
    tops: dict[str, float] = {}
    syndication: dict[str, float] = {}
    syndicated: set[str] = set()
    settled: set[str] = set()
    for item in judged:
        top = item.case.members[item.best].id
        tops[top] = min(tops.get(top, 1.0), item.probabilities[item.best])
        accounts = item.known_accounts()
        by_one_author = sum(
            probability
            for member, probability in zip(item.case.members, item.probabilities, strict=False)
            if member.id in accounts or member.id == top
        )
        syndicated |= accounts if by_one_author >= weights.confidence else set()
        is_settled = tops[top] >= weights.confidence
        posted = item.syndication(weights)
        syndication |= {id: chance for id, chance in posted.items() if is_settled or id in syndicated}
        settled |= {member.id for member in item.case.members} if tops[top] >= weights.confidence else set()
        for member, probability, why in zip(item.case.members, item.probabilities, item.reasons, strict=False):
            chances.setdefault(member.id, []).append(probability)
            reasons.setdefault(member.id, why)
    originals = tuple(id for id, chance in tops.items() if chance >= weights.confidence)
    attributed, parts = [], shares(relations)
    for member in members:
        probability, is_own = min(chances[member.id]), member.id in originals
        posted_by = None if is_own else syndication.get(member.id)
        role = "original" if is_own else _role(member, probability, member.id in syndicated, member.id in settled)
        origins = () if is_own else _origins(member.id, parts.get(member.id, {}), tops)
        attributed.append(Attributed(member.id, probability, role, reasons[member.id], origins, posted_by))
    attributed.sort(key=lambda item: -item.probability)
    elsewhere = max(item.probabilities[-1] for item in judged)
    return Attribution(tuple(attributed), originals, elsewhere, weights.confidence, judged[0].reasons[-1])


def _role(member: Witness, probability: float, is_known_account: bool, is_settled: bool) -> str:
    if is_known_account:
        return "syndication"
    if not is_settled and probability >= _HARDLY:
        return "undetermined"
    return "reprint" if member.authorised else "copy"


def _origins(id: str, shares_of: Mapping[str, float], tops: Mapping[str, float]) -> tuple[Origin, ...]:
    """Return the probable originals that contain a notable part of a member, or all of it without relations."""
    origins = [Origin(top, shares_of.get(top, 0.0 if shares_of else 1.0), chance) for top, chance in tops.items()]
    kept = [origin for origin in origins if origin.share >= _NOTABLE and origin.id != id]
    return tuple(sorted(kept, key=lambda origin: -origin.share))


__all__ = ["ROLES", "attribute", "softmax"]

"""Self-syndication: reposts by the author of the original on another platform, which are not copying.

Only a site or account that is known to be the author's makes a repost self-syndication. All other signs, the byline
above all, are claims that a thief can keep or make. They give a probability that a person can act on, by entering the
account, but no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from math import exp

from whorl.attribution.case import AttributionCase
from whorl.attribution.intervals import claimed, earliest
from whorl.attribution.member_facts import Witness, plain
from whorl.attribution.weights import Weights

_NEAR = timedelta(days=1)
_BETWEEN_NAMES = re.compile(r"[,，、;；|/]")


def chance_of_syndication(case: AttributionCase, place: int, original: int, weights: Weights) -> float:
    """Return the probability that the author of the original also posted a member.

    It is 0 unless the account of the member is known, or both name the same author outside of the text: honest copies
    also keep the name in the text.
    """
    signs = signs_of_syndication(case, place, original)
    score = sum(weights.syndication[name] * value for name, value in signs.items())
    return 1 / (1 + exp(-score)) if signs["author"] > 0 or signs["account"] > 0 else 0.0


def is_known_account(case: AttributionCase, place: int, original: int) -> bool:
    """Return True if a member is at a site or account known to belong to the author of the original."""
    first = case.members[original]
    return not (first.accounts | names_of(first.author)).isdisjoint(case.members[place].accounts)


def names_of(authors: str) -> frozenset[str]:
    """Return the normalized names in a field with one or more authors."""
    return frozenset(map(plain, _BETWEEN_NAMES.split(authors))) - {""}


def signs_of_syndication(case: AttributionCase, place: int, original: int) -> dict[str, float]:
    """Return the signs for and against self-syndication, by the names of their weights."""
    member, first = case.members[place], case.members[original]
    stated = case.named[place]
    names_another = stated is not None and place not in stated[1]
    linked = case.directory.at(member.canonical) if member.canonical else []
    return {
        "prior": 1.0,
        "account": float(is_known_account(case, place, original)),
        "author": _same(plain(member.author), plain(first.author)),
        "byline": float(bool(first.author) and plain(first.author) in _bylines(member)),
        "mark": float(member.is_original),
        "names": float(names_another),
        "permission": float(any(statement.permission for statement in member.statements) or member.authorised),
        "links": float(any(original in case.directory.at(link) for link in member.links)),
        "canonical": float(original in linked),
        "newsroom": float(_is_of_newsroom(case, original)),
        "near": _nearness(member, first),
        "tricks": float(_has_tricks(case, place)),
    }


def _same(first: str, second: str) -> float:
    return 0.0 if not first or not second else 1.0 if first == second else -1.0


def _bylines(member: Witness) -> Sequence[str]:
    return [plain(statement.name) for statement in member.statements if statement.kind in ("author", "reporter")]


def _nearness(first: Witness, second: Witness) -> float:
    """Return the nearness of two publications: 1 for equal times, 0 for days apart or unknown."""
    times = [(claim.start if (claim := claimed(member)) else earliest(member)) for member in (first, second)]
    if times[0] is None or times[1] is None:
        return 0.0
    return exp(-abs(times[0] - times[1]) / _NEAR)


def _is_of_newsroom(case: AttributionCase, place: int) -> bool:
    """Return True if the original belongs to a newsroom, which does not repost under a reporter's name."""
    stated = case.named[place]
    datelines = (statement for statement in case.members[place].statements if statement.kind == "dateline")
    return (stated is not None and place in stated[1]) or next(datelines, None) is not None


def _has_tricks(case: AttributionCase, place: int) -> bool:
    return any(relation.a_tricks > relation.b_tricks for relation in case.relations.get(place, ()))


__all__ = ["chance_of_syndication", "is_known_account", "names_of", "signs_of_syndication"]

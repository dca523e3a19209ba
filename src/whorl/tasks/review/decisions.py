"""Concurrent decisions about matches: all of them are kept, and conflicting ones are reported."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.library.reviews.reviews import Decision
from whorl.tasks.library.arguments import Place, demand_from, lent
from whorl.types.comparison import Plain
from whorl.types.library import Review

if TYPE_CHECKING:
    from whorl.library import Library


@frozen
class DecisionOutcome(Plain):
    """Result of a decision.

    Attributes:
        decision: the stored decision.
        counts: the state that now counts.
        meanwhile: valid decisions by others since the reviewer opened the match, oldest first.
    """

    decision: Decision
    counts: Review
    meanwhile: tuple[Decision, ...]


def decide(
    library: Library | Place,
    id: str,
    other: str,
    state: str,
    *,
    by: str,
    note: str = "",
    reviewers: int = 1,
    last_seen: int = 0,
) -> DecisionOutcome:
    """Store the decision of a reviewer about a match, and report conflicting decisions made meanwhile.

    >>> import whorl
    >>> from whorl.tasks.review.decisions import decide
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     added = library.add({"id": name, "text": text} for name in "ab")
    ...     first = decide(library, "b", "a", "confirmed", by="li")
    ...     [one.by for one in decide(library, "b", "a", "rejected", by="wang").meanwhile]
    ['li']

    Repeating the same decision without having seen a newer one does not store it again.

    Args:
        library: its address, or an open library.
        id: id of one document.
        other: id of the other document.
        state: "pending", "confirmed", "rejected" or "authorised".
        by: the reviewer.
        note: the reason.
        reviewers: number of reviewers who must agree for a decision to count.
        last_seen: number of the last decision about the match that the reviewer saw; 0 for none.

    Raises:
        NotFoundError: one of the documents does not exist.
        UsageError: the state is unknown, or several reviewers must agree and ``by`` is empty.
    """
    with lent(library) as opened:
        before = [
            decision for decision in opened.reviews.of(id, other) if decision.number > last_seen and decision.by == by
        ]
        is_kept = bool(before) and (before[-1].state, before[-1].undone_at) == (state, None)
        if not is_kept:
            opened.review(id, other, state, by=by, note=note, reviewers=reviewers)
        decisions = opened.reviews.of(id, other)
        equal = [decision for decision in decisions if (decision.by, decision.state) == (by, state)]
        latest = max(equal, key=attrgetter("number"))
        meanwhile = standing_of_others([decision for decision in decisions if decision.number > last_seen], by)
        return DecisionOutcome(latest, opened.reviews.now(id, other), meanwhile)


def standing_of_others(decisions: Sequence[Decision], by: str) -> tuple[Decision, ...]:
    """Return the decisions of other reviewers that were not undone."""
    return tuple(decision for decision in decisions if decision.by != by and decision.undone_at is None)


def last_decisions(library: Library | Place, top: int = 50) -> tuple[Decision, ...]:
    """Return the last decisions about any match, including undone ones, newest first.

    >>> import whorl
    >>> from whorl.tasks.review.decisions import last_decisions
    >>> with whorl.open("newsroom") as library:
    ...     last_decisions(library)
    ()

    Args:
        library: its address, or an open library.
        top: maximum number of decisions.

    Cost: linear in all decisions, some microseconds each.
    """
    demand_from("top", top, 1)
    with lent(library) as opened:
        return tuple(reversed(deque(opened.reviews, maxlen=top)))


def answers(decisions: Sequence[Decision], by: str, reviewers: int = 1) -> tuple[Decision, ...]:
    """Return later decisions by others about the same matches that a reviewer should be notified of.

    If one decision is enough, these are all later decisions; if several reviewers must agree, only conflicting ones.

    Args:
        decisions: result of `last_decisions`.
        by: the reviewer to notify.
        reviewers: number of reviewers who must agree.
    """
    of_reviewer: dict[frozenset[str], Decision] = {}
    valid = [decision for decision in decisions if decision.undone_at is None]
    for decision in valid:
        if decision.by == by:
            of_reviewer.setdefault(frozenset((decision.id, decision.other)), decision)
    replies = []
    for decision in valid:
        mine = of_reviewer.get(frozenset((decision.id, decision.other)))
        if mine and decision.number > mine.number and (reviewers == 1 or decision.state != mine.state):
            replies.append(decision)
    return tuple(replies)


__all__ = ["DecisionOutcome", "answers", "decide", "last_decisions", "standing_of_others"]

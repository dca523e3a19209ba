"""Several people who decide about matches at the same time: all that they say is kept, and each is told."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whorl.library.model import Review
from whorl.library.reviews import Decision
from whorl.model import Plain
from whorl.tasks.arguments import Place, demand_from, lent

if TYPE_CHECKING:
    from whorl.library import Library


@dataclass(frozen=True, slots=True)
class Outcome(Plain):
    """What became of a decision.

    Attributes:
        decision: as it is kept.
        counts: what counts now.
        meanwhile: what others have decided about the match since it was looked at, as it stands; oldest first.
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
    seen: int = 0,
) -> Outcome:
    """Keep what somebody decided about a match that they have looked at for a while.

    >>> import whorl
    >>> from whorl.tasks.deciding import decide
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     added = library.add({"id": name, "text": text} for name in "ab")
    ...     first = decide(library, "b", "a", "confirmed", by="li")
    ...     [one.by for one in decide(library, "b", "a", "rejected", by="wang").meanwhile]
    ['li']

    The same decision of the same person once more, since they looked at it, is that decision, and not another one.

    Args:
        library: its address, or an open library.
        id: of one document.
        other: of the other.
        state: "pending", "confirmed", "rejected" or "authorised".
        by: who decides.
        note: why.
        reviewers: how many people must agree for it to count.
        seen: the number of the last decision about the match that they saw; 0 where they saw none.

    Raises:
        NotFoundError: there is no such document.
        UsageError: there is no such state; or several must agree, and it is not said who decides.
    """
    with lent(library) as opened:
        before = [one for one in opened.reviews.of(id, other) if one.number > seen and one.by == by]
        is_kept = bool(before) and (before[-1].state, before[-1].undone_at) == (state, None)
        if not is_kept:
            opened.review(id, other, state, by=by, note=note, reviewers=reviewers)
        told = opened.reviews.of(id, other)
        own = max((one for one in told if (one.by, one.state) == (by, state)), key=lambda one: one.number)
        meanwhile = standing_of_others([one for one in told if one.number > seen], by)
        return Outcome(own, opened.reviews.now(id, other), meanwhile)


def standing_of_others(decisions: Sequence[Decision], by: str) -> tuple[Decision, ...]:
    """Return the decisions of anybody else that were not taken back."""
    return tuple(one for one in decisions if one.by != by and one.undone_at is None)


def last_decisions(library: Library | Place, top: int = 50) -> tuple[Decision, ...]:
    """Return what was decided last about any match, what was taken back among it, newest first.

    >>> import whorl
    >>> from whorl.tasks.deciding import last_decisions
    >>> with whorl.open("newsroom") as library:
    ...     last_decisions(library)
    ()

    Args:
        library: its address, or an open library.
        top: how many.

    Cost: linear in all decisions, some microseconds each.
    """
    demand_from("top", top, 1)
    with lent(library) as opened:
        return tuple(reversed(deque(opened.reviews, maxlen=top)))


def answers(decisions: Sequence[Decision], by: str, reviewers: int = 1) -> tuple[Decision, ...]:
    """Return what others decided after somebody, about the same matches, and that they should hear of.

    Where one decision is enough, that is every one; where several people must agree, only those that do not.

    Args:
        decisions: as `last_decisions` returns them.
        by: who is told.
        reviewers: how many people must agree.
    """
    own: dict[frozenset[str], Decision] = {}
    standing = [one for one in decisions if one.undone_at is None]
    for one in standing:
        if one.by == by:
            own.setdefault(frozenset((one.id, one.other)), one)
    told = []
    for one in standing:
        mine = own.get(frozenset((one.id, one.other)))
        if mine and one.number > mine.number and (reviewers == 1 or one.state != mine.state):
            told.append(one)
    return tuple(told)


__all__ = ["Outcome", "answers", "decide", "last_decisions", "standing_of_others"]

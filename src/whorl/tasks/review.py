"""Matches that wait for people: which first, how likely each is right, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from whorl.errors import UsageError
from whorl.evaluation.intervals import Share
from whorl.indexes.columns import demand_positive
from whorl.language import say
from whorl.library.model import Review
from whorl.library.reviews import STATES, Decision
from whorl.matching.witness import PROTECTED
from whorl.model import Plain
from whorl.tasks.arguments import Place, Texts, lent, strings
from whorl.tasks.sides import Sides

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.model import Document

_UNPROTECTED, _WITH_LEAVE = 0.25, 0.1
"""How much less a match weighs that is of no protected article, or whose site may reprint."""
_EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_RIGHT, _DECIDED = ("confirmed", "authorised"), ("confirmed", "authorised", "rejected")
_NEVER = datetime.max.replace(tzinfo=UTC)

QueuePlace = tuple[float, str, str]
"""Where a match stands in the queue, whatever comes and goes before it."""


@dataclass(frozen=True, slots=True)
class ReviewVote(Plain):
    """What one person says of a match, last.

    Attributes:
        by: who; empty where it was not said.
        state: "pending", "confirmed", "rejected" or "authorised".
        at: when.
        note: why.
    """

    by: str
    state: str
    at: datetime
    note: str


@dataclass(frozen=True, slots=True)
class WaitingMatch(Plain):
    """A match in the queue.

    Attributes:
        id: of the copy.
        other: of the original: the one that is protected, or else the earlier one.
        title: of the copy.
        other_title: of the original.
        url: where the copy was seen.
        other_url: where the original stands.
        author: of the copy.
        collection: of the original.
        share: of the original that the copy has, in [0, 1].
        share_of_copy: of the copy that is from the original, in [0, 1].
        length: code points of the original that the copy has, about.
        kind: what the copy is to the original, as of a match.
        joins: whether both are of one cluster by themselves or by what was decided.
        has_leave: whether the site may reprint it.
        severity: the larger share × length, a quarter of it where the original is not protected, a tenth with leave.
        probability: that it is right, by what was decided about others like it; None where nothing was.
        decided_of: how many decisions that probability is drawn from.
        review: what counts now.
        votes: what people say.
        first_seen_at: when the copy was first seen.
    """

    id: str
    other: str
    title: str
    other_title: str
    url: str
    other_url: str
    author: str
    collection: str
    share: float
    share_of_copy: float
    length: int
    kind: str
    joins: bool
    has_leave: bool
    severity: float
    probability: float | None
    decided_of: int
    review: Review
    votes: tuple[ReviewVote, ...]
    first_seen_at: datetime

    @property
    def place(self) -> tuple[float, str, str]:
        """Where it stands in the queue, as a `QueuePlace`: less is earlier."""
        return -self.severity, self.id, self.other


@dataclass(frozen=True, slots=True)
class ReviewBand(Plain):
    """How often people found matches right whose larger share lies in a band.

    Attributes:
        low: from which share on.
        high: up to which, exclusive but for 1.
        right: how many were confirmed or authorised.
        wrong: how many were rejected.
        probability: that the next one is right: (right + 1/2) / (right + wrong + 1); None of none.
        interval: where the true proportion lies, with 95 % confidence.
    """

    low: float
    high: float
    right: int
    wrong: int
    probability: float | None
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ReviewQueue(Plain):
    """What waits for people.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    ...     added = library.add({"id": name, "text": text} for name in "ab")
    ...     queue = whorl.review_queue(library)
    >>> [(match.id, match.other, match.share) for match in queue.matches]
    [('b', 'a', 1.0)]

    Attributes:
        matches: the most severe first.
        waiting: how many there are, shown or not.
        decided: of all matches, those that were decided, by state.
        bands: how often people found matches right, by the larger share.
        unlisted: further matches of articles that have too many.
        reviewers: how many people must agree.
    """

    matches: tuple[WaitingMatch, ...]
    waiting: int
    decided: Mapping[str, int]
    bands: tuple[ReviewBand, ...]
    unlisted: int
    reviewers: int

    def open_to(self, by: str, after: QueuePlace | None = None) -> tuple[WaitingMatch, ...]:
        """Return the matches that somebody has still to look at: not those of which they have said what they think.

        Args:
            by: who decides.
            after: only those behind this place of the queue; None for all.
        """
        return tuple(
            one
            for one in self.matches
            if (after is None or one.place > after)
            and not (self.reviewers > 1 and one.review.state == "pending" and any(vote.by == by for vote in one.votes))
        )


def review_queue(
    library: Library | Place,
    *,
    among: str | None = None,
    states: Texts = "pending",
    top: int | None = None,
    reviewers: int = 1,
) -> ReviewQueue:
    """Return the matches that wait for a decision, the most severe first, and how likely each is right.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     whorl.review_queue(library).waiting
    0

    Args:
        library: its address, or an open library.
        among: a collection, of which one of the two articles is; None takes those of the collection "protected", and
            all where there are none.
        states: which matches: "pending", "confirmed", "rejected" or "authorised"; several.
        top: how many; None for all.
        reviewers: how many people must agree for a decision to count.

    Raises:
        UsageError: there is no such state, or a number is below 1.

    Cost: linear in articles and matches: some microseconds each; nothing is compared.
    """
    wanted = _states(states)
    demand_positive("reviewers", reviewers)
    if top is not None:
        demand_positive("top", top)
    with lent(library) as opened:
        chosen = PROTECTED[0] if among is None and opened.collections().get(PROTECTED[0]) else among
        matched, unlisted = opened.reviews.matched(chosen)
        votes = _votes(opened.reviews)
        grants = _Grants(opened)
        sides = list(map(Sides.of, matched))
        bands = _bands(sides)
        found = [_waiting(one, votes, grants, bands) for one in sides if one.state in wanted]
    found.sort(key=lambda one: one.place)
    decided = {state: sum(one.state == state for one in sides) for state in _DECIDED}
    return ReviewQueue(tuple(found[:top]), len(found), decided, bands, unlisted, reviewers)


def review(
    library: Library | Place,
    id: str,
    other: str,
    state: str,
    *,
    by: str = "",
    note: str = "",
    reviewers: int = 1,
) -> Review:
    """Keep what somebody decided about a match, as ``Library.review``; return what counts now."""
    with lent(library) as opened:
        return opened.review(id, other, state, by=by, note=note, reviewers=reviewers)


def undo_review(library: Library | Place, id: str, other: str, *, by: str = "", reviewers: int = 1) -> Review:
    """Take back the last decision about a match; return what counts now.

    Raises:
        NotFoundError: there is no such document.
        UsageError: nothing is decided.
    """
    with lent(library) as opened:
        return opened.reviews.undo(id, other, by=by, reviewers=reviewers)


def recount_reviews(library: Library | Place, *, reviewers: int = 1) -> int:
    """Let count what all decisions come to if so many people must agree; return of how many matches it is another.

    Raises:
        UsageError: the number is below 1.
    """
    with lent(library) as opened:
        return opened.reviews.recount(reviewers)


def decisions(library: Library | Place, id: str, other: str) -> tuple[Decision, ...]:
    """Return all that was decided about a match, what was taken back among it, oldest first.

    Raises:
        NotFoundError: there is no such document.
    """
    with lent(library) as opened:
        return tuple(opened.reviews.of(id, other))


@dataclass(frozen=True, slots=True)
class ReviewHistory(Plain):
    """What was decided about a match.

    Attributes:
        review: what counts now.
        votes: what people say now, each with the last decision of theirs that stands.
        decisions: all, what was taken back among it, oldest first.
    """

    review: Review
    votes: tuple[ReviewVote, ...]
    decisions: tuple[Decision, ...]


def review_history(library: Library | Place, id: str, other: str) -> ReviewHistory:
    """Return what was decided about a match, by whom, and what counts now.

    Raises:
        NotFoundError: there is no such document.
    """
    with lent(library) as opened:
        told = opened.reviews.of(id, other)
        votes = _votes(told).get(frozenset((id, other)), ())
        return ReviewHistory(opened.reviews.now(id, other), votes, tuple(told))


class _Grants:
    """Who may reprint."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._are_any = bool(len(library.leaves)) or any(site.authorised for site in library.sites)

    def cover(self, copy: Document) -> bool:
        if not (self._are_any and copy.url):
            return False
        site = self._library.sites.of(copy.url)
        at = copy.published_at or copy.first_seen_at
        leave = self._library.leaves.covering(copy.url, author=copy.author or "", at=at)
        return leave is not None or (site is not None and site.authorised)


def _states(states: Texts) -> tuple[str, ...]:
    wanted = strings(states) or ()
    for state in wanted:
        if state not in STATES:
            raise UsageError(
                say("a review is not {state!r}", state=state),
                cure=say("choose one of: {known}", known=", ".join(STATES)),
            )
    return wanted


def _waiting(
    one: Sides, votes: Mapping[frozenset[str], tuple[ReviewVote, ...]], grants: _Grants, bands: Sequence[ReviewBand]
) -> WaitingMatch:
    copy, original = one.copy, one.original
    band, length, has_leave = bands[_place(one.larger)], round(one.share * one.characters), grants.cover(copy)
    weight = (1.0 if original.collection in PROTECTED else _UNPROTECTED) * (_WITH_LEAVE if has_leave else 1.0)
    return WaitingMatch(
        id=copy.id,
        other=original.id,
        title=copy.title or "",
        other_title=original.title or "",
        url=copy.url or "",
        other_url=original.url or "",
        author=copy.author or "",
        collection=original.collection,
        share=one.share,
        share_of_copy=one.share_of_copy,
        length=length,
        kind=one.kind,
        joins=one.match.joins,
        has_leave=has_leave,
        severity=round(one.larger * length * weight, 3),
        probability=band.probability,
        decided_of=band.right + band.wrong,
        review=one.match.review,
        votes=votes.get(frozenset((copy.id, original.id)), ()),
        first_seen_at=copy.first_seen_at or _NEVER,
    )


def _votes(reviews: Iterable[Decision]) -> dict[frozenset[str], tuple[ReviewVote, ...]]:
    """The last decision of each person about each match."""
    last: dict[frozenset[str], dict[str, ReviewVote]] = {}
    for one in reviews:
        if one.undone_at is None:
            last.setdefault(frozenset((one.id, one.other)), {})[one.by] = ReviewVote(
                one.by, one.state, one.at, one.note
            )
    return {pair: tuple(own.values()) for pair, own in last.items()}


def _bands(sides: Iterable[Sides]) -> tuple[ReviewBand, ...]:
    counts = [[0, 0] for _ in _EDGES[1:]]
    for one in sides:
        if one.state in _DECIDED:
            counts[_place(one.larger)][one.state not in _RIGHT] += 1
    return tuple(
        ReviewBand(low, high, right, wrong, _probability(right, wrong), Share(right, right + wrong).interval)
        for (right, wrong), low, high in zip(counts, _EDGES, _EDGES[1:], strict=False)
    )


def _probability(right: int, wrong: int) -> float | None:
    return (right + 0.5) / (right + wrong + 1) if right + wrong else None


def _place(share: float) -> int:
    return min(int(share * (len(_EDGES) - 1) + 1e-9), len(_EDGES) - 2)


__all__ = [
    "Decision",
    "QueuePlace",
    "ReviewBand",
    "ReviewHistory",
    "ReviewQueue",
    "ReviewVote",
    "WaitingMatch",
    "decisions",
    "recount_reviews",
    "review",
    "review_history",
    "review_queue",
    "undo_review",
]

"""Review of matches: the queue, the probability that a match is right, and the decisions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import compress
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.evaluation.intervals import Share
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.reviews.reviews import STATES, Decision
from whorl.tasks.library.arguments import Place, Texts, lent, strings
from whorl.tasks.review.ranking import Ranked, Ranking, rank
from whorl.types.comparison import Plain
from whorl.types.library import Review, moment
from whorl.types.review import QueuePlace, ReviewBand, ReviewQueue, ReviewVote, WaitingMatch

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.reviews.queue import ReviewMatch

_EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_RIGHT, _DECIDED = ("confirmed", "authorised"), ("confirmed", "authorised", "rejected")
_PENDING = "pending"
_NEVER = datetime.max.replace(tzinfo=UTC)


def review_queue(
    library: Library | Place,
    *,
    collection: str | None = None,
    states: Texts = "pending",
    top: int | None = None,
    reviewers: int = 1,
) -> ReviewQueue:
    """Return the undecided matches, the most severe first, each with the probability that it is right.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     whorl.library.review_queue(library).waiting
    0

    Args:
        library: its address, or an open library.
        collection: only matches with an article of this collection; None uses the collection "protected" if it has
            articles, else all.
        states: one or more states of the matches: "pending", "confirmed", "rejected" or "authorised".
        top: maximum number of matches; None for all.
        reviewers: number of reviewers who must agree for a decision to count.

    Raises:
        UsageError: a state is unknown, or a number is below 1.

    Cost: linear in matches: some microseconds each, more for returned ones; no texts are compared.
    """
    _states_of(states)
    demand_positive("reviewers", reviewers)
    if top is not None:
        demand_positive("top", top)
    with lent(library) as opened:
        queue = RankedQueue(opened, rank(opened, collection), states, reviewers)
        return queue.listed(queue.matches[:top])


class RankedQueue:
    """A ranking combined with the current decisions; only displayed matches are looked up.

    The ranking may be older than the decisions: matches decided meanwhile are not waiting any more.

    Args:
        library: an open library.
        ranking: ranking of all its matches.
        states: states of the included matches, as for ``review_queue``.
        reviewers: number of reviewers who must agree.

    Attributes:
        matches: matches in these states, the most severe first.

    Raises:
        UsageError: a state is unknown, or the number is below 1.

    Cost: some tenths of a microsecond per match, and a microsecond per decision.
    """

    def __init__(self, library: Library, ranking: Ranking, states: Texts = _PENDING, reviewers: int = 1) -> None:
        chosen = _states_of(states)
        demand_positive("reviewers", reviewers)
        self._library, self._ranking, self._reviewers = library, ranking, reviewers
        counts = library.reviews.states()
        self._states = [counts.get(match.pair, _PENDING) for match in ranking.matches]
        self.matches = list(compress(ranking.matches, (state in chosen for state in self._states)))
        self._is_pending = _PENDING in chosen
        self._voters = library.reviews.voters() if reviewers > 1 and self._is_pending else {}
        self._counts = counts

    def behind(self, after: QueuePlace | None) -> list[Ranked]:
        """Return the matches after a position of the queue, or all for None."""
        if after is None:
            return self.matches
        return self.matches[bisect_right(self.matches, after, key=lambda match: match.place) :]

    def open_to(self, by: str, after: QueuePlace | None = None) -> list[Ranked]:
        """Return the matches that a reviewer has not decided yet, like ``ReviewQueue.open_to``."""
        rest = self.behind(after)
        return [match for match in rest if not self._has_voted(by, match)] if self._voters else rest

    def contested(self) -> list[Ranked]:
        """Return the pending matches with enough decisions that do not agree."""
        if not self._voters:
            return []
        return [
            match
            for match in self.matches
            if self._is_open(match) and len(self._voters.get(match.pair, ())) >= self._reviewers
        ]

    def find(self, id: str, other: str) -> Ranked | None:
        """Return the match of two documents in either order; None if it is not in the queue."""
        pairs = (id, other), (other, id)
        return next((match for match in self.matches if match.place[1:] in pairs), None)

    def listed(self, matches: Sequence[Ranked]) -> ReviewQueue:
        """Return the queue with these of its matches, except those with removed documents."""
        bands = self._bands()
        kept = self._library.reviews.review_matches([match.sides.match for match in matches])
        waiting = tuple(
            _waiting(match, now, bands) for match, now in zip(matches, kept, strict=True) if now is not None
        )
        decided = {state: self._states.count(state) for state in _DECIDED}
        return ReviewQueue(waiting, len(self.matches), decided, bands, self._ranking.unlisted, self._reviewers)

    def _is_open(self, match: Ranked) -> bool:
        return self._counts.get(match.pair, _PENDING) == _PENDING

    def _has_voted(self, by: str, match: Ranked) -> bool:
        return self._is_open(match) and by in self._voters.get(match.pair, ())

    def _bands(self) -> tuple[ReviewBand, ...]:
        counts = [[0, 0] for _ in _EDGES[1:]]
        for match, state in zip(self._ranking.matches, self._states, strict=True):
            if state in _DECIDED:
                counts[_place(match.sides.larger)][state not in _RIGHT] += 1
        return tuple(
            ReviewBand(low, high, right, wrong, _probability(right, wrong), Share(right, right + wrong).interval)
            for (right, wrong), low, high in zip(counts, _EDGES, _EDGES[1:], strict=False)
        )


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
    """Store a decision about a match like ``Library.review``, and return the state that counts now."""
    with lent(library) as opened:
        return opened.review(id, other, state, by=by, note=note, reviewers=reviewers)


def undo_review(library: Library | Place, id: str, other: str, *, by: str = "", reviewers: int = 1) -> Review:
    """Undo the last decision about a match, and return the state that counts now.

    Raises:
        NotFoundError: one of the documents does not exist.
        UsageError: there is no decision.
    """
    with lent(library) as opened:
        return opened.reviews.undo(id, other, by=by, reviewers=reviewers)


def recount_reviews(library: Library | Place, *, reviewers: int = 1) -> int:
    """Recompute the state of all matches for a number of reviewers who must agree; return the number of changes.

    Raises:
        UsageError: the number is below 1.
    """
    with lent(library) as opened:
        return opened.reviews.recount(reviewers)


def decisions(library: Library | Place, id: str, other: str) -> tuple[Decision, ...]:
    """Return all decisions about a match, including undone ones, oldest first.

    Raises:
        NotFoundError: one of the documents does not exist.
    """
    with lent(library) as opened:
        return tuple(opened.reviews.of(id, other))


@frozen
class ReviewHistory(Plain):
    """Decisions about a match.

    Attributes:
        review: the state that counts now.
        votes: the last valid decision of each person.
        decisions: all decisions, including undone ones, oldest first.
    """

    review: Review
    votes: tuple[ReviewVote, ...]
    decisions: tuple[Decision, ...]


def review_history(library: Library | Place, id: str, other: str) -> ReviewHistory:
    """Return the decisions about a match, the votes, and the state that counts now.

    Raises:
        NotFoundError: one of the documents does not exist.
    """
    with lent(library) as opened:
        decisions = opened.reviews.of(id, other)
        votes = _last(
            ReviewVote(decision.by, decision.state, decision.at, decision.note)
            for decision in decisions
            if decision.undone_at is None
        )
        return ReviewHistory(opened.reviews.now(id, other), votes, tuple(decisions))


def _states_of(states: Texts) -> tuple[str, ...]:
    chosen = strings(states) or ()
    for state in chosen:
        if state not in STATES:
            raise UsageError(
                say("a decision cannot be {state!r}", state=state),
                hint=say("choose one of: {known}", known=", ".join(STATES)),
            )
    return chosen


def _waiting(match: Ranked, now: ReviewMatch, bands: Sequence[ReviewBand]) -> WaitingMatch:
    sides, severity = match.sides, -match.place[0]
    is_copy = sides.copy is sides.match.document
    copy, original = (now.document, now.other) if is_copy else (now.other, now.document)
    band = bands[_place(sides.larger)]
    return WaitingMatch(
        id=copy.id,
        other=original.id,
        title=copy.title or "",
        other_title=original.title or "",
        url=copy.url or "",
        other_url=original.url or "",
        author=copy.author or "",
        collection=original.collection,
        share=sides.share,
        share_of_copy=sides.share_of_copy,
        length=match.length,
        kind=sides.kind,
        joins=now.joins,
        has_permission=match.has_permission,
        is_by_author=match.is_by_author,
        severity=severity,
        probability=band.probability,
        decided_of=band.right + band.wrong,
        review=now.review,
        votes=_last(
            ReviewVote(decision.by, decision.state, moment(decision.at), decision.note) for decision in now.decisions
        ),
        first_seen_at=copy.first_seen_at or _NEVER,
    )


def _last(votes: Iterable[ReviewVote]) -> tuple[ReviewVote, ...]:
    """Return the last vote of each person about a match, oldest first."""
    return tuple({vote.by: vote for vote in votes}.values())


def _probability(right: int, wrong: int) -> float | None:
    return (right + 0.5) / (right + wrong + 1) if right + wrong else None


def _place(share: float) -> int:
    return min(int(share * (len(_EDGES) - 1) + 1e-9), len(_EDGES) - 2)


__all__ = [
    "Decision",
    "QueuePlace",
    "RankedQueue",
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

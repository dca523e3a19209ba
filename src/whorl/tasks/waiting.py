"""What a queue of matches tells of each, and of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from whorl.library.model import Review
from whorl.model import Plain

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


__all__ = ["QueuePlace", "ReviewBand", "ReviewQueue", "ReviewVote", "WaitingMatch"]

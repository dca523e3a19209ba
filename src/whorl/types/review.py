"""Data of the review queue."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain
from whorl.types.library import Review

QueuePlace = tuple[float, str, str]
"""Sort key of a match in the queue, independent of earlier matches that come or go."""


@frozen
class ReviewVote(Plain):
    """The last vote of a person about a match.

    Attributes:
        by: the person; empty if unknown.
        state: "pending", "confirmed", "rejected" or "authorised".
        at: time of the vote.
        note: the reason.
    """

    by: str
    state: str
    at: datetime
    note: str


@frozen
class WaitingMatch(Plain):
    """A match in the queue.

    Attributes:
        id: id of the copy.
        other: id of the original: the protected document, or else the earlier one.
        title: title of the copy.
        other_title: title of the original.
        url: address of the copy.
        other_url: address of the original.
        author: author of the copy.
        collection: collection of the original.
        share: share of the original found in the copy, in [0, 1].
        share_of_copy: share of the copy found in the original, in [0, 1].
        length: approximate number of copied code points.
        kind: relation of the copy to the original, as in a match.
        joins: True if the match or a decision puts both in one cluster.
        has_permission: True if the site may reprint it.
        severity: the larger share × length, multiplied by 1/4 if the original is not protected, by 1/10 with
            permission or at a known account of the author.
        probability: probability that it is right, from decisions about similar matches; None without decisions.
        decided_of: number of decisions behind that probability.
        review: the state that counts now.
        votes: the votes of all persons.
        first_seen_at: when the copy was first seen.
        is_by_author: True if the copy is at a site or account known to belong to the author of the original.
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
    has_permission: bool
    severity: float
    probability: float | None
    decided_of: int
    review: Review
    votes: tuple[ReviewVote, ...]
    first_seen_at: datetime
    is_by_author: bool = False

    @property
    def place(self) -> tuple[float, str, str]:
        """Position in the queue, as a `QueuePlace`: lower is earlier."""
        return -self.severity, self.id, self.other


@frozen
class ReviewBand(Plain):
    """Share of right matches among reviewed ones whose larger share is in a band.

    Attributes:
        low: lower bound of the share.
        high: upper bound, exclusive except for 1.
        right: number of confirmed or authorised matches.
        wrong: number of rejected matches.
        probability: probability that the next one is right: (right + 1/2) / (right + wrong + 1); None without
            decisions.
        interval: 95% confidence interval of the proportion.
    """

    low: float
    high: float
    right: int
    wrong: int
    probability: float | None
    interval: tuple[float, float]


@frozen
class ReviewQueue(Plain):
    """The matches to review.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    ...     added = library.add({"id": name, "text": text} for name in "ab")
    ...     queue = whorl.library.review_queue(library)
    >>> [(match.id, match.other, match.share) for match in queue.matches]
    [('b', 'a', 1.0)]

    Attributes:
        matches: the most severe first.
        waiting: number of waiting matches, included or not.
        decided: number of decided matches by state.
        bands: share of right matches by the larger share.
        unlisted: number of further matches of articles with too many matches.
        reviewers: number of reviewers who must agree.
    """

    matches: tuple[WaitingMatch, ...]
    waiting: int
    decided: Mapping[str, int]
    bands: tuple[ReviewBand, ...]
    unlisted: int
    reviewers: int

    def open_to(self, by: str, after: QueuePlace | None = None) -> tuple[WaitingMatch, ...]:
        """Return the matches that a reviewer has not voted on yet.

        Args:
            by: the reviewer.
            after: only matches after this position in the queue; None for all.
        """
        return tuple(
            match
            for match in self.matches
            if (after is None or match.place > after)
            and not (
                self.reviewers > 1 and match.review.state == "pending" and any(vote.by == by for vote in match.votes)
            )
        )


__all__ = ["QueuePlace", "ReviewBand", "ReviewQueue", "ReviewVote", "WaitingMatch"]

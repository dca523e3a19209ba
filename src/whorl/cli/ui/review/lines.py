"""Matches and decisions of a review as text, and the keys that decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from whorl.i18n import say, translated

if TYPE_CHECKING:
    from whorl.tasks.review.run import WaitingMatch

KEYS: dict[str, Literal["confirmed", "rejected", "authorised"]] = {"c": "confirmed", "d": "rejected", "a": "authorised"}


def named(state: str) -> str:
    """Return the display name of a decision."""
    from whorl.reports.comparison.wording import REVIEWS

    return str(translated(REVIEWS.get(state, state)))


def match_line(match: WaitingMatch) -> str:
    """Return a match as one line: severity, copied share, and probability."""
    from whorl.reports.comparison.wording import RELATIONS
    from whorl.types.comparison import percent

    likely = (
        say("nothing like it was decided")
        if match.probability is None
        else say("right with {share}, of {count:,} decided", share=percent(match.probability), count=match.decided_of)
    )
    line = say(
        "{share} of the original, {count:,} characters; {kind}; {likely}",
        share=percent(match.share),
        count=match.length,
        kind=RELATIONS.get(match.kind, match.kind),
        likely=likely,
    )
    return str(translated(line))


__all__ = ["KEYS", "match_line", "named"]

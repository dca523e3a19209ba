"""Choose the original of a match by simple rules, without attribution."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from whorl.attribution.member_facts import PROTECTED

if TYPE_CHECKING:
    from whorl.library.reviews.queue import StoredMatch
    from whorl.stores.records import DocumentBrief
    from whorl.types.library import Document

_NEVER = datetime.max.replace(tzinfo=UTC)


class Sides(NamedTuple):
    """A match with its copy and its original.

    Attributes:
        match: the match.
        copy: the copy.
        original: the other document.
        share: share of the original found in the copy.
        share_of_copy: share of the copy found in the original.
        kind: relation of the copy to the original.
    """

    match: StoredMatch
    copy: DocumentBrief
    original: DocumentBrief
    share: float
    share_of_copy: float
    kind: str

    @classmethod
    def of(cls, match: StoredMatch) -> Self:
        """Determine the copy and the original of a match."""
        if precedence(match.document) <= precedence(match.other):
            return cls(match, match.other, match.document, match.this_in_other, match.other_in_this, match.kind)
        return cls(match, match.document, match.other, match.other_in_this, match.this_in_other, match.kind)

    @property
    def larger(self) -> float:
        """The larger of the two shares."""
        return max(self.share, self.share_of_copy)


def precedence(document: Document | DocumentBrief) -> tuple[bool, Any, str]:
    """Return a sort key that is lower for the original: a protected document first, then the earlier one."""
    first_seen: Any = _NEVER if document.first_seen_at is None else document.first_seen_at
    published: Any = document.published_at
    when = first_seen if published is None else min(published, first_seen)
    return document.collection not in PROTECTED, when, document.id


__all__ = ["Sides", "precedence"]

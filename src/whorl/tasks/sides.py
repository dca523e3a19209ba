"""Which of two articles is taken for the original, where nobody judges who was first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from whorl.matching.witness import PROTECTED

if TYPE_CHECKING:
    from whorl.library.model import Document
    from whorl.library.queueing import StoredMatch
    from whorl.stores.records import DocumentBrief

_NEVER = datetime.max.replace(tzinfo=UTC)


class Sides(NamedTuple):
    """A match, with who has copied from whom.

    Attributes:
        match: the match.
        copy: the copy.
        original: the other one.
        share: of the original that the copy has.
        share_of_copy: of the copy that the original has.
        kind: what the copy is to the original.
    """

    match: StoredMatch
    copy: DocumentBrief
    original: DocumentBrief
    share: float
    share_of_copy: float
    kind: str

    @classmethod
    def of(cls, one: StoredMatch) -> Self:
        """Tell the copy from the original of a match."""
        if precedence(one.own) <= precedence(one.other):
            return cls(one, one.other, one.own, one.this_in_other, one.other_in_this, one.kind)
        return cls(one, one.own, one.other, one.other_in_this, one.this_in_other, one.kind)

    @property
    def larger(self) -> float:
        """The larger of the two shares."""
        return max(self.share, self.share_of_copy)


def precedence(document: Document | DocumentBrief) -> tuple[bool, Any, str]:
    """Return what is less of the original of two documents: what is protected comes first, then the earlier one."""
    seen: Any = _NEVER if document.first_seen_at is None else document.first_seen_at
    published: Any = document.published_at
    when = seen if published is None else min(published, seen)
    return document.collection not in PROTECTED, when, document.id


__all__ = ["Sides", "precedence"]

"""Which of two articles is taken for the original, where nobody judges who was first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Self

from whorl.matching.witness import PROTECTED

if TYPE_CHECKING:
    from whorl.library.model import Document
    from whorl.library.queueing import KeptMatch

_NEVER = datetime.max.replace(tzinfo=UTC)
_FLIPPED = {"contains": "contained", "contained": "contains"}


class Sides(NamedTuple):
    """A match, with who has copied from whom.

    Attributes:
        match: the match.
        copy: the copy.
        original: the other one.
        characters: of the original.
        share: of the original that the copy has.
        share_of_copy: of the copy that the original has.
        kind: what the copy is to the original.
    """

    match: KeptMatch
    copy: Document
    original: Document
    characters: int
    share: float
    share_of_copy: float
    kind: str

    @classmethod
    def of(cls, one: KeptMatch) -> Self:
        """Tell the copy from the original of a match."""
        if precedence(one.own) <= precedence(one.other):
            kind = _FLIPPED.get(one.kind, one.kind)
            return cls(one, one.other, one.own, one.characters, one.this_in_other, one.other_in_this, kind)
        return cls(one, one.own, one.other, one.other_characters, one.other_in_this, one.this_in_other, one.kind)

    @property
    def larger(self) -> float:
        """The larger of the two shares."""
        return max(self.share, self.share_of_copy)

    @property
    def state(self) -> str:
        """What counts."""
        return self.match.review.state


def precedence(document: Document) -> tuple[bool, datetime, str]:
    """Return what is less of the original of two documents: what is protected comes first, then the earlier one."""
    seen = document.first_seen_at or _NEVER
    when = seen if document.published_at is None else min(document.published_at, seen)
    return document.collection not in PROTECTED, when, document.id


__all__ = ["Sides", "precedence"]

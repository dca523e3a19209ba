"""Dates that a page replaces by earlier ones.

A copier who was found may state a date before that of the original, so that nobody can say who was first. The page was
seen with the later date, and that counts. The text must be the same: an address may get another article.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from whorl.matching.compare import compare

if TYPE_CHECKING:
    from whorl.types.library import Document

STATED_UNTIL = "stated_until"
"""Metadata: end of the latest time of publication that a page stated before it stated an earlier one."""

_SAME_TEXT = 0.5


def with_latest_date(document: Document, before: Document | None) -> Document:
    """Return a page that was fetched again with the latest date that it has stated for its text.

    Args:
        document: the page.
        before: the page as it was stored; None if it is new.
    """
    if before is None or document.publication is None:
        return document
    stated = _latest(before)
    if stated is None or stated <= document.publication.bounds.end or not _has_text_of(document, before):
        return document
    return replace(document, metadata={**document.metadata, STATED_UNTIL: stated.isoformat()})


def has_stated_later(page: Document, time: datetime) -> bool:
    """Return True if a page stated a date that ends after a time, before it stated an earlier one."""
    stated = page.metadata.get(STATED_UNTIL)
    return isinstance(stated, str) and datetime.fromisoformat(stated) > time


def _latest(page: Document) -> datetime | None:
    stated = page.metadata.get(STATED_UNTIL)
    if isinstance(stated, str):
        return datetime.fromisoformat(stated)
    return None if page.publication is None else page.publication.bounds.end


def _has_text_of(document: Document, before: Document) -> bool:
    if document.text == before.text:
        return True
    return min(compare(before.text, document.text).copied) >= _SAME_TEXT


__all__ = ["STATED_UNTIL", "has_stated_later", "with_latest_date"]

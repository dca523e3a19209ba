"""Pages of lists by offset, for lists without a better cursor."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from whorl.errors import UsageError
from whorl.i18n import say
from whorl.service.http.paging import Page, cursor_of, position_of

_Row = TypeVar("_Row")
_LARGEST = 10**9


def counted_page(rows: Iterable[_Row], cursor: str | None, limit: int) -> Page[_Row]:
    """Return a page of ordered rows.

    Args:
        rows: all rows. They are read only up to the end of the page.
        cursor: number of rows before the page.
        limit: maximum number of rows of the page.

    Raises:
        UsageError: the cursor is invalid.
    """
    begin = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    some = list(islice(rows, begin, begin + limit + 1))
    return Page(items=some[:limit], next=cursor_of(begin + limit if len(some) > limit else None))


def wrong_cursor(cursor: str | None) -> UsageError:
    """Return the error for a cursor of another list."""
    return UsageError(
        say("{cursor!r:.60} is not a valid cursor", cursor=cursor),
        hint=say("use `next` of the previous page, or omit it"),
    )


__all__ = ["counted_page", "wrong_cursor"]

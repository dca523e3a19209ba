"""Pages of lists: those that have no other place than how many come before, and cursors of none."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from whorl.errors import UsageError
from whorl.language import say
from whorl.service.paging import Page, cursor_of, position_of

_Row = TypeVar("_Row")
_LARGEST = 10**9


def counted_page(rows: Iterable[_Row], cursor: str | None, limit: int) -> Page[_Row]:
    """Return a page of rows that lie in an order.

    Args:
        rows: all of them; no more are read than come before the end of the page.
        cursor: how many come before it.
        limit: how many it has at most.

    Raises:
        UsageError: the cursor is none.
    """
    begin = max(0, min(position_of(cursor, int) or 0, _LARGEST))
    some = list(islice(rows, begin, begin + limit + 1))
    return Page(items=some[:limit], next=cursor_of(begin + limit if len(some) > limit else None))


def wrong_cursor(cursor: str | None) -> UsageError:
    """Return what is raised for a cursor that is none of a list."""
    return UsageError(
        say("{cursor!r:.60} is no cursor", cursor=cursor), cure=say("give `next` of the page before, or none")
    )


__all__ = ["counted_page", "wrong_cursor"]

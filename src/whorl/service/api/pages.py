"""Pages of lists that have no other place than how many come before."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

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


__all__ = ["counted_page"]

"""When a page says it was published."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any

from whorl.corpus.pages.dates import Moment, first_moment
from whorl.corpus.pages.stated import meta

_NAMES = ("article:published_time", "og:release_date", "publishdate", "pubdate", "datepublished")


def published(tree: Any, now: datetime | None, zone: tzinfo) -> Moment | None:
    """The time that the head of a page states, else the day as htmldate finds it; None for none that can be."""
    from htmldate import find_date

    stated = first_moment(meta(tree, *_NAMES) or "", now, zone)
    if stated is not None:
        return stated
    try:
        found = find_date(tree, extensive_search=False, original_date=True)
    except Exception:  # a page without a date is one all the same
        return None
    return first_moment(found or "", now, zone)


__all__ = ["published"]

"""Count articles and copies by site, author or day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from whorl._internal.frozen import frozen
from whorl.library.provenance.reprints import ReprintStats
from whorl.tasks.library.arguments import Place, demand_from, lent
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

By = Literal["site", "author", "day", "month", "year"]
_PERIODS = ("day", "month", "year")
TOP = 20


@frozen
class Statistics(Plain):
    """Numbers of articles and copies by site, author or day.

    Attributes:
        by: "site", "author", "day", "month" or "year".
        articles: number of articles, including copies.
        exact: number of them with the text of an earlier article.
        near: number of them in the cluster of an earlier article with another text.
        names: number of sites, authors or days.
        rows: those with the most articles, sorted by number; or the latest days, sorted by time.
        most_copied: those whose articles are copied most, sorted by number; empty for days.
        most_copying: those with the most copies of others' articles, sorted by number; empty for days.
    """

    by: str
    articles: int
    exact: int
    near: int
    names: int
    rows: tuple[ReprintStats, ...]
    most_copied: tuple[ReprintStats, ...]
    most_copying: tuple[ReprintStats, ...]


def statistics(
    library: Library | Place,
    *,
    by: By = "site",
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    top: int | None = TOP,
) -> Statistics:
    """Count articles and copies by site, author or day, and rank the most copied and the most copying.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     paper = library.add({"id": "a", "text": text, "url": "https://paper.example/1"})
    ...     copy = library.add({"id": "b", "text": text, "url": "https://copies.example/1"})
    ...     counted = whorl.library.statistics(library)
    >>> counted.articles, counted.exact, [one.name for one in counted.most_copied]
    (2, 1, ['paper.example'])

    The first article of a cluster is the one published first, or first seen if undated; the others are its copies. Only
    dates are used: ``whorl.library.trace`` uses all evidence to estimate the original. Copies are counted when and
    where they were seen, whenever their original was.

    Args:
        library: its address, or an open library.
        by: "site", "author", "day", "month" or "year"; days are in UTC.
        since: count only articles first seen at or after this time.
        until: count only articles first seen before this time.
        top: maximum number of sites, authors or days; None for all.

    Raises:
        NotFoundError: ``by`` is unknown.
        UsageError: ``top`` is below 1.

    Cost: a pass over all articles: some seconds for a million.
    """
    if top is not None:
        demand_from("top", top, 1)
    with lent(library) as opened:
        rows = opened.reprinting(by, since=since, until=until)
    there = [row for row in rows if row.articles]
    return Statistics(
        by=by,
        articles=sum(row.articles for row in rows),
        exact=sum(row.exact for row in rows),
        near=sum(row.near for row in rows),
        names=len(there),
        rows=_latest(there, top) if by in _PERIODS else tuple(there[:top]),
        most_copied=_top(rows, "copied", top),
        most_copying=_top(rows, "copying", top),
    )


def _latest(rows: Sequence[ReprintStats], top: int | None) -> tuple[ReprintStats, ...]:
    in_time = sorted(rows, key=attrgetter("name"))
    return tuple(in_time if top is None else in_time[-top:])


def _top(rows: Sequence[ReprintStats], figure: str, top: int | None) -> tuple[ReprintStats, ...]:
    """Return the named rows with a positive figure, sorted by it."""
    some = [row for row in rows if row.name and getattr(row, figure)]
    return tuple(sorted(some, key=lambda row: (-getattr(row, figure), row.name))[:top])


__all__ = ["By", "ReprintStats", "Statistics", "statistics"]

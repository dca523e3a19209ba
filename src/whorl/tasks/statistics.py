"""How much is published and how much is copied: by site, author or day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from whorl.library.reprinting import ReprintStats
from whorl.model import Plain
from whorl.tasks.arguments import Place, demand_from, lent

if TYPE_CHECKING:
    from whorl.library import Library

By = Literal["site", "author", "day"]
TOP = 20


@dataclass(frozen=True, slots=True)
class Statistics(Plain):
    """How much is published and how much is copied.

    Attributes:
        by: "site", "author" or "day".
        articles: how many there are, copies among them.
        exact: of these, how many say what an earlier article says.
        near: of these, how many are of the cluster of an earlier article and say something else.
        names: how many sites, authors or days there are.
        rows: those with the most articles, the most first; or the latest days, in order of time.
        most_copied: those of which others have the most copies, the most first; none of days.
        most_copying: those that have the most copies of articles of others, the most first; none of days.
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
    """Count articles and copies by site, author or day, and tell who is copied most and who copies most.

    >>> import whorl
    >>> text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
    >>> with whorl.open("newsroom") as library:
    ...     paper = library.add({"id": "a", "text": text, "url": "https://paper.example/1"})
    ...     copy = library.add({"id": "b", "text": text, "url": "https://copies.example/1"})
    ...     counted = whorl.statistics(library)
    >>> counted.articles, counted.exact, [one.name for one in counted.most_copied]
    (2, 1, ['paper.example'])

    The first article of a cluster is the one that was published first, or first seen where it does not say; the others
    are its copies. That is a matter of dates alone: ``whorl.trace`` judges who was first by all that is known. Copies
    count where they were seen, whenever the article that they are of was.

    Args:
        library: its address, or an open library.
        by: "site", "author" or "day".
        since: count only articles that were first seen at or after this time.
        until: count only articles that were first seen before this time.
        top: how many sites, authors or days; None for all.

    Raises:
        NotFoundError: there are no statistics by that.
        UsageError: ``top`` is below 1.

    Cost: a pass over all articles: some seconds for a million.
    """
    if top is not None:
        demand_from("top", top, 1)
    with lent(library) as opened:
        found = opened.reprinting(by, since=since, until=until)
    there = [one for one in found if one.articles]
    return Statistics(
        by=by,
        articles=sum(one.articles for one in found),
        exact=sum(one.exact for one in found),
        near=sum(one.near for one in found),
        names=len(there),
        rows=_latest(there, top) if by == "day" else tuple(there[:top]),
        most_copied=_most(found, "copied", top),
        most_copying=_most(found, "copying", top),
    )


def _latest(found: Sequence[ReprintStats], top: int | None) -> tuple[ReprintStats, ...]:
    in_time = sorted(found, key=attrgetter("name"))
    return tuple(in_time if top is None else in_time[-top:])


def _most(found: Sequence[ReprintStats], figure: str, top: int | None) -> tuple[ReprintStats, ...]:
    """Those that are known by name and have any, the most first."""
    some = [one for one in found if one.name and getattr(one, figure)]
    return tuple(sorted(some, key=lambda one: (-getattr(one, figure), one.name))[:top])


__all__ = ["By", "ReprintStats", "Statistics", "statistics"]

"""Data of the copy statistics: who copies the articles of a collection."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain

CopyGroup = Literal["site", "author", "work", "day", "month", "year"]
CopyPeriod = Literal["day", "month", "year"]


@frozen
class CopyRecord(Plain):
    """A copy of an article on a site, whatever the number of its addresses there.

    Attributes:
        article: id of the article.
        title: title of the article, or its id.
        author: author of the article; empty if unknown.
        work: work that the article belongs to, such as a book or a column; empty for none.
        site: name of the site.
        addresses: addresses of the copy on the site, or ids of documents without an address.
        relation: relation of the copy to the article, of the address with the largest share.
        share: copied share of the article, in [0, 1]: the largest of the addresses.
        characters: copied code points of the article.
        verdict: "copy", "reprint" (permitted reprint), "syndication" (published by the owner) or "undetermined".
        is_confirmed: True if a reviewer confirmed it.
        found_at: when it was first found, in the zone of the statistics.
        removed_at: when the last address no longer had it, in the zone of the statistics; None while one has it.
    """

    article: str
    title: str
    author: str
    work: str
    site: str
    addresses: tuple[str, ...]
    relation: str
    share: float
    characters: int
    verdict: str
    is_confirmed: bool
    found_at: datetime
    removed_at: datetime | None

    @property
    def days_to_removal(self) -> float | None:
        """Days from the first finding to the removal; None while it is there."""
        return None if self.removed_at is None else (self.removed_at - self.found_at).total_seconds() / 86_400


@frozen
class CopyFigures(Plain):
    """Copies of a site, an author, a work, or a period.

    ``copies`` is the sum of ``unpermitted``, ``permitted``, ``syndicated`` and ``undetermined``.

    Attributes:
        name: name of the site, author or work; the period; empty if unknown.
        site: name of the site in statistics by work, which have a row for each work and site; otherwise empty.
        period: the period, such as "2026-03", of statistics with periods; otherwise empty.
        articles: number of different articles that were copied.
        registered: number of articles of the author or the work in the collection; otherwise of the collection.
        copies: number of copies; an article counts once for each site.
        addresses: number of different addresses.
        characters: copied code points of articles.
        relations: number of copies by their relation.
        unpermitted: number of copies without permission.
        permitted: number of reprints with permission.
        syndicated: number of copies published by the owner.
        undetermined: number of matches that a reviewer has to decide.
        confirmed: number of copies that a reviewer confirmed.
        removed: number of copies without permission, or undetermined, that were removed.
        median_days: median number of days from the first finding to the removal; None without removed copies.
    """

    name: str
    site: str
    period: str
    articles: int
    registered: int
    copies: int
    addresses: int
    characters: int
    relations: Mapping[str, int]
    unpermitted: int
    permitted: int
    syndicated: int
    undetermined: int
    confirmed: int
    removed: int
    median_days: float | None


@frozen
class CopyStatistics(Plain):
    """Who copies the articles of a collection.

    Attributes:
        of: the collection.
        by: "site", "author", "work", "month", "day" or "year".
        period: "day", "month" or "year" if the rows are divided by time; otherwise None.
        zone: time zone of all times, periods and limits.
        since: only copies found at or after this time; None for no limit.
        until: only copies found before this time; None for no limit.
        made_at: when the figures were computed.
        total: figures of all rows together.
        rows: periods in order of time; otherwise the rows with the most copies without permission first.
        copies: all copies behind the figures, in order of finding.
    """

    of: str
    by: str
    period: str | None
    zone: str
    since: datetime | None
    until: datetime | None
    made_at: datetime
    total: CopyFigures
    rows: tuple[CopyFigures, ...]
    copies: tuple[CopyRecord, ...]


__all__ = ["CopyFigures", "CopyGroup", "CopyPeriod", "CopyRecord", "CopyStatistics"]

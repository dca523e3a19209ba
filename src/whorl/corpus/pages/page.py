"""Extracted page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from whorl._internal.frozen import frozen
from whorl.corpus.pages.dates import PageDate, Precision
from whorl.types.times import UNKNOWN_ZONE


@frozen
class ExtractedPage:
    """The parts and the metadata of a page.

    Attributes:
        text: the article, paragraphs separated by newlines; if there is no article, all visible text.
        title: on one line, without the name of the site.
        author: its authors, separated by commas.
        author_from: where the author was read: "page" (metadata or marks of the page), "text" (a byline), or "account".
        account: the account that the platform states for the page, such as that of a WeChat article.
        published_at: the stated publication date, with a zone; midnight if only the day is stated.
        precision: the precision of that date: "day", "hour", "minute" or "second"; None if there is no date.
        zone: the zone of that date: a stated offset, else that of the site, else that of Chinese pages. "unknown" if
            there is none: then ``published_at`` is as if it was in UTC. None if there is no date.
        written: that date as the page states it.
        origin: the stated source (来源).
        origin_url: the address of that source.
        editor: its editor (责任编辑).
        canonical: the stated canonical address if it is plausible, else its location, normalized by ``canonical_url``.
        links: absolute addresses that the article links to, in order, without repetition.
        next_page: the address of the next page of the article.
        is_original: whether it is marked as original (原创).
        encoding: its encoding, by Python name.
        notices: notices about how it was read, as in a ``Batch``.
    """

    text: str
    title: str | None = None
    author: str | None = None
    author_from: str | None = None
    account: str | None = None
    published_at: datetime | None = None
    precision: Precision | None = None
    zone: str | None = None
    written: str | None = None
    origin: str | None = None
    origin_url: str | None = None
    editor: str | None = None
    canonical: str | None = None
    links: tuple[str, ...] = ()
    next_page: str | None = None
    is_original: bool = False
    encoding: str = "utf-8"
    notices: Mapping[str, str] = field(default_factory=dict)

    @property
    def date(self) -> str | None:
        """The stated publication date in ISO 8601, with its precision; without an offset if its zone is unknown."""
        if self.published_at is None or self.precision is None:
            return None
        is_unknown = self.zone == UNKNOWN_ZONE
        at = self.published_at.replace(tzinfo=None) if is_unknown else self.published_at
        return str(PageDate(at, self.precision))


__all__ = ["ExtractedPage"]

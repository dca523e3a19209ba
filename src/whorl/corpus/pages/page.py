"""A page as its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from whorl.corpus.pages.dates import Moment, Precision


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says, and what it says of itself.

    Attributes:
        text: the article, paragraphs apart by newlines; of a page that is none, all that it shows.
        title: on one line, without the name of the site.
        author: who wrote it; several apart by commas.
        published_at: when it says it was published, with a zone; midnight where it tells the day alone.
        precision: how exactly it says that: "day", "minute" or "second"; None where it does not.
        origin: whom it was taken from, as it says (来源).
        origin_url: where that was published.
        editor: who edited it (责任编辑).
        canonical: the address that it says is its own, where that may be true, else the one where it was, cleaned as by
            ``canonical_url``.
        links: absolute addresses that the article points to, in order, each once.
        next_page: the address of the next page of the article.
        is_original: whether it is marked as original (原创).
        encoding: in which it was read, as Python calls it.
        notices: what is to be told of how it was read, as those of a ``Batch``.
    """

    text: str
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    precision: Precision | None = None
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
        """When it says it was published, in ISO 8601, as exactly as it says it."""
        if self.published_at is None or self.precision is None:
            return None
        return str(Moment(self.published_at, self.precision))


__all__ = ["Page"]

"""What a watch remembers: pages that are to be fetched, what was found on them, and looks at what was found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from whorl.model import Plain


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is to be fetched.

    Attributes:
        number: of the page.
        url: its address.
        site: to which it belongs.
        kind: "page", "list", "feed" or "sitemap".
        depth: how many links away it is from what the site names.
        etag: what the server called what it sent before.
        modified: when the server said that this was changed.
        digest: of what it sent before; empty where nothing came yet.
        document: that was made of it.
        hops: how many times it has moved to get here.
        state: "queued", or what became of it: "done", "moved", "failed", "refused" or "gone".
        following: the address of the page on which its article goes on, as it said last; None where it says none.
        is_unmade: whether the article of which it is a page is to be made again.
    """

    number: int
    url: str
    site: str
    kind: str
    depth: int
    etag: str
    modified: str
    digest: str
    document: str | None
    hops: int
    state: str
    following: str | None
    is_unmade: bool


@dataclass(frozen=True, slots=True)
class Finding(Plain):
    """A watched page that has text of a protected article.

    Attributes:
        document: the id of the page.
        article: the id of the article.
        url: of the page.
        site: the site.
        kind: of the match.
        verdict: "copy", "leave" (a reprint with leave) or "undetermined".
        share: of the article that the page has.
        similarity: of both.
        length: code points that both share.
        fetched_at: when the page had come.
        found_at: when this was recorded.
        run: the run that found it.
        gone_at: since when the page has no such text any more; None while it has.
    """

    document: str
    article: str
    url: str
    site: str
    kind: str
    verdict: str
    share: float
    similarity: float
    length: int
    fetched_at: datetime
    found_at: datetime
    run: int
    gone_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Recheck(Plain):
    """One look at a page that had a copy.

    >>> from datetime import UTC, datetime
    >>> from whorl.results import Recheck
    >>> Recheck("https://copies.example/1", datetime(2026, 3, 5, tzinfo=UTC), status=410, outcome="gone").outcome
    'gone'

    Attributes:
        url: of the page.
        at: when.
        status: of HTTP; 0 where nothing came.
        outcome: "there", "changed", "gone" or "unknown".
    """

    url: str
    at: datetime
    status: int
    outcome: str


__all__ = ["Finding", "Page", "Recheck"]

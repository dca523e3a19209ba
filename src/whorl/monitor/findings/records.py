"""Records of a watch: pages, findings and rechecks."""

from __future__ import annotations

from datetime import datetime

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain


@frozen
class CrawlPage:
    """A page to fetch.

    Attributes:
        number: number of the page.
        url: address.
        site: name of the site.
        kind: "page", "list", "feed" or "sitemap".
        depth: number of links from the addresses in the settings.
        etag: ``ETag`` of the last response.
        modified: ``Last-Modified`` of the last response.
        digest: digest of the last body; empty before the first response.
        document: id of the document built from it.
        hops: number of redirects that led to it.
        state: "queued", or the result: "done", "moved", "failed", "refused" or "gone".
        following: address of the continuation of its article, or None.
        is_unmade: True if its article must be rebuilt.
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


@frozen
class Finding(Plain):
    """A watched page with text of a protected article.

    Attributes:
        document: id of the page.
        article: id of the article.
        url: address of the page.
        site: name of the site.
        kind: relation of the match.
        verdict: "copy", "reprint" (a permitted reprint), "syndication" (at a site or account known to belong to the
            author of the article) or "undetermined".
        share: share of the article in the page.
        similarity: similarity of both texts.
        length: length of the shared text in code points.
        fetched_at: when the page was fetched.
        found_at: when the finding was recorded.
        run: number of the run.
        gone_at: when the text was gone from the page; None while it is there.
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


@frozen
class Recheck(Plain):
    """A recheck of a page with a copy.

    >>> from datetime import UTC, datetime
    >>> from whorl.results import Recheck
    >>> Recheck("https://copies.example/1", datetime(2026, 3, 5, tzinfo=UTC), status=410, outcome="gone").outcome
    'gone'

    Attributes:
        url: address of the page.
        at: time of the recheck.
        status: HTTP status; 0 without a response.
        outcome: "there", "changed", "gone" or "unknown".
    """

    url: str
    at: datetime
    status: int
    outcome: str


__all__ = ["CrawlPage", "Finding", "Recheck"]

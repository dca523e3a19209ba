"""Classification of matches between watched pages and protected articles.

A page is a copy, a permitted reprint, a post of the author of the article, or undetermined.

The library decides whether two texts match. This module derives what a match means for the owner of the article.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from whorl.corpus.pages.addresses import canonical_url
from whorl.library.authorship import is_by_author
from whorl.library.permission import permission_of
from whorl.library.search.compilations import COMPILATION
from whorl.matching.compare import COPIES
from whorl.monitor.backdating import has_stated_later
from whorl.monitor.findings.records import Finding

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.types.library import Document, Match

_AT_ONCE = 1000
_MIN_SHARE = 0.1
_MIN_BYTES = 300
"""A page with less of an article than both, such as a name or a short quotation, has no finding.

300 bytes of UTF-8 are 100 Chinese characters or 300 Latin letters.
"""


class Judge:
    """Classifies the matches of watched pages.

    Args:
        library: library with both collections.
        protected: name of the collection of protected articles.
        watched: name of the collection of watched pages.
        run: number of the run.
        now: clock.

    Attributes:
        watched: name of the collection of watched pages.
    """

    def __init__(self, library: Library, protected: str, watched: str, run: int, now: Callable[[], datetime]) -> None:
        self._library = library
        self._protected = protected
        self.watched = watched
        self._run = run
        self._now = now
        self._protected_addresses: frozenset[str] | None = None

    def is_own(self, url: str) -> bool:
        """Return True for the address of a protected article, by its id or ``url``. Such a page is not a copy.

        Cost: a pass over the protected articles at the first call, and some 100 bytes of memory for each.
        """
        if self._protected_addresses is None:
            self._protected_addresses = frozenset(map(_address, self._addresses()))
        return _address(url) in self._protected_addresses

    def _addresses(self) -> Iterator[str]:
        page = self._library.documents(among=self._protected, limit=_AT_ONCE)
        while page.items:
            yield from (name for entry in page.items for name in (entry.id, entry.url or "") if "://" in name)
            if page.mark is None:
                return
            page = self._library.documents(among=self._protected, after=page.mark, limit=_AT_ONCE)

    def of_page(
        self, page: Document, site: str, fetched_at: datetime, since: Callable[[str], datetime | None]
    ) -> Iterator[Finding]:
        """Yield the findings of a page that was just stored.

        Args:
            page: document of the page.
            site: name of the site.
            fetched_at: time of the response.
            since: returns since when the page has had text of an article, by the id of the article; None if new.
        """
        report = self._library.check(page.text, at=_when(page), collection=self._protected)
        for match in self._not_rejected(page, report.matches):
            article = self._library.get(match.id)
            if article is not None and _is_enough(page.text, match, match.other_in_this):
                seen_at = since(article.id) or fetched_at
                yield self._finding(page, article, match, site, match.other_in_this, fetched_at, seen_at)

    def of_article(self, id_: str, site_of: Callable[[str], str | None]) -> Iterator[Finding]:
        """Yield the findings of earlier crawled pages for an article that is new in the library.

        Args:
            id_: id of the article.
            site_of: returns the site of a document; None if it is not from this watch.
        """
        article = self._library.get(id_)
        if article is None:
            return
        matches = self._library.every_match(article.text, at=_when(article), collection=self.watched)
        for match in self._not_rejected(article, matches):
            page, site = self._library.get(match.id), site_of(match.id)
            if page is None or site is None or self.is_own(page.url or ""):
                continue
            if _is_enough(article.text, match, match.this_in_other):
                seen_at = page.first_seen_at or self._now()
                yield self._finding(page, article, match, site, match.this_in_other, self._now(), seen_at)

    def _not_rejected(self, document: Document, matches: Iterable[Match]) -> Iterator[Match]:
        """Yield matches that were not rejected, with their current decisions.

        The decisions are read again: for a text with many copies, the matches found when it was added may all be with
        other copies.
        """
        for match in matches:
            if match.id != document.id:
                current = replace(match, review=self._library.reviews.now(document.id, match.id))
                if current.review.state != "rejected":
                    yield current

    def _finding(
        self,
        page: Document,
        article: Document,
        match: Match,
        site: str,
        share: float,
        fetched_at: datetime,
        seen_at: datetime,
    ) -> Finding:
        return Finding(
            document=page.id,
            article=article.id,
            url=page.url or page.id,
            site=site,
            kind=match.relation,
            verdict=self.verdict(page, article, match, share, seen_at),
            share=share,
            similarity=match.similarity,
            length=sum(passage.matched for passage in match.passages),
            fetched_at=fetched_at,
            found_at=self._now(),
            run=self._run,
        )

    def verdict(
        self,
        page: Document,
        article: Document,
        match: Match,
        share: float,
        seen_at: datetime,
        permission: str | None = None,
    ) -> str:
        """Return the verdict about a match that was not rejected.

        Args:
            page: the page.
            article: the protected article.
            match: their match, with the current decision.
            share: copied share of the article.
            seen_at: when the page was first seen with the text.
            permission: permission of the page, if it is known; None to look it up.
        """
        if permission is None:
            permission = permission_of(self._library, page, page.url or page.id, seen_at)
        if match.review.state == "authorised" or permission == "given":
            return "reprint"
        if match.review.state == "confirmed":
            return "copy"
        if is_by_author(self._library, page, article):
            return "syndication"
        is_whole = share >= self._library.rules.similarity
        is_part = match.relation == COMPILATION and is_whole
        is_much = is_part or (match.relation in COPIES and (match.joins or is_whole))
        is_claimed = permission == "claimed" or self._claims_to_be_earlier(page, article)
        return "copy" if is_much and not is_claimed else "undetermined"

    def _claims_to_be_earlier(self, page: Document, article: Document) -> bool:
        """Return True if a page states a date before the article was published, seen or attested.

        Either date may be wrong, so that neither side is accused. A date that visits to the site contradict is wrong,
        and so is a date that replaced a later one.
        """
        stated, published = page.publication, article.publication
        if stated is None or published is None or not stated.is_before(published):
            return False
        if has_stated_later(page, published.bounds.start):
            return False
        if page.first_seen_at is not None and self._library.visits.of(page.url or "").contradict(
            stated.at, page.first_seen_at
        ):
            return False
        attested = [attestation.at for attestation in self._library.attestations.of(article.id)]
        observed = attested if article.first_seen_at is None else [*attested, article.first_seen_at]
        return all(stated.bounds.end <= _in_utc(at) for at in observed)


def _is_enough(text: str, match: Match, share: float) -> bool:
    """Return True if a page has so much of an article that somebody should look at it.

    Args:
        text: the examined text of the match.
        match: the match.
        share: copied share of the article.
    """
    is_related = match.joins or match.relation == COMPILATION
    if is_related or match.review.state != "pending" or share >= _MIN_SHARE:
        return True
    return sum(len(text[passage.b_start : passage.b_end].encode("utf-8")) for passage in match.passages) >= _MIN_BYTES


def _address(url: str) -> str:
    """Normalize an address for comparison: without scheme, tracking parameters, ``www`` and trailing slash."""
    try:
        parts = urlsplit(canonical_url(url) or url)
        host, port = (parts.hostname or "").removeprefix("www."), parts.port
    except ValueError:
        return url
    return f"{host}:{port or ''}{parts.path.rstrip('/')}?{parts.query}"


def _when(document: Document) -> datetime | None:
    times = [time for time in (document.published_at, document.first_seen_at) if time is not None]
    return min(times, key=_in_utc, default=None)


def _in_utc(time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=UTC)


__all__ = ["Judge"]

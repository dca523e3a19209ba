"""A crawl run: queued pages are fetched, stored, classified, and only then marked as done."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from whorl.corpus.pages.addresses import canonical_url
from whorl.i18n import say
from whorl.monitor.fetcher import Answer, Fetcher, PageRequest
from whorl.monitor.findings.records import CrawlPage
from whorl.monitor.frontier import Frontier
from whorl.monitor.keeping import Came, Keeper
from whorl.monitor.pages import ExtractedArticle, Fetched, articles_of
from whorl.monitor.settings.sites import Watch, WatchedSite

if TYPE_CHECKING:
    from whorl.tasks import Progress

AT_ONCE = 16
"""Maximum number of concurrent requests per site, as long as pages are processed promptly."""

_FEWEST = 2
_SOON = 1.0

_MOMENT = 1.0
_SILENT = 900.0
_TOGETHER = 8
_TOGETHER_BYTES = 32 * 2**20
_TOGETHER_SECONDS = 0.1
_SLOW_PAGE = 5.0
"""Seconds after which the extraction of a page counts as a delay for others."""
_MOST_HELD_UP = 45.0
"""Total delay in seconds that a site may cause in a run."""
_BROKEN_PAGE = 16.0
"""Delay in seconds that counts for a page that crashes its parser."""
_HOPS = 5
_GONE_STATUSES = (404, 410, 451)
_REFUSED = ("private", "robots", "rules", "address")
_WAITING = 20
"""Limit of queued pages per page of a run: a site may generate addresses without end."""


@dataclass
class Crawl:
    """A crawl run.

    Attributes:
        watch: settings of the watch.
        frontier: crawl state.
        keeper: stores the pages.
        run: number of the run.
        progress: receiver of progress.
    """

    watch: Watch
    frontier: Frontier
    keeper: Keeper
    run: int
    progress: Progress

    def __post_init__(self) -> None:
        self._sites = {site.name: site for site in self.watch.sites}
        self._pending: dict[int, CrawlPage] = {}
        self._ready: dict[str, deque[CrawlPage]] = {name: deque() for name in self._sites}
        self._quota: dict[str, int] = {}
        self._seconds_a_page = 0.05
        self._held_up = dict.fromkeys(self._sites, 0.0)
        self._aside: set[str] = set()

    def go(self) -> None:
        """Fetch until the queue is empty or each site has reached its limit.

        Raises:
            ResourceError: the disk is full, or the crawler process cannot be started.

        Memory: a few pages, regardless of the size of a site.
        """
        for site in self.watch.sites:
            self._queue_named(site)
            self._quota[site.name] = max(0, site.max_pages - self.frontier.fetched(self.run, site.name))
        self._begin_parsers()
        silent_since = monotonic()
        with Fetcher(self.watch.agent) as fetcher:
            self._ask(fetcher)
            while fetcher.waiting:
                answers = fetcher.answers(_MOMENT)
                if answers:
                    silent_since = monotonic()
                    self._take([*answers, *self._more(fetcher)])
                elif monotonic() - silent_since > _SILENT:
                    fetcher.renew()
                self._ask(fetcher)

    def _more(self, fetcher: Fetcher) -> list[Answer]:
        """Collect answers that follow soon: storing the pages of an article together is cheaper."""
        more: list[Answer] = []
        while fetcher.waiting and len(more) < _TOGETHER and (answers := fetcher.answers(_TOGETHER_SECONDS)):
            more += answers
        return more

    def _begin_parsers(self) -> None:
        """Start the parser processes early, as the start takes longer than classifying the first copies."""
        page = Fetched("", "", datetime.now(UTC), b"<p>.</p>")
        for _ in articles_of([page, page]):
            pass

    def _queue_named(self, site: WatchedSite) -> None:
        now = datetime.now(UTC)
        self.frontier.renew(site.name, self.run, site.revisit, now)
        ways = {"sitemap": site.sitemaps, "feed": site.feeds, "list": (*site.start, *site.lists), "page": site.pages}
        for kind, urls in ways.items():
            named = list(map(canonical_url, urls))
            if kind in ("feed", "list"):
                self.frontier.forget(site.name, kind, named)
            self.frontier.put(site.name, kind, 0, named, now)

    def _ask(self, fetcher: Fetcher) -> None:
        """Request pages of all sites in turn."""
        limit = max(_FEWEST, min(AT_ONCE, int(_SOON / self._seconds_a_page / len(self._sites))))
        busy = dict.fromkeys(self._sites, 0)
        for pending in self._pending.values():
            busy[pending.site] += 1
        for name, site in self._sites.items():
            if name in self._aside:
                continue
            while busy[name] < limit and self._quota[name] > 0 and (page := self._next(site)) is not None:
                self._pending[page.number] = page
                busy[name] += 1
                self._quota[name] -= 1
                fetcher.ask(
                    PageRequest(
                        number=page.number,
                        url=page.url,
                        kind=page.kind,
                        rate=site.rate,
                        most_bytes=site.max_bytes,
                        seconds=site.seconds,
                        private=site.allow_private,
                        etag=page.etag,
                        modified=page.modified,
                    )
                )

    def _next(self, site: WatchedSite) -> CrawlPage | None:
        ready = self._ready[site.name]
        if not ready:
            ready.extend(self.frontier.next(site.name, AT_ONCE, list(self._pending)))
        return ready.popleft() if ready else None

    def _take(self, answers: Iterable[Answer]) -> None:
        together: list[tuple[CrawlPage, Answer, Fetched]] = []
        size = 0
        for answer in answers:
            page = self._pending.get(answer.number)
            if page is None:
                continue
            fetched = self._fetched(page, answer)
            if fetched is None:
                self._settle(page, answer)
                continue
            together.append((page, answer, fetched))
            size += len(fetched.body)
            if len(together) >= _TOGETHER or size >= _TOGETHER_BYTES:
                self._keep(together)
                together, size = [], 0
        if together:
            self._keep(together)

    def _fetched(self, page: CrawlPage, answer: Answer) -> Fetched | None:
        """Return the response of a page to store; None for other answers and unchanged pages."""
        body = b"" if answer.body is None else answer.body.read_bytes()
        if answer.body is not None:
            answer.body.unlink()
        if answer.outcome != "page" or answer.status != 200 or page.kind != "page" or answer.digest == page.digest:
            return None
        at = datetime.fromisoformat(answer.at)
        zone = self._sites[page.site].zone
        return Fetched(page.url, page.site, at, body, answer.headers, self.watch.watched, zone=zone)

    def _keep(self, together: list[tuple[CrawlPage, Answer, Fetched]]) -> None:
        """Store pages and record their findings before they are marked as done."""
        began = monotonic()
        articles = list(articles_of([fetched for _, _, fetched in together]))
        crowding = _crowding()
        for (page, _, _), read in zip(together, articles, strict=True):
            self._hold_up(page.site, read.seconds / crowding - _SLOW_PAGE)
        came = [
            Came(page, fetched, article if article.is_article else ExtractedArticle(None, why=article.why))
            for (page, _, fetched), article in zip(together, articles, strict=True)
        ]
        documents = self.keeper.keep(came)
        for (page, answer, _), item, document in zip(together, came, documents, strict=True):
            self._follow(page, answer, item.article.following)
            self._done(page, answer, why=item.article.why, document=document)
        self.keeper.make(page.url for page, _, _ in together)
        self._seconds_a_page += 0.3 * ((monotonic() - began) / len(together) - self._seconds_a_page)

    def _settle(self, page: CrawlPage, answer: Answer) -> None:
        """Record an answer without a page to store."""
        if answer.outcome == "ended":
            self._pending.pop(page.number)
            self._quota[page.site] += 1
            self.frontier.unanswered(page, self.run, datetime.now(UTC))
            return
        at = datetime.fromisoformat(answer.at)
        if answer.outcome == "moved":
            self._move(page, answer)
        elif answer.outcome == "failed":
            self.keeper.casework.unchanged(page.url, at, 0, "unknown", answer.why)
            self._hold_up(page.site, _BROKEN_PAGE / _crowding() if answer.why == "parser" else 0)
            self._done(page, answer, state="refused" if answer.why in _REFUSED else "failed", why=answer.why)
        elif answer.status in (200, 304):
            self.keeper.casework.unchanged(page.url, at, answer.status, "there")
            if answer.status == 200 and page.kind != "page" and not (answer.links or answer.sitemaps):
                self.progress.note(say("no links at {url}: check that it is a list or a feed", url=page.url))
            self._follow(page, answer)
            self._done(page, answer)
        else:
            is_gone = answer.status in _GONE_STATUSES
            self.keeper.casework.unchanged(page.url, at, answer.status, "gone" if is_gone else "unknown")
            if is_gone:
                self._leave_article(page)
            self._done(page, answer, state="gone" if is_gone else "failed", why="status")
        self.keeper.make([page.url])

    def _hold_up(self, site: str, seconds: float) -> None:
        """Add up the delay that a site causes for others, and postpone the site to the next run beyond the limit."""
        self._held_up[site] += max(0.0, seconds)
        if self._held_up[site] > _MOST_HELD_UP and site not in self._aside:
            self._aside.add(site)
            self._ready[site].clear()
            self.progress.note(
                say(
                    "{site} is postponed to the next run: parsing its pages takes too long or crashes the parser",
                    site=site,
                )
            )

    def _leave_article(self, page: CrawlPage) -> None:
        """Mark the article of a missing page for rebuilding."""
        if self.frontier.before(page.url) is not None:
            self.frontier.goes_on(page, page.following)

    def _follow(self, page: CrawlPage, answer: Answer, following: str | None = None) -> None:
        """Queue the linked pages that are in the scope of the site."""
        site = self._sites[page.site]
        now = datetime.now(UTC)
        self._put(site, "page", page.depth, [following] if following else [], now)
        self._put(site, "sitemap", page.depth, answer.sitemaps, now)
        depth = page.depth + (page.kind not in ("feed", "sitemap"))
        if depth <= site.depth:
            self._put(site, "page", depth, answer.links, now)

    def _put(self, site: WatchedSite, kind: str, depth: int, urls: Iterable[str], now: datetime) -> None:
        within = [url for url in dict.fromkeys(map(canonical_url, urls)) if site.scope.has(url)]
        room = site.max_pages * _WAITING - self.frontier.size(site.name)
        self.frontier.put(site.name, kind, depth, within[: max(0, room)], now)

    def _move(self, page: CrawlPage, answer: Answer) -> None:
        site = self._sites[page.site]
        to = canonical_url(answer.to)
        if page.hops >= _HOPS or to == page.url:
            why = "hops"
        elif not site.scope.has(to):
            why = "scope"
        else:
            why = ""
            self.frontier.put(page.site, page.kind, page.depth, [to], datetime.now(UTC), hops=page.hops + 1)
        self._leave_article(page)
        at = datetime.fromisoformat(answer.at)
        self.keeper.casework.unchanged(page.url, at, answer.status, "changed", "moved")
        self._done(page, answer, state="moved", why=why)

    def _done(
        self, page: CrawlPage, answer: Answer, *, state: str = "done", why: str = "", document: str | None = None
    ) -> None:
        self.frontier.settle(
            page,
            self.run,
            state,
            datetime.fromisoformat(answer.at),
            status=answer.status,
            why=why,
            etag=answer.etag or page.etag,
            modified=answer.modified or page.modified,
            digest=answer.digest,
            document=document,
        )
        self._pending.pop(page.number)
        self.progress.advance(1)


def _crowding() -> float:
    """Return how many processes compete for a core, at least 1: a busy machine must not make a site look slow."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


__all__ = ["AT_ONCE", "Crawl"]

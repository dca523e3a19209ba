"""One run of a watch over the network: what is queued is asked for, what comes is kept, judged and only then done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from whorl.corpus.pages import canonical_url
from whorl.monitor.fetcher import Answer, Fetcher, Question
from whorl.monitor.frontier import Finding, Frontier, Page
from whorl.monitor.judging import Judge
from whorl.monitor.pages import Fetched, articles_of
from whorl.monitor.sites import Site, Watch

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.model import Document
    from whorl.tasks import Progress

AT_ONCE = 16
"""Pages of a site that are asked for at once; what they are and how fast is up to who fetches."""

_MOMENT = 1.0
_SILENT = 900.0
_TOGETHER = 8
_TOGETHER_BYTES = 32 * 2**20
_HOPS = 5
_GONE = (404, 410, 451)
_REFUSED = ("private", "robots", "rules", "address")
_WAITING = 20
"""Pages that may be queued for each that a run fetches; a site may make up addresses without end."""


@dataclass
class Crawl:
    """A run over the network.

    Attributes:
        watch: what is watched.
        library: where pages are kept.
        frontier: what is known of them.
        judge: what their matches are.
        run: its number.
        each: is given what is found, once it is recorded.
        progress: is told how many pages have come.
    """

    watch: Watch
    library: Library
    frontier: Frontier
    judge: Judge
    run: int
    each: Callable[[Finding], None]
    progress: Progress

    def __post_init__(self) -> None:
        self._sites = {site.name: site for site in self.watch.sites}
        self._asked: dict[int, Page] = {}
        self._ready: dict[str, deque[Page]] = {name: deque() for name in self._sites}
        self._left: dict[str, int] = {}

    def go(self) -> None:
        """Fetch until nothing is queued, or each site has had its pages.

        Raises:
            ResourceError: the disk is full, or the process that fetches cannot be begun.

        Memory: some pages, whatever a site has.
        """
        for site in self.watch.sites:
            self._queue_named(site)
            self._left[site.name] = max(0, site.max_pages - self.frontier.fetched(self.run, site.name))
        silent_since = datetime.now(UTC)
        with Fetcher(self.watch.agent) as fetcher:
            self._ask(fetcher)
            while fetcher.waiting:
                answers = fetcher.answers(_MOMENT)
                now = datetime.now(UTC)
                if answers:
                    silent_since = now
                    self._take(answers)
                elif (now - silent_since).total_seconds() > _SILENT:
                    fetcher.renew()
                self._ask(fetcher)

    def _queue_named(self, site: Site) -> None:
        now = datetime.now(UTC)
        self.frontier.renew(site.name, self.run, site.revisit, now)
        ways = {"sitemap": site.sitemaps, "feed": site.feeds, "list": (*site.start, *site.lists), "page": site.pages}
        for kind, urls in ways.items():
            named = list(map(canonical_url, urls))
            if kind in ("feed", "list"):
                self.frontier.forget(site.name, kind, named)
            self.frontier.put(site.name, kind, 0, named, now)

    def _ask(self, fetcher: Fetcher) -> None:
        """Ask for pages of all sites in turn."""
        busy = dict.fromkeys(self._sites, 0)
        for asked in self._asked.values():
            busy[asked.site] += 1
        for name, site in self._sites.items():
            while busy[name] < AT_ONCE and self._left[name] > 0 and (page := self._next(site)) is not None:
                self._asked[page.number] = page
                busy[name] += 1
                self._left[name] -= 1
                fetcher.ask(
                    Question(
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

    def _next(self, site: Site) -> Page | None:
        ready = self._ready[site.name]
        if not ready:
            ready.extend(self.frontier.next(site.name, AT_ONCE, list(self._asked)))
        return ready.popleft() if ready else None

    def _take(self, answers: Iterable[Answer]) -> None:
        together: list[tuple[Page, Answer, Fetched]] = []
        size = 0
        for answer in answers:
            page = self._asked.get(answer.number)
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

    def _fetched(self, page: Page, answer: Answer) -> Fetched | None:
        """The page that has come; None where it is none that is kept, or the same as before."""
        body = b"" if answer.body is None else answer.body.read_bytes()
        if answer.body is not None:
            answer.body.unlink()
        if answer.outcome != "page" or answer.status != 200 or page.kind != "page" or answer.digest == page.digest:
            return None
        at = datetime.fromisoformat(answer.at)
        return Fetched(page.url, page.site, at, body, answer.headers, self.watch.watched)

    def _keep(self, together: list[tuple[Page, Answer, Fetched]]) -> None:
        """Keep pages, and note what they have of protected articles; only then are they done."""
        articles = list(articles_of([fetched for _, _, fetched in together]))
        documents = [
            None if article.document is None else self._named(article.document, page)
            for article, (page, _, _) in zip(articles, together, strict=True)
        ]
        self.library.add([document for document in documents if document is not None])
        self._snap(zip([fetched for _, _, fetched in together], documents, strict=True))
        for (page, answer, fetched), article, document in zip(together, articles, documents, strict=True):
            found: list[Finding] = []
            if document is not None:
                found = list(self.judge.of_page(document, page.site, fetched.at))
                for new in self.frontier.find(found):
                    self.each(new)
            outcome = "there" if found else "changed"
            self.frontier.check(page.url, self.run, fetched.at, 200, outcome, [one.article for one in found])
            self._follow(page, answer)
            self._done(page, answer, why=article.why, document=None if document is None else document.id)

    def _snap(self, pages: Iterable[tuple[Fetched, Document | None]]) -> None:
        """Keep the pages of articles as they came."""
        given = (
            {"url": page.url, "body": page.body, "at": page.at, "headers": page.headers, "document": document.id}
            for page, document in pages
            if document is not None
        )
        for _ in self.library.pages.keep_each(given):
            pass

    def _named(self, document: Document, page: Page) -> Document:
        """A document under the name that it had; else under its own, if no other page of another text has that."""
        name = page.document or document.id
        if name != page.url and page.document is None:
            known = self.library.get(name)
            if known is not None and known.text != document.text:
                name = page.url
        return replace(document, id=name)

    def _settle(self, page: Page, answer: Answer) -> None:
        """Note an answer that brings no page to keep."""
        if answer.outcome == "ended":
            self._asked.pop(page.number)
            self._left[page.site] += 1
            self.frontier.unanswered(page, self.run, datetime.now(UTC))
            return
        at = datetime.fromisoformat(answer.at)
        if answer.outcome == "moved":
            self._move(page, answer)
        elif answer.outcome == "failed":
            self.frontier.check(page.url, self.run, at, 0, "unknown")
            self._done(page, answer, state="refused" if answer.why in _REFUSED else "failed", why=answer.why)
        elif answer.status in (200, 304):
            self.frontier.check(page.url, self.run, at, answer.status, "there", self.frontier.articles(page.url))
            self._follow(page, answer)
            self._done(page, answer)
        else:
            is_gone = answer.status in _GONE
            self.frontier.check(page.url, self.run, at, answer.status, "gone" if is_gone else "unknown")
            self._done(page, answer, state="gone" if is_gone else "failed", why="status")

    def _follow(self, page: Page, answer: Answer) -> None:
        """Queue the pages that a page names, as far as they belong to its site."""
        site = self._sites[page.site]
        now = datetime.now(UTC)
        self._put(site, "sitemap", page.depth, answer.sitemaps, now)
        depth = page.depth + (page.kind not in ("feed", "sitemap"))
        if depth <= site.depth:
            self._put(site, "page", depth, answer.links, now)

    def _put(self, site: Site, kind: str, depth: int, urls: Iterable[str], now: datetime) -> None:
        within = [url for url in dict.fromkeys(map(canonical_url, urls)) if site.scope.has(url)]
        room = site.max_pages * _WAITING - self.frontier.size(site.name)
        self.frontier.put(site.name, kind, depth, within[: max(0, room)], now)

    def _move(self, page: Page, answer: Answer) -> None:
        site = self._sites[page.site]
        to = canonical_url(answer.to)
        if page.hops >= _HOPS or to == page.url:
            why = "hops"
        elif not site.scope.has(to):
            why = "scope"
        else:
            why = ""
            self.frontier.put(page.site, page.kind, page.depth, [to], datetime.now(UTC), hops=page.hops + 1)
        self.frontier.check(page.url, self.run, datetime.fromisoformat(answer.at), answer.status, "changed")
        self._done(page, answer, state="moved", why=why)

    def _done(
        self, page: Page, answer: Answer, *, state: str = "done", why: str = "", document: str | None = None
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
        self._asked.pop(page.number)
        self.progress.advance(1)


__all__ = ["AT_ONCE", "Crawl"]

"""Storage of fetched pages as snapshots and of their articles as documents, with their findings.

An article on several pages is one document. Its pages are stored as they arrive, and the document is built from the
snapshots once the last known page has arrived or failed. Until then nothing is reported. After a crash, the stored
state tells which articles must be built.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.monitor.backdating import with_latest_date
from whorl.monitor.casework import Casework
from whorl.monitor.findings.judging import Judge
from whorl.monitor.findings.records import CrawlPage, Finding
from whorl.monitor.frontier import Frontier
from whorl.monitor.pages import ExtractedArticle, Fetched, articles_of, joined

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.provenance.pages import PageSnapshot
    from whorl.types.library import Document

MOST_BYTES = 32 * 2**20
"""Maximum total size of the pages of an article after the first; further pages are omitted."""

_AT_ONCE = 100


@frozen
class Came:
    """A fetched page.

    Attributes:
        page: its state in the frontier.
        fetched: the response; without a body for a row of a table.
        article: the extracted article.
    """

    page: CrawlPage
    fetched: Fetched
    article: ExtractedArticle


@dataclass
class Keeper:
    """Stores pages and classifies their articles.

    Attributes:
        library: the library.
        frontier: crawl state.
        judge: classifier of matches.
        casework: records the findings.
        cut: number of articles with missing continuation pages.
        zones: zone of the times that each site states without one, by the name of the site.
    """

    library: Library
    frontier: Frontier
    judge: Judge
    casework: Casework
    cut: int = 0
    zones: Mapping[str, str] = field(default_factory=dict)

    def keep(self, came: Sequence[Came]) -> list[str | None]:
        """Store pages and report findings of single-page articles; return the document id of each page.

        For pages of a multi-page article only the snapshot is stored; ``make`` builds the article.
        """
        parts = self._parts(came)
        documents = [
            self._named(item.article.document, item.page)
            if item.article.document is not None and item.page.number not in parts and not self._is_own(item.fetched)
            else None
            for item in came
        ]
        self.library.add([document for document in documents if document is not None])
        self._snap(
            (item.fetched, item.page.document if document is None else document.id)
            for item, document in zip(came, documents, strict=True)
            if document is not None or item.page.number in parts or self._is_own(item.fetched)
        )
        for item, document in zip(came, documents, strict=True):
            if item.page.number not in parts:
                self._tell(item.page, document, item.fetched)
        return [None if document is None else document.id for document in documents]

    def make(self, urls: Iterable[str]) -> None:
        """Build the articles of some addresses if all their pages have arrived."""
        for url in dict.fromkeys(urls):
            chain = self.frontier.chain(url)
            if any(page.is_unmade for page in chain) and all(page.state != "queued" for page in chain):
                self._make(chain)

    def make_rest(self) -> None:
        """Build all unfinished articles from the pages that have arrived."""
        while unmade := self.frontier.unmade(_AT_ONCE):
            for page in unmade:
                chain = self.frontier.chain(page.url)
                if any(item.is_unmade for item in chain):
                    self._make(chain)

    def _parts(self, came: Sequence[Came]) -> set[int]:
        """Return the pages that belong to multi-page articles, now or before, and mark the articles for rebuilding."""
        continuations = [(item.page, item.article.following if item.article.is_article else None) for item in came]
        parts = {page.number for page, following in continuations if following or page.following}
        for page, following in continuations:
            if page.number in parts:
                self.frontier.goes_on(page, following)
        for page, following in continuations:
            if page.number not in parts and self.frontier.before(page.url) is not None:
                self.frontier.goes_on(page, following)
                parts.add(page.number)
        return parts

    def _make(self, chain: Sequence[CrawlPage]) -> None:
        """Build the article of a chain of pages from the available ones."""
        snapshots = list(self._there(chain))
        articles = list(articles_of([fetched for _, fetched in snapshots]))
        parts = [article.document for article in articles if article.document is not None and article.is_article]
        if not parts or self._is_own(snapshots[0][1]):
            self.frontier.record_document(None, [], chain, [])
            return
        used = [page for page, _ in snapshots]
        document = self._named(joined(parts), used[0])
        if used[-1].following is not None:
            document = replace(document, metadata={**document.metadata, "continued_at": used[-1].following})
            self.cut += 1
        self.library.add(document)
        self._assign(used, document.id)
        # The article is judged after its pages are removed as documents: beside one of them it looks like a compilation
        # of that page and the protected article.
        replaced = self.frontier.replaced(document.id, used)
        self.library.remove(replaced, force=True)
        self._tell(used[0], document, max((fetched for _, fetched in snapshots), key=lambda page: page.at))
        self.frontier.record_document(document.id, used, chain, replaced)

    def _there(self, chain: Iterable[CrawlPage]) -> Iterator[tuple[CrawlPage, Fetched]]:
        """Yield the pages of a chain with their latest snapshots, up to the first missing page."""
        size = 0
        for place, page in enumerate(chain):
            last = None if page.state in ("gone", "moved") else self._last(page)
            size += 0 if last is None or place == 0 else last.bytes
            if last is None or size > MOST_BYTES:
                return
            body = self.library.pages.body(last.digest)
            fetched = Fetched(page.url, page.site, last.fetched_at, body, last.headers, self.judge.watched)
            yield page, replace(fetched, zone=self.zones.get(page.site, ""))

    def _last(self, page: CrawlPage) -> PageSnapshot | None:
        with_a_page = [item for item in self.library.pages.at(page.url) if item.status == 0 or 200 <= item.status < 300]
        return with_a_page[-1] if with_a_page else None

    def _assign(self, pages: Iterable[CrawlPage], document: str) -> None:
        """Assign the snapshots of pages to the document built from them."""
        for page in pages:
            for item in self.library.pages.at(page.url):
                if item.document in (None, page.document) and item.document != document:
                    self.library.pages.assign(item, document)

    def _tell(self, page: CrawlPage, document: Document | None, fetched: Fetched) -> None:
        """Record the findings of a stored page."""
        findings: list[Finding] = []
        if document is not None:
            since = partial(self.frontier.since, document.id)
            findings = list(self.judge.of_page(document, page.site, fetched.at, since))
        self.casework.judged(page.url, fetched.at, fetched.status, findings)

    def _snap(self, pages: Iterable[tuple[Fetched, str | None]]) -> None:
        """Store snapshots of pages."""
        snapshots = (
            {
                "url": page.url,
                "body": page.body,
                "at": page.at,
                "status": page.status,
                "headers": page.headers,
                "document": document,
            }
            for page, document in pages
            if page.body and not self._is_kept(page)
        )
        for _ in self.library.pages.keep_each(snapshots):
            pass

    def _is_kept(self, page: Fetched) -> bool:
        """Return True if a snapshot is already stored: a file may be read twice."""
        digest = sha256(page.body).hexdigest()
        return any((item.fetched_at, item.digest) == (page.at, digest) for item in self.library.pages.at(page.url))

    def _is_own(self, page: Fetched) -> bool:
        """Return True if a page came from the address of a protected article; addresses in files are only claims."""
        return page.status != 0 and self.judge.is_own(page.url)

    def _named(self, document: Document, page: CrawlPage) -> Document:
        """Return a document with its previous id or its address; another id if that belongs to another collection.

        Otherwise a document of another collection, such as a protected article, would be overwritten by a watched page.
        """
        name = page.document or document.id
        namesake = self.library.get(name)
        while namesake is not None and namesake.collection != self.judge.watched:
            name = f"{self.judge.watched}:{name}"
            namesake = self.library.get(name)
        return with_latest_date(replace(document, id=name), namesake)


__all__ = ["MOST_BYTES", "Came", "Keeper"]

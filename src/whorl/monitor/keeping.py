"""Pages that came are kept as they were, and their articles in the library; what these have of others is noted.

An article on several pages is one document. Its pages are kept as they come, and the document is made of their
snapshots once the last one that is known has come or failed: until then nothing of it is told, and whatever ends the
process, what is kept says what is still to be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from whorl.monitor.frontier import Frontier
from whorl.monitor.judging import Judge
from whorl.monitor.pages import Article, Fetched, articles_of, joined
from whorl.monitor.records import Finding, Page

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.library.model import Document
    from whorl.library.pages import PageSnapshot

MOST_BYTES = 32 * 2**20
"""Of the pages of one article, beside the first; what comes after is left out."""

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Came:
    """A page that has come.

    Attributes:
        page: what is known of it.
        fetched: what came; without bytes for a row of a table, which has no page.
        article: what that is.
    """

    page: Page
    fetched: Fetched
    article: Article


@dataclass
class Keeper:
    """Keeps pages and judges their articles.

    Attributes:
        library: where they are kept.
        frontier: what is known of them.
        judge: what their matches are.
        run: its number.
        each: is given what is found, once it is recorded.
        cut: how many articles were made without a page on which they go on.
    """

    library: Library
    frontier: Frontier
    judge: Judge
    run: int
    each: Callable[[Finding], None]
    cut: int = 0

    def keep(self, came: Sequence[Came]) -> list[str | None]:
        """Keep pages, and tell what those that are articles by themselves have; return the document of each.

        Of a page of an article on several, its snapshot is kept, and ``make`` makes the article.
        """
        parts = self._parts(came)
        documents = [
            self._named(one.article.document, one.page)
            if one.article.document is not None and one.page.number not in parts and not self._is_own(one.fetched)
            else None
            for one in came
        ]
        self.library.add([document for document in documents if document is not None])
        self._snap(
            (one.fetched, one.page.document if document is None else document.id)
            for one, document in zip(came, documents, strict=True)
            if document is not None or one.page.number in parts or self._is_own(one.fetched)
        )
        for one, document in zip(came, documents, strict=True):
            if one.page.number not in parts:
                self._tell(one.page, document, one.fetched)
        return [None if document is None else document.id for document in documents]

    def make(self, urls: Iterable[str]) -> None:
        """Make the articles of which some addresses are pages, if no page of theirs is still to come."""
        for url in dict.fromkeys(urls):
            chain = self.frontier.chain(url)
            if any(page.is_unmade for page in chain) and all(page.state != "queued" for page in chain):
                self._make(chain)

    def make_rest(self) -> None:
        """Make all articles of which pages have come, with those that came."""
        while unmade := self.frontier.unmade(_AT_ONCE):
            for page in unmade:
                chain = self.frontier.chain(page.url)
                if any(one.is_unmade for one in chain):
                    self._make(chain)

    def _parts(self, came: Sequence[Came]) -> set[int]:
        """The pages that are of articles on several pages, or were; their articles are to be made again."""
        told = [(one.page, one.article.following if one.article.is_article else None) for one in came]
        parts = {page.number for page, following in told if following or page.following}
        for page, following in told:
            if page.number in parts:
                self.frontier.goes_on(page, following)
        for page, following in told:
            if page.number not in parts and self.frontier.before(page.url) is not None:
                self.frontier.goes_on(page, following)
                parts.add(page.number)
        return parts

    def _make(self, chain: Sequence[Page]) -> None:
        """Make the article of a chain of pages, as far as they are there."""
        found = list(self._there(chain))
        articles = list(articles_of([fetched for _, fetched in found]))
        parts = [one.document for one in articles if one.document is not None and one.is_article]
        if not parts or self._is_own(found[0][1]):
            self.frontier.made(None, [], chain, [])
            return
        used = [page for page, _ in found]
        document = self._named(joined(parts), used[0])
        if used[-1].following is not None:
            document = replace(document, metadata={**document.metadata, "continued_at": used[-1].following})
            self.cut += 1
        self.library.add(document)
        self._assign(used, document.id)
        # Before the article is judged: beside a page of its own as a document, it looks like a compilation of that page
        # and the protected article.
        replaced = self.frontier.replaced(document.id, used)
        self.library.remove(replaced)
        self._tell(used[0], document, max((fetched for _, fetched in found), key=lambda one: one.at))
        self.frontier.made(document.id, used, chain, replaced)

    def _there(self, chain: Iterable[Page]) -> Iterator[tuple[Page, Fetched]]:
        """The pages of a chain as they came last, up to the first that did not come."""
        size = 0
        for place, page in enumerate(chain):
            last = None if page.state in ("gone", "moved") else self._last(page)
            size += 0 if last is None or place == 0 else last.bytes
            if last is None or size > MOST_BYTES:
                return
            body = self.library.pages.body(last.digest)
            yield page, Fetched(page.url, page.site, last.fetched_at, body, last.headers, self.judge.watched)

    def _last(self, page: Page) -> PageSnapshot | None:
        with_a_page = [one for one in self.library.pages.at(page.url) if one.status == 0 or 200 <= one.status < 300]
        return with_a_page[-1] if with_a_page else None

    def _assign(self, pages: Iterable[Page], document: str) -> None:
        """Tie the snapshots of pages to the document that was made of them."""
        for page in pages:
            for one in self.library.pages.at(page.url):
                if one.document in (None, page.document) and one.document != document:
                    self.library.pages.assign(one, document)

    def _tell(self, page: Page, document: Document | None, fetched: Fetched) -> None:
        """Note what a page, which is kept, has of protected articles."""
        found: list[Finding] = []
        if document is not None:
            since = partial(self.frontier.since, document.id)
            found = list(self.judge.of_page(document, page.site, fetched.at, since))
            for new in self.frontier.find(found):
                self.each(new)
        outcome = "there" if found else "changed"
        articles = [one.article for one in found]
        self.frontier.check(page.url, self.run, fetched.at, fetched.status or 200, outcome, articles)

    def _snap(self, pages: Iterable[tuple[Fetched, str | None]]) -> None:
        """Keep pages as they came."""
        given = (
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
        for _ in self.library.pages.keep_each(given):
            pass

    def _is_kept(self, page: Fetched) -> bool:
        """Whether a page that came then is kept already: a file may be read twice."""
        digest = sha256(page.body).hexdigest()
        return any((one.fetched_at, one.digest) == (page.at, digest) for one in self.library.pages.at(page.url))

    def _is_own(self, page: Fetched) -> bool:
        """Whether a page came from the address of a protected article; that of a file is only what the file says."""
        return page.status != 0 and self.judge.is_own(page.url)

    def _named(self, document: Document, page: Page) -> Document:
        """A document under the name that it had, or its address; another one where a document elsewhere has that.

        A document of another collection, such as a protected article, would become a watched one, with this text.
        """
        name = page.document or document.id
        known = self.library.get(name)
        while known is not None and known.collection != self.judge.watched:
            name = f"{self.judge.watched}:{name}"
            known = self.library.get(name)
        return replace(document, id=name)


__all__ = ["MOST_BYTES", "Came", "Keeper"]

"""A run over saved pages: HTML files, WARC archives, and rows of tables.

Pages are stored with their bytes like fetched ones; a row of a table has no page and is only compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from whorl.corpus import Rejects, Source
from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.discovery import demand_file, discover
from whorl.corpus.formats.web.warc import delivered
from whorl.corpus.formats.web.warc_records import WarcRecord, delivery_of
from whorl.corpus.pages.addresses import canonical_url
from whorl.corpus.reader import read_source
from whorl.errors import InputError
from whorl.i18n import say, translated
from whorl.library.ingest.columns import UnparsedValues
from whorl.library.ingest.files import asked_of, documents_of, name_of
from whorl.library.provenance.pages import MOST_BYTES
from whorl.monitor.findings.reasons import WHY
from whorl.monitor.frontier import Frontier
from whorl.monitor.keeping import Came, Keeper
from whorl.monitor.pages import ExtractedArticle, Fetched, articles_of
from whorl.monitor.settings.sites import Watch
from whorl.recipe import recipe_of

if TYPE_CHECKING:
    from whorl.tasks import Progress
    from whorl.types.library import Document

_TOGETHER = 16
_TOGETHER_BYTES = 32 * 2**20
_PIECE_BYTES = 2**20
_KINDS: dict[str, tuple[tuple[str, str], ...]] = {"html": (), "mhtml": (("Content-Type", "multipart/related"),)}
"""File formats of single pages, with the headers implied by the format; no server headers are known."""


class _Read(NamedTuple):
    """A page of a file, or a row.

    Attributes:
        file: display name of the file.
        name: id for a page without an address.
        fetched: the page; None for a row.
        document: the row; None for a page.
    """

    file: str
    name: str
    fetched: Fetched | None
    document: Document | None

    @property
    def size(self) -> int:
        """Size of the page in bytes."""
        return 0 if self.fetched is None else len(self.fetched.body)


@dataclass
class SavedPages:
    """A run over saved pages.

    Attributes:
        watch: settings of the watch; without sites, pages of any site are read.
        frontier: crawl state.
        keeper: stores the pages.
        run: number of the run.
        now: clock.
        progress: receiver of progress and of errors.
    """

    watch: Watch
    frontier: Frontier
    keeper: Keeper
    run: int
    now: Callable[[], datetime]
    progress: Progress

    def go(self, files: Sequence[str]) -> None:
        """Store and classify the pages of files.

        Raises:
            InputError: a named file is unreadable, or all files are.
        """
        for together in _grouped(self._read(files)):
            self._keep(together)
            self.progress.advance(len(together))

    def _keep(self, together: Sequence[_Read]) -> None:
        came = [article for article in map(self._came, together, self._articles(together)) if article is not None]
        for article, document in zip(came, self.keeper.keep(came), strict=True):
            self.frontier.settle(article.page, self.run, "done", self.now(), status=200, document=document)

    def _articles(self, together: Sequence[_Read]) -> Iterator[ExtractedArticle]:
        pages = articles_of([self._zoned(item.fetched) for item in together if item.fetched is not None])
        for item in together:
            yield next(pages) if item.fetched is not None else ExtractedArticle(item.document, is_article=True)

    def _zoned(self, page: Fetched) -> Fetched:
        """Return a page with the zone of its site."""
        return replace(page, zone=self.keeper.zones.get(self._site(page.url) or "", ""))

    def _came(self, read: _Read, article: ExtractedArticle) -> Came | None:
        """Return a page under its address or name; None if it has no text or belongs to no site."""
        document = article.document
        if document is None:
            why = article.reason or translated(WHY[article.why])
            self.progress.note(say("failed to read {file}: {reason}", file=read.file, reason=why))
            return None
        url = canonical_url(document.url or document.metadata.get("canonical") or "")
        if read.fetched is not None and read.fetched.status == 0 and self.keeper.judge.is_own(url):
            url = ""  # many copies keep the canonical address of the original
        site = self._site(url)
        if site is None:
            return None
        name = url or read.name
        self.frontier.put(site, "page", 0, [name], self.now())
        page = self.frontier.page(name)
        if page is None:
            return None
        fetched = read.fetched or Fetched("", site, document.first_seen_at or self.now(), b"")
        renamed = replace(
            document,
            id=name,
            url=url or None,
            source=document.source or (site if url else None),
            collection=self.watch.watched,
        )
        return Came(page, replace(fetched, url=name), replace(article, document=renamed))

    def _site(self, url: str) -> str | None:
        """Return the site of a page; its host if no sites are configured."""
        if not self.watch.sites:
            return urlsplit(url).hostname or "files"
        return next((site.name for site in self.watch.sites if site.scope.has(url)), None)

    def _read(self, files: Sequence[str]) -> Iterator[_Read]:
        """Yield pages and rows of files; unreadable ones are reported at the end."""
        rejects, has_any = Rejects(), False
        for source in discover(files):
            try:
                for item in self._read_file(source, files, rejects):
                    has_any = True
                    yield item
            except InputError as error:
                if source.named or has_any:
                    raise
                rejects.set_aside(source, error)
        if not has_any:
            rejects.demand_readable()
        for rejection in rejects.named:
            self.progress.note(say("failed to read {file}: {reason}", file=rejection.file, reason=rejection.reason))

    def _read_file(self, source: Source, files: Sequence[str], rejects: Rejects) -> Iterator[_Read]:
        recipe = recipe_of(None)
        columns, options = asked_of(recipe)
        if source.format == "warc":
            demand_file(source)
            for record, body in delivered(source, rejects, options):
                place = f"{source.name}:{record.number}"
                name = record.fields.get("warc-record-id", "").strip("<>") or place
                yield _Read(place, name, _fetched(record, body, self.now()), None)
        elif source.format in _KINDS and source.path is not None:
            demand_file(source)
            saved = _body(source, rejects)
            if saved is not None:
                at = datetime.fromtimestamp(source.path.stat().st_mtime, UTC)
                page = Fetched("", "", at, saved, _KINDS[source.format], status=0)
                yield _Read(source.name, name_of(source, files), page, None)
        else:
            batches = read_source(source, columns, rejects, options)
            misread = Counter[UnparsedValues]()
            for document in documents_of(source, batches, files, recipe, named={}, misread=misread):
                yield _Read(source.name, document.id, None, document)


def _body(source: Source, rejects: Rejects) -> bytes | None:
    """Return the content of a page file; None if it is rejected."""
    body = bytearray()
    with ByteReader(source) as stream:
        try:
            while len(body) <= MOST_BYTES and (piece := stream.read(_PIECE_BYTES)):
                body += piece
        except TruncatedStream as damage:
            rejects.add(
                source, row=1, line=None, reason=say("{reason}: fetch the file again", reason=damage.fault), data=b""
            )
            return None
    if len(body) > MOST_BYTES:
        rejects.add(
            source, row=1, line=None, reason=say("the file is longer than {most} bytes", most=MOST_BYTES), data=b""
        )
        return None
    return bytes(body)


def _fetched(record: WarcRecord, body: bytes, now: datetime) -> Fetched:
    """Return the page of a record with its recorded time, headers and status."""
    status, headers = delivery_of(record)
    at = now
    with suppress(ValueError):
        stated = datetime.fromisoformat(record.fields.get("warc-date", ""))
        at = stated if stated.tzinfo is not None else now
    return Fetched(record.url, "", at, body, headers, status=status)


def _grouped(read: Iterator[_Read]) -> Iterator[list[_Read]]:
    """Group pages by number and size."""
    together: list[_Read] = []
    for item in read:
        together.append(item)
        if len(together) >= _TOGETHER or sum(entry.size for entry in together) >= _TOGETHER_BYTES:
            yield together
            together = []
    if together:
        yield together


__all__ = ["SavedPages"]

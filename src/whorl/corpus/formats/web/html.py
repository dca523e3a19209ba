"""HTML pages: the main text of each is one document. Needs the extra ``html``.

See ``corpus.pages`` for the extraction.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from whorl.corpus.contract import NOT_FETCHED, Batch, Columns, DownloadInfo, ReadOptions, Source
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.pages.extraction import extract
from whorl.corpus.pages.parsing import parse, visible_lines
from whorl.corpus.recognition import with_pictures
from whorl.corpus.rejects import Rejects
from whorl.i18n import say
from whorl.release import missing_package

MOST_BYTES = 16 * 2**20

_PICTURE = re.compile(
    rb"""<img\b[^>]{0,2000}?\bsrc\s*=\s*["']data:image/(?:png|jpe?g|webp|tiff);base64,([A-Za-z0-9+/=\s]+)["']""",
    re.IGNORECASE,
)


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the main text of the page as one document: without navigation, links to other pages, scripts and styles.

    A page without an article, such as an index, gives all its visible text, and a notice. Title, url, date and author
    come from its head; a date that is missing there is searched for in the usual places.

    Rejected: a page longer than ``MOST_BYTES`` or ``max_row_bytes``, or that is truncated, without text, or not HTML.

    Raises:
        UsageError: trafilatura is not installed.

    Cost: about 35 ms a page of 120 kB; memory about 30 times the page.
    """
    dated = columns.reads_page_dates
    return batches_of(_documents(source, rejects, options, dated=dated), columns)


def _documents(source: Source, rejects: Rejects, options: ReadOptions, *, dated: bool) -> Iterator[WholeFileDocument]:
    demand_parser(source)

    def parse(data: bytes) -> WholeFileDocument:
        pictures = _pictures(data) if options.ocr else []
        try:
            document = document_of(data, options.encoding, dated=dated, fetched=source.fetched)
        except UnreadableError:
            document = WholeFileDocument("")
            if not pictures:
                raise
        recognized = with_pictures(document.text, source.label, pictures)
        if not recognized.text:
            raise UnreadableError(say("no text was recognized in its pictures: save the page as text"))
        return replace(document, text=recognized.text, lines=recognized.lines)

    return parsed(source, rejects, options, parse, min(MOST_BYTES, options.max_row_bytes))


def _pictures(data: bytes) -> list[Callable[[], bytes]]:
    """Return the pictures that a page contains; none is fetched."""
    encoded = dict.fromkeys(match[1] for match in _PICTURE.finditer(data))
    return [partial(b64decode, picture) for picture in encoded]


def demand_parser(source: Source) -> None:
    """Refuse a file with pages if no parser of pages is installed.

    Raises:
        UsageError: with a hint.
    """
    try:
        import trafilatura  # noqa: F401
    except ImportError:
        raise missing_package(
            say("{what} needs {package}", what=say("reading {path}", path=source.label), package="trafilatura"), "html"
        ) from None


def document_of(
    data: bytes, named: str | None, *, dated: bool, fetched: DownloadInfo = NOT_FETCHED
) -> WholeFileDocument:
    """Return the document of a page, also for formats that contain pages; see `whorl.corpus.pages.extract`."""
    page = extract(
        data,
        url=fetched.url,
        content_type=fetched.content_type,
        fetched_at=fetched.at,
        encoding=named,
        dated=dated,
        zone=fetched.zone,
    )
    return WholeFileDocument(
        text=page.text,
        title=page.title,
        url=page.canonical,
        date=page.date,
        author=page.author,
        author_from=page.author_from,
        account=page.account,
        origin=page.origin,
        origin_url=page.origin_url,
        editor=page.editor,
        links=" ".join(page.links) or None,
        mark="original" if page.is_original else None,
        next_page=page.next_page,
        published_precision=page.precision,
        published_zone=page.zone,
        published_original=page.written,
        notices=page.notices,
    )


def text_of(data: bytes, named: str | None) -> str:
    """Return all visible text of a page; it may be empty. Raises UnreadableError if the data is not a page."""
    return "\n".join(line.text for line in visible_lines(parse(data, named=named)[0]))


__all__ = ["MOST_BYTES", "demand_parser", "document_of", "read", "text_of", "write"]

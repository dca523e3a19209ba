"""Web archives (MHTML): the page in each is one document. Needs the extra ``html``.

A browser saves a page and its resources as the parts of one message [RFC 2557]. Only the page itself is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import CloseBoundaryNotFoundDefect
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from whorl.corpus.contract import Batch, Columns, DownloadInfo, ReadOptions, Source
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.formats.web.html import demand_parser, document_of
from whorl.corpus.rejects import Rejects
from whorl.i18n import say

MOST_PARTS = 10_000


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the page of the archive as one document, like an HTML file.

    The url is the original address of the page. The title comes from the page, else from the subject of the archive.
    The date comes from the page; the time of saving is ``crawled_at``.

    Rejected: a file longer than ``max_row_bytes``, truncated within the page or not a web archive, or whose page has no
    text.

    Raises:
        UsageError: no parser of pages is installed.

    Cost: that of the page; memory about three times the file, and 30 times the page.
    """
    demand_parser(source)
    dated = columns.reads_page_dates

    def parse(data: bytes) -> WholeFileDocument:
        return _document(data, options.encoding, dated=dated)

    return batches_of(parsed(source, rejects, options, parse, options.max_row_bytes), columns)


def _document(data: bytes, named: str | None, *, dated: bool) -> WholeFileDocument:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    archive, page = _archive_and_page(data)
    content = page.get_payload(decode=True)
    url = _url(archive, "Snapshot-Content-Location") or _url(page, "Content-Location")
    saved = _date(archive)
    fetched = DownloadInfo(url or "", _header(page, "Content-Type") or "", saved)
    document = document_of(content if isinstance(content, bytes) else b"", named, dated=dated, fetched=fetched)
    return replace(
        document,
        url=url or document.url,
        title=document.title or _header(archive, "Subject"),
        crawled_at=None if saved is None else saved.isoformat(),
    )


def page_of(data: bytes) -> bytes:
    """Return the page of an archive, for formats that embed archives. Raises UnreadableError if it has none."""
    content = _archive_and_page(data)[1].get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _archive_and_page(data: bytes) -> tuple[EmailMessage, EmailMessage]:
    try:
        archive = message_from_bytes(data.lstrip(), policy=policy.default)
        parts = list(archive.walk())
    except RecursionError:
        parts = []
    page = _page(parts) if len(parts) <= MOST_PARTS else None
    if page is None:
        raise UnreadableError(say("the file is not a web archive with a page: save the page again, as .html"))
    if page is parts[-1] and any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in archive.defects):
        raise UnreadableError(say("the file is truncated within the page: fetch it again"))
    return archive, page


def _page(parts: list[EmailMessage]) -> EmailMessage | None:
    """Return the root part of the archive, else the first page in it."""
    start = str(parts[0].get_param("start") or "") if parts else ""
    pages = [part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    return next((part for part in pages if start and _header(part, "Content-ID") == start), next(iter(pages), None))


def _header(part: EmailMessage, name: str) -> str | None:
    """Return a header on one line; None if it is empty or unreadable."""
    with suppress(Exception):  # the headers of a file may be malformed in any way
        return " ".join(str(part[name] or "").split()) or None
    return None


def _url(part: EmailMessage, name: str) -> str | None:
    with suppress(ValueError):
        url = (_header(part, name) or "").replace(" ", "")  # long values are folded
        return url if urlsplit(url).scheme in ("http", "https") else None
    return None


def _date(archive: EmailMessage) -> datetime | None:
    with suppress(ValueError, TypeError):
        return parsedate_to_datetime(_header(archive, "Date") or "")
    return None


__all__ = ["MOST_PARTS", "page_of", "read", "write"]

"""PDF files: the text layer of each is one document. Needs the extra ``pdf``; scanned pages need the extra ``ocr``.

Scripts in a file are never run. Documents that look different on paper can have the same text layer: the stamp of a
scanning app on every page, or the notice that a viewer cannot show the form. Read as text, they would be copies of each
other, so such files are rejected, unless their pages are recognized.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, cast

from whorl._internal.page_tracking import page_recognized
from whorl.corpus.contract import MISSING_PARTS, Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.office.hidden_text import hidden_notice
from whorl.corpus.formats.pdf.page import PdfPage, read_page
from whorl.corpus.formats.pdf.running_heads import joined_words, page_ranges, unread_pages, without_furniture
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, write
from whorl.corpus.recognition import (
    MAX_SIDE,
    RecognizedPage,
    demand_package,
    moved,
    placed,
    recognize,
)
from whorl.corpus.rejects import Rejects
from whorl.corpus.shells import RECOGNIZE
from whorl.errors import InputError
from whorl.i18n import Message, say, say_many
from whorl.release import missing_package

MOST_PAGES = 20_000
MOST_BYTES = 2**30

_ONE_AT_A_TIME = Lock()
_PASSWORD_NEEDED = 4
_MOST_UNKNOWN = 0.3
_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff\0-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(Z|[+-]\d\d'?(?:\d\d)?)?")
_LONGEST_NOTICE = 1500
_XFA = re.compile(
    r"please wait\b.{0,1000}\b(?:pdf viewer|adobe reader)|adobe reader.{0,200}\b(?:xfa|dynamic form)",
    re.IGNORECASE | re.DOTALL,
)
_PORTFOLIO = re.compile(
    r"\bpdf portfolio\b.{0,200}\badobe reader|\badobe reader.{0,200}\bpdf portfolio\b", re.IGNORECASE | re.DOTALL
)


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the text of all pages as one document, by pdfium; words broken at line ends are joined.

    Running heads, page numbers and tables of contents are left out (see `paged.without_furniture`), and so is invisible
    text. Values of form fields follow the text of their page. With ``options.ocr``, the text of pages without a text
    layer, and of all pages if their fonts have no Unicode table, is recognized, and the places of its lines are kept.

    Title, author and creation date come from its properties.

    Rejected: a file that needs a password, is damaged or not PDF; a file without text, with text on less than half of
    its pages, with pictures instead of text on half of them, with only a notice that it cannot be shown (XFA,
    portfolio), or with mostly meaningless characters (a font without a Unicode table); more than ``MOST_PAGES`` pages
    or ``MOST_BYTES`` bytes, or text longer than ``max_row_bytes``. Fewer pages with pictures instead of text give a
    notice.

    Raises:
        UsageError: pypdfium2, or a package for recognition, is not installed.
        InputError: the file cannot be opened.

    Cost: about 3 ms a page; memory: the text and the objects of the file.
    """
    return batches_of(_documents(source, rejects, options), columns)


def _documents(source: Source, rejects: Rejects, options: ReadOptions) -> Iterator[WholeFileDocument]:
    path = cast(Path, source.path)
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
    except OSError as error:
        raise InputError(
            say("cannot open {path}: {error}", path=source.label, error=error.strerror),
            hint=say("check its name and permissions"),
        ) from error
    try:
        document = _document(source, path, size, options)
    except UnreadableError as error:
        rejects.add(source, row=1, line=None, reason=error.reason, data=_pieces(path, options.block_bytes))
        return
    yield document


def _document(source: Source, path: Path, size: int, options: ReadOptions) -> WholeFileDocument:
    try:
        import pypdfium2
    except ImportError:
        raise missing_package(
            say("{what} needs {package}", what=say("reading {path}", path=source.label), package="pypdfium2"), "pdf"
        ) from None
    if not size:
        raise UnreadableError(say("the file is empty: fetch it again"))
    if size > MOST_BYTES:
        raise UnreadableError(say("the file is longer than {most} bytes: divide it", most=MOST_BYTES))
    with _ONE_AT_A_TIME:  # pdfium is not thread-safe
        try:
            opened = pypdfium2.PdfDocument(path.read_bytes())  # it would resolve a path: some files have no name
        except pypdfium2.PdfiumError as error:
            raise UnreadableError(_refusal(error)) from None
        try:
            return _read_pages(opened, source.label, options)
        except pypdfium2.PdfiumError:
            raise UnreadableError(say("the file is damaged: fetch it again, or repair it with qpdf")) from None
        finally:
            opened.close()


def _refusal(error: Any) -> Message:
    if error.err_code == _PASSWORD_NEEDED:
        return say("the file needs a password: save it without one")
    return say("the file is not a PDF, or is damaged: fetch it again, or repair it with qpdf")


def _read_pages(opened: Any, label: str, options: ReadOptions) -> WholeFileDocument:
    if len(opened) > MOST_PAGES:
        raise UnreadableError(say("the file has more than {most} pages: divide it", most=MOST_PAGES))
    if opened.get_formtype():
        opened.init_forms()
    pages: list[PdfPage] = []
    size, most_bytes = 0, options.max_row_bytes
    for number in range(len(opened)):
        pages.append(read_page(opened, number))
        size += len(pages[-1].text.encode()) + sum(len(value.encode()) for value in pages[-1].values)
        if size > most_bytes:
            raise UnreadableError(say("the text is longer than {most} bytes: divide the file", most=most_bytes))
    _refuse_notices(pages)
    unread = unread_pages([page.text for page in pages], [_pictures(page) for page in pages])
    recognized: Mapping[int, RecognizedPage] = {}
    if options.ocr:
        recognized = _recognized(opened, label, _without_text(pages, unread))
        unread = set()
    texts = [recognized[number].text if number in recognized else page.text for number, page in enumerate(pages)]
    read = without_furniture(["" if number in unread else text for number, text in enumerate(texts)])
    parts = ["\n".join(filter(None, (text, *page.values))) for text, page in zip(read, pages, strict=True)]
    whole = "\n".join(filter(None, parts))
    text = joined_words(whole)
    if options.ocr:
        _refuse_unrecognized(text)
    else:
        _refuse_without_text(pages, unread, text)
    stated = opened.get_metadata_dict(skip_empty=True)
    return WholeFileDocument(
        text=text,
        lines=moved(placed(parts, recognized), whole, text),
        title=_line(stated.get("Title")),
        author=_line(stated.get("Author")),
        date=_iso(stated.get("CreationDate", "")),
        notices={
            **hidden_notice(sum(page.hidden for page in pages)),
            **({MISSING_PARTS: _missing(unread, len(pages))} if unread else {}),
        },
    )


def _without_text(pages: list[PdfPage], unread: Collection[int]) -> list[int]:
    """Return the numbers of the pages to recognize: all pages if most of their characters are meaningless."""
    if _is_meaningless("".join(page.text for number, page in enumerate(pages) if number not in unread)):
        return list(range(len(pages)))
    without = {number for number, page in enumerate(pages) if page.pictures and not (page.text or page.values)}
    return sorted(without.union(unread))


def _recognized(opened: Any, label: str, numbers: list[int]) -> dict[int, RecognizedPage]:
    if numbers:
        demand_package(label)
    recognized = {}
    for done, number in enumerate(numbers, start=1):
        page = opened[number]
        try:
            recognized[number] = recognize(page.render(scale=MAX_SIDE / max(*page.get_size(), 1)).to_pil())
        finally:
            page.close()
        page_recognized(label, done, len(numbers))
    return recognized


def _missing(unread: set[int], count: int) -> Message:
    return say_many(
        "{count:,} page of {all:,} shows a picture in the place of text: recognize it with `ocr` ({pages})",
        "{count:,} pages of {all:,} show pictures in the place of text: recognize them with `ocr` ({pages})",
        len(unread),
        all=count,
        pages=page_ranges(unread),
    )


def _pictures(page: PdfPage) -> float:
    """Return the share of a page that pictures cover; 0 if a form is filled in, which is not a scan."""
    return 0.0 if page.values else page.pictures


def _refuse_notices(pages: list[PdfPage]) -> None:
    """Refuse a file whose text is only a viewer's notice."""
    if any(page.values for page in pages) or sum(len(page.text) for page in pages) > _LONGEST_NOTICE:
        return
    text = "\n".join(page.text for page in pages)
    if _XFA.search(text):
        raise UnreadableError(
            say("the file is an XFA form, whose content only Adobe Acrobat shows: print it to PDF there")
        )
    if _PORTFOLIO.search(text):
        raise UnreadableError(say("the file is the cover of a PDF portfolio: extract the files in it"))


def _refuse_without_text(pages: list[PdfPage], unread: set[int], text: str) -> None:
    empty = sum(number in unread or not (page.text or page.values) for number, page in enumerate(pages))
    if not text:
        raise UnreadableError(say("the file has no text layer: {hint}", hint=RECOGNIZE))
    if 2 * empty > len(pages) or 2 * len(unread) >= len(pages):
        raise UnreadableError(
            say("{empty} of its {count} pages have no text: {hint}", empty=empty, count=len(pages), hint=RECOGNIZE)
        )
    if _is_meaningless(text):
        raise UnreadableError(
            say(
                "most of its characters are meaningless because its fonts have no Unicode mapping: {hint}",
                hint=RECOGNIZE,
            )
        )


def _refuse_unrecognized(text: str) -> None:
    if not text:
        raise UnreadableError(say("no text was recognized on its pages: scan it again, or remove it from the input"))


def _is_meaningless(text: str) -> bool:
    return len(_UNKNOWN.findall(text)) > _MOST_UNKNOWN * len(text)


def _line(text: str | None) -> str | None:
    return " ".join((text or "").split()) or None


def _iso(date: str) -> str | None:
    """Convert a PDF date [ISO 32000-1, 7.9.4] to ISO 8601."""
    parts = _DATE.match(date)
    if parts is None:
        return None
    year, month, day, hour, minute, second, zone = parts.groups()
    written = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None:
        return written
    offset = "" if zone is None else zone if zone == "Z" else f"{zone[:3]}:{zone[3:].strip(chr(39)) or '00'}"
    return f"{written}T{hour}:{minute}:{second or '00'}{offset}"


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(size):
            yield piece


__all__ = ["MOST_BYTES", "MOST_PAGES", "read", "write"]

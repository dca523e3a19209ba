"""EPUB books: all chapters of a book are one document. Needs the extra ``html``.

A book is a zip archive of pages, which its package lists in order [EPUB 3.3]. No content is executed or downloaded.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from urllib.parse import unquote

from whorl._internal.frozen import frozen
from whorl.corpus.contract import MISSING_PARTS, Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.office.hidden_text import count_characters, hidden_notice
from whorl.corpus.formats.office.opc_package import ZipParts, pictures_of
from whorl.corpus.formats.office.zip_parts import DAMAGE, MOST_XML_BYTES, DeclaresEntitiesError, events
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.formats.web.html import demand_parser
from whorl.corpus.formats.web.visible_text import ShownPage, shown_page
from whorl.corpus.recognition import RecognizedText, with_pictures
from whorl.corpus.rejects import Rejects
from whorl.corpus.shells import RECOGNIZE, STAMP_CHARACTERS
from whorl.i18n import Message, say

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_CORE = "{http://purl.org/dc/elements/1.1/}"
_CIPHER = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml")
_MEDIA = ("image/", "audio/", "video/", "font/", "text/css", "application/vnd.ms-opentype", "application/x-dtbncx")
"""Types that are never pages; any other stated type may be wrong, and the content decides."""
_KINDLE, _KINDLE_AT = b"BOOKMOBI", 60
_ENCRYPTED = 1
_FURNITURE = frozenset(("toc", "cover", "copyright-page", "landmarks", "loi", "lot", "page-list", "nav"))
_COPYRIGHT = re.compile(
    r"copyright|all rights reserved|isbn|©|first (?:published|edition)"
    r"|版权|印次|版次|印张|书号|字数|定价|CIP|责任编辑|出版发行",
    re.IGNORECASE,
)
_FEW_MARKS = 3
_MAX_COPYRIGHT_CHARACTERS = 1_200
_MOSTLY = 0.8
_FEW_LINES = 4
_LEAST_PER_MISSING = 100
"""Minimum characters read per missing chapter: less is a preface, which other books may share."""
_FEW_PICTURES = 3
_MAX_STYLE_BYTES = 2**22


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the chapters in order, without cover, contents and copyright page, as one document.

    Ruby readings and hidden text are left out. A notice reports chapters that the file lacks.

    Title, author, date and id come from its package; the id is the package identifier.

    Rejected: a file longer than ``max_row_bytes``, or with chapters longer than ``MOST_XML_BYTES``; a file that is
    protected (DRM), damaged, not EPUB or without text, or that lacks more than half of its chapters.

    Raises:
        UsageError: no parser of pages is installed.

    Cost: about 0.2 s a megabyte of chapters; memory: the file, its text, and 30 times its longest chapter.
    """
    demand_parser(source)
    parse = partial(_document, ocr=source.label if options.ocr else None)
    return batches_of(parsed(source, rejects, options, parse, options.max_row_bytes), columns)


def _document(data: bytes, *, ocr: str | None) -> WholeFileDocument:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    if data[_KINDLE_AT : _KINDLE_AT + len(_KINDLE)] == _KINDLE:
        raise UnreadableError(say("the file is a Kindle book: convert it to EPUB"))
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read(archive, ocr)
    except DeclaresEntitiesError:
        raise UnreadableError(
            say("the book declares XML entities, which publishers never write: convert it again")
        ) from None
    except DAMAGE:
        raise UnreadableError(say("the file is not an EPUB book, or is damaged: fetch it again")) from None


@frozen
class _ManifestItem:
    """A part listed by the package of a book: its name, type and properties."""

    name: str
    kind: str
    properties: frozenset[str]


@dataclass(slots=True)
class _BookManifest:
    """The manifest of a book.

    Attributes:
        items: its parts by id.
        order: the ids of its chapters.
        furniture: names of pages that its guide lists as cover, contents or copyright page.
        metadata: its metadata by Dublin Core names.
    """

    items: dict[str, _ManifestItem] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    furniture: set[str] = field(default_factory=set)
    metadata: dict[str, list[str]] = field(default_factory=dict)

    def first(self, name: str) -> str | None:
        """Return the first metadata value of a name."""
        return next(iter(self.metadata.get(name, ())), None)

    def chapters(self) -> list[str]:
        """Return the names of its pages in reading order, or in manifest order if there is none."""
        ids = self.order or [id for id, item in self.items.items() if item.kind in _PAGES]
        unlisted = _ManifestItem("", "", frozenset())
        listed = [(id, self.items.get(id, unlisted)) for id in ids]
        return [
            item.name or id
            for id, item in listed
            if "nav" not in item.properties and (not item.kind.startswith(_MEDIA) or _is_page_name(item.name))
        ]


@dataclass(slots=True)
class _BookContents:
    """Text and statistics of the chapters of a book.

    Attributes:
        texts: the texts of the chapters.
        hidden: number of hidden characters.
        pictures: number of pictures.
        picture_names: names of its pictures, in order.
        picture_pages: number of chapters with a picture and hardly any text.
        furniture: number of chapters that are cover, contents or copyright page.
        missing: chapters that are missing or are not pages.
    """

    texts: list[str] = field(default_factory=list)
    hidden: int = 0
    pictures: int = 0
    picture_names: list[str] = field(default_factory=list)
    picture_pages: int = 0
    furniture: int = 0
    missing: list[str] = field(default_factory=list)


def _read(archive: zipfile.ZipFile, ocr: str | None) -> WholeFileDocument:
    parts = ZipParts(archive)
    book = _book(parts)
    chapters = book.chapters()
    there = [name for name in chapters if parts.find(name) is not None]
    if _is_protected(parts, there):
        raise UnreadableError(say("the book is protected (DRM): get it without protection, or its text"))
    _demand_small(parts, there)
    contents = _read_chapters(parts, there, book.furniture)
    contents.missing += [name for name in chapters if parts.find(name) is None]
    text = RecognizedText("\n".join(contents.texts))
    if ocr is not None:
        pictures = pictures_of(parts, dict.fromkeys(contents.picture_names))
        text = with_pictures(text.text, ocr, pictures)
    _demand_text(contents, text.text, len(chapters))
    notices = hidden_notice(contents.hidden)
    if contents.missing:
        notices[MISSING_PARTS] = _missing(contents.missing, len(chapters))
    return WholeFileDocument(
        text=text.text,
        lines=text.lines,
        title=book.first("title"),
        author=", ".join(book.metadata.get("creator", ())) or None,
        date=book.first("date"),
        id=book.first("identifier"),
        notices=notices,
    )


def _read_chapters(parts: ZipParts, names: list[str], furniture: set[str]) -> _BookContents:
    contents = _BookContents()
    sheets = _StyleSheets(parts)
    for name in dict.fromkeys(names):
        data = parts.read(name)
        if not data.strip():
            contents.missing.append(name)
            continue
        try:
            page = shown_page(data, partial(sheets.read, name))
        except UnreadableError:
            contents.missing.append(name)
            continue
        contents.hidden += page.hidden
        contents.pictures += page.pictures
        contents.picture_names += (parts.resolve(name, unquote(address)) for address in page.sources)
        if name in furniture or _is_furniture(page):
            contents.furniture += 1
        elif page.text:
            contents.texts.append(page.text)
        contents.picture_pages += bool(page.pictures) and count_characters(page.text) <= STAMP_CHARACTERS
    return contents


def _demand_text(contents: _BookContents, text: str, chapters: int) -> None:
    """Refuse a book if too little of it is readable to distinguish it from others.

    Raises:
        UnreadableError: with the missing parts.
    """
    missing = len(contents.missing)
    size = count_characters(text)
    if missing and (2 * missing > chapters or size < _LEAST_PER_MISSING * missing):
        raise UnreadableError(say("{reason}: get the book again", reason=_missing(contents.missing, chapters)))
    is_scanned = contents.picture_pages >= _FEW_PICTURES and size <= STAMP_CHARACTERS * contents.picture_pages
    if is_scanned or (contents.pictures and not text):
        raise UnreadableError(say("the book consists of page images: {hint}", hint=RECOGNIZE))
    if not text:
        if contents.hidden:
            raise UnreadableError(
                say("all text of the book is hidden: remove the styles that hide it, and convert it again")
            )
        if contents.furniture:
            raise UnreadableError(say("the book contains only cover, contents or copyright page: get the whole book"))
        raise UnreadableError(say("the book has no text: get another edition"))


def _missing(names: list[str], chapters: int) -> Message:
    return say(
        "{count} of {all} chapters are missing or unreadable, such as {name}",
        count=len(names),
        all=chapters,
        name=names[0],
    )


def _is_furniture(page: ShownPage) -> bool:
    """True if a page only lists other pages or is a copyright page: by its markup, else by its text."""
    if not page.kinds.isdisjoint(_FURNITURE):
        return True
    size = count_characters(page.text)
    if size and page.linked > _MOSTLY * size and page.text.count("\n") >= _FEW_LINES:
        return True
    return (
        size <= _MAX_COPYRIGHT_CHARACTERS
        and len({mark.group().lower() for mark in _COPYRIGHT.finditer(page.text)}) >= _FEW_MARKS
    )


class _StyleSheets:
    """The style sheets of a book, each read once."""

    def __init__(self, parts: ZipParts) -> None:
        self._parts = parts
        self._read: dict[str, str] = {}
        self._remaining = _MAX_STYLE_BYTES

    def read(self, page: str, address: str) -> str:
        """Return a style sheet by its address in a page; empty if it is missing."""
        name = self._parts.resolve(page, unquote(address))
        if name not in self._read:
            size = self._parts.size([name])
            self._remaining -= size
            is_read = size and self._remaining >= 0
            self._read[name] = self._parts.read(name).decode("utf-8", "replace") if is_read else ""
        return self._read[name]


def _book(parts: ZipParts) -> _BookManifest:
    place = _package_of(parts)
    _demand_small(parts, [place])
    book = _BookManifest()
    with parts.open(place) as part:
        for _, element in events(part, "end"):
            kind = element.tag.rpartition("}")[2]
            if element.tag.startswith(_CORE):
                if value := " ".join((element.text or "").split()):
                    book.metadata.setdefault(kind, []).append(value)
            elif kind == "item":
                book.items[element.get("id") or ""] = _ManifestItem(
                    _target(parts, place, element.get("href") or ""),
                    (element.get("media-type") or "").partition(";")[0].strip().lower(),
                    frozenset((element.get("properties") or "").split()),
                )
            elif kind == "itemref":
                book.order.append(element.get("idref") or "")
            elif kind == "reference" and (element.get("type") or "").lower() in _FURNITURE:
                book.furniture.add(_target(parts, place, element.get("href") or ""))
    return book


def _target(parts: ZipParts, package: str, address: str) -> str:
    """Return the name of a part by its address in the package, which only some programs escape."""
    plain = parts.resolve(package, address)
    return plain if parts.find(plain) is not None else parts.resolve(package, unquote(address))


def _is_page_name(name: str) -> bool:
    return name.lower().endswith((".xhtml", ".html", ".htm", ".xht"))


def _package_of(parts: ZipParts) -> str:
    """Return the package document, which lists the other parts."""
    _demand_small(parts, [_CONTAINER])
    with parts.open(_CONTAINER) as part:
        paths = [element.get("full-path") for _, element in events(part, "end")]
    stated = [path for path in paths if path]
    there = [path for path in stated if parts.find(path) is not None]
    others = [name for name in parts.names if stated and name.lower().endswith(".opf")]
    return next(iter([*there, *others, *stated]), "")


def _is_protected(parts: ZipParts, chapters: list[str]) -> bool:
    """True if chapters are encrypted; unprotected books may have encrypted fonts."""
    members = [info for name in chapters if (info := parts.find(name)) is not None]
    if any(info.flag_bits & _ENCRYPTED for info in members):
        return True
    if parts.find(_ENCRYPTION) is None:
        return False
    _demand_small(parts, [_ENCRYPTION])
    with parts.open(_ENCRYPTION) as part:
        uris = [element.get("URI") for _, element in events(part, "end") if element.tag == _CIPHER]
    encrypted = {info.filename for uri in uris if uri and (info := parts.find(uri)) is not None}
    return any(info.filename in encrypted for info in members)


def _demand_small(parts: ZipParts, names: list[str]) -> None:
    if parts.size(names) > MOST_XML_BYTES:
        raise UnreadableError(say("the book unpacks to more than {most} bytes: divide it", most=MOST_XML_BYTES))


__all__ = ["MOST_XML_BYTES", "read", "write"]

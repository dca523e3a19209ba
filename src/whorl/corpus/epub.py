"""EPUB books: the text of all chapters of each is one document. Needs the extra ``html``.

A book is a zip archive of pages, which its package lists in order [EPUB 3.3]. Nothing in it is run or fetched.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.html import demand_parser, text_of
from whorl.corpus.parts import DAMAGE, MOST_XML_BYTES, DeclaresEntitiesError, events, is_too_large
from whorl.corpus.rejected import Rejects
from whorl.corpus.whole import Document, UnreadableError, batches_of, parsed, write
from whorl.language import say

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_CORE = "{http://purl.org/dc/elements/1.1/}"
_PACKAGE = "{http://www.idpf.org/2007/opf}"
_CIPHER = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml")


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the chapters of the book in their order, without its table of contents, as one document.

    Title, author, date and id are those of its package; the id is what the package calls its identifier.

    Rejected: a file longer than ``max_row_bytes``, or whose chapters are longer than ``MOST_XML_BYTES``; one that is
    protected (DRM), damaged, no EPUB, or without text.

    Raises:
        UsageError: no parser of pages is installed.

    Cost: about 0.2 s a megabyte of chapters; memory: the file, its text, and 30 times its longest chapter.
    """
    demand_parser(source)
    return batches_of(parsed(source, rejects, options, _document, options.max_row_bytes), columns)


def _document(data: bytes) -> Document:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read(archive)
    except DeclaresEntitiesError:
        raise UnreadableError(say("the book declares entities, which no publisher does: convert it again")) from None
    except DAMAGE:
        raise UnreadableError(say("the file is no EPUB book, or damaged: fetch it again")) from None


@dataclass(slots=True)
class _Book:
    """What the package of a book lists.

    Attributes:
        pages: the parts that are pages, by their ids.
        order: the ids of its chapters.
        said: what it says of itself, by the names of Dublin Core.
    """

    pages: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)

    def first(self, name: str) -> str | None:
        """The first of what it says under a name."""
        return next(iter(self.said.get(name, ())), None)


def _read(archive: zipfile.ZipFile) -> Document:
    names = set(archive.namelist())
    book = _book(archive)
    chapters = [book.pages[id_] for id_ in book.order if book.pages.get(id_) in names]
    if _ENCRYPTION in names and not _encrypted(archive).isdisjoint(chapters):
        raise UnreadableError(say("the book is protected (DRM): get it without protection, or its text"))
    if is_too_large(archive, chapters, MOST_XML_BYTES):
        raise UnreadableError(say("the book unpacks to more than {most} bytes: divide it", most=MOST_XML_BYTES))
    texts = (text_of(archive.read(name), None) for name in chapters if archive.getinfo(name).file_size)
    text = "\n".join(text for text in texts if text)
    if not text:
        raise UnreadableError(say("the book has no text: if it holds pictures of pages, run OCR first"))
    return Document(
        text=text,
        title=book.first("title"),
        author=", ".join(book.said.get("creator", ())) or None,
        date=book.first("date"),
        id=book.first("identifier"),
    )


def _book(archive: zipfile.ZipFile) -> _Book:
    place = _package_of(archive)
    _demand_small(archive, place)
    book = _Book()
    with archive.open(place) as part:
        for _, element in events(part, "end"):
            kind = element.tag.removeprefix(_PACKAGE)
            if kind == "item" and element.get("media-type") in _PAGES:
                if "nav" not in (element.get("properties") or "").split():
                    path = unquote(element.get("href") or "").partition("#")[0]
                    book.pages[element.get("id") or ""] = normpath(join(dirname(place), path))
            elif kind == "itemref":
                book.order.append(element.get("idref") or "")
            elif kind.startswith(_CORE) and (value := " ".join((element.text or "").split())):
                book.said.setdefault(kind.removeprefix(_CORE), []).append(value)
    return book


def _package_of(archive: zipfile.ZipFile) -> str:
    """The part that lists the others."""
    _demand_small(archive, _CONTAINER)
    with archive.open(_CONTAINER) as part:
        paths = [element.get("full-path") for _, element in events(part, "end")]
    return next((normpath(path) for path in paths if path), "")


def _encrypted(archive: zipfile.ZipFile) -> set[str]:
    """The parts that cannot be read; fonts may be among them in books that are not protected."""
    _demand_small(archive, _ENCRYPTION)
    with archive.open(_ENCRYPTION) as part:
        found = (element.get("URI") for _, element in events(part, "end") if element.tag == _CIPHER)
        return {normpath(unquote(uri)).lstrip("/") for uri in found if uri}


def _demand_small(archive: zipfile.ZipFile, name: str) -> None:
    if is_too_large(archive, [name], MOST_XML_BYTES):
        raise UnreadableError(say("the book unpacks to more than {most} bytes: divide it", most=MOST_XML_BYTES))


__all__ = ["MOST_XML_BYTES", "read", "write"]

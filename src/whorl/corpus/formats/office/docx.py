"""Word documents (DOCX): each file is one document.

A DOCX file is a zip archive of XML parts [ECMA-376]. The text is read from the parts themselves: macros are ignored and
links are not followed. Parts are located by relationships and content types, since producers choose their names freely.

A document is read whole or rejected. If its text is an unreadable embedded part, pictures of pages, or a workbook, only
its letterhead would be read, and all such documents would be copies of each other.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from typing import IO

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.office.docx_bindings import Bindings
from whorl.corpus.formats.office.docx_styles import DocxStyles
from whorl.corpus.formats.office.docx_text import DocxTextTarget, EmbeddedChunk
from whorl.corpus.formats.office.embedded import text_of as text_of_embedded
from whorl.corpus.formats.office.hidden_text import hidden_notice
from whorl.corpus.formats.office.opc_package import Relationship, ZipParts, pictures_of
from whorl.corpus.formats.office.zip_parts import (
    DAMAGE,
    MOST_XML_BYTES,
    DeclaresEntitiesError,
    events,
    feed,
    stated,
)
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.recognition import with_pictures
from whorl.corpus.rejects import Rejects
from whorl.corpus.shells import RECOGNIZE, demand_text
from whorl.corpus.signature import is_word_xml
from whorl.i18n import say
from whorl.types.scans import PageLine

_CORE = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_DIAGRAMS = ("chart", "diagramData")
_NOTES = ("footnotes", "endnotes")
_MAIN_TYPES = (
    "wordprocessingml.document.main+xml",
    "wordprocessingml.template.main+xml",
    "ms-word.document.macroenabled.main+xml",
    "ms-word.template.macroenabledtemplate.main+xml",
)
_WORKBOOKS = ("spreadsheetml", "ms-excel")
_SLIDES = ("presentationml", "ms-powerpoint")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_EMBEDDINGS = 4
"""Maximum depth of documents embedded in each other."""
_AGAIN = say("save it again as .docx")


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the paragraphs of the file in order, including tables, text boxes and notes, as one document.

    Title, author and creation date come from its properties. Deleted text of tracked changes, hidden text, ruby
    readings, tables of contents, headers, footers and comments are left out.

    Rejected: a file longer than ``max_row_bytes``, or with parts longer than ``MOST_XML_BYTES``; a file that is
    encrypted, damaged, not DOCX or without text, or whose text is in an unreadable part.

    Cost: 0.2 to 0.5 s a megabyte of XML; memory: the file and its text.
    """
    parse = partial(_document, ocr=source.label if options.ocr else None)
    return batches_of(parsed(source, rejects, options, parse, options.max_row_bytes), columns)


def _document(data: bytes, *, ocr: str | None) -> WholeFileDocument:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    if data.startswith(_OLE):
        raise UnreadableError(
            say(
                "the document has a password, or was saved by Word 2003 or earlier: {hint} without a password",
                hint=_AGAIN,
            )
        )
    allowance = _UnpackLimit(MOST_XML_BYTES)
    content = _content_of(data, allowance, 0, ocr)
    demand_text(
        content.text,
        hidden=content.hidden,
        contents=content.contents,
        pictures=content.pictures,
        large_pictures=content.large_pictures,
        objects=content.objects,
        has_margins=content.has_margins,
        hint=RECOGNIZE,
    )
    properties = content.properties
    return WholeFileDocument(
        text=content.text,
        title=properties.get(f"{_CORE}title"),
        author=properties.get(f"{_CORE}creator"),
        date=properties.get(f"{_TERMS}created"),
        notices=hidden_notice(content.hidden),
        lines=content.lines,
    )


class _UnpackLimit:
    """Remaining size limit for the unpacked parts of a document and of the documents embedded in it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = self._remaining = max_bytes

    def demand(self, parts: ZipParts, names: Iterable[str]) -> None:
        """Count parts before they are read. A part that is longer than its stated size is cut there.

        Raises:
            UnreadableError: all parts together are too large.
        """
        self._remaining -= parts.size(names)
        if self._remaining < 0:
            raise UnreadableError(
                say("the document unpacks to more than {most} bytes: divide it", most=self._max_bytes)
            )

    def open(self, parts: ZipParts, name: str) -> IO[bytes]:
        """Count a part and open it."""
        self.demand(parts, [name])
        return parts.open(name)


@dataclass(slots=True)
class _DocxContent:
    """Content of a document.

    Attributes:
        text: its text; may be empty.
        hidden: number of hidden characters.
        contents: number of characters in its tables of contents.
        pictures: number of pictures.
        large_pictures: number of pictures that fill at least half a page.
        objects: number of objects of other programs.
        has_margins: whether it has headers, footers or comments.
        properties: its stated metadata.
        lines: the places of recognized lines in the text.
    """

    text: str = ""
    hidden: int = 0
    contents: int = 0
    pictures: int = 0
    large_pictures: int = 0
    objects: int = 0
    has_margins: bool = False
    properties: dict[str, str] = field(default_factory=dict)
    lines: tuple[PageLine, ...] = ()

    def add(self, other: _DocxContent | DocxTextTarget) -> None:
        """Add the counts of another document or of a part of this one, without its text."""
        self.hidden += other.hidden
        self.contents += other.contents
        self.pictures += other.pictures
        self.large_pictures += other.large_pictures
        self.objects += other.objects


def _content_of(data: bytes, allowance: _UnpackLimit, depth: int, ocr: str | None = None) -> _DocxContent:
    try:
        if is_word_xml(data):
            return _read_xml(data)
        with zipfile.ZipFile(BytesIO(data)) as archive:
            parts = ZipParts(archive)
            content, pictures = _read_parts(parts, allowance, depth)
            if ocr is not None:
                recognized = with_pictures(content.text, ocr, pictures)
                content.text, content.lines = recognized.text, recognized.lines
            return content
    except DeclaresEntitiesError:
        raise UnreadableError(
            say("the document declares XML entities, which Word never writes: {hint}", hint=_AGAIN)
        ) from None
    except DAMAGE:
        raise UnreadableError(say("the file is not a DOCX document, or is damaged: {hint}", hint=_AGAIN)) from None


def _read_xml(data: bytes) -> _DocxContent:
    """Read a document in a single XML file: Word 2003, or all parts of a newer document in one (flat OPC)."""
    target = DocxTextTarget(DocxStyles(BytesIO(data)))
    feed(BytesIO(data), target)
    target.finish()
    content = _DocxContent("\n".join(line for line in target.lines if isinstance(line, str)))
    content.add(target)
    if any(isinstance(line, EmbeddedChunk) for line in target.lines):
        raise UnreadableError(say("parts of the document are in other files: join them in Word, and save it again"))
    return content


def _read_parts(parts: ZipParts, allowance: _UnpackLimit, depth: int) -> tuple[_DocxContent, list[Callable[[], bytes]]]:
    """Return the content of a document, and its pictures, which Word numbers in order."""
    main = _main_part(parts, allowance)
    allowance.demand(parts, [_relationships_part(main)])
    related = parts.relationships(main)
    by_kind: dict[str, list[str]] = {}
    for link in related.values():
        if not link.is_external and parts.find(link.target) is not None:
            by_kind.setdefault(link.kind, []).append(link.target)
    folder = main.rpartition("/")[0]
    for kind in (*_NOTES, "styles"):  # without a relationship: by content type or usual name
        if kind not in by_kind:
            by_type = [name for name, type in parts.content_types.items() if type.endswith(f".{kind}+xml")]
            by_kind[kind] = by_type or [name for name in (f"{folder}/{kind}.xml",) if parts.find(name) is not None]
    styles = next((allowance.open(parts, name) for name in by_kind.get("styles", ())), None)
    bindings = Bindings(partial(allowance.open, parts, name) for name in by_kind.get("customXml", ()))
    target = DocxTextTarget(DocxStyles(styles), bindings)
    lines: list[str] = []
    content = _DocxContent()
    for name in dict.fromkeys((main, *(name for kind in _NOTES for name in by_kind.get(kind, ())))):
        with allowance.open(parts, name) as part:
            feed(part, target)
        target.finish()
        links = related if name == main else parts.relationships(name)
        lines += (
            line if isinstance(line, str) else _chunk(line, parts, links, content, allowance, depth)
            for line in target.lines
        )
        target.lines.clear()
    content.add(target)
    content.text = "\n".join(line for line in lines if line)
    content.objects += sum(len(by_kind.get(kind, ())) for kind in _DIAGRAMS)
    content.has_margins = not by_kind.keys().isdisjoint(("header", "footer", "comments"))
    content.properties = _properties(parts, allowance)
    return content, pictures_of(parts, sorted(dict.fromkeys(by_kind.get("image", ())), key=_numbered))


def _numbered(name: str) -> tuple[int, str]:
    digits = re.search(r"(\d{1,9})\.\w+$", name)
    return (int(digits[1]) if digits else 0, name)


def _chunk(
    chunk: EmbeddedChunk,
    parts: ZipParts,
    links: Mapping[str, Relationship],
    content: _DocxContent,
    allowance: _UnpackLimit,
    depth: int,
) -> str:
    """Return the text of an embedded part, and add its hidden characters to ``content``."""
    link = links.get(chunk.relationship)
    if chunk.is_file or (link is not None and link.is_external):
        raise UnreadableError(say("parts of the document are in other files: join them in Word, and save it again"))
    if link is None or parts.find(link.target) is None:
        raise UnreadableError(say("the document embeds a part that is missing from the file: get the file again"))
    if depth >= _MAX_EMBEDDINGS:
        raise UnreadableError(
            say("documents are nested deeper than {most} levels: save the innermost as a file", most=_MAX_EMBEDDINGS)
        )
    with allowance.open(parts, link.target) as part:
        data = part.read()
    try:
        if data.startswith(b"PK") or is_word_xml(data):
            inner = _content_of(data, allowance, depth + 1)
            content.add(inner)
            return inner.text
        page = text_of_embedded(data, parts.content_type(link.target))
    except UnreadableError as error:
        if depth:
            raise
        raise UnreadableError(
            say("the embedded part {part} cannot be read: {reason}", part=link.target, reason=error.reason)
        ) from None
    content.hidden += page.hidden
    content.pictures += page.pictures
    return page.text


def _main_part(parts: ZipParts, allowance: _UnpackLimit) -> str:
    """Return the part with the text: by the relationships of the package, its content type, or its usual name."""
    allowance.demand(parts, [_relationships_part(""), "[Content_Types].xml"])
    named = [link.target for link in parts.relationships("").values() if link.kind == "officeDocument"]
    types = parts.content_types
    by_type = [name for name, kind in types.items() if kind.endswith(_MAIN_TYPES)]
    for name in (*named, *by_type, "word/document.xml"):
        if parts.find(name) is not None:
            kind = parts.content_type(name)
            if any(mark in kind for mark in _WORKBOOKS):
                raise UnreadableError(say("the file is a workbook, not a Word document: rename it to .xlsx"))
            if any(mark in kind for mark in _SLIDES):
                raise UnreadableError(say("the file is a presentation, not a Word document: export it as PDF"))
            return name
    raise UnreadableError(
        say("the file is not a DOCX document, it has no part {main}: {hint}", main="word/document.xml", hint=_AGAIN)
    )


def _relationships_part(name: str) -> str:
    folder, _, last = name.rpartition("/")
    return f"{folder}/_rels/{last}.rels"


def _properties(parts: ZipParts, allowance: _UnpackLimit) -> dict[str, str]:
    links = parts.relationships("").values()
    name = next((link.target for link in links if link.kind == "core-properties"), "docProps/core.xml")
    if parts.find(name) is None:
        return {}
    with allowance.open(parts, name) as part:
        return stated(events(part, "end"))


__all__ = ["MOST_XML_BYTES", "read", "write"]

"""OpenDocument texts (ODT, and FODT, the single-file form): each file is one document.

The text is read from the XML itself [OASIS OpenDocument 1.3]: macros are ignored and links are not followed.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.office.hidden_text import count_characters, hidden_notice
from whorl.corpus.formats.office.odt_styles import OdtStyles, TextFormat
from whorl.corpus.formats.office.opc_package import ZipParts
from whorl.corpus.formats.office.zip_parts import DAMAGE, MOST_XML_BYTES, DeclaresEntitiesError, events, feed, stated
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.rejects import Rejects
from whorl.corpus.shells import demand_text
from whorl.i18n import say

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CORE = "{http://purl.org/dc/elements/1.1/}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_FORM = "{urn:oasis:names:tc:opendocument:xmlns:form:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_LINES = frozenset((f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}line-break"))
_BODY = f"{_OFFICE}body"
_UNSEEN = frozenset((
    f"{_TEXT}tracked-changes", f"{_TEXT}note-citation", f"{_TEXT}ruby-text", f"{_TEXT}placeholder", f"{_TEXT}script",
    f"{_OFFICE}annotation", f"{_OFFICE}binary-data", f"{_SVG}title", f"{_SVG}desc",
))  # fmt: skip
_OBJECTS = frozenset((f"{_DRAW}object", f"{_DRAW}object-ole", f"{_DRAW}applet", f"{_DRAW}plugin"))
_CONTENTS = frozenset((f"{_TEXT}table-of-content", f"{_TEXT}illustration-index", f"{_TEXT}table-index"))
_CONDITIONAL = frozenset((f"{_TEXT}section", f"{_TEXT}hidden-text"))
_ROWS = frozenset((f"{_TABLE}table-row", f"{_TABLE}table-column"))
_IS_HIDDEN = f"{_TEXT}is-hidden"
_HIDDEN_PARAGRAPH = f"{_TEXT}hidden-paragraph"
_NOTE = f"{_TEXT}note-body"
_SPACES = frozenset((f"{_TEXT}s", f"{_TEXT}tab"))
_CONTENT, _PROPERTIES, _MANIFEST, _STYLES = "content.xml", "meta.xml", "META-INF/manifest.xml", "styles.xml"
_LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(cm|mm|in|pt)")
_CENTIMETERS = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 0.0353}
_LARGE_PICTURE_CM2 = 0.5 * 21.0 * 29.7


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the paragraphs of the file in order, including tables and text boxes, then its notes, as one document.

    Title, author and creation date come from its properties. Deleted and hidden text, ruby readings, tables of contents
    and comments are left out.

    Rejected: a file longer than ``max_row_bytes``, or with parts longer than ``MOST_XML_BYTES``; a file that has a
    password, is damaged, not ODT or without text.

    Cost: 0.1 to 0.3 s a megabyte of XML; memory: the file and its text.
    """
    return batches_of(parsed(source, rejects, options, _document, options.max_row_bytes), columns)


def _document(data: bytes) -> WholeFileDocument:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    try:
        if not data.startswith(b"PK"):
            return _read(data, data)
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read(*_parts(archive))
    except DeclaresEntitiesError:
        raise UnreadableError(
            say("the document declares XML entities, which office programs never write: save it again")
        ) from None
    except DAMAGE:
        raise UnreadableError(
            say("the file is not an OpenDocument text, or is damaged: save it again as .odt")
        ) from None


def _parts(archive: zipfile.ZipFile) -> tuple[bytes, bytes, bytes]:
    """Return the content, the properties and the styles."""
    parts = ZipParts(archive)
    if parts.size([_CONTENT, _PROPERTIES, _MANIFEST, _STYLES]) > MOST_XML_BYTES:
        raise UnreadableError(say("the document unpacks to more than {most} bytes: divide it", most=MOST_XML_BYTES))
    if parts.find(_MANIFEST) and b":encryption-data" in parts.read(_MANIFEST):
        raise UnreadableError(say("the document has a password: save it without one"))
    further = (parts.read(name) if parts.find(name) else b"" for name in (_PROPERTIES, _STYLES))
    properties, styles = further
    return parts.read(_CONTENT), properties, styles


def _read(content: bytes, properties: bytes, styles: bytes = b"") -> WholeFileDocument:
    document_styles = OdtStyles()
    if styles:
        feed(BytesIO(styles), _StylesOnly(document_styles))
    reading = _OdtTarget(document_styles)
    feed(BytesIO(content), reading)
    text = "\n".join([*reading.lines, *reading.notes])
    demand_text(
        text,
        hidden=reading.hidden,
        contents=reading.contents,
        pictures=reading.pictures,
        large_pictures=reading.large_pictures,
        objects=reading.objects,
    )
    metadata = stated(events(BytesIO(properties), "end")) if properties else {}
    return WholeFileDocument(
        text=text,
        title=metadata.get(f"{_CORE}title"),
        author=metadata.get(f"{_META}initial-creator") or metadata.get(f"{_CORE}creator"),
        date=metadata.get(f"{_META}creation-date") or metadata.get(f"{_CORE}date"),
        notices=hidden_notice(reading.hidden),
    )


class _StylesOnly:
    """Parser target that passes the elements of a styles part to the styles of a document."""

    def __init__(self, styles: OdtStyles) -> None:
        self.start = styles.start
        self.end = styles.end

    def data(self, text: str) -> None:
        """Ignore text, which styles do not have."""


class _OdtTarget:
    """Parser target that collects the lines of a text and of its notes.

    Attributes:
        lines: the lines of the text.
        notes: the lines of its notes.
        hidden: number of characters hidden by formatting or a condition.
        contents: number of characters in tables of contents.
        pictures: number of pictures in the text.
        large_pictures: number of pictures that fill at least half a page.
        objects: number of objects of other programs.
    """

    def __init__(self, styles: OdtStyles) -> None:
        self.lines: list[str] = []
        self.notes: list[str] = []
        self.hidden = self.contents = self.pictures = self.large_pictures = self.objects = 0
        self._styles = styles
        self._pieces: list[str] = []
        self._around_notes: list[list[str]] = []
        self._formats: list[TextFormat] = []
        self._bodies = 0
        self._left_out = 0  # depth below the omitted element
        self._counts_hidden = self._counts_contents = False
        self._hides_paragraph = False
        self._area = 0.0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        if self._left_out:
            self._left_out += 1
            return
        if not self._bodies:
            self._bodies += tag == _BODY
            self._styles.start(tag, attributes)
            return
        if self._is_left_out(tag, attributes):
            self._left_out = 1
            return
        self._formats.append(self._styles.within(self._formats[-1] if self._formats else None, tag, attributes))
        if tag in _LINES:
            self._finish()
        elif tag in _SPACES:
            self._pieces.append(" ")
        elif tag == _NOTE:
            self._around_notes.append(self._pieces)
            self._pieces = []
        elif tag.startswith(_DRAW):
            self._draw(tag, attributes)
        elif tag == _HIDDEN_PARAGRAPH:
            self._hides_paragraph = attributes.get(_IS_HIDDEN) == "true"
        elif tag.startswith(_FORM) and (value := _form_value(attributes)):
            self.lines.append(value)

    def _draw(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == f"{_DRAW}frame":
            self._area = _length(attributes, "width") * _length(attributes, "height")
        elif tag == f"{_DRAW}image":
            self.pictures += 1
            self.large_pictures += self._area >= _LARGE_PICTURE_CM2

    def data(self, text: str) -> None:
        """Handle character data."""
        if self._left_out:
            self.hidden += count_characters(text) if self._counts_hidden else 0
            self.contents += count_characters(text) if self._counts_contents else 0
        elif self._formats and self._formats[-1].is_hidden:
            self.hidden += count_characters(text)
        elif self._bodies:
            self._pieces.append(text)

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        if self._left_out:
            self._left_out -= 1
            return
        if not self._bodies:
            self._styles.end(tag)
            return
        if tag == _BODY:
            self._bodies = 0
            return
        self._formats.pop()
        if tag in _LINES:
            self._finish()
        elif tag == _NOTE:
            self._finish()
            self._pieces = self._around_notes.pop()

    def _is_left_out(self, tag: str, attributes: dict[str, str]) -> bool:
        """True if an element is not part of the text; its content may be counted."""
        is_hidden = (
            (tag in _CONDITIONAL and attributes.get(_IS_HIDDEN) == "true")
            or (tag == f"{_TEXT}section" and attributes.get(f"{_TEXT}display") == "none")
            or (tag in _ROWS and attributes.get(f"{_TABLE}visibility", "visible") != "visible")
        )
        self._counts_hidden, self._counts_contents = is_hidden, tag in _CONTENTS
        self.objects += tag in _OBJECTS
        return is_hidden or tag in _CONTENTS or tag in _UNSEEN or tag in _OBJECTS

    def _finish(self) -> None:
        line = " ".join("".join(self._pieces).split())
        self._pieces.clear()
        if self._hides_paragraph:
            self.hidden += count_characters(line)
            self._hides_paragraph = False
        elif line:
            (self.notes if self._around_notes else self.lines).append(line)


def _form_value(attributes: dict[str, str]) -> str:
    """Return the value of a form field, with its label if it is a checked box."""
    if attributes.get(f"{_FORM}current-state") == "checked" or attributes.get(f"{_FORM}current-selected") == "true":
        return " ".join(f"[x] {attributes.get(f'{_FORM}label', '')}".split())
    return " ".join(attributes.get(f"{_FORM}current-value", "").split())


def _length(attributes: dict[str, str], side: str) -> float:
    """Return the width or height of a frame in centimeters; 0 if it is not stated."""
    match = _LENGTH.fullmatch(attributes.get(f"{_SVG}{side}", ""))
    return float(match[1]) * _CENTIMETERS[match[2]] if match else 0.0


__all__ = ["MOST_XML_BYTES", "read", "write"]

"""OpenDocument texts (ODT, and FODT, the same in one XML file): the text of each is one document.

Read from the XML itself [OASIS OpenDocument 1.3]: no macro is looked at and no link followed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.parts import DAMAGE, MOST_XML_BYTES, DeclaresEntitiesError, events, feed, is_too_large, stated
from whorl.corpus.rejected import Rejects
from whorl.corpus.whole import Document, UnreadableError, batches_of, parsed, write
from whorl.language import say

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CORE = "{http://purl.org/dc/elements/1.1/}"
_LINES = frozenset((f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}line-break"))
_BODY = f"{_OFFICE}body"
_UNSEEN = frozenset((
    f"{_TEXT}tracked-changes", f"{_TEXT}note-citation", f"{_OFFICE}annotation", f"{_OFFICE}binary-data",
))  # fmt: skip
_NOTE = f"{_TEXT}note-body"
_SPACES = frozenset((f"{_TEXT}s", f"{_TEXT}tab"))
_CONTENT, _PROPERTIES, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the paragraphs of the file in order, those of tables and text boxes too, then its notes, as one document.

    Title, author and date of creation are those of its properties. Deleted text and comments are left out.

    Rejected: a file longer than ``max_row_bytes``, or whose parts are longer than ``MOST_XML_BYTES``; one that has a
    password, is damaged, no ODT, or without text.

    Cost: 0.1 to 0.3 s a megabyte of XML; memory: the file and its text.
    """
    return batches_of(parsed(source, rejects, options, _document, options.max_row_bytes), columns)


def _document(data: bytes) -> Document:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    try:
        if not data.startswith(b"PK"):
            return _read(data, data)
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read(*_parts(archive))
    except DeclaresEntitiesError:
        raise UnreadableError(say("the document declares entities, which no office does: save it again")) from None
    except DAMAGE:
        raise UnreadableError(say("the file is no OpenDocument text, or damaged: save it again as .odt")) from None


def _parts(archive: zipfile.ZipFile) -> tuple[bytes, bytes]:
    """The content, and the properties."""
    names = set(archive.namelist())
    if is_too_large(archive, names & {_CONTENT, _PROPERTIES, _MANIFEST}, MOST_XML_BYTES):
        raise UnreadableError(say("the document unpacks to more than {most} bytes: divide it", most=MOST_XML_BYTES))
    if _MANIFEST in names and b":encryption-data" in archive.read(_MANIFEST):
        raise UnreadableError(say("the document has a password: save it without one"))
    return archive.read(_CONTENT), archive.read(_PROPERTIES) if _PROPERTIES in names else b""


def _read(content: bytes, properties: bytes) -> Document:
    reading = _Reading()
    feed(BytesIO(content), reading)
    lines = [*reading.lines, *reading.notes]
    if not lines:
        raise UnreadableError(say("the document has no text: if it holds pictures of pages, run OCR first"))
    said = stated(events(BytesIO(properties), "end")) if properties else {}
    return Document(
        text="\n".join(lines),
        title=said.get(f"{_CORE}title"),
        author=said.get(f"{_META}initial-creator") or said.get(f"{_CORE}creator"),
        date=said.get(f"{_META}creation-date") or said.get(f"{_CORE}date"),
    )


class _Reading:
    """The lines of a text, as they end, and those of its notes; the target of a parser."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.notes: list[str] = []
        self._pieces: list[str] = []
        self._around_notes: list[list[str]] = []
        self._hidden = 1  # until the body begins

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        del attributes
        self._hidden += (tag in _UNSEEN) - (tag == _BODY)
        if self._hidden:
            return
        if tag in _LINES:
            self._finish()
        elif tag in _SPACES:
            self._pieces.append(" ")
        elif tag == _NOTE:
            self._around_notes.append(self._pieces)
            self._pieces = []

    def data(self, text: str) -> None:
        """Take text."""
        if not self._hidden:
            self._pieces.append(text)

    def end(self, tag: str) -> None:
        """End an element."""
        self._hidden -= (tag in _UNSEEN) - (tag == _BODY)
        if self._hidden:
            return
        if tag in _LINES:
            self._finish()
        elif tag == _NOTE:
            self._finish()
            self._pieces = self._around_notes.pop()

    def _finish(self) -> None:
        if line := " ".join("".join(self._pieces).split()):
            (self.notes if self._around_notes else self.lines).append(line)
        self._pieces.clear()


__all__ = ["MOST_XML_BYTES", "read", "write"]

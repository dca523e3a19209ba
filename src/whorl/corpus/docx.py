"""Word documents (DOCX): the text of each is one document.

A DOCX file is a zip archive of XML parts [ECMA-376]. Its text is read from the parts themselves: no macro is looked at,
no link is followed, and text that was inserted under revision or stands in a content control is there like any other.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO
from posixpath import normpath
from typing import Any, Literal

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.parts import DAMAGE, MOST_XML_BYTES, DeclaresEntitiesError, events, is_too_large, stated
from whorl.corpus.rejected import Rejects
from whorl.corpus.whole import Document, UnreadableError, batches_of, parsed, write
from whorl.language import say

_WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_ELSEWHERE = ("moveFrom", "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")
_BREAKS = ("p", "br", "cr")
_CHARACTERS = {"t": "", "tab": "\t", "noBreakHyphen": "-"}
_CORE = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_NOTES = ("footnotes.xml", "endnotes.xml")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_AGAIN = say("save it again as .docx")


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the paragraphs of the file in order, those of tables, text boxes and notes too, as one document.

    Title, author and date of creation are those of its properties. Deleted text under revision is left out.

    Rejected: a file longer than ``max_row_bytes``, or whose parts are longer than ``MOST_XML_BYTES``; one that is
    encrypted, damaged, no DOCX, or without text.

    Cost: 0.1 to 0.3 s a megabyte of XML; memory: the file and its text.
    """
    return batches_of(parsed(source, rejects, options, _document, options.max_row_bytes), columns)


def _document(data: bytes) -> Document:
    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    if data.startswith(_OLE):
        raise UnreadableError(
            say("the document has a password, or is of an older Word: {cure} without a password", cure=_AGAIN)
        )
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _read_parts(archive)
    except DeclaresEntitiesError:
        raise UnreadableError(say("the document declares entities, which no Word does: {cure}", cure=_AGAIN)) from None
    except DAMAGE:
        raise UnreadableError(say("the file is no DOCX document, or damaged: {cure}", cure=_AGAIN)) from None


def _read_parts(archive: zipfile.ZipFile) -> Document:
    names = set(archive.namelist())
    main = _target(archive, "officeDocument") or "word/document.xml"
    if main not in names:
        raise UnreadableError(
            say("the file is no DOCX document, it has no part {main}: {cure}", main=main, cure=_AGAIN)
        )
    notes = [f"{main.rpartition('/')[0]}/{name}" for name in _NOTES]
    properties = _target(archive, "metadata/core-properties") or "docProps/core.xml"
    parts = [name for name in (main, *notes, properties) if name in names]
    if is_too_large(archive, parts, MOST_XML_BYTES):
        raise UnreadableError(say("the document unpacks to more than {most} bytes: divide it", most=MOST_XML_BYTES))
    text = "\n".join(line for name in parts if name != properties for line in _paragraphs(archive, name))
    if not text:
        raise UnreadableError(say("the document has no text: if it holds pictures of pages, run OCR first"))
    said = stated(_events(archive, properties, "end")) if properties in names else {}
    return Document(
        text=text,
        title=said.get(f"{_CORE}title"),
        author=said.get(f"{_CORE}creator"),
        date=said.get(f"{_TERMS}created"),
    )


def _target(archive: zipfile.ZipFile, kind: str) -> str | None:
    """The part that the archive as a whole has for ``kind``."""
    try:
        relations = _events(archive, "_rels/.rels", "start")
        found = next(
            element.get("Target") for _, element in relations if (element.get("Type") or "").endswith(f"/{kind}")
        )
    except (KeyError, StopIteration):
        return None
    return normpath(f"/{found}").lstrip("/")


def _paragraphs(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """The lines of a part, as they end: the text of a paragraph, of a cell, or before a break."""
    pieces: list[str] = []
    hidden = 0
    around: list[Any] = []
    for event, element in _events(archive, name, "start", "end"):
        kind = element.tag.removeprefix(_WORD[0]).removeprefix(_WORD[1])
        if kind in _ELSEWHERE:
            hidden += 1 if event == "start" else -1
        elif kind in _BREAKS and (event == "end" or kind == "p"):
            if line := " ".join("".join(pieces).split()):
                yield line
            pieces.clear()
        elif event == "end" and not hidden and kind in _CHARACTERS:
            pieces.append(_CHARACTERS[kind] or element.text or "")
        if event == "start":
            around.append(element)
            continue
        around.pop()
        if around:
            del around[-1][:]  # a part may have more elements than fit into memory


def _events(archive: zipfile.ZipFile, name: str, *kinds: Literal["start", "end"]) -> Iterator[Any]:
    with archive.open(name) as part:
        yield from events(part, *kinds)


__all__ = ["MOST_XML_BYTES", "read", "write"]

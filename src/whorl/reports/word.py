"""Minimal Word documents: paragraphs and tables of escaped text, without styles."""

from __future__ import annotations

import zipfile
from io import BytesIO
from xml.sax.saxutils import escape

from whorl._internal.visible_text import visible

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def word_document(body: str, mark: bytes, *, landscape: bool = False) -> bytes:
    """Return a document on A4 paper.

    Args:
        body: its paragraphs and tables.
        mark: comment of the archive, by which a file of this kind is recognized.
        landscape: orientation of the paper.
    """
    size = 'w:w="16838" w:h="11906" w:orient="landscape"' if landscape else 'w:w="11906" w:h="16838"'
    page = f"<w:sectPr><w:pgSz {size}/></w:sectPr>"
    document = f'{_XML}<w:document xmlns:w="{_WORD}"><w:body>{body}{page}</w:body></w:document>'
    types = (
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_DOCUMENT}"/></Types>'
    )
    relations = (
        f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>'
    )
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", relations)
        archive.writestr("word/document.xml", document)
        archive.comment = mark
    return file.getvalue()


def paragraph(words: str, *, bold: bool = False, align: str = "") -> str:
    """Return a paragraph; hidden characters of its text are named.

    Args:
        words: the text.
        bold: whether it is bold.
        align: "center" or "right"; empty for left.
    """
    look = "<w:rPr><w:b/></w:rPr>" if bold else ""
    place = f'<w:pPr><w:jc w:val="{align}"/></w:pPr>' if align else ""
    return f'<w:p>{place}<w:r>{look}<w:t xml:space="preserve">{escape(visible(words))}</w:t></w:r></w:p>'


__all__ = ["paragraph", "word_document"]

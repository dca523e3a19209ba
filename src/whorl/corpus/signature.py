"""Detect the type of a document by its first bytes, which may contradict its name."""

from __future__ import annotations

import re
import zipfile
from contextlib import suppress
from pathlib import Path

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Prefix of documents of older office programs, and of encrypted newer ones."""

_HEAD_BYTES = 4096
_ZIP = b"PK\x03\x04"
_KINDS = {b"application/epub+zip": "epub", b"application/vnd.oasis.opendocument.text": "odt"}
_PARTS = {"word/document.xml": "docx", "content.xml": "odt", "META-INF/container.xml": "epub"}
_EXPORTED = ("closed", "docx", "odt", "rtf", "epub")
"""Formats whose suffixes are also used for pages."""
_XML = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<")
_WORD_XML = (
    b"http://schemas.microsoft.com/office/word/2003/wordml",
    b"http://schemas.microsoft.com/office/2006/xmlPackage",
)
TABLES = frozenset(("xlsx", "csv"))
"""Table formats whose suffixes are often confused."""
BIFF = re.compile(rb"\x09[\x00\x02\x04\x08][\x04-\x10]\x00")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_DELIMITER = re.compile(rb"[\t,;|]")
_RTF = re.compile(rb"\s*\{\\rtf")
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)", re.IGNORECASE | re.DOTALL
)
_MESSAGE = re.compile(rb"\s*(?:From: <Saved by|MIME-Version:)", re.IGNORECASE)


_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")


def head_of(path: Path) -> bytes | None:
    """Return the first 4 KiB of a file; None if it cannot be opened or is no regular file, which its reader reports."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return None


def format_by_content(path: Path, by_name: str) -> str:
    """Return the format of a document by its first bytes, or by its name if they are inconclusive.

    Args:
        path: the file. If it cannot be opened or is no regular file, its name decides, and the reader reports the
            error.
        by_name: the format of its suffix, one with one document per file.

    Cost: one read of 4 KiB; for some archives also the list of parts.
    """
    head = head_of(path)
    if head is None:
        return by_name
    if head.startswith(_ZIP):
        return _format_of_archive(path, head, by_name)
    if head.startswith(OLE):
        return by_name if by_name == "docx" else "closed"
    if head.startswith(b"%PDF-"):
        return "pdf"
    if head.startswith(_PICTURES) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return "picture"
    if _RTF.match(head):
        return "rtf"
    if by_name in ("docx", "closed", "text") and is_word_xml(head):
        return "docx"
    return _format_of_text(head, by_name)


def is_word_xml(data: bytes) -> bool:
    """True if a document begins as a Word document in a single XML file, called .xml, .doc or .docx."""
    head = data[:_HEAD_BYTES].replace(b"\0", b"")
    return _XML.match(head) is not None and any(mark in head for mark in _WORD_XML)


def table_by_content(path: Path, by_name: str) -> str:
    """Return the format of a table by its first bytes: text called .xls is CSV, a workbook called .csv is a workbook.

    Args:
        path: the file. If it cannot be opened or is no regular file, its name decides.
        by_name: "xlsx" or "csv".
    """
    head = head_of(path)
    if head is None:
        return by_name
    if by_name == "csv" and head.startswith(_ZIP):
        return "xlsx" if _is_workbook(path) else by_name
    if head.startswith((_ZIP, OLE)) or BIFF.match(head):
        return "xlsx"
    is_text = head.startswith(_UTF_16) or b"\0" not in head
    is_markup = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")
    if by_name == "xlsx" and is_text and not is_markup and _DELIMITER.search(head):
        return "csv"
    return by_name


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.replace("\\", "/").lower().startswith("xl/") for name in archive.namelist())
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def _format_of_archive(path: Path, head: bytes, by_name: str) -> str:
    kind = head[38:].split(_ZIP)[0] if head[30:38] == b"mimetype" else b""
    named = next((kind_name for start, kind_name in _KINDS.items() if kind.startswith(start)), None)
    if named is None and by_name not in _PARTS.values():
        with suppress(OSError, ValueError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            named = next((kind_name for part, kind_name in _PARTS.items() if part in names), None)
    return named or by_name


def _format_of_text(head: bytes, by_name: str) -> str:
    """Return the format of a file that is no archive: web applications export pages and text as .doc, .docx or .mht."""
    if by_name in _EXPORTED and _MESSAGE.match(head):
        return "mhtml"
    if by_name in (*_EXPORTED, "mhtml") and _PAGE.match(head):
        return "html"
    return "text" if by_name == "closed" and b"\0" not in head else by_name


__all__ = ["BIFF", "OLE", "TABLES", "format_by_content", "head_of", "is_word_xml", "table_by_content"]

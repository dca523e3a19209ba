"""Proprietary document formats: older Word, WPS, Pages. They are rejected with a hint on how to convert them.

A .doc file that is really RTF, HTML, an archive of parts or plain text is read as such; see ``signature``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.rejects import Rejects
from whorl.corpus.signature import OLE
from whorl.i18n import Message, say

_WORD = 512
"""Offset of the main stream in files that Word itself writes."""
_MAGIC = b"\xec\xa5"
_FLAGS, _IS_ENCRYPTED = 11, 1
_PACKAGE = "EncryptedPackage".encode("utf-16-le")


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield no rows: every file is rejected with its type and how to convert it."""

    def parse(data: bytes) -> WholeFileDocument:
        raise UnreadableError(_reason(data, Path(source.name).suffix.lower()))

    return batches_of(parsed(source, rejects, options, parse, options.max_row_bytes), columns)


def _reason(data: bytes, suffix: str) -> Message:
    if not data:
        return say("the file is empty: fetch it again")
    if data.startswith(OLE) and (_PACKAGE in data or _is_encrypted(data)):
        return say("the document has a password: save it without one, as .docx")
    if suffix == ".pages":
        return say("this is an Apple Pages document: export it as .docx")
    if suffix in (".wps", ".wpt"):
        return say("this is a WPS or Works document ({suffix}): save it as .docx", suffix=suffix)
    if data.startswith(OLE):
        return say("the document was saved by an older office program, such as Word before 2007: save it as .docx")
    return say("the format of the document is not supported, or the file is damaged: save it as .docx")


def _is_encrypted(data: bytes) -> bool:
    return data[_WORD : _WORD + 2] == _MAGIC and bool(data[_WORD + _FLAGS] & _IS_ENCRYPTED)


__all__ = ["read", "write"]

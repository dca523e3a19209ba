"""Text files: each is one document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import decode, detect_encoding, named_encoding, wide_encoding
from whorl.corpus.rejected import Rejects
from whorl.corpus.whole import Document, UnreadableError, read_bytes, write


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the file as one document without an id; an empty file is a document without text.

    Rejected: a file that is longer than ``max_row_bytes``, breaks off, or is not text in its encoding.
    """

    def parse(data: bytes) -> Document:
        return Document(_text(data, options.encoding))

    return read_bytes(source, replace(columns, text=("text",)), rejects, options, parse, options.max_row_bytes)


def _text(data: bytes, named: str | None) -> str:
    """Decode a whole file. Null bytes are text in UTF-8 and where an encoding was named; else they tell binary data."""
    wide = wide_encoding(data)
    encoding = wide or (detect_encoding(data) if named is None else named_encoding(named))
    binary = b"\0" in data and wide is None
    if binary and named is None and encoding != "utf-8":
        raise UnreadableError("the file is binary data, not text")
    try:
        return decode(data, encoding)
    except UnicodeDecodeError:
        kind = "binary data, not text" if binary else f"not valid {encoding.upper()} text"
        raise UnreadableError(f"the file is {kind}") from None


__all__ = ["read", "write"]

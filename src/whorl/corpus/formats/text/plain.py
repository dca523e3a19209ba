"""Text files: each is one document."""

from __future__ import annotations

from collections.abc import Iterator

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import decode_text
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.rejects import Rejects
from whorl.i18n import say


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the file as one document without an id; an empty file is a document without text.

    Rejected: a file that is longer than ``max_row_bytes``, truncated, or not text in its encoding.
    """

    def parse(data: bytes) -> WholeFileDocument:
        try:
            decoded = decode_text(data, options.encoding)
        except ValueError as error:
            raise UnreadableError(say("the file is {reason}", reason=error)) from None
        return WholeFileDocument(decoded.text, notices=decoded.encoding.notices)

    documents = parsed(source, rejects, options, parse, options.max_row_bytes)
    return batches_of(documents, columns._replace(text=("text",)))


__all__ = ["read", "write"]

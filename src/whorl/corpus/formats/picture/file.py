"""Picture files: the recognized text of each is one document. Needs the extra ``ocr``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.text.whole_files import UnreadableError, WholeFileDocument, batches_of, parsed, write
from whorl.corpus.recognition import UndecodableError, file_text
from whorl.corpus.rejects import Rejects
from whorl.i18n import say

MOST_BYTES = 2**28
_HEAD_BYTES = 8192
_DRAWING = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(?:svg|.*?<svg)", re.DOTALL)


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the recognized text of a PNG, JPEG, TIFF or WebP file as one document; of a TIFF file, that of all pages.

    Rejected: any picture without ``options.ocr``; an SVG drawing, whose text is markup and pieces of lines; a picture
    that is damaged, that has no text, or that is longer than ``MOST_BYTES``.

    Raises:
        UsageError: a package for recognition is not installed.
    """

    def parse(data: bytes) -> WholeFileDocument:
        if _DRAWING.match(data[:_HEAD_BYTES].replace(b"\0", b"")):
            raise UnreadableError(say("the file is an SVG drawing: export it as PNG and recognize it with `ocr`"))
        if not options.ocr:
            raise UnreadableError(say("the file is a picture: recognize it with `ocr`, which needs the extra 'ocr'"))
        try:
            recognized = file_text(source.label, data)
        except UndecodableError as error:
            raise UnreadableError(error.reason) from None
        if not recognized.text:
            raise UnreadableError(say("no text was recognized in the picture: scan it again, or remove it"))
        return WholeFileDocument(recognized.text, lines=recognized.lines)

    return batches_of(parsed(source, rejects, options, parse, MOST_BYTES), columns)


__all__ = ["MOST_BYTES", "read", "write"]

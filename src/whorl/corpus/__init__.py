"""Documents from files and back.

``discover`` finds the files, ``format_of(source).read`` yields their rows in batches, ``Rejects`` keeps what
cannot be read byte for byte, and ``format_of(source).write`` writes the rows that stay. Every row of every file
is in a batch or in the rejects: none is skipped silently. A new format is one module and one line in ``FORMATS``.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from whorl.corpus.contract import Batch, Columns, Format, ReadOptions, Source
from whorl.corpus.discover import discover
from whorl.corpus.rejected import Rejects

FORMATS = {
    "jsonl": "whorl.corpus.jsonl",
    "parquet": "whorl.corpus.parquet",
    "csv": "whorl.corpus.delimited",
    "xlsx": "whorl.corpus.workbook",
    "html": "whorl.corpus.html",
    "docx": "whorl.corpus.docx",
    "pdf": "whorl.corpus.pdf",
    "text": "whorl.corpus.plain",
}


WHOLE = frozenset(("html", "docx", "pdf", "text"))
"""The formats of which a file is one document."""


def format_of(source: Source) -> Format:
    """Return the module that reads and writes ``source``; it is imported at its first use."""
    return cast(Format, import_module(FORMATS[source.format]))


__all__ = [
    "FORMATS",
    "WHOLE",
    "Batch",
    "Columns",
    "Format",
    "ReadOptions",
    "Rejects",
    "Source",
    "discover",
    "format_of",
]

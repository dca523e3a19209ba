"""Read documents from files and write them back.

``read_files`` finds the files and yields their rows in batches. ``Rejects`` counts what cannot be read, and
``KeptRejects`` also keeps it, byte for byte. ``format_of(source).write`` writes the remaining rows. Every row of every
file is in a batch or in the rejects, and every skipped file is reported. A new format is one module and one line in
``FORMATS``.
"""

from __future__ import annotations

from whorl.corpus.contract import (
    GUESSED_ENCODING,
    HIDDEN_TEXT,
    MENDED_TEXTS,
    MISSING_PARTS,
    TEXT_COLUMN,
    WHOLE_PAGE,
    Batch,
    Columns,
    ReadOptions,
    Source,
    Span,
)
from whorl.corpus.discovery import OF_ROWS, Survey, demand_existing, discover, survey
from whorl.corpus.reader import FORMATS, format_of, read_files, read_source, read_sources, sources_ahead
from whorl.corpus.rejects import KeptRejects, Rejection, Rejects
from whorl.corpus.selection import EVERYTHING, Selection, Skipped

WHOLE = frozenset(FORMATS) - frozenset(OF_ROWS)
"""Formats with one document per file."""

__all__ = [
    "EVERYTHING",
    "FORMATS",
    "GUESSED_ENCODING",
    "HIDDEN_TEXT",
    "MENDED_TEXTS",
    "MISSING_PARTS",
    "TEXT_COLUMN",
    "WHOLE",
    "WHOLE_PAGE",
    "Batch",
    "Columns",
    "KeptRejects",
    "ReadOptions",
    "Rejection",
    "Rejects",
    "Selection",
    "Skipped",
    "Source",
    "Span",
    "Survey",
    "demand_existing",
    "discover",
    "format_of",
    "read_files",
    "read_source",
    "read_sources",
    "sources_ahead",
    "survey",
]

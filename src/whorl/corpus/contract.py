"""What readers of files are told and what they return: sources, columns, options and batches of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.corpus.selection import pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.recipe import Recipe
    from whorl.types.scans import PageLine


GUESSED_ENCODING = "guessed_encoding"
"""Notice that the encoding of a file was guessed; the value is the encoding."""

TEXT_COLUMN = "text_column"
"""Notice that another column was used because the file has no column "text"; the value is its name."""

MENDED_TEXTS = "mended_texts"
"""Notice that lone surrogates in texts were replaced by U+FFFD; the value is the number of texts up to here."""

REVISITS = "revisits"
"""Notice that records of a WARC file refer to pages in other files; the value is their number up to here."""

WHOLE_PAGE = "whole_page"
"""Notice that all visible text of a page was read because no article was found in it."""

HIDDEN_TEXT = "hidden_text"
"""Notice that hidden text of a document was left out; the value is its number of characters."""

MISSING_PARTS = "missing_parts"
"""Notice that a file lacks parts that it lists, such as chapters of a book; the value is a plain sentence."""


class Columns(NamedTuple):
    """Columns to read from each row.

    Attributes:
        text: the columns that make up the text, joined by a newline. A null or missing column is empty; a row
            where all are null or missing is rejected.
        id: the column with the document id. None uses the column "id" if there is one.
        order: the column that ranks documents, for example a date or a priority.
        others: also return all columns of each row as Python values.
        order_required: if True, a named file without the column ``order`` is an error; else its rows have no rank.
        id_required: the same for the column ``id``, if it is named.
        dated: rank documents by their publication dates, taken from the usual columns; see ``whorl.corpus.dates``. Only
            without ``order``.
        by_file: the text columns apply to one file, and other files may lack them.

    An entry of ``text`` may name the columns of some files: ``web/**=title,text``; see ``of``.
    """

    text: tuple[str, ...] = ("text",)
    id: str | None = None
    order: str | None = None
    others: bool = False
    order_required: bool = True
    id_required: bool = True
    dated: bool = False
    by_file: bool = False

    @property
    def text_names(self) -> tuple[str, ...]:
        """All text columns of all files."""
        return tuple(name for entry in self.text for name in (_of_files(entry) or ("", (entry,)))[1])

    def texts_of(self, name: str) -> Columns:
        """Return the columns of one file: those of the first entry whose pattern matches its name.

        Args:
            name: its path relative to the inputs, matched as patterns of ``Selection`` are.

        Files that no pattern matches use the columns without a pattern, else "text".
        """
        chosen = [match for entry in self.text if (match := _of_files(entry)) is not None]
        if not chosen:
            return self
        others = tuple(entry for entry in self.text if _of_files(entry) is None) or ("text",)
        text = next((names for glob, names in chosen if pattern(glob).fullmatch(name)), others)
        return self._replace(text=text, by_file=True)

    def of(self, source: Source) -> Columns:
        """Return the columns to read from one file; rows of a file found in a folder need neither rank nor id.

        If all columns are read, rows become articles of a library, which are identified by the named ids.
        """
        file_columns = self.texts_of(source.name)
        return file_columns if source.named else file_columns._replace(order_required=False, id_required=self.others)

    @property
    def reads_page_dates(self) -> bool:
        """True if the date of a page is needed, which takes a search of the page."""
        return self.others or self.dated or "date" in (self.id, self.order, *self.text)


def _of_files(entry: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the file pattern and the columns of an entry; None for a plain column."""
    glob, sign, names = entry.partition("=")
    if not sign or not glob or not any(mark in glob for mark in "*?[/."):
        return None
    return glob, tuple(name.strip() for name in names.split(",") if name.strip())


class ReadOptions(NamedTuple):
    """Options for turning bytes into rows.

    Attributes:
        encoding: the encoding of text, HTML, JSONL and CSV files. None detects it for each file.
        max_row_bytes: a longer row is rejected without being held in memory.
        block_bytes: maximum text of a batch, except for a single longer row.
        text: the text columns of the run, which distinguish rows from their surroundings in a JSON file; () uses the
            columns that are read.
        ocr: recognize the text of scanned pages and pictures.
    """

    encoding: str | None = None
    max_row_bytes: int = 64 * 2**20
    block_bytes: int = 8 * 2**20
    text: tuple[str, ...] = ()
    ocr: bool = False

    @classmethod
    def of(cls, recipe: Recipe, text: tuple[str, ...] = ()) -> ReadOptions:
        """Return the options of a recipe."""
        return cls(recipe.encoding, recipe.max_row_bytes, text=text, ocr=recipe.ocr)


class DownloadInfo(NamedTuple):
    """Metadata of a page download.

    Attributes:
        url: the address of the page.
        content_type: the content type from the server, such as ``text/html; charset=gbk``.
        at: the time of the download; None if unknown.
        zone: the zone of dates that the page states without one; empty if unknown.
    """

    url: str = ""
    content_type: str = ""
    at: datetime | None = None
    zone: str = ""


NOT_FETCHED = DownloadInfo()
"""For local files."""


@frozen
class Span:
    """A range of whole lines of a file, which is read on its own with the same result as with the rest.

    Attributes:
        start: its first byte.
        end: the byte after its last byte.
        line: the number of its first line in the file, from 1.
        encoding: the encoding detected at the beginning of the file; None if the beginning is ASCII.
        guessed: whether the encoding is a guess.
    """

    start: int
    end: int
    line: int
    encoding: str | None = None
    guessed: bool = False


class Source(NamedTuple):
    """One input file, or a stretch of one.

    Attributes:
        path: the file; None is standard input.
        name: its POSIX path relative to the root of all inputs: its identity, and its path below ``kept/``.
        format: a key of ``whorl.corpus.FORMATS``, such as "jsonl" or "pdf".
        compression: None, "gz" or "zst".
        input_index: the position, from 0, of the input that led to the file.
        named: whether the file itself was named, and not a folder or pattern that contains it.
        address: the address it was downloaded from, safe to display; None for a local file.
        fetched: download metadata of a page from an archive or a server.
        span: the range of lines if the file is read in several ranges; None for the whole file.
        untrusted: whether it comes from another user; then a separate process reads it, whatever its format is.
    """

    path: Path | None
    name: str
    format: str
    compression: str | None = None
    input_index: int = 0
    named: bool = False
    address: str | None = None
    fetched: DownloadInfo = NOT_FETCHED
    span: Span | None = None
    untrusted: bool = False

    @property
    def label(self) -> str:
        """The file's name in messages."""
        if self.address is not None:
            return self.address
        return "standard input" if self.path is None else str(self.path)

    @property
    def size(self) -> int:
        """Number of bytes to read; 0 for standard input and for a missing file."""
        if self.span is not None:
            return self.span.end - self.span.start
        try:
            return 0 if self.path is None else self.path.stat().st_size
        except OSError:
            return 0


@frozen(eq=False)
class Batch:
    """Consecutive rows of one file, without rejected rows.

    Attributes:
        texts: Arrow string array without nulls (anything with ``__arrow_c_array__``).
        ids: Arrow string array, null where the row has no id.
        order: Arrow array of strings, numbers or timestamps. If columns are ``dated``, float64: publication dates as
            seconds since 1970, NaN if missing. None if no ranking was requested.
        rows: row numbers from 1. JSONL: physical lines. CSV: data records. Parquet: rows. XLSX: data rows over all
            sheets. Files with one document: 1.
        offsets: byte offset of each row in the file; only for plain JSONL, else None.
        lengths: length of each row in bytes without its newline; only for plain JSONL, else None.
        others: all columns of each row by name, as Python values; None if they were not requested. A column without a
            name is called by its position; a repeated name gets its position added. For files with one document: its
            metadata, without the text.
        encoding: the encoding of the rows at ``offsets``.
        notices: notices about the file up to this batch: the values of ``GUESSED_ENCODING``, ``WHOLE_PAGE``,
            ``HIDDEN_TEXT``, ``MISSING_PARTS``, ``TEXT_COLUMN`` and ``MENDED_TEXTS`` that apply.
        dates: number of rows with a publication date in each column, if columns are ``dated``.
        lines: the recognized lines of each row; None if no row was recognized.
    """

    texts: Any
    ids: Any
    order: Any | None
    rows: NDArray[np.int64]
    offsets: NDArray[np.int64] | None = None
    lengths: NDArray[np.int64] | None = None
    others: Sequence[Mapping[str, Any]] | None = None
    encoding: str = "utf-8"
    notices: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, int] = field(default_factory=dict)
    lines: Sequence[tuple[PageLine, ...]] | None = None

    def __len__(self) -> int:
        return len(self.rows)


__all__ = [
    "GUESSED_ENCODING",
    "HIDDEN_TEXT",
    "MENDED_TEXTS",
    "MISSING_PARTS",
    "NOT_FETCHED",
    "REVISITS",
    "TEXT_COLUMN",
    "WHOLE_PAGE",
    "Batch",
    "Columns",
    "DownloadInfo",
    "ReadOptions",
    "Source",
    "Span",
]

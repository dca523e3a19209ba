"""What every file format promises.

A source is read as batches of rows, and written back without the rows that go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from whorl.corpus.selection import pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.corpus.rejected import Rejects


GUESSED_ENCODING = "guessed_encoding"
"""The notice that nothing said in which encoding a file is; its value is the one that was taken."""

TEXT_COLUMN = "text_column"
"""The notice that the text is that of another column, since the file has no column "text"; its value is the name."""

MENDED_TEXTS = "mended_texts"
"""The notice that some texts had halves of characters, which are U+FFFD now; its value is how many so far."""

REVISITS = "revisits"
"""The notice that records of a WARC file refer to pages in other files; its value is how many so far."""

WHOLE_PAGE = "whole_page"
"""The notice that all visible text of a page was read, since no article was found in it."""

HIDDEN_TEXT = "hidden_text"
"""The notice that a document hides text, which was left out; its value is the number of its characters."""

MISSING_PARTS = "missing_parts"
"""The notice that a file lacks parts that it lists, such as chapters of a book; its value is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a row are read.

    Attributes:
        text: the columns that make the text, joined by a newline. A null or absent one of several is
            empty; a row where all are null or absent is rejected.
        id: the column that names a document. None takes the column "id" where there is one.
        order: the column that ranks documents, for example a date or a priority.
        others: whether all columns of a row are wanted besides, as Python has them.
        order_required: whether a file that was named and lacks the column ``order`` is an error; else its rows have no
            rank.
        id_required: the same for the column ``id``, where it is named.
        dated: whether documents are ranked by their publication dates, from the columns that usually have them; see
            ``whorl.corpus.dates``. Only without ``order``.
        by_file: whether the text columns are those of one file, which others may not have.

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
        """All text columns, of whatever files."""
        return tuple(name for entry in self.text for name in (_of_files(entry) or ("", (entry,)))[1])

    def texts_of(self, name: str) -> Columns:
        """Return the columns of one file: those of the first entry whose pattern its name matches.

        Args:
            name: its path relative to the inputs, which a pattern is held against as those of ``Selection`` are.

        Files that no pattern matches have the columns that stand without one, else "text".
        """
        chosen = [found for entry in self.text if (found := _of_files(entry)) is not None]
        if not chosen:
            return self
        others = tuple(entry for entry in self.text if _of_files(entry) is None) or ("text",)
        text = next((names for glob, names in chosen if pattern(glob).fullmatch(name)), others)
        return replace(self, text=text, by_file=True)

    def of(self, source: Source) -> Columns:
        """Return what is read of one file: its text columns; rows of a file found in a folder need neither rank nor id.

        Where all columns are wanted, rows become articles of a library, which are known by the ids that were named.
        """
        own = self.texts_of(source.name)
        return own if source.named else replace(own, order_required=False, id_required=self.others)

    @property
    def reads_page_dates(self) -> bool:
        """Whether the date of a page is wanted, which takes a search of the page."""
        return self.others or self.dated or "date" in (self.id, self.order, *self.text)


def _of_files(entry: str) -> tuple[str, tuple[str, ...]] | None:
    """The pattern of files and the columns that an entry names; None for a column."""
    glob, sign, names = entry.partition("=")
    if not sign or not glob or not any(mark in glob for mark in "*?[/."):
        return None
    return glob, tuple(name.strip() for name in names.split(",") if name.strip())


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How bytes become rows.

    Attributes:
        encoding: the encoding of text, HTML, JSONL and CSV files. None finds it out, file by file.
        max_row_bytes: a longer row is rejected without being held in memory.
        block_bytes: how much text one batch holds at most, a single longer row aside.
        text: the text columns of the run, which tell rows from what is around them in a JSON file; () takes those that
            are read.
    """

    encoding: str | None = None
    max_row_bytes: int = 64 * 2**20
    block_bytes: int = 8 * 2**20
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """How a page came from its server.

    Attributes:
        url: where it was.
        content_type: what the server said it is, such as ``text/html; charset=gbk``.
        at: when; None where that is not known.
    """

    url: str = ""
    content_type: str = ""
    at: datetime | None = None


NOT_FETCHED = Fetched()
"""Of files that were here."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of whole lines of a file, which is read by itself as it is read with the rest.

    Attributes:
        start: its first byte.
        end: the byte behind its last one.
        line: the number of its first line in the file, from 1.
        encoding: which one the beginning of the file has settled on; None where none has been, since all is ASCII.
        guessed: whether that is a guess.
    """

    start: int
    end: int
    line: int
    encoding: str | None = None
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One input file, or a stretch of one.

    Attributes:
        path: where it is. None is standard input.
        name: its POSIX path relative to the root of all inputs: its identity, and its path below ``kept/``.
        format: "jsonl", "parquet", "csv", "xlsx", "html", "docx", "pdf" or "text".
        compression: None, "gz" or "zst".
        given: the place, from 0, of the input it was found through, in the order the inputs were given.
        named: whether the file itself was given, not a folder or a pattern through which it was found.
        address: whence it was fetched to ``path``, as it may be shown; None where it was here already.
        fetched: of a page that came out of an archive or from a server, how.
        span: of a file of lines that is read in several stretches, which one this is; None for the whole file.
        untrusted: whether somebody else sent it, so that it is read by another process whatever its format is.
    """

    path: Path | None
    name: str
    format: str
    compression: str | None = None
    given: int = 0
    named: bool = False
    address: str | None = None
    fetched: Fetched = NOT_FETCHED
    span: Span | None = None
    untrusted: bool = False

    @property
    def label(self) -> str:
        """The file as a message names it."""
        if self.address is not None:
            return self.address
        return "standard input" if self.path is None else str(self.path)

    @property
    def size(self) -> int:
        """How many bytes are to be read; 0 for standard input and for what is not there."""
        if self.span is not None:
            return self.span.end - self.span.start
        try:
            return 0 if self.path is None else self.path.stat().st_size
        except OSError:
            return 0


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows of one file, in file order. Rejected rows are not among them.

    Attributes:
        texts: Arrow string array without nulls (anything with ``__arrow_c_array__``).
        ids: Arrow string array, null where the row has no id.
        order: Arrow array of strings, numbers or timestamps; where columns are ``dated`` float64, the publication dates
            as seconds since 1970, NaN for none; None when no order was asked for.
        rows: row numbers from 1. JSONL: physical lines. CSV: data records. Parquet: rows. XLSX: data rows
            over all sheets. Files that are one document: 1.
        offsets: where each row starts in the file, in bytes; only for plain JSONL, else None.
        lengths: how many bytes each row takes without its newline; only for plain JSONL, else None.
        others: all columns of each row by their names, as Python has them; None when they were not asked for. A column
            without a name is called by its place, and one whose name stands before it already by both. Of files that
            are one document: what it says of itself, without the text.
        encoding: of the rows at ``offsets``.
        notices: what the run says about how the file was read, as far as it is known by then: the values of
            ``GUESSED_ENCODING``, ``WHOLE_PAGE``, ``HIDDEN_TEXT``, ``MISSING_PARTS``, ``TEXT_COLUMN`` and
            ``MENDED_TEXTS``, where they are true of it.
        dates: how many rows have their publication date in each column, where columns are ``dated``.
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

    def __len__(self) -> int:
        return len(self.rows)


class Format(Protocol):
    """A file format: a module with these two functions."""

    def read(self, source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
        """Yield the rows of ``source``; what cannot be read goes to ``rejects``.

        Raises:
            InputError: the file as a whole cannot be read as asked, for example it lacks the text column.
        """
        ...

    def write(self, source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
        """Write the rows of ``source`` for which ``keep[row - 1]`` holds to ``target``, in the same format.

        Returns how many rows it wrote, for the caller to compare: a file may change between reading and writing.
        Rows beyond the end of ``keep`` are dropped. The parent of ``target`` exists. A file that is one
        document and is not kept leaves no target at all: an empty file would be a document.
        """
        ...


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
    "Fetched",
    "Format",
    "ReadOptions",
    "Source",
    "Span",
]

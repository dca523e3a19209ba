"""Read the texts of a file as every other function sees them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import field, fields
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, overload

from whorl._internal.frozen import frozen
from whorl.corpus import WHOLE, Columns, ReadOptions, read_files
from whorl.corpus.rejects import OnError, Rejects
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.library.ingest.files import documents_of
from whorl.recipe import Recipe
from whorl.tasks.compare.articles import split_row
from whorl.tasks.library.arguments import Place, Texts, demand_from, places, selected, strings
from whorl.types.library import Document
from whorl.types.scans import PageLine
from whorl.types.serialization import Plain

if TYPE_CHECKING:
    from whorl.corpus import Batch, Selection

_Origin = tuple[int, Mapping[str, str], tuple[PageLine, ...]]
_FIELDS = tuple(entry.name for entry in fields(Document))


@frozen
class SourceDocument(Plain):
    """A document that was read from a file.

    >>> import whorl
    >>> first = whorl.read("examples/newsroom/articles.jsonl")[0]
    >>> first.row, first.id, first.title
    (1, 'nr-001', 'The slow train to Vesterholm')

    Attributes:
        file: name of the file; below a folder, its path in it.
        row: row number from 1: the line of a JSONL file, the record of a table. 1 if the file is one document.
        document: the document with all fields that the file states, such as author, address and date.
        notices: what to know about the reading of the file, if anything. Keys: ``guessed_encoding``, the encoding;
            ``text_column``, the column that was used instead of "text"; ``whole_page``, if no article was found in a
            page; ``hidden_text``, the number of hidden characters that were left out; ``missing_parts``;
            ``mended_texts``; ``revisits``.
        lines: the recognized lines, each with its place in the text and its frame on the page.
    """

    file: str
    row: int
    document: Document
    notices: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[PageLine, ...] = ()

    @property
    def id(self) -> str:
        """The id: that of the row, or else ``FILE:ROW``."""
        return self.document.id

    @property
    def title(self) -> str | None:
        """The title, which is not part of the text unless ``text`` names its column."""
        return self.document.title

    @property
    def text(self) -> str:
        """The text that is fingerprinted and compared."""
        return self.document.text


@frozen
class RejectedRow(Plain):
    r"""A row or a file that cannot be read.

    >>> from pathlib import Path
    >>> import whorl
    >>> written = Path("torn.jsonl").write_text('{"text": "渔港的冰厂"}\n{"text": 7}\n', encoding="utf-8")
    >>> [row] = whorl.read("torn.jsonl").rejected
    >>> row.row, row.reason
    (2, "column 'text' is a number, not text")

    Attributes:
        file: name of the file.
        row: row number; None for a whole file.
        line: the physical line where the row starts, or ``Sheet!row``; None if the format has none.
        reason: why it cannot be read, in one sentence.
    """

    file: str
    row: int | None
    line: int | str | None
    reason: str


@frozen
class ReadResult(Plain, Sequence[SourceDocument]):
    """The documents of a file, in order, and the rows that cannot be read.

    >>> import whorl
    >>> result = whorl.read("examples/newsroom/articles.jsonl")
    >>> len(result), result.rejected
    (91, ())

    Attributes:
        documents: the documents.
        rejected: rows and files that cannot be read, each with the reason; the first 10,000.
        truncated: whether ``limit`` ended the reading.
    """

    documents: tuple[SourceDocument, ...]
    rejected: tuple[RejectedRow, ...]
    truncated: bool = False

    @overload
    def __getitem__(self, index: int) -> SourceDocument: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[SourceDocument, ...]: ...

    def __getitem__(self, index: int | slice) -> SourceDocument | tuple[SourceDocument, ...]:
        return self.documents[index]

    def __len__(self) -> int:
        return len(self.documents)


def read(
    path: Place,
    *,
    text: Texts | None = None,
    title: str | None = None,
    id: str | None = None,
    encoding: str | None = None,
    ocr: bool | None = None,
    include: Texts | None = None,
    exclude: Texts | None = None,
    limit: int | None = None,
    on_error: OnError = "auto",
) -> ReadResult:
    """Return the texts of a file as ``dedup_files``, ``compare_files`` and libraries read them.

    >>> import whorl
    >>> [page] = whorl.read("examples/newsroom/articles.jsonl:24")
    >>> page.id, page.row, len(page.text)
    ('nr-024', 24, 482)

    Args:
        path: a file of any format, ``FILE:ROW``, a folder, a glob, an address, or ``-`` for JSONL on standard input.
        text: the columns that make up the text; None uses "text".
        title: the column of the title; None uses the usual names.
        id: the column of the id; None uses the usual names.
        encoding: the encoding of text, HTML, JSONL and CSV files; None detects it.
        ocr: recognize the text of scanned pages and pictures; needs the extra ``ocr``.
        include: patterns for files in folders and globs; a file must match at least one.
        exclude: patterns for files in folders and globs to skip.
        limit: the maximum number of documents; None reads all.
        on_error: "auto" returns unreadable rows in ``rejected``; "skip" also accepts that nothing is readable; "stop"
            raises at the first unreadable row.

    Raises:
        InputError: the file or row does not exist or cannot be read, or the file has no text column.
        UsageError: an argument is invalid.

    Cost: one pass over the files up to ``limit``; all documents are in memory.
    """
    if limit is not None:
        demand_from("limit", limit, 1)
    listed = places(path)
    if len(listed) != 1:
        raise UsageError(
            say("expected one path, got {count}", count=len(listed)),
            hint=say("use a folder or a glob for several files"),
        )
    file, row = split_row(listed[0])
    recipe = Recipe().changed(text=strings(text), id=id, encoding=encoding, ocr=ocr)
    rejects = Rejects(on_error=on_error)
    stream = _documents(file, recipe, title, rejects, selected(include, exclude))
    if row is not None:
        return _one_row(file, row, stream, rejects)
    documents = tuple(stream if limit is None else islice(stream, limit))
    is_truncated = limit is not None and next(stream, None) is not None
    stream.close()
    return ReadResult(documents, _rejected(rejects), is_truncated)


def _one_row(file: str, row: int, stream: Iterator[SourceDocument], rejects: Rejects) -> ReadResult:
    document = next((document for document in stream if document.row == row), None)
    if document is not None:
        return ReadResult((document,), ())
    message = say("{label} has no readable row {row}", label=file, row=row)
    reason = next((entry.reason for entry in rejects.named if entry.row == row), None)
    if reason is not None:
        message = say("{label}: {reason}", label=message, reason=reason)
    raise InputError(message, hint=say("choose another row; the first is 1"))


def _documents(
    file: str, recipe: Recipe, title: str | None, rejects: Rejects, selection: Selection
) -> Generator[SourceDocument, None, None]:
    columns = Columns(recipe.text, recipe.id, others=True)
    files = read_files([file], columns, rejects, ReadOptions.of(recipe), selection=selection)
    for source, batches in groupby(files, itemgetter(0)):
        origins = deque[_Origin]()
        rows = _recorded((batch for _, batch in batches), origins)
        named = {} if source.format in WHOLE else {"title": title}
        for document in documents_of(source, rows, [file], recipe, named=named, misread=Counter()):
            row, notices, lines = origins.popleft()
            plain = Document(**{name: getattr(document, name) for name in _FIELDS})
            yield SourceDocument(source.address or source.name, row, plain, notices, lines)


def _recorded(batches: Iterator[Batch], origins: deque[_Origin]) -> Iterator[Batch]:
    """Yield the batches, and queue row number, notices and recognized lines of each row."""
    for batch in batches:
        notices = dict(batch.notices)
        lines = batch.lines or [()] * len(batch)
        origins.extend((row, notices, lines[number]) for number, row in enumerate(batch.rows.tolist()))
        yield batch


def _rejected(rejects: Rejects) -> tuple[RejectedRow, ...]:
    return tuple(RejectedRow(entry.file, entry.row, entry.line, entry.reason) for entry in rejects.named)


__all__ = ["ReadResult", "RejectedRow", "SourceDocument", "read"]

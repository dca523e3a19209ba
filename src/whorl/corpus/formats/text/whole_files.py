"""Files with one document each."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from whorl._internal.frozen import frozen
from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import first_dates
from whorl.corpus.rejects import Rejects
from whorl.i18n import Message, say
from whorl.types.scans import PageLine

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FIELDS = ("text", "title", "url", "date", "author", "id")
_WRITTEN = ("published_precision", "published_zone", "published_original")
_FURTHER = (
    "author_from",
    "account",
    "origin",
    "origin_url",
    "editor",
    "links",
    "mark",
    "next_page",
    *_WRITTEN,
    "crawled_at",
)


@frozen
class WholeFileDocument:
    """A document, each field like a column of that name.

    Attributes:
        text: its text, paragraphs separated by newlines.
        title: on one line.
        url: its address.
        date: as written in the file, or in ISO 8601.
        author: its author.
        author_from: where the author was read: "page", "text" or "account".
        account: the account that the platform states for the page.
        id: its identifier, if the format has one.
        origin: the stated source (来源).
        origin_url: the address of that source.
        editor: its editor.
        links: the addresses of its links, separated by blanks.
        mark: "original" if it is marked as such (原创).
        next_page: the address of the next page of its article.
        published_precision: the precision of its date.
        published_zone: the zone of its date.
        published_original: its date as written in the page.
        crawled_at: when it was fetched or saved, which is not a date of publication.
        notices: notices about the file, as in a ``Batch``.
        lines: the places of recognized lines in the text.
    """

    text: str
    title: str | None = None
    url: str | None = None
    date: str | None = None
    author: str | None = None
    author_from: str | None = None
    account: str | None = None
    id: str | None = None
    origin: str | None = None
    origin_url: str | None = None
    editor: str | None = None
    links: str | None = None
    mark: str | None = None
    next_page: str | None = None
    published_precision: str | None = None
    published_zone: str | None = None
    published_original: str | None = None
    crawled_at: str | None = None
    notices: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[PageLine, ...] = ()

    def column(self, name: str | None) -> str | None:
        """Return the field called ``name``, or None if there is none; without a date, ``date`` is ``crawled_at``."""
        if name == "date":
            return self.date or self.crawled_at
        return getattr(self, name) if name in (*_FIELDS, *_FURTHER) else None


class UnreadableError(Exception):
    """A file is not a readable document.

    Args:
        reason: one plain sentence with a hint.
    """

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


def parsed(
    source: Source, rejects: Rejects, options: ReadOptions, parse: Callable[[bytes], WholeFileDocument], most_bytes: int
) -> Iterator[WholeFileDocument]:
    """Yield the single document that ``parse`` creates from the bytes of the file.

    Rejected: a file that is longer than ``most_bytes`` or truncated, or that ``parse`` refuses with UnreadableError.
    """
    with ByteReader(source) as stream:
        try:
            data = _read_up_to(stream, most_bytes + 1)
        except TruncatedStream as damage:
            rejects.add(
                source,
                row=1,
                line=None,
                reason=say("{reason}: fetch the file again", reason=damage.fault),
                data=damage.tail,
            )
            return
        if len(data) > most_bytes:
            reason = say("the file is longer than {most} bytes", most=most_bytes)
            rejects.add(source, row=1, line=None, reason=reason, data=_all_of(data, stream, options.block_bytes))
            return
    try:
        document = parse(data)
    except UnreadableError as error:
        rejects.add(source, row=1, line=None, reason=error.reason, data=data)
        return
    yield document


def batches_of(documents: Iterator[WholeFileDocument], columns: Columns) -> Iterator[Batch]:
    """Yield a batch per document, as ``batch_of`` makes it."""
    return (batch_of([document], [1], columns) for document in documents)


def batch_of(documents: Sequence[WholeFileDocument], rows: Sequence[int], columns: Columns) -> Batch:
    """Return the batch of some documents, with their row numbers.

    The text columns are the requested fields that a document has; if no such name is requested, its text. The id is the
    requested field, else the identifier of the document; null if it has none.
    """
    fields = [name for name in columns.text if name in (*_FIELDS, *_FURTHER)] or ["text"]
    texts = ["\n".join(document.column(name) or "" for name in fields) for document in documents]
    ids = [document.column(columns.id or "id") for document in documents]
    order: Any = None
    dates: dict[str, int] = {}
    if columns.dated:
        dated = first_dates({"date": [document.column("date") for document in documents]}, len(documents))
        order, dates = dated.values, dated.rows_by_column()
    elif columns.order is not None:
        order = pa.array([document.column(columns.order) for document in documents], pa.string())
    return Batch(
        pa.array(texts, pa.string()),
        pa.array(ids, pa.string()),
        order,
        np.array(rows, np.int64),
        others=[_others(document) for document in documents] if columns.others else None,
        notices={name: value for document in documents for name, value in document.notices.items()},
        dates=dates,
        lines=[_lines(document, fields) for document in documents] if any(d.lines for d in documents) else None,
    )


def _lines(document: WholeFileDocument, fields: Sequence[str]) -> tuple[PageLine, ...]:
    """Return the places of the lines of a document in its joined fields."""
    if "text" not in fields:
        return ()
    before = sum(len(document.column(name) or "") + 1 for name in fields[: fields.index("text")])
    return tuple(replace(line, start=line.start + before, end=line.end + before) for line in document.lines)


def _others(document: WholeFileDocument) -> dict[str, str | None]:
    """Return the metadata of a document; rare fields only if they are set."""
    others = {name: document.column(name) for name in _FIELDS if name not in ("text", "id")} | {"date": document.date}
    further = {name: value for name in ("id", *_FURTHER) if (value := document.column(name)) is not None}
    return {**others, **further}


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:  # noqa: ARG001
    """Copy the file byte for byte if it is kept; write no file otherwise. Return the number of copied files."""
    if source.path is None or not len(keep) or not keep[0]:
        return 0
    shutil.copyfile(source.path, target)
    return 1


def _read_up_to(stream: ByteReader, limit: int) -> bytes:
    """Read all bytes, or the first ``limit``; a break raises with the data before it as its tail."""
    data = bytearray()
    try:
        while len(data) < limit and (chunk := stream.read(limit - len(data))):
            data += chunk
    except TruncatedStream as damage:
        damage.tail = bytes(data)
        raise
    return bytes(data)


def _all_of(start: bytes, stream: ByteReader, step: int) -> Iterator[bytes]:
    """Yield ``start`` and the rest of ``stream`` up to its end or break."""
    yield start
    try:
        while chunk := stream.read(step):
            yield chunk
    except TruncatedStream:
        return


__all__ = ["UnreadableError", "WholeFileDocument", "batch_of", "batches_of", "parsed", "write"]

"""WARC files of crawlers: each page or text is a document. Pages need the extra ``html``.

Pages are read like separate files: in processes with limits of time and memory, some ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from whorl._internal.scratch import ScratchFolder
from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import REVISITS, Batch, Columns, DownloadInfo, ReadOptions, Source
from whorl.corpus.formats.text.whole_files import WholeFileDocument, batch_of
from whorl.corpus.formats.web.warc_records import BrokenRecord, WarcReader, WarcRecord, payload_of
from whorl.corpus.rejects import Rejects
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BYTES = 16 * 2**20
_FORMATS = {"text/plain": "text"}


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the delivered pages and texts in order; the row of each is the index of its record.

    Other records are skipped: requests, errors, pictures, and revisits without content. Url and id come from the
    record, title and author from the page; the date comes from the page, else it is the time of the download.

    Rejected: a malformed or truncated record; a page longer than ``MOST_BYTES`` or ``max_row_bytes``, or without text,
    or that cannot be unpacked or read.

    Raises:
        UsageError: no parser of pages is installed.
        InputError: there is no page or text, and no record was rejected.

    Cost: that of the pages; memory and disk about 32 MB of pages, and some records.
    """
    from whorl.corpus.reader import format_of, sources_ahead

    all_columns = Columns(others=True)
    with ScratchFolder() as folder:
        pages = _UnpackedPages(source, rejects, options, folder)
        count, before = 0, rejects.sources.get(source.name, 0)
        with closing(sources_ahead(pages.unpacked(), all_columns, cast(Rejects, pages), options)) as ahead:
            for page in ahead:
                for batch in format_of(page).read(page, all_columns.of(page), cast(Rejects, pages), options):
                    record = pages.record(page)
                    count += 1
                    rows = batch_of([_document(record, batch)], [record.number], columns)
                    yield replace(rows, notices={**rows.notices, **pages.passed.notices})
                pages.forget(page)
    if pages.passed.records and not count and rejects.sources.get(source.name, 0) == before:
        raise pages.passed.error(source)


class SkippedRecords:
    """Counts of skipped records, updated while a file is read.

    Attributes:
        records: number of records.
        revisits: number of revisit records.
    """

    def __init__(self) -> None:
        self.records = self.revisits = 0

    @property
    def notices(self) -> dict[str, str]:
        """Notices about the file."""
        return {REVISITS: str(self.revisits)} if self.revisits else {}

    def error(self, source: Source) -> InputError:
        """Return the error for a file without any document."""
        if self.revisits:
            message = say(
                "{label} has no page or text in {count:,} records, but {revisits:,} that refer to other files",
                label=source.label,
                count=self.records,
                revisits=self.revisits,
            )
            return InputError(message, hint=say("name the WARC files that contain these pages"))
        message = say("{label} has no page or text in {count:,} records", label=source.label, count=self.records)
        return InputError(message, hint=say("name files with pages or texts: WARC or WET"))


def delivered(
    source: Source, rejects: Rejects, options: ReadOptions, passed: SkippedRecords | None = None
) -> Iterator[tuple[WarcRecord, bytes]]:
    """Yield the records of delivered pages and texts, each with its content, unchunked and unpacked.

    Rejected: as for ``read``, except for faults that only show when a page is parsed.
    """
    limit = min(MOST_BYTES, options.max_row_bytes)
    with ByteReader(source) as stream:
        for record in _records(stream, source, rejects):
            if passed is not None:
                passed.records += 1
                passed.revisits += record.is_revisit
            if record.kind is None:
                _pass(record, source, rejects)
            elif (payload := _payload(record, source, rejects, limit)) is not None:
                yield record, payload


def _payload(record: WarcRecord, source: Source, rejects: Rejects, limit: int) -> bytes | None:
    """Return the page of a record; None if it was rejected."""
    reason = say("the page is longer than {most} bytes", most=limit)
    if record.length <= limit:
        try:
            payload = payload_of(record, record.block(), limit)
        except EOFError:
            _reject_part(record, source, rejects, record.start)
            return None
        except ValueError as error:
            payload = None
            reason = say("cannot decompress the page ({packed}): fetch it again", packed=str(error))
        if payload is not None and len(payload) <= limit:
            return payload
    rejects.add(source, row=record.number, line=None, reason=reason, data=_as_far(record.pieces()))
    return None


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Copy all records except removed documents; each is a separate member or frame if compressed."""
    del options
    kept = 0
    target.unlink(missing_ok=True)
    with ByteReader(source) as stream:
        for record in _records(stream, source, Rejects()):
            is_document = record.kind is not None
            if is_document and not (record.number <= len(keep) and keep[record.number - 1]):
                _pass(record, source, Rejects())
                continue
            with open_writer(target, source.compression, append=True) as file:
                for piece in record.pieces():
                    file.write(piece)
            kept += is_document
    return kept


def _records(stream: ByteReader, source: Source, rejects: Rejects) -> Iterator[WarcRecord]:
    """Yield the records of a file; malformed data is rejected up to the next record."""
    cutter = WarcReader(stream)
    try:
        while True:
            try:
                record = cutter.next()
            except BrokenRecord as broken:
                reason = say("expected a record, found other data: fetch the file again")
                rejects.add(source, row=cutter.number, line=None, reason=reason, data=broken.pieces)
                continue
            if record is None:
                return
            yield record
    except TruncatedStream as damage:
        reason = say("{fault} after record {number}: fetch the file again", fault=damage.fault, number=cutter.number)
        rejects.add(source, row=None, line=None, reason=reason, data=damage.tail)


def _pass(record: WarcRecord, source: Source, rejects: Rejects) -> None:
    """Skip to the end of a record."""
    try:
        for _ in record.pieces():
            pass
    except EOFError:
        _reject_part(record, source, rejects, record.start)


def _reject_part(record: WarcRecord, source: Source, rejects: Rejects, block: bytes) -> None:
    reason = say("the record is truncated: fetch the file again")
    rejects.add(source, row=record.number, line=None, reason=reason, data=record.head + block)


class _UnpackedPages:
    """Unpacked pages of a file on disk, until they are read.

    Also takes the role of the rejects of a page, and rejects its record.
    """

    folder = None

    def __init__(self, source: Source, rejects: Rejects, options: ReadOptions, folder: Path) -> None:
        self._source = source
        self._rejects = rejects
        self._options = options
        self._folder = folder
        self._records: dict[str, WarcRecord] = {}
        self.passed = SkippedRecords()

    def unpacked(self) -> Iterator[Source]:
        """Yield each page as a separate file."""
        for record, payload in delivered(self._source, self._rejects, self._options, self.passed):
            path = self._folder / f"{record.number}"
            path.write_bytes(payload)
            self._records[path.name] = record
            yield Source(path, path.name, _FORMATS.get(record.kind or "", "html"), fetched=_fetched(record))

    def record(self, page: Source) -> WarcRecord:
        """Return the record of a page."""
        return self._records[page.name]

    def forget(self, page: Source) -> None:
        """Delete a page that has been read."""
        del self._records[page.name]
        (self._folder / page.name).unlink()

    def add(
        self, source: Source, *, row: int | None, line: int | str | None, reason: str, data: bytes | Iterable[bytes]
    ) -> None:
        """Reject the record of a page."""
        del row, line
        for _ in () if isinstance(data, bytes) else data:
            pass  # reported as they occur
        record = self._records[source.name]
        self._rejects.add(self._source, row=record.number, line=None, reason=reason, data=record.pieces())


def _as_far(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a record up to a break."""
    try:
        yield from pieces
    except EOFError:
        return


def _fetched(record: WarcRecord) -> DownloadInfo:
    at = None
    with suppress(ValueError):
        at = datetime.fromisoformat(record.fields.get("warc-date", ""))
    return DownloadInfo(record.url, record.media_type, None if at is None or at.tzinfo is None else at)


def _document(record: WarcRecord, batch: Batch) -> WholeFileDocument:
    metadata = batch.others[0] if batch.others else {}
    return WholeFileDocument(
        text=batch.texts[0].as_py(),
        title=metadata.get("title"),
        url=record.url or metadata.get("url"),
        date=metadata.get("date"),
        author=metadata.get("author"),
        id=record.fields.get("warc-record-id", "").strip("<>") or None,
        origin=metadata.get("origin"),
        origin_url=metadata.get("origin_url"),
        editor=metadata.get("editor"),
        links=metadata.get("links"),
        published_precision=metadata.get("published_precision"),
        published_zone=metadata.get("published_zone"),
        published_original=metadata.get("published_original"),
        crawled_at=record.fields.get("warc-date"),
        notices=batch.notices,
    )


__all__ = ["MOST_BYTES", "delivered", "read", "write"]

"""The first pass: read and fingerprint every document once and store it as columns.

Files are grouped into segments of about ``SEGMENT_BYTES`` of input. A complete segment has a manifest with the size,
time and hash of its files, and is not read again while they match.
"""

from __future__ import annotations

import logging
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.overlap import Behind
from whorl.corpus import (
    MENDED_TEXTS,
    TEXT_COLUMN,
    Batch,
    Columns,
    KeptRejects,
    ReadOptions,
    Rejects,
    Source,
    format_of,
    read_source,
    sources_ahead,
)
from whorl.engines.corpus import FileRecord, columns_of, file_state
from whorl.engines.decide import POSTING
from whorl.engines.local.columns import ColumnWriter
from whorl.engines.local.durable import files_below, sum_of, sync
from whorl.engines.local.segments import MANIFEST, StoredSegment, load_segment, save_segment
from whorl.engines.progress import Progress
from whorl.engines.ranking import order_values
from whorl.errors import InputError
from whorl.fingerprints import Fingerprints
from whorl.i18n import say, say_many
from whorl.recipe import Recipe

if TYPE_CHECKING:
    import pyarrow as pa

SEGMENT_BYTES = 256 * 2**20
PARTITION_BITS = 6
PARTITIONS = 1 << PARTITION_BITS
_WAITING_BYTES = 4 * 2**20
_WAITING_BATCHES = 4096
_TABLES = frozenset(("jsonl", "csv", "parquet", "xlsx"))
_MOST_LOOKED_AT = 16
_LOG = logging.getLogger("whorl.engines")


Find = Callable[[Any, Fingerprints, int], NDArray[Any]]
"""Finds candidates of texts in other sources by fingerprints and the first document number, for the column ``sought``.
"""


def read_corpus(
    sources: Sequence[Source],
    folder: Path,
    recipe: Recipe,
    on_error: str,
    progress: Progress,
    find: Find | None = None,
) -> list[StoredSegment]:
    """Read a corpus like ``read_segments`` and refuse one without documents.

    Raises:
        InputError: as for ``read_segments`` and ``demand_documents``.
    """
    segments = read_segments(sources, folder, recipe, on_error, progress, find)
    demand_documents(segments, recipe, on_error, progress)
    return segments


def read_segments(
    sources: Sequence[Source],
    folder: Path,
    recipe: Recipe,
    on_error: str,
    progress: Progress,
    find: Find | None = None,
) -> list[StoredSegment]:
    """Read and fingerprint ``sources`` into segments below ``folder``; reuse complete segments of an earlier run.

    Args:
        sources: the files.
        folder: parent folder of the segments.
        recipe: how documents are read and fingerprinted.
        on_error: "auto", "skip" or "stop".
        progress: receives the number of bytes.
        find: finds candidates for all documents, or None.

    Raises:
        InputError: a named file cannot be read as requested, or a row is bad and ``on_error`` is "stop".

    Memory: some blocks of text. Disk: the columns, and texts that cannot be read again.
    """
    told_bytes(sources, progress)
    segments = []
    for group, place in groups_of(sources, folder):
        segment = known_segment(place, group)
        if segment is None:
            shutil.rmtree(place, ignore_errors=True)
            segment = read_segment(group, place, recipe, on_error, progress, find)
        else:
            progress.advance(sum(source.size for source in group))
        segments.append(segment)
    return segments


def told_bytes(sources: Sequence[Source], progress: Progress) -> None:
    """Report the start of reading and the total number of bytes."""
    progress.stage("read", sum(source.size for source in sources), "bytes")


def known_segment(place: Path, group: Sequence[Source]) -> StoredSegment | None:
    """Return the segment of an earlier run if it is complete, intact and made from the current files."""
    segment = load_segment(place)
    if segment is None or not _covers(segment, group) or not segment.is_whole():
        return None
    _LOG.info("%s: continued, read before: %d files, %d rows", place, len(segment.files), segment.documents)
    return segment


def demand_documents(segments: Sequence[StoredSegment], recipe: Recipe, on_error: str, progress: Progress) -> None:
    """Report unreadable files and guessed text columns, and refuse inputs without documents.

    Args:
        segments: the segments of the files.
        recipe: how documents were read.
        on_error: "skip" accepts files without a readable row.
        progress: receives the messages.

    Raises:
        InputError: no file has a readable row, or no file has a named column.
    """
    records = [record for segment in segments for record in segment.files]
    faulty = [record for record in records if record.fault]
    if on_error != "skip" and faulty and not any(segment.documents for segment in segments):
        largest = max(faulty, key=lambda record: record.bytes)
        raise InputError(str(largest.fault), hint=largest.hint)
    _demand_columns(records, segments, recipe)
    for record in faulty:
        progress.note(say("not read: {reason}", reason=record.fault))
    for name, count in Counter(record.notices.get(TEXT_COLUMN) for record in records).items():
        if name is not None:
            message = say_many(
                "{count:,} file has no column 'text': using column {name!r}",
                "{count:,} files have no column 'text': using column {name!r}",
                count,
                name=name,
            )
            progress.note(message)
    mended = sum(int(record.notices.get(MENDED_TEXTS, 0)) for record in records)
    if mended:
        message = say_many(
            "{count:,} text has lone surrogates, which are read as U+FFFD",
            "{count:,} texts have lone surrogates, which are read as U+FFFD",
            mended,
        )
        progress.note(message)


def _demand_columns(records: Sequence[FileRecord], segments: Sequence[StoredSegment], recipe: Recipe) -> None:
    """Refuse a column for ids or ranks that no file has, which is probably misspelled."""
    tables = [record for record in records if record.format in _TABLES and record.documents][:_MOST_LOOKED_AT]
    filled = [segment for segment in segments if segment.documents]
    if recipe.id is not None and not any(len(segment.column("id")) for segment in filled):
        _demand_column(tables, Columns(recipe.text, recipe.id), recipe)
    if recipe.order_column is not None and all(np.isnan(segment.column("order")).all() for segment in filled):
        _demand_column(tables, Columns(recipe.text, None, recipe.order_column), recipe)


def _demand_column(records: Sequence[FileRecord], columns: Columns, recipe: Recipe) -> None:
    """Refuse files if none of them has the columns."""
    fault: InputError | None = None
    for record in records:
        batches = format_of(record.source).read(record.source, columns, Rejects(), ReadOptions.of(recipe))
        try:
            next(batches, None)
        except InputError as error:
            fault = fault or error
        else:
            return
    if fault is not None:
        raise fault


def groups_of(
    sources: Sequence[Source], folder: Path, segment_bytes: int | None = None
) -> Iterator[tuple[list[Source], Path]]:
    """Yield the files of each segment of about ``segment_bytes``, and its place below ``folder``.

    Each part of a large file is a segment.
    """
    enough = SEGMENT_BYTES if segment_bytes is None else segment_bytes
    group: list[Source] = []
    size = number = 0
    for source in sources:
        if group and source.span is not None:
            yield group, folder / f"{number:05d}"
            group, size, number = [], 0, number + 1
        group.append(source)
        size += source.size
        if size >= enough or source.span is not None:
            yield group, folder / f"{number:05d}"
            group, size, number = [], 0, number + 1
    if group:
        yield group, folder / f"{number:05d}"


def _covers(segment: StoredSegment, group: Sequence[Source]) -> bool:
    recorded = [(record.name, record.path, record.span) for record in segment.files]
    expected = [
        (source.name, None if source.path is None else str(source.path.absolute()), source.span) for source in group
    ]
    return recorded == expected and all(record.is_unchanged() for record in segment.files)


def read_segment(
    group: Sequence[Source], folder: Path, recipe: Recipe, on_error: str, progress: Progress, find: Find | None = None
) -> StoredSegment:
    """Read files into a segment at ``folder``, which must not exist.

    Raises:
        InputError: as for ``read_corpus``.
    """
    folder.mkdir(parents=True)
    with (
        KeptRejects(folder / "rejected", on_error="stop" if on_error == "stop" else "skip") as rejects,
        ColumnWriter(folder) as writer,
        Behind("whorl-write") as writing,
        Behind("whorl-fingerprint") as fingerprinting,
    ):
        reader = _Reader(writer, recipe, find, (fingerprinting, writing))
        ahead = sources_ahead(group, reader.columns, rejects, reader.options)
        files = tuple(reader.read_file(source, rejects, progress) for source in ahead)
        reader.flush()
    aside = files_below(folder / "rejected")
    sync(aside)
    sums = {path.relative_to(folder).as_posix(): sum_of(path) for path in aside}
    segment = StoredSegment(folder, files, reader.documents, dict(rejects.reasons), writer.sums | sums)
    save_segment(segment)
    return segment


class _Reader:
    """Pipeline from row batches to columns: one batch is read, one fingerprinted and one written at a time."""

    def __init__(self, writer: ColumnWriter, recipe: Recipe, find: Find | None, behind: tuple[Behind, Behind]) -> None:
        self.documents = 0
        self._fingerprinting, self._writing = behind
        self._writer = writer
        self._files = 0
        self._waiting: list[tuple[int, Batch]] = []
        self._waiting_bytes = 0
        self._family = recipe.fingerprinter()
        self._find = find
        self._judges_form = recipe.judges_form
        self.columns = columns_of(recipe)
        self.options = ReadOptions.of(recipe)

    def read_file(self, source: Source, rejects: Rejects, progress: Progress) -> FileRecord:
        size, modified = (0, 0) if source.path is None else file_state(source.path)
        before = self.documents
        last_row, encoding = 0, None
        reported = first = 0 if source.span is None else source.span.start
        notices: dict[str, str] = {}
        dates: Counter[str] = Counter()
        for batch in read_source(source, self.columns, rejects, self.options):
            if len(batch):
                last_row = int(batch.rows[-1])
            encoding = None if batch.offsets is None else batch.encoding
            notices.update(batch.notices)
            dates.update(batch.dates)
            self._take(batch)
            if batch.offsets is not None and len(batch):
                reached = int(batch.offsets[-1])
                progress.advance(reached - reported)
                reported = reached
        progress.advance((size if source.span is None else source.size) - (reported - first))
        self._files += 1
        fault = rejects.unreadable.get(source.name)
        return FileRecord(
            name=source.name,
            path=None if source.path is None else str(source.path.absolute()),
            format=source.format,
            compression=source.compression,
            bytes=size,
            modified=modified,
            encoding=encoding,
            last_row=last_row,
            documents=self.documents - before,
            rejected=rejects.sources.get(source.name, 0),
            fault=None if fault is None else fault.message,
            hint="" if fault is None else fault.hint,
            notices=notices,
            address=source.address,
            span=source.span,
            dates=dict(dates),
            given=source.input_index,
            reason=next((bad.reason for bad in rejects.named if bad.file == source.name), ""),
        )

    def _take(self, batch: Batch) -> None:
        """Collect small batches, so that many small files are fingerprinted together."""
        if self._waiting and (batch.offsets is None) != (self._waiting[0][1].offsets is None):
            self.flush()
        self._waiting.append((self._files, batch))
        self._waiting_bytes += batch.texts.nbytes
        self.documents += len(batch)
        if self._waiting_bytes >= _WAITING_BYTES or len(self._waiting) >= _WAITING_BATCHES:
            self.flush()

    def flush(self) -> None:
        """Fingerprint and write the collected batches."""
        if self._waiting:
            first = self.documents - sum(len(batch) for _, batch in self._waiting)
            self._fingerprinting.do(self._fingerprint, self._waiting, first)
            self._waiting, self._waiting_bytes = [], 0

    def _fingerprint(self, waiting: Sequence[tuple[int, Batch]], first: int) -> None:
        """Fingerprint batches that begin at document ``first`` and queue them for writing."""
        files = np.concatenate([np.full(len(batch), file) for file, batch in waiting])
        batch = _joined([batch for _, batch in waiting])
        self._writing.do(self._write, batch, files, self._family.fingerprint(batch.texts), first)

    def _write(self, batch: Batch, files: NDArray[np.int64], fingerprints: Fingerprints, first: int) -> None:
        write = self._writer.append
        write("digest", fingerprints.digests)
        write("length", fingerprints.lengths)
        write("code", fingerprints.codes)
        write("key_count", fingerprints.counts)
        write("file", files)
        write("row", batch.rows)
        write_ids(batch.ids, self._writer)
        self._write_places(batch)
        if batch.order is not None:
            write("order", batch.order)
        if self._judges_form:
            write("blemishes", np.frombuffer(memoryview(_core.blemishes(batch.texts)), np.uint32))
        if self._find is not None:
            write("sought", self._find(batch.texts, fingerprints, first))
        postings, ends = _core.partition(fingerprints.keys, fingerprints.counts, first, PARTITION_BITS)
        start = self._writer.written("posting") // POSTING.itemsize
        write("posting", np.frombuffer(memoryview(postings), POSTING))
        write("partition_end", np.frombuffer(memoryview(ends), np.uint64)[1:] // POSTING.itemsize + start)

    def _write_places(self, batch: Batch) -> None:
        if batch.offsets is not None and batch.lengths is not None:
            self._writer.append("offset", batch.offsets)
            self._writer.append("size", batch.lengths)
            return
        write_texts(batch.texts, self._writer)


def _joined(batches: Sequence[Batch]) -> Batch:
    """Join batches that all have positions or all have none."""
    import pyarrow as pa

    def column(name: str) -> Any:
        return [getattr(batch, name) for batch in batches]

    def text(name: str) -> Any:
        return pa.concat_arrays([_large_strings(part) for part in column(name)])

    if len(batches) == 1:
        (batch,) = batches
        return batch if batch.order is None else replace(batch, order=order_values(batch.order))
    has_order = batches[0].order is not None
    has_places = batches[0].offsets is not None
    return Batch(
        texts=text("texts"),
        ids=text("ids"),
        order=np.concatenate([order_values(part) for part in column("order")]) if has_order else None,
        rows=np.concatenate(column("rows")),
        offsets=np.concatenate(column("offsets")) if has_places else None,
        lengths=np.concatenate(column("lengths")) if has_places else None,
    )


def write_ids(ids: Any, writer: ColumnWriter) -> None:
    """Write the document ids."""
    values, bounds = strings(ids)
    start = writer.written("id")
    writer.append("id", values)
    writer.append("id_end", bounds[1:] - bounds[0] + start)


def write_texts(texts: Any, writer: ColumnWriter) -> None:
    """Store texts that cannot be read from their file again."""
    values, bounds = strings(texts)
    start = writer.written("text")
    writer.append("text", values)
    writer.append("offset", bounds[:-1] - bounds[0] + start)
    writer.append("size", np.diff(bounds))


def strings(array: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """View an Arrow string array as its bytes and its n + 1 bounds; null is empty.

    The bounds need not begin at 0; the bytes begin at the first bound.
    """
    array = _large_strings(array)
    if array.null_count:
        import pyarrow.compute as pc

        array = pc.fill_null(array, "")
    if not len(array):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, bounds, values = array.buffers()
    bounds = np.frombuffer(bounds, np.int64)[array.offset : array.offset + len(array) + 1]
    if values is None:
        return np.empty(0, np.uint8), bounds
    return np.frombuffer(values, np.uint8)[bounds[0] : bounds[-1]], bounds


def _large_strings(array: Any) -> pa.LargeStringArray:
    import pyarrow as pa

    if isinstance(array, pa.LargeStringArray):
        return array  # a cast would import pyarrow.compute, a tenth of a small run
    return pa.array(array).cast(pa.large_string())


__all__ = [
    "MANIFEST",
    "PARTITIONS",
    "StoredSegment",
    "demand_documents",
    "groups_of",
    "known_segment",
    "load_segment",
    "read_corpus",
    "read_segment",
    "read_segments",
    "save_segment",
    "told_bytes",
    "write_ids",
    "write_texts",
]

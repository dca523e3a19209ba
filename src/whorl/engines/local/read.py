"""The first pass: every document is read once, fingerprinted, and written down as columns.

Files are taken in groups, the segments, of about ``SEGMENT_BYTES`` of input. A segment that is complete has a manifest
with the size, the time and the hash of its files, and is not read again while they match.
"""

from __future__ import annotations

import logging
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
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
from whorl.engines.corpus import FileRecord, file_state
from whorl.engines.decide import POSTING
from whorl.engines.local.columns import SEVERAL, ColumnWriter, map_column, read_column
from whorl.engines.local.durable import Sums, files_below, is_as_written, read_json, sum_of, sync, write_json
from whorl.engines.progress import Progress
from whorl.engines.ranking import order_values
from whorl.engines.stages.cutting import columns_of
from whorl.errors import InputError
from whorl.fingerprints import Fingerprints
from whorl.language import say, say_many
from whorl.overlap import Behind
from whorl.recipe import Recipe

SEGMENT_BYTES = 256 * 2**20
PARTITION_BITS = 6
PARTITIONS = 1 << PARTITION_BITS
_WAITING_BYTES = 4 * 2**20
_WAITING_BATCHES = 4096
MANIFEST = "segment.json"
"""The file of a segment that is written last, and says what it has."""
_TABLES = frozenset(("jsonl", "csv", "parquet", "xlsx"))
_MOST_LOOKED_AT = 16
_LOG = logging.getLogger("whorl.engines")


@dataclass(frozen=True, slots=True)
class Segment:
    """A group of files whose documents are written down.

    Attributes:
        folder: where the columns are.
        files: its files, in order.
        documents: how many documents it has.
        reasons: how many rows were rejected, by reason.
        sums: size and checksum of its columns, and of the rejected rows.
    """

    folder: Path
    files: tuple[FileRecord, ...]
    documents: int
    reasons: dict[str, int]
    sums: Sums

    @property
    def identity(self) -> Sequence[int]:
        """What no segment of other contents has, but by chance."""
        return sum_of(self.folder / MANIFEST)

    @property
    def goes_on(self) -> bool:
        """Whether it is the stretch of a file, behind another one of it in the segment before."""
        return any(record.goes_on for record in self.files)

    @property
    def text_files(self) -> list[tuple[str, str | None]]:
        """For each file, where its texts are read again, and the encoding of rows that must be parsed for them."""
        return [
            (str(self.folder / "text"), None) if record.encoding is None else (str(record.path), record.encoding)
            for record in self.files
        ]

    def is_whole(self, passing: Sequence[str] = ()) -> bool:
        """Whether all that was written is still there, but for some columns. One pass over it."""
        return is_as_written(self.folder, {name: own for name, own in self.sums.items() if name not in passing})

    def column(self, name: str) -> NDArray[Any]:
        """Return a whole column."""
        return read_column(self.folder, name)

    def mapped(self, name: str) -> NDArray[Any]:
        """Return a column, a row for each document, that is read where it is asked for."""
        column = map_column(self.folder, name)
        return column.reshape(self.documents, -1) if self.documents and name in SEVERAL else column


Find = Callable[[Any, Fingerprints, int], NDArray[Any]]
"""Candidates of some texts from elsewhere, by their fingerprints and the number of the first: the column ``sought``."""


def read_corpus(
    sources: Sequence[Source],
    folder: Path,
    recipe: Recipe,
    on_error: str,
    progress: Progress,
    find: Find | None = None,
) -> list[Segment]:
    """Read a whole corpus as ``read_segments`` does.

    Raises:
        InputError: as there, or as ``demand_documents``.
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
) -> list[Segment]:
    """Read and fingerprint ``sources`` into segments below ``folder``; complete ones of an earlier run are kept.

    Args:
        sources: the files.
        folder: where the segments are made.
        recipe: how documents are read and fingerprinted.
        on_error: "auto", "skip" or "stop".
        progress: is told of the bytes.
        find: is asked for candidates of all documents; None for none.

    Raises:
        InputError: a file that was named cannot be read as asked, or a row is bad and ``on_error`` is "stop".

    Memory: some blocks of text; disk: the columns, and the texts that cannot be read again.
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
    """Tell that reading begins, and of how many bytes."""
    progress.stage("read", sum(source.size for source in sources), "bytes")


def known_segment(place: Path, group: Sequence[Source]) -> Segment | None:
    """Return the segment of an earlier run if it is complete, whole, and of these files as they are."""
    segment = load_segment(place)
    if segment is None or not _covers(segment, group) or not segment.is_whole():
        return None
    _LOG.info("%s: continued, read before: %d files, %d rows", place, len(segment.files), segment.documents)
    return segment


def demand_documents(segments: Sequence[Segment], recipe: Recipe, on_error: str, progress: Progress) -> None:
    """Report files that cannot be read and columns that were taken for the text, and refuse files that make no run.

    Args:
        segments: what was read of the files.
        recipe: how documents were read.
        on_error: "skip" lets files pass of which none can be read.
        progress: where it is reported.

    Raises:
        InputError: there is nothing but such files; or no file has a column that was named.
    """
    records = [record for segment in segments for record in segment.files]
    faulty = [record for record in records if record.fault]
    if on_error != "skip" and faulty and not any(segment.documents for segment in segments):
        largest = max(faulty, key=lambda record: record.bytes)
        raise InputError(str(largest.fault), cure=largest.cure)
    _demand_columns(records, segments, recipe)
    for record in faulty:
        progress.note(say("not read: {reason}", reason=record.fault))
    for name, count in Counter(record.notices.get(TEXT_COLUMN) for record in records).items():
        if name is not None:
            message = say_many(
                "{count:,} file has no column 'text': the text is that of column {name!r}",
                "{count:,} files have no column 'text': the text is that of column {name!r}",
                count,
                name=name,
            )
            progress.note(message)
    mended = sum(int(record.notices.get(MENDED_TEXTS, 0)) for record in records)
    if mended:
        message = say_many(
            "{count:,} text has halves of characters, which are read as U+FFFD",
            "{count:,} texts have halves of characters, which are read as U+FFFD",
            mended,
        )
        progress.note(message)


def _demand_columns(records: Sequence[FileRecord], segments: Sequence[Segment], recipe: Recipe) -> None:
    """Refuse a column that was named for ids or ranks where no file has it: it is misspelled."""
    tables = [record for record in records if record.format in _TABLES and record.documents][:_MOST_LOOKED_AT]
    filled = [segment for segment in segments if segment.documents]
    if recipe.id is not None and not any(len(segment.column("id")) for segment in filled):
        _demand_column(tables, Columns(recipe.text, recipe.id), recipe)
    if recipe.order_column is not None and all(np.isnan(segment.column("order")).all() for segment in filled):
        _demand_column(tables, Columns(recipe.text, None, recipe.order_column), recipe)


def _demand_column(records: Sequence[FileRecord], columns: Columns, recipe: Recipe) -> None:
    """Refuse files none of which has the columns."""
    fault: InputError | None = None
    for record in records:
        batches = format_of(record.source).read(record.source, columns, Rejects(), ReadOptions(recipe.encoding))
        try:
            next(batches, None)
        except InputError as error:
            fault = fault or error
        else:
            return
    if fault is not None:
        raise fault


def load_segment(folder: Path) -> Segment | None:
    """Return a segment that was completed, None if there is none, or none that says what it should."""
    manifest = read_json(folder / MANIFEST)
    try:
        files = tuple(FileRecord.of(record) for record in manifest["files"])
        return Segment(folder, files, manifest["documents"], manifest["reasons"], manifest["sums"])
    except (TypeError, KeyError):
        return None


def save_segment(segment: Segment) -> None:
    """Write the manifest that makes the segment complete."""
    manifest = {
        "files": [asdict(record) for record in segment.files],
        "documents": segment.documents,
        "reasons": segment.reasons,
        "sums": segment.sums,
    }
    write_json(manifest, segment.folder / MANIFEST)


def groups_of(
    sources: Sequence[Source], folder: Path, segment_bytes: int | None = None
) -> Iterator[tuple[list[Source], Path]]:
    """Yield the files that make a segment, of about so many bytes, and its place below ``folder``.

    A stretch of a file is a segment of its own.
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


def _covers(segment: Segment, group: Sequence[Source]) -> bool:
    known = [(record.name, record.path, record.span) for record in segment.files]
    asked = [
        (source.name, None if source.path is None else str(source.path.absolute()), source.span) for source in group
    ]
    return known == asked and all(record.is_unchanged() for record in segment.files)


def read_segment(
    group: Sequence[Source], folder: Path, recipe: Recipe, on_error: str, progress: Progress, find: Find | None = None
) -> Segment:
    """Read files into a segment at ``folder``, which must not be there.

    Raises:
        InputError: as ``read_corpus`` does.
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
    segment = Segment(folder, files, reader.documents, dict(rejects.reasons), writer.sums | sums)
    save_segment(segment)
    return segment


class _Reader:
    """Turns batches of rows into columns: one is written while the next is fingerprinted and another is read."""

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
        self.options = ReadOptions(recipe.encoding, recipe.max_row_bytes)

    def read_file(self, source: Source, rejects: Rejects, progress: Progress) -> FileRecord:
        size, modified = (0, 0) if source.path is None else file_state(source.path)
        before = self.documents
        last_row, encoding = 0, None
        told = first = 0 if source.span is None else source.span.start
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
                progress.advance(reached - told)
                told = reached
        progress.advance((size if source.span is None else source.size) - (told - first))
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
            cure="" if fault is None else fault.cure,
            notices=notices,
            address=source.address,
            span=source.span,
            dates=dict(dates),
            given=source.input_index,
            reason=next((bad.reason for bad in rejects.named if bad.file == source.name), ""),
        )

    def _take(self, batch: Batch) -> None:
        """Let small batches wait for each other: a folder of small files is fingerprinted many files at a time."""
        if self._waiting and (batch.offsets is None) != (self._waiting[0][1].offsets is None):
            self.flush()
        self._waiting.append((self._files, batch))
        self._waiting_bytes += batch.texts.nbytes
        self.documents += len(batch)
        if self._waiting_bytes >= _WAITING_BYTES or len(self._waiting) >= _WAITING_BATCHES:
            self.flush()

    def flush(self) -> None:
        """Let what waits be fingerprinted and written."""
        if self._waiting:
            first = self.documents - sum(len(batch) for _, batch in self._waiting)
            self._fingerprinting.do(self._fingerprint, self._waiting, first)
            self._waiting, self._waiting_bytes = [], 0

    def _fingerprint(self, waiting: Sequence[tuple[int, Batch]], first: int) -> None:
        """Fingerprint batches, of which ``first`` is the number of the first document, and let that be written."""
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
    """One batch of several that all have places, or all have none."""
    import pyarrow as pa

    def column(name: str) -> Any:
        return [getattr(batch, name) for batch in batches]

    def text(name: str) -> Any:
        return pa.concat_arrays([pa.array(part).cast(pa.large_string()) for part in column(name)])

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
    """Write the ids of documents."""
    values, bounds = strings(ids)
    start = writer.written("id")
    writer.append("id", values)
    writer.append("id_end", bounds[1:] - bounds[0] + start)


def write_texts(texts: Any, writer: ColumnWriter) -> None:
    """Write texts aside that cannot be read again where they come from."""
    values, bounds = strings(texts)
    start = writer.written("text")
    writer.append("text", values)
    writer.append("offset", bounds[:-1] - bounds[0] + start)
    writer.append("size", np.diff(bounds))


def strings(array: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """View an Arrow string array as its bytes and its n + 1 bounds; null is empty.

    The bounds need not begin at 0; the bytes do begin where the first bound says.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = pa.array(array).cast(pa.large_string())
    if array.null_count:
        array = pc.fill_null(array, "")
    if not len(array):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, bounds, values = array.buffers()
    bounds = np.frombuffer(bounds, np.int64)[array.offset : array.offset + len(array) + 1]
    if values is None:
        return np.empty(0, np.uint8), bounds
    return np.frombuffer(values, np.uint8)[bounds[0] : bounds[-1]], bounds


__all__ = [
    "MANIFEST",
    "PARTITIONS",
    "Segment",
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

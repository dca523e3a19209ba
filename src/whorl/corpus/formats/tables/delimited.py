"""CSV and TSV files. Records may span lines inside quotes; kept records are copied byte for byte."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import first_dates
from whorl.corpus.formats.tables.columns import ColumnPositions, distinct, locate
from whorl.corpus.formats.tables.csv_records import SEPARATOR_LINE, CsvRecord, CsvRecords
from whorl.corpus.lines import reject_damage
from whorl.corpus.rejects import Rejects
from whorl.corpus.transcoding import EncodingWriter, Transcoding, Utf8Reader, wide_transcoding
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAB_SUFFIXES = (".tsv", ".tab")
_DELIMITERS = ",;\t|"
_MOST_ROWS = 2**16


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the records after the header. Blank lines are skipped; a file of 0 bytes has no records.

    Rejected: records with too few or too many fields, with bytes that are not valid in the file's encoding, with an
    unclosed quote (only its first line: parsing resumes at the next line), or longer than ``max_row_bytes``.

    Raises:
        InputError: the header cannot be read or lacks a column.
    """
    columns = columns.texts_of(source.name)
    with ByteReader(source) as file:
        stream, how, transcoding = as_utf_8(file, options)
        records = CsvRecords(stream, how, rejects)
        try:
            header = header_of(records, source)
            if header is None:
                return
            positions = locate(columns, header, source.label)
            good = _good(records, len(header), rejects, source)
            for group in _groups(good, options.block_bytes):
                notices = {**records.encoding.notices, **positions.notices, **_notices_of(transcoding)}
                yield replace(_batch(group, positions, header, columns), notices=notices)
        except TruncatedStream as damage:
            reject_damage(rejects, source, damage)


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Copy the byte order mark, the header and the kept records byte for byte, without blank lines.

    Returns the number of records. Records in UTF-16 are encoded again.
    """
    written = 0
    with ByteReader(source) as opened, open_writer(target, source.compression) as file:
        stream, how, transcoding = as_utf_8(opened, options)
        output = file if transcoding is None else EncodingWriter(file, transcoding)
        records = CsvRecords(stream, how, None)
        with suppress(TruncatedStream):
            if header_of(records, source) is None:
                return 0
            output.write(records.header_bytes)
            for record in records:
                if record.row <= len(keep) and keep[record.row - 1]:
                    output.write(record.raw)
                    written += 1
    return written


def as_utf_8(stream: ByteReader, options: ReadOptions) -> tuple[ByteReader, ReadOptions, Transcoding | None]:
    """Return the stream, decoded if it is UTF-16, and its read options."""
    transcoding = wide_transcoding(stream, options.encoding)
    if transcoding is None:
        return stream, options, None
    return Utf8Reader(stream, transcoding), options._replace(encoding="utf-8"), transcoding


def _notices_of(transcoding: Transcoding | None) -> dict[str, str]:
    return {} if transcoding is None else dict(transcoding.notices)


def header_of(records: CsvRecords, source: Source) -> Sequence[str] | None:
    """Return the column names, None for a file without any; the following records are split at its delimiter."""
    try:
        record = records.read_header(_sniff)
    except csv.Error as error:
        hint = say("save it with LF or CRLF line endings")
        raise InputError(
            say("{label}: the header is not a CSV record: {error}", label=source.label, error=error), hint=hint
        ) from error
    if record is None:
        return None
    if record.fault is not None:
        raise InputError(
            say("{label}, line {line}: {reason}", label=source.label, line=record.line, reason=record.fault),
            hint=say("fix the header"),
        )
    return [name.strip() for name in record.fields]


def _sniff(name: str, header: str) -> str:
    """Return the delimiter: from a first line ``sep=;``, a tab for TSV, or the one that splits the header most."""
    named = SEPARATOR_LINE.match(header)
    if named is not None:
        return named[1]
    if PurePosixPath(name).suffix.lower() in _TAB_SUFFIXES:
        return "\t"
    return max(_DELIMITERS, key=lambda sign: len(next(csv.reader(io.StringIO(header), delimiter=sign), [])))


def _good(records: CsvRecords, width: int, rejects: Rejects, source: Source) -> Iterator[CsvRecord]:
    for record in records:
        fault = record.fault
        if fault is None and len(record.fields) > width and not any(record.fields[width:]):
            del record.fields[width:]  # trailing delimiters that the header lacks
        if fault is None and len(record.fields) != width:
            fault = say("{count} fields where the header has {width}", count=len(record.fields), width=width)
        if fault is None:
            yield record
        else:
            rejects.add(source, row=record.row, line=record.line, reason=fault, data=record.raw)


def _groups(records: Iterator[CsvRecord], block_bytes: int) -> Iterator[Sequence[CsvRecord]]:
    """Group records by size; records before a break are still yielded."""
    group: list[CsvRecord] = []
    size = 0
    damage: TruncatedStream | None = None
    try:
        for record in records:
            if group and (size + len(record.raw) > block_bytes or len(group) >= _MOST_ROWS):
                yield group
                group, size = [], 0
            group.append(record)
            size += len(record.raw)
    except TruncatedStream as error:
        damage = error
    if group:
        yield group
    if damage is not None:
        raise damage


def _batch(records: Sequence[CsvRecord], positions: ColumnPositions, header: Sequence[str], columns: Columns) -> Batch:
    places = positions.text
    if len(places) == 1 and places[0] is not None:
        place = places[0]
        texts = [record.fields[place] for record in records]
    else:
        texts = ["\n".join("" if p is None else record.fields[p] for p in places) for record in records]
    dates = {header[place]: [record.fields[place] for record in records] for place in positions.dates}
    dated = first_dates(dates, len(records)) if columns.dated else None
    order = None if columns.order is None else _strings(records, positions.order)
    names = distinct(header) if columns.others else None
    return Batch(
        texts=pa.array(texts, pa.string()),
        ids=_strings(records, positions.id),
        order=order if dated is None else dated.values,
        rows=np.fromiter((record.row for record in records), np.int64, len(records)),
        others=None if names is None else [_named(record, names) for record in records],
        dates={} if dated is None else dated.rows_by_column(),
    )


def _named(record: CsvRecord, names: Sequence[str]) -> dict[str, str | None]:
    """Return the fields by the names of the header; an empty field is None."""
    return {name: field or None for name, field in zip(names, record.fields, strict=True)}


def _strings(records: Sequence[CsvRecord], place: int | None) -> pa.Array:
    """Return a column as strings; an empty field is null."""
    if place is None:
        return pa.nulls(len(records), pa.string())
    return pa.array([record.fields[place] or None for record in records], pa.string())


__all__ = ["as_utf_8", "header_of", "read", "write"]

"""Rewrite CSV and TSV. Records without changes keep their bytes; others are written anew with the same delimiter."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import Columns, ReadOptions, Source
from whorl.corpus.formats.tables import delimited
from whorl.corpus.formats.tables.columns import locate
from whorl.corpus.formats.tables.csv_records import CsvRecord, CsvRecords
from whorl.corpus.rewriting.contract import AddedColumn, Edits, apply_to_parts, demand_new
from whorl.corpus.transcoding import EncodingWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ChangeRecord = Callable[[CsvRecord], bytes]


def write(source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
    """Write the kept records with their changes. Returns their number."""

    def editor(records: CsvRecords, header: Sequence[str]) -> tuple[bytes, _ChangeRecord]:
        places = locate(Columns(tuple(columns)), header, source.label).text

        def change(record: CsvRecord) -> bytes:
            ranges = edits.of_row(record.row)
            if not ranges:
                return record.raw
            return _changed(record, places, ranges, edits.mask, records.delimiter, records.encoding.codec)

        return records.header_bytes, change

    return _write_records(source, target, edits.keep, options, editor)


def add_column(source: Source, target: Path, keep: NDArray[np.bool_], column: AddedColumn, options: ReadOptions) -> int:
    """Write the kept records with another field: JSON, or empty. Returns their number."""

    def editor(records: CsvRecords, header: Sequence[str]) -> tuple[bytes, _ChangeRecord]:
        demand_new(column, header, source.label)

        def extended(raw: bytes, value: str) -> bytes:
            end = _line_end(raw)
            field = records.delimiter + (_record([value], records.delimiter, "") if value else "")
            return raw.removesuffix(end) + field.encode(records.encoding.codec, "replace") + end

        def change(record: CsvRecord) -> bytes:
            value = column.values.get(record.row)
            return extended(record.raw, "" if value is None else json.dumps(value, ensure_ascii=False))

        return extended(records.header_bytes, column.name), change

    return _write_records(source, target, keep, options, editor)


def _write_records(
    source: Source,
    target: Path,
    keep: NDArray[np.bool_],
    options: ReadOptions,
    editor: Callable[[CsvRecords, Sequence[str]], tuple[bytes, _ChangeRecord]],
) -> int:
    """Write a header and the kept records, as ``editor`` changes them. Returns the number of records."""
    written = 0
    with ByteReader(source) as stream, open_writer(target, source.compression) as file:
        opened, how, transcoding = delimited.as_utf_8(stream, options)
        output = file if transcoding is None else EncodingWriter(file, transcoding)
        records = CsvRecords(opened, how, None)
        with suppress(TruncatedStream):
            header = delimited.header_of(records, source)
            if header is None:
                return 0
            head, change = editor(records, header)
            output.write(head)
            for record in records:
                if record.row <= len(keep) and keep[record.row - 1]:
                    output.write(change(record))
                    written += 1
    return written


def _changed(
    record: CsvRecord,
    places: Sequence[int | None],
    ranges: Sequence[tuple[int, int]],
    mask: str,
    delimiter: str,
    codec: str,
) -> bytes:
    parts = ["" if place is None else record.fields[place] for place in places]
    fields = list(record.fields)
    for place, part in zip(places, apply_to_parts(parts, ranges, mask), strict=True):
        if place is not None:
            fields[place] = part
    return _record(fields, delimiter, _line_end(record.raw).decode()).encode(codec, "replace")


def _record(fields: Sequence[str], delimiter: str, end: str) -> str:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator=end).writerow(fields)
    return written.getvalue()


def _line_end(raw: bytes) -> bytes:
    return next((end for end in (b"\r\n", b"\n") if raw.endswith(end)), b"")


__all__ = ["add_column", "write"]

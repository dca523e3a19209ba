"""Rewrite CSV and TSV. Records without changes keep their bytes; others are written anew with the same delimiter."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import Columns, ReadOptions, Source
from whorl.corpus.formats.tables import delimited
from whorl.corpus.formats.tables.columns import locate
from whorl.corpus.formats.tables.csv_records import CsvRecord, CsvRecords
from whorl.corpus.rewriting.contract import Edits, apply_to_parts
from whorl.corpus.transcoding import EncodingWriter


def write(source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
    """Write the kept records with their changes. Returns their number."""
    written = 0
    with ByteReader(source) as stream, open_writer(target, source.compression) as file:
        opened, how, transcoding = delimited.as_utf_8(stream, options)
        output = file if transcoding is None else EncodingWriter(file, transcoding)
        records = CsvRecords(opened, how, None)
        with suppress(TruncatedStream):
            header = delimited.header_of(records, source)
            if header is None:
                return 0
            places = locate(Columns(tuple(columns)), header, source.label).text
            output.write(records.header_bytes)
            for record in records:
                if record.row <= len(edits.keep) and edits.keep[record.row - 1]:
                    ranges = edits.of_row(record.row)
                    codec = records.encoding.codec
                    output.write(
                        _changed(record, places, ranges, edits.mask, records.delimiter, codec) if ranges else record.raw
                    )
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
    end = "\r\n" if record.raw.endswith(b"\r\n") else "\n" if record.raw.endswith(b"\n") else ""
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator=end).writerow(fields)
    return written.getvalue().encode(codec, "replace")


__all__ = ["write"]

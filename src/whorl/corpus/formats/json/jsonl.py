"""JSON Lines: one object per line, located by the core and kept byte for byte. Other JSON is read by its layout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.overlap import Behind, read_ahead
from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import MENDED_TEXTS, Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import DATE_NAMES
from whorl.corpus.encoding import LineDecoder, core_name
from whorl.corpus.formats.json.documents import line_blocks as json_blocks
from whorl.corpus.formats.json.documents import opened
from whorl.corpus.formats.json.documents import write as write_document
from whorl.corpus.formats.json.nested import names_of
from whorl.corpus.formats.tables.columns import demand_named, missing_text, text_notices, with_usual_text
from whorl.corpus.lines import LineBlock, line_blocks, pass_over, reject_damage
from whorl.corpus.rejects import Rejects
from whorl.corpus.transcoding import EncodingWriter, Utf8Reader, wide_transcoding
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows of the file, a block of whole lines at a time. Blank lines are not rows.

    A file that is an array of objects, or otherwise not JSON Lines, is read by ``whorl.corpus.formats.json.documents``.

    Rejected: lines that are not a JSON object, are invalid in the file's encoding, have no text or a text that is not a
    string, or are longer than ``max_row_bytes``.

    Raises:
        InputError: most lines of the first block are objects, but none has a text column; or an id or ranking column
            was named and is missing in all of them.
    """
    columns = columns.texts_of(source.name)

    def set_aside(line: int, pieces: Iterator[bytes]) -> None:
        reason = say("the line is longer than {most} bytes", most=options.max_row_bytes)
        rejects.add(source, row=line, line=line, reason=reason, data=pieces)

    with ByteReader(source) as stream:
        transcoding = None if source.span is not None else wide_transcoding(stream, options.encoding)
        lines = stream if transcoding is None else Utf8Reader(stream, transcoding)
        how = options if transcoding is None else options._replace(encoding="utf-8")
        document = None if source.span is not None else opened(lines, options.text or columns.text, how, transcoding)
        rows = _LineBatches(source, columns, rejects, can_be_read_again=transcoding is None and document is None)
        if document is not None:
            rows.notices.update(document.notices)
            for block in read_ahead(json_blocks(document, source, rejects, options)):
                yield rows.batch(block, "utf-8", is_numbered=False)
            return
        rows.notices.update(() if transcoding is None else transcoding.notices)
        decoder = LineDecoder(how.encoding, source.span)
        try:
            for block in read_ahead(line_blocks(lines, how, set_aside)):
                decoder.look_at(block.data)
                rows.notices.update(decoder.encoding.notices)
                yield rows.batch(block, decoder.encoding.codec)
        except TruncatedStream as damage:
            reject_damage(rejects, source, damage)


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Copy the kept lines byte for byte; lines in UTF-16 are encoded again. Return their number."""
    flags = keep.astype(np.uint8).tobytes()
    written = 0
    # Only the rows before a break exist: reading has counted the rest as rejected.
    with ByteReader(source) as stream, suppress(TruncatedStream):
        transcoding = wide_transcoding(stream, options.encoding)
        lines = stream if transcoding is None else Utf8Reader(stream, transcoding)
        how = options if transcoding is None else options._replace(encoding="utf-8")
        document = opened(lines, options.text, how, transcoding)
        if document is not None:
            return write_document(document, source, target, keep, options)
        with open_writer(target, source.compression) as file, Behind("whorl-write") as behind:
            output = file if transcoding is None else EncodingWriter(file, transcoding)
            for block in line_blocks(lines, how, pass_over):
                selected, count = _core.select_lines(block.data, flags[block.line - 1 :])
                behind.do(output.write, selected)
                written += count
    return written


def copy_rows(source: Source, target: Path, offsets: NDArray[np.uint64], sizes: NDArray[np.uint32]) -> int:
    """Copy rows of a plain file by offset, in order, byte for byte, without reading anything else.

    Returns the number of rows written.

    Raises:
        InputError: the file ends before the last row does.
    """
    starts = offsets.astype(np.uint64)
    ends = starts + sizes + np.uint64(1)
    breaks = np.flatnonzero(starts[1:] != ends[:-1])
    firsts, lasts = np.append(0, breaks + 1), np.append(breaks, len(starts) - 1)
    runs = (starts[firsts], ends[lasts]) if len(starts) else (starts, ends)
    return _core.copy_ranges(str(source.path), str(target), *runs)


class _LineBatches:
    """Converts the blocks of one file into batches.

    Attributes:
        notices: the notices about the file up to here.
    """

    def __init__(self, source: Source, columns: Columns, rejects: Rejects, *, can_be_read_again: bool) -> None:
        self.notices: dict[str, str] = {}
        self._source = source
        self._requested = columns
        self._rejects = rejects
        self._is_plain = can_be_read_again and source.compression is None
        self._mended = 0
        self._choose(columns)

    def batch(self, block: LineBlock, codec: str, *, is_numbered: bool = True) -> Batch:
        """Return the rows of a block.

        Args:
            block: some lines.
            codec: their encoding.
            is_numbered: whether their numbers are line numbers of the file.
        """
        encoding = core_name(codec)
        scan = _core.scan_jsonl(block.data, self._selected, encoding)
        if block.line == 1 and self._lacks_text(scan):
            _, start, end, *_ = next(entry for entry in scan["rejected"] if entry[4])
            names = names_of(_object(block.data[start:end].decode(codec, "replace")))
            self._choose(with_usual_text(self._requested, names, self._source.label))
            scan = _core.scan_jsonl(block.data, self._selected, encoding)
            if self._lacks_text(scan):
                raise missing_text(self._requested, names, self._source.label)
        for line, start, end, reason, _ in scan["rejected"]:
            number = block.line + line
            place = number if is_numbered else f"#{number}"
            self._rejects.add(self._source, row=number, line=place, reason=reason, data=block.data[start:end])
        self._mended += scan["mended"]
        self.notices.update({MENDED_TEXTS: str(self._mended)} if self._mended else {})
        return self._batch(block, scan, codec)

    def _choose(self, columns: Columns) -> None:
        """Set the columns for the following blocks."""
        self._columns = columns
        dates = list(DATE_NAMES) if columns.dated else []
        self._selected = _core.RowColumns(list(columns.text), columns.id or "id", columns.order, dates)
        self.notices.update(text_notices(self._requested, columns))

    def _lacks_text(self, scan: dict[str, Any]) -> bool:
        """True if no row of a block has a text, and most lack a column of that name."""
        lacking = sum(lacks_text for *_, lacks_text in scan["rejected"])
        return not len(scan["lines"]) and lacking * 2 > len(scan["rejected"])

    def _batch(self, block: LineBlock, scan: dict[str, Any], codec: str) -> Batch:
        columns = self._columns
        lines = np.frombuffer(memoryview(scan["lines"]), np.int64)
        offsets, lengths = (np.frombuffer(memoryview(scan[name]), np.int64) for name in ("offsets", "lengths"))
        ids = _strings(scan["ids"], scan["id_bounds"], scan["has_id"])
        is_ordered = columns.dated or columns.order is not None
        order = np.frombuffer(memoryview(scan["orders"]), np.float64) if is_ordered else None
        if block.line == 1 and len(lines):
            first = _object(block.data[offsets[0] : offsets[0] + lengths[0]].decode(codec, "replace"))
            is_ranked = order is not None and not np.isnan(order).all()
            met = {"id_met": ids.null_count < len(ids), "order_met": is_ranked}
            demand_named(columns, names_of(first), self._source.label, **met)
        # Rows are read again with the requested columns, so this fails if the text is in another one.
        can_be_read_again = self._is_plain and columns.text == self._requested.text and not columns.by_file
        return Batch(
            texts=_strings(scan["texts"], scan["text_bounds"]),
            ids=ids,
            order=order,
            rows=lines + block.line,
            offsets=offsets + block.offset if can_be_read_again else None,
            lengths=lengths if can_be_read_again else None,
            others=_objects(block.data, offsets, lengths, codec) if columns.others else None,
            encoding=core_name(codec),
            notices=dict(self.notices),
            dates=scan["date_columns"],
        )


def _objects(data: bytes, offsets: NDArray[np.int64], lengths: NDArray[np.int64], codec: str) -> list[dict[str, Any]]:
    """Parse the objects at given offsets; one nested too deep for Python is kept as text under "row"."""
    places = zip(offsets.tolist(), lengths.tolist(), strict=True)
    return [_object(data[start : start + size].decode(codec, "replace")) for start, size in places]


def _object(text: str) -> dict[str, Any]:
    text = text.strip("\ufeff \t\r\n")
    for parse_int in (None, _number):
        with suppress(ValueError, RecursionError):
            value: dict[str, Any] = json.loads(text, strict=False, parse_int=parse_int, parse_constant=_no_number)
            return value
    return {"row": text}


def _no_number(_constant: str) -> None:
    """Return None for NaN and Infinity, which JSON does not have."""


def _number(digits: str) -> int | str:
    """Return an integer, or its digits if they exceed Python's limit."""
    try:
        return int(digits)
    except ValueError:
        return digits


def _strings(values: _core.Buffer, bounds: _core.Buffer, valid: _core.Buffer | None = None) -> Any:
    """View the strings of the core as an Arrow array."""
    import pyarrow as pa

    count = len(bounds) // 8 - 1
    bitmap = None
    if valid is not None:
        bitmap = pa.py_buffer(np.packbits(np.frombuffer(memoryview(valid), np.uint8), bitorder="little").tobytes())
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(bounds), pa.py_buffer(values), bitmap)


__all__ = ["copy_rows", "read", "write"]

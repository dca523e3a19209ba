"""Rewrite JSON Lines and JSON documents. Rows without changes keep their bytes; in others only the texts differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl import _core
from whorl._internal.overlap import Behind
from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import ReadOptions, Source
from whorl.corpus.encoding import LineDecoder, core_name
from whorl.corpus.formats.json import jsonl
from whorl.corpus.formats.json.documents import JsonDocument, opened, row_as_line, write_rows
from whorl.corpus.lines import LineBlock, line_blocks, pass_over
from whorl.corpus.rewriting.contract import AddedColumn, Edits, demand_new
from whorl.corpus.transcoding import EncodingWriter, Utf8Reader, wide_transcoding
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EditValue = Callable[[int, bytes], bytes]


def write(source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
    """Write the kept rows with their changes. Returns their number."""
    if not len(edits.rows):
        return jsonl.write(source, target, edits.keep, options)
    return _write_rows(source, target, edits.keep, _RowEditor(edits, columns, source.label), options)


def add_column(source: Source, target: Path, keep: NDArray[np.bool_], column: AddedColumn, options: ReadOptions) -> int:
    """Write the kept rows, those with a value with another member. Returns their number."""
    return _write_rows(source, target, keep, _ColumnEditor(column, source.label), options)


def _write_rows(
    source: Source, target: Path, keep: NDArray[np.bool_], editor: _RowEditor | _ColumnEditor, options: ReadOptions
) -> int:
    written = 0
    with ByteReader(source) as stream, suppress(TruncatedStream):
        transcoding = wide_transcoding(stream, options.encoding)
        lines = stream if transcoding is None else Utf8Reader(stream, transcoding)
        how = options if transcoding is None else options._replace(encoding="utf-8")
        document = opened(lines, options.text, how, transcoding)
        if document is not None:
            return write_rows(document, source, target, keep, options, editor.edited_value(document))
        decoder = LineDecoder(how.encoding, source.span)
        flags = keep.astype(np.uint8).tobytes()
        with open_writer(target, source.compression) as file, Behind("whorl-write") as behind:
            output = file if transcoding is None else EncodingWriter(file, transcoding)
            for block in line_blocks(lines, how, pass_over):
                decoder.look_at(block.data)
                data = editor.edited_block(block, decoder.encoding.codec)
                selected, count = _core.select_lines(data, flags[block.line - 1 :])
                behind.do(output.write, selected)
                written += count
    return written


class _ColumnEditor:
    """Appends a member to the objects of some rows."""

    def __init__(self, column: AddedColumn, label: str) -> None:
        self._column = column
        self._label = label
        self._rows = np.fromiter(sorted(column.values), np.int64, len(column.values))

    def edited_block(self, block: LineBlock, encoding: str) -> bytes:
        """Return the lines of a block with the member in those that have a value."""
        lines = block.data.split(b"\n")
        first, last = np.searchsorted(self._rows, (block.line, block.line + len(lines))).tolist()
        for row in self._rows[first:last].tolist():
            place = row - block.line
            lines[place] = self._extended(lines[place].decode(encoding), row).encode(encoding)
        return block.data if first == last else b"\n".join(lines)

    def edited_value(self, document: JsonDocument) -> _EditValue:
        """Return a function that appends the member to the objects of a JSON document."""

        def edit(number: int, value: bytes) -> bytes:
            if number + 1 not in self._column.values:
                return value
            if document.layout.kind == "columns" or value[:1] != b"{":
                raise InputError(
                    say("{label}: its rows are not objects, so a column cannot be added", label=self._label),
                    hint=say("write one JSON object per line"),
                )
            return self._extended(value.decode(), number + 1).encode()

        return edit

    def _extended(self, text: str, row: int) -> str:
        """Return an object with the member, escaped as its other members are."""
        names = json.loads(text.strip("\ufeff"), strict=False)
        demand_new(self._column, names, self._label)
        body, end = text.rpartition("}")[::2]
        escapes = text.isascii() and "\\u" in text
        name, value = (json.dumps(part, ensure_ascii=escapes) for part in (self._column.name, self._column.values[row]))
        return f"{body.rstrip()}{', ' if names else ''}{name}: {value}}}{end}"


class _RowEditor:
    """Changes the texts of some rows."""

    def __init__(self, edits: Edits, columns: Sequence[str], label: str) -> None:
        self._edits = edits
        self._columns = _core.RowColumns(list(columns))
        self._label = label

    def edited_block(self, block: LineBlock, encoding: str) -> bytes:
        """Return the lines of a block with the changes of those that have any."""
        ends = np.flatnonzero(np.frombuffer(block.data, np.uint8) == ord("\n")).astype(np.uint64)
        if not block.data.endswith(b"\n"):
            ends = np.append(ends, np.uint64(len(block.data)))
        start, stop = self._edits.between(block.line, block.line + len(ends))
        if start == stop:
            return block.data
        lines = self._edits.rows[start:stop] - block.line
        begins = np.where(lines > 0, ends[lines - 1] + np.uint64(1), np.uint64(0))
        places = np.column_stack([begins, ends[lines]]).astype(np.uint64)
        return self._rewrite(block.data, core_name(encoding), places, start, stop)

    def edited_value(self, document: JsonDocument) -> _EditValue:
        """Return a function that changes the objects of a JSON document."""

        def edit(number: int, value: bytes) -> bytes:
            start, stop = self._edits.between(number + 1, number + 2)
            if start == stop:
                return value
            line, before, behind = row_as_line(document, value)
            places = np.array([[0, len(line)]], np.uint64)
            data = self._rewrite(line, "utf-8", places, start, stop)
            return data[before : len(data) - behind]

        return edit

    def _rewrite(self, data: bytes, encoding: str, places: NDArray[np.uint64], start: int, stop: int) -> bytes:
        edits = self._edits
        bounds = edits.bounds[start : stop + 1]
        ranges = np.ascontiguousarray(edits.ranges[bounds[0] : bounds[-1]]).ravel()
        starts = (bounds - bounds[0]).astype(np.uint64)
        try:
            return _core.rewrite_rows(data, self._columns, encoding, places.ravel(), starts, ranges, edits.mask)
        except ValueError as error:
            raise InputError(
                say("{label}: a row cannot be changed: {error}", label=self._label, error=error),
                hint=say("use `action=tag`, or write one object a line"),
            ) from error


__all__ = ["add_column", "write"]

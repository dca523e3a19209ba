"""JSON Lines: one object a line. Rows are found by the core, and keep their bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl.corpus.columns import demand_named, missing_text
from whorl.corpus.compression import ByteReader, TruncatedStream, open_writer
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import DATE_NAMES, date_columns
from whorl.corpus.encoding import LineDecoder, core_name
from whorl.corpus.lines import LineBlock, line_blocks, pass_over, reject_damage
from whorl.corpus.nested import has_value_at, is_within, names_of, value_at
from whorl.corpus.rejected import Rejects
from whorl.language import say
from whorl.overlap import Behind, read_ahead

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows of the file, a block of whole lines at a time. Blank lines are not rows.

    Rejected: lines that are no JSON object, are not in the encoding of the file, have no text or a text that is not a
    string, or are longer than ``max_row_bytes``.

    Raises:
        InputError: no line of the first block has any of the text columns, and most of them are objects; or none has
            the column of ids or the one that ranks, and it was named.
    """
    dates = list(DATE_NAMES) if columns.dated else []
    wanted = _core.RowColumns(list(columns.text), columns.id or "id", columns.order, dates)
    decoder = LineDecoder(options.encoding, source.span)

    def set_aside(line: int, pieces: Iterator[bytes]) -> None:
        reason = say("the line is longer than {most} bytes", most=options.max_row_bytes)
        rejects.add(source, row=line, line=line, reason=reason, data=pieces)

    with ByteReader(source) as stream:
        try:
            for block in read_ahead(line_blocks(stream, options, set_aside)):
                decoder.look_at(block.data)
                batch = _batch(block, wanted, decoder.encoding.codec, source, columns, rejects)
                yield replace(batch, notices=decoder.encoding.notices)
        except TruncatedStream as damage:
            reject_damage(rejects, source, damage)


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Copy the lines that are kept, byte for byte. Return how many."""
    flags = keep.astype(np.uint8).tobytes()
    written = 0
    # The rows before a break are all there are; reading has counted the rest as rejected.
    with (
        ByteReader(source) as stream,
        open_writer(target, source.compression) as file,
        Behind("whorl-write") as behind,
        suppress(TruncatedStream),
    ):
        for block in line_blocks(stream, options, pass_over):
            selected, count = _core.select_lines(block.data, flags[block.line - 1 :])
            behind.do(file.write, selected)
            written += count
    return written


def copy_rows(source: Source, target: Path, offsets: NDArray[np.uint64], sizes: NDArray[np.uint32]) -> int:
    """Copy rows of a plain file whose places are known, in order, byte for byte; nothing else of it is read.

    Returns how many rows they are now.

    Raises:
        InputError: the file ends before the last of them does.
    """
    starts = offsets.astype(np.uint64)
    ends = starts + sizes + np.uint64(1)
    breaks = np.flatnonzero(starts[1:] != ends[:-1])
    firsts, lasts = np.append(0, breaks + 1), np.append(breaks, len(starts) - 1)
    runs = (starts[firsts], ends[lasts]) if len(starts) else (starts, ends)
    return _core.copy_ranges(str(source.path), str(target), *runs)


def _batch(
    block: LineBlock, wanted: _core.RowColumns, codec: str, source: Source, columns: Columns, rejects: Rejects
) -> Batch:
    encoding = core_name(codec)
    names = [name for name in (*columns.text, columns.id or "id", columns.order) if name is not None]
    is_nested = any(map(is_within, names))
    data = _lifted(block.data, names, codec, dated=columns.dated) if is_nested else block.data
    scan = _core.scan_jsonl(data, wanted, encoding)
    if is_nested:
        scan |= _places(block.data, scan)
    rejected = scan["rejected"]
    lines = np.frombuffer(memoryview(scan["lines"]), np.int64)
    lacking = [(start, end) for _, start, end, _, lacks_text in rejected if lacks_text]
    if not len(lines) and block.line == 1 and len(lacking) * 2 > len(rejected):
        start, end = lacking[0]
        raise missing_text(columns, names_of(_object(block.data[start:end].decode(codec, "replace"))), source.label)
    for line, start, end, reason, _ in rejected:
        number = block.line + line
        rejects.add(source, row=number, line=number, reason=reason, data=block.data[start:end])
    offsets, lengths = (np.frombuffer(memoryview(scan[name]), np.int64) for name in ("offsets", "lengths"))
    can_be_read_again = source.compression is None and not is_nested
    ids = _strings(scan["ids"], scan["id_bounds"], scan["has_id"])
    is_ordered = columns.dated or columns.order is not None
    order = np.frombuffer(memoryview(scan["orders"]), np.float64) if is_ordered else None
    if block.line == 1 and len(lines):
        first = _object(block.data[offsets[0] : offsets[0] + lengths[0]].decode(codec, "replace"))
        is_ranked = order is not None and not np.isnan(order).all()
        met = {"id_met": ids.null_count < len(ids), "order_met": is_ranked}
        demand_named(columns, names_of(first), source.label, **met)
    return Batch(
        texts=_strings(scan["texts"], scan["text_bounds"]),
        ids=ids,
        order=order,
        rows=lines + block.line,
        offsets=offsets + block.offset if can_be_read_again else None,
        lengths=lengths if can_be_read_again else None,
        others=_objects(block.data, offsets, lengths, codec) if columns.others else None,
        encoding=encoding,
        dates=scan["date_columns"],
    )


def _places(data: bytes, scan: dict[str, Any]) -> dict[str, Any]:
    """Where the lines of a scan lie that was not of these bytes, but of as many lines."""
    breaks = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    starts, ends = np.append(0, breaks + 1), np.append(breaks, len(data))
    lines = np.frombuffer(memoryview(scan["lines"]), np.int64)
    rejected = [(line, int(starts[line]), int(ends[line]), *why) for line, _, _, *why in scan["rejected"]]
    return {"offsets": starts[lines], "lengths": ends[lines] - starts[lines], "rejected": rejected}


def _lifted(data: bytes, names: Sequence[str], codec: str, *, dated: bool) -> bytes:
    """The same lines with nothing but the columns that are wanted, each under its whole name.

    What is no object is left to the core, which says why.

    Args:
        data: the lines.
        names: of the columns.
        codec: the encoding of the lines.
        dated: whether columns that may have the publication date are wanted too.
    """
    return b"\n".join(_lifted_line(line, names, codec, dated=dated) for line in data.split(b"\n"))


def _lifted_line(line: bytes, names: Sequence[str], codec: str, *, dated: bool) -> bytes:
    try:
        row = json.loads(line.decode(codec), parse_int=_number, parse_constant=_refuse)
        if isinstance(row, dict):
            dates = date_columns(list(row), names) if dated else []
            wanted = [*names, *dates]
            return json.dumps({name: value_at(row, name) for name in wanted if has_value_at(row, name)}).encode()
    except (ValueError, RecursionError):
        pass
    return line


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not of JSON")


def _objects(data: bytes, offsets: NDArray[np.int64], lengths: NDArray[np.int64], codec: str) -> list[dict[str, Any]]:
    """The objects of lines, each at its place; one that is nested too deep for Python as its text, called "row"."""
    places = zip(offsets.tolist(), lengths.tolist(), strict=True)
    return [_object(data[start : start + size].decode(codec, "replace")) for start, size in places]


def _object(text: str) -> dict[str, Any]:
    for parse_int in (None, _number):
        with suppress(ValueError, RecursionError):
            value: dict[str, Any] = json.loads(text, strict=False, parse_int=parse_int)
            return value
    return {"row": text}


def _number(digits: str) -> int | str:
    """A whole number, or its digits where Python makes no number of so many."""
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

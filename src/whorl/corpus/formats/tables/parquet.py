"""Parquet files: columns are read in batches, and rows are dropped by filtering row groups."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import first_dates
from whorl.corpus.formats.json.nested import LIST, SEPARATOR, NestedField, fields_of
from whorl.corpus.formats.tables.arrays import id_strings, select_rows
from whorl.corpus.formats.tables.columns import ColumnPositions, distinct, locate
from whorl.corpus.rejects import Rejects
from whorl.errors import InputError
from whorl.i18n import Message, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ROWS = 2**16
_WRITE_BYTES = 128 * 2**20
_PAGE_BUFFER_BYTES = 2**20
_CODECS = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4", "LZO": "ZSTD"}


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows, for any Arrow or Parquet string type. All columns are decoded once beforehand.

    Rejected: rows with a text that is null or longer than ``max_row_bytes``, or with a text, id or rank that is not
    valid UTF-8. They are kept with all their columns in a Parquet file.

    Raises:
        InputError: the file is not Parquet or damaged, or lacks a column, or a text column is not of text.
    """
    columns = columns.texts_of(source.name)
    with open_file(source) as file:
        schema = file.schema_arrow
        fields = fields_of(schema)
        positions = locate(columns, [field.name for field in fields], source.label)
        _check_types(fields, positions, source.label)
        _demand_whole(file, source.label)
        bad: list[NDArray[np.int64]] = []
        first = 1
        names = distinct(schema.names) if columns.others else None
        chosen = _names(fields, positions) if names is None else None
        size = _rows_of(file, options.block_bytes)
        for record_batch in _batches_of(file, source.label, batch_size=size, columns=chosen):
            texts, faults = _texts(record_batch, positions, fields, options.max_row_bytes)
            ids = _id_column(record_batch, fields, positions.id, faults)
            order = _plain(record_batch, fields, positions.order, faults)
            if columns.order is not None and order is None:
                order = pa.nulls(len(texts), pa.string())
            rows = np.arange(first, first + len(texts), dtype=np.int64)
            first += len(texts)
            good = _note_faults(source, rows, texts, faults, rejects)
            if not good.all():
                bad.append(rows[~good])
            others = None if names is None else _others(record_batch, names, source.label)
            dates: dict[str, int] = {}
            if columns.dated:
                dated = first_dates(_date_columns(record_batch, fields, positions), len(rows))
                order, dates = pa.array(dated.values), dated.rows_by_column(good)
            whole = Batch(texts, _ids(ids, len(rows), source.label), order, rows, others=others, dates=dates)
            whole = replace(whole, notices=positions.notices)
            yield from _good(whole, good, options.block_bytes)
        if bad:
            rejected = np.zeros(first - 1, np.bool_)
            rejected[np.concatenate(bad) - 1] = True
            rejects.keep_rows(source, rejected, write, options)


def _others(record_batch: Any, names: Sequence[str], label: str) -> list[dict[str, Any]]:
    """Return the rows with all columns, times of any unit as datetimes."""
    columns = [_values(column, name, label) for name, column in zip(names, record_batch.columns, strict=True)]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _values(column: Any, name: str, label: str) -> list[Any]:
    """Return the values of a column.

    If the column has a value that Python cannot represent, such as the year 10000, times become strings, and invalid
    UTF-8 becomes bytes.
    """
    try:
        values: list[Any] = column.cast(_converted(column.type, _in_microseconds), safe=False).to_pylist()
    except (pa.ArrowException, ValueError, OverflowError):
        pass
    else:
        return values
    try:
        return [_decoded(value) for value in column.cast(_converted(column.type, _written), safe=False).to_pylist()]
    except (pa.ArrowException, ValueError, OverflowError) as error:
        problem = say(
            "{label}: cannot read a value of column {name!r} ({type}): {error}",
            label=label,
            name=name,
            type=column.type,
            error=error,
        )
        raise InputError(problem, hint=say("remove the column, or write it as text")) from error


def _converted(kind: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return the type with its leaf types converted."""
    if pa.types.is_dictionary(kind):
        return _converted(kind.value_type, leaf)
    if pa.types.is_struct(kind):
        fields = [kind[place] for place in range(kind.num_fields)]
        return pa.struct([pa.field(field.name, _converted(field.type, leaf)) for field in fields])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.large_list(_converted(kind.value_type, leaf))
    return leaf(kind)


def _in_microseconds(kind: Any) -> Any:
    """Convert times to microseconds, since Python has no nanoseconds."""
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    return pa.time64("us") if kind == pa.time64("ns") else kind


def _written(kind: Any) -> Any:
    """Convert times to strings, durations to numbers, and strings to bytes."""
    if pa.types.is_duration(kind):
        return pa.int64()
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        return pa.string()
    return pa.large_binary() if _holds_text(kind) else kind


def _decoded(value: Any) -> Any:
    """Return a value with its bytes decoded where they are UTF-8."""
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if isinstance(value, dict):
        return {name: _decoded(item) for name, item in value.items()}
    return value.decode() if isinstance(value, bytes) and _is_utf8(value) else value


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:  # noqa: ARG001
    """Write the kept rows with the same schema, metadata, codecs and row groups. Return their number."""
    with open_file(source) as file, writer_like(file, str(target.absolute())) as writer:
        return write_groups(file, writer, keep, source.label)


def write_groups(
    file: Any,
    writer: Any,
    keep: NDArray[np.bool_],
    label: str,
    change: Callable[[Any, int], Any] = lambda batch, _: batch,
) -> int:
    """Write the kept rows of an open file in its row groups. Return their number.

    Args:
        file: the open file.
        writer: writes the rows.
        keep: True for each row that is written, by its number less 1; rows beyond its end are dropped.
        label: name of the file in messages.
        change: returns a batch with its changes, from the batch and the number of its first row, from 1.

    Memory: the kept rows of one row group, at most 128 MiB of them; a larger group is split.
    """
    first = written = 0
    for group in range(file.num_row_groups):
        batches: list[Any] = []
        for batch in _batches_of_group(file, group, label):
            mask = np.zeros(len(batch), np.bool_)
            part = keep[first : first + len(batch)]
            mask[: len(part)] = part
            batches += select_rows(change(batch, first + 1), mask)
            first += len(batch)
            written += int(mask.sum())
            if sum(piece.nbytes for piece in batches) >= _WRITE_BYTES:
                _flush(writer, batches)
        _flush(writer, batches)
    return written


def open_file(source: Source) -> Any:
    """Open a Parquet file.

    Raises:
        InputError: it is not Parquet or damaged.
    """
    try:
        file = pa.OSFile(os.fsencode(source.path or ""))
        return pq.ParquetFile(file, buffer_size=_PAGE_BUFFER_BYTES, pre_buffer=False, page_checksum_verification=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            say("cannot read {label} as Parquet: {error}", label=source.label, error=error),
            hint=say("write or fetch it again"),
        ) from error


def writer_like(file: Any, target: Any, schema: Any = None) -> Any:
    """Return a writer with the codecs of an open file, and its schema unless another one is passed."""
    compression: str | dict[str, str] = "snappy"
    if file.num_row_groups and file.metadata.num_columns:
        group = file.metadata.row_group(0)
        chunks = [group.column(index) for index in range(group.num_columns)]
        compression = {chunk.path_in_schema: _CODECS.get(chunk.compression, chunk.compression) for chunk in chunks}
    return pq.ParquetWriter(target, schema or file.schema_arrow, compression=compression)


def _flush(writer: Any, batches: list[Any]) -> None:
    """Write batches as one row group and clear the list."""
    if batches:
        table = pa.Table.from_batches(batches)
        writer.write_table(table, row_group_size=len(table))
        batches.clear()


def _check_types(fields: Sequence[NestedField], positions: ColumnPositions, label: str) -> None:
    texts = [field.name for field in fields if _holds_texts(field.type)]
    for place in positions.text:
        if place is None or _holds_texts(fields[place].type) or pa.types.is_null(fields[place].type):
            continue
        field = fields[place]
        hint = (
            say("name a text column: `text={text}`", text=texts[0]) if texts else say("remove the file from the input")
        )
        raise InputError(
            say("{label}: column {name!r} is {type}, not text", label=label, name=field.name, type=field.type),
            hint=hint,
        )
    _refuse_nested(fields, positions.id, label, say("name a document"))
    _refuse_nested(fields, positions.order, label, say("rank"))


def _refuse_nested(fields: Sequence[NestedField], place: int | None, label: str, what: Message) -> None:
    """Refuse a column of lists or structs where a single value is needed."""
    if place is not None and pa.types.is_nested(fields[place].type):
        name, kind = fields[place].name, fields[place].type
        message = say(
            "{label}: column {name!r} is {type} and cannot {what}", label=label, name=name, type=kind, what=what
        )
        raise InputError(message, hint=say("name another column"))


def _holds_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    checks = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
    )
    return any(check(kind) for check in checks)


def _holds_texts(kind: Any) -> bool:
    """True if a column has texts or lists of texts."""
    return _holds_text(kind.value_type if _is_list(kind) else kind)


def _is_list(kind: Any) -> bool:
    return any(check(kind) for check in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def _demand_whole(file: Any, label: str) -> None:
    """Decode everything, as `write` will: a file with any damage is refused as a whole, so kept rows can be written."""
    for group in range(file.num_row_groups):
        for _ in _batches_of_group(file, group, label):
            pass
    try:
        writer_like(file, pa.BufferOutputStream()).close()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            say("{label} is damaged: {error}", label=label, error=error), hint=say("write or fetch it again")
        ) from error


def _batches_of_group(file: Any, group: int, label: str) -> Iterator[Any]:
    """Yield the batches of a row group."""
    return _batches_of(file, label, batch_size=_MOST_ROWS // 16, row_groups=[group])


def _names(fields: Sequence[NestedField], positions: ColumnPositions) -> list[str]:
    requested = (*positions.text, positions.id, positions.order, *positions.dates)
    places = dict.fromkeys(place for place in requested if place is not None)
    return [_column_name(fields[place]) for place in places]


def _column_name(field: NestedField) -> str:
    """Return Parquet's name of a field; for a list of structs, the whole list."""
    is_in_list = any(name.endswith(LIST) for name in field.path)
    return field.path[0].removesuffix(LIST) if is_in_list else SEPARATOR.join(field.path)


def _batches_of(file: Any, label: str, **options: Any) -> Iterator[Any]:
    batches = file.iter_batches(**options)
    try:
        while (batch := next(batches, None)) is not None:
            yield batch
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            say("{label} is damaged: {error}", label=label, error=error), hint=say("write or fetch it again")
        ) from error


def _rows_of(file: Any, block_bytes: int) -> int:
    """Return the number of rows that take about ``block_bytes``."""
    metadata = file.metadata
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return int(max(1, min(_MOST_ROWS, block_bytes * max(1, metadata.num_rows) // max(1, size))))


def _texts(
    record_batch: Any, positions: ColumnPositions, fields: Sequence[NestedField], longest: int
) -> tuple[Any, dict[str, Any]]:
    """Return the joined text as UTF-8 strings without nulls, and a row mask per kind of fault."""
    parts = [_column(fields[place], record_batch) for place in positions.text if place is not None]
    absent = np.ones(len(record_batch), np.bool_)
    invalid = np.zeros(len(record_batch), np.bool_)
    for index, part in enumerate(parts):
        absent &= part.is_null().to_numpy(zero_copy_only=False)
        broken = _invalid_utf8(part)
        if broken is not None:
            invalid |= broken
            parts[index] = pc.if_else(pa.array(broken), pa.scalar(None, part.type), part)
    strings = {
        place: pc.fill_null(part.cast(pa.large_string()), "")
        for place, part in zip((p for p in positions.text if p is not None), parts, strict=True)
    }
    pieces = [pa.scalar("", pa.large_string()) if place is None else strings[place] for place in positions.text]
    text = pieces[0] if len(pieces) == 1 else pc.binary_join_element_wise(*pieces, pa.scalar("\n", pa.large_string()))
    too_long = pc.binary_length(text).to_numpy(zero_copy_only=False) > longest
    listing = ", ".join(repr(fields[place].name) for place in strings)
    return text, {
        say("column {column} is null", column=listing): absent,
        say("column {column} is not valid UTF-8", column=listing): invalid,
        say("the text exceeds the maximum size of a row"): too_long,
    }


def _column(field: NestedField, record_batch: Any) -> Any:
    """Return a text column as large binary, so that invalid UTF-8 is detected before it is decoded."""
    column = field.of(record_batch)
    kind = column.type
    if _is_list(kind):
        column = _joined(column)
        kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
    return column.cast(pa.large_binary())


def _joined(column: Any) -> Any:
    """Join the texts of each list with newlines; null where the list is null."""
    texts = [
        None if texts is None else b"\n".join(_bytes_of(text) for text in texts if text is not None)
        for texts in column.to_pylist()
    ]
    return pa.array(texts, pa.large_binary())


def _bytes_of(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _invalid_utf8(column: Any) -> NDArray[np.bool_] | None:
    """Return a mask of values that are not UTF-8; None if all are valid, which costs one pass at memory speed."""
    try:
        column.cast(pa.large_string())
    except pa.ArrowInvalid:
        return np.fromiter((not _is_utf8(value) for value in column.to_pylist()), np.bool_, len(column))
    return None


def _is_utf8(value: bytes | None) -> bool:
    try:
        (value or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def _note_faults(
    source: Source, rows: NDArray[np.int64], texts: Any, faults: dict[str, Any], rejects: Rejects
) -> NDArray[np.bool_]:
    """Record every faulty row once, in row order, and return a mask of the good rows."""
    good = np.ones(len(rows), np.bool_)
    rejections: list[tuple[int, str]] = []
    for reason, mask in faults.items():
        rejections += [(int(index), reason) for index in np.flatnonzero(mask & good)]
        good &= ~mask
    for index, reason in sorted(rejections):
        size = len(texts[index].as_buffer() or b"")
        rejects.note(source, row=int(rows[index]), line=None, reason=reason, size=size)
    return good


def _good(batch: Batch, good: NDArray[np.bool_], block_bytes: int) -> Iterator[Batch]:
    """Yield the good rows of a batch in pieces of at most ``block_bytes``, or a single longer row."""
    mask = pa.array(good)
    texts, ids = batch.texts.filter(mask), batch.ids.filter(mask)
    order = None if batch.order is None else batch.order.filter(mask)
    others = None if batch.others is None else list(compress(batch.others, good))
    rows = batch.rows[good]
    for start, stop in _cuts(pc.binary_length(texts).to_numpy(zero_copy_only=False), block_bytes):
        span = slice(start, stop)
        yield Batch(
            texts=texts[span].cast(pa.string()),
            ids=ids[span],
            order=None if order is None else order[span],
            rows=rows[span],
            others=None if others is None else others[span],
            notices=batch.notices,
            dates={} if start else batch.dates,
        )


def _ids(column: Any, count: int, label: str) -> Any:
    if column is None:
        return pa.nulls(count, pa.large_string())
    try:
        return id_strings(column)
    except pa.ArrowException as error:
        hint = say("name another column, or convert it first")
        raise InputError(
            say("{label}: cannot read ids of type {type}: {error}", label=label, type=column.type, error=error),
            hint=hint,
        ) from error


def _id_column(record_batch: Any, fields: Sequence[NestedField], place: int | None, faults: dict[str, Any]) -> Any:
    """Return the id column: strings as in `_plain`, other types unchanged. None if there is no column."""
    if place is None:
        return None
    kind = fields[place].type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return _plain(record_batch, fields, place, faults) if is_text else fields[place].of(record_batch)


def _plain(record_batch: Any, fields: Sequence[NestedField], place: int | None, faults: dict[str, Any]) -> Any:
    """Return a column of ids or ranks, text as strings; adds invalid UTF-8 to the faults. None for no column."""
    if place is None:
        return None
    name, column = fields[place].name, fields[place].of(record_batch)
    if pa.types.is_dictionary(column.type) and not _holds_text(column.type):
        return column.dictionary_decode()
    if not _holds_text(column.type) and not pa.types.is_fixed_size_binary(column.type):
        return column
    values = _column(fields[place], record_batch)
    broken = _invalid_utf8(values)
    if broken is not None:
        faults[say("column {column} is not valid UTF-8", column=repr(name))] = broken
        values = pc.if_else(pa.array(broken), pa.scalar(None, values.type), values)
    return values.cast(pa.large_string())


def _date_columns(record_batch: Any, fields: Sequence[NestedField], positions: ColumnPositions) -> dict[str, Any]:
    """Return the columns that may hold the publication date; text as bytes, since an unnamed column may be invalid."""
    columns = {fields[place].name: fields[place] for place in positions.dates}
    return {
        name: _column(field, record_batch) if _holds_text(field.type) else field.of(record_batch)
        for name, field in columns.items()
    }


def _cuts(lengths: NDArray[np.int64], block_bytes: int) -> Iterator[tuple[int, int]]:
    ends = np.cumsum(lengths, dtype=np.int64)
    start = 0
    while start < len(lengths):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + block_bytes, side="right")))
        yield start, stop
        start = stop


__all__ = ["open_file", "read", "write", "write_groups", "writer_like"]

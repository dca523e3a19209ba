"""Validate and convert Arrow columns from other programs; buffers are checked before any value is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from whorl import _core
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray


def demand_sound(column: Any, name: str) -> None:
    """Refuse a column with offsets outside its buffers or strings that are not UTF-8. One pass.

    Args:
        column: a ``pyarrow.ChunkedArray``.
        name: the column's name in messages.

    Raises:
        InputError: the column is damaged; for strings, the message has the first bad row, counted from 0.
    """
    first = 0
    for chunk in column.chunks:
        reason = _fault(chunk, first)
        if reason is not None:
            hint = say("write the column again with the program that created it, or remove the row")
            raise InputError(say("column {name!r}, {reason}", name=name, reason=reason), hint=hint)
        first += len(chunk)


def _fault(chunk: Any, first: int) -> str | None:
    import pyarrow as pa

    values = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
    try:
        if _is_of_strings(values.type):
            values.validate()
            fault = _core.array_fault(values)
            if fault is not None:
                row, reason = first + fault[0], fault[1]
                if values is chunk:
                    return say("row {row}, from 0: {reason}", row=row, reason=reason)
                return say("category {row}, from 0: {reason}", row=row, reason=reason)
        if values is not chunk or not _is_of_strings(values.type):
            chunk.validate(full=not pa.types.is_primitive(chunk.type))
    except pa.ArrowException as error:
        return str(error)
    return None


def _is_of_strings(kind: Any) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary_view())


def as_strings(column: Any, name: str) -> Any:
    """Return a column as ``large_string``, whether it holds text, categories, numbers or times.

    Args:
        column: a ``pyarrow.ChunkedArray``.
        name: the column's name in messages.

    Raises:
        InputError: the column is damaged, or its type has no text form, such as lists.
    """
    import pyarrow as pa

    demand_sound(column, name)
    if pa.types.is_dictionary(column.type):
        chunks = [_decoded(chunk) for chunk in column.chunks]
        column = pa.chunked_array(chunks, None if chunks else column.type.value_type)
    try:
        return column.cast(pa.large_string())
    except pa.ArrowException as error:
        hint = say("name another column, or convert it first")
        raise InputError(
            say("column {name!r} is {type}, not text: {error}", name=name, type=column.type, error=error), hint=hint
        ) from error


def as_ids(column: Any, name: str) -> Any:
    """Return a column of ids as ``large_string``; see ``id_strings``.

    Args:
        column: a ``pyarrow.ChunkedArray``.
        name: the column's name in messages.

    Raises:
        InputError: the column is damaged, or its type has no text form, such as lists.
    """
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if _is_of_strings(kind) and kind != pa.binary_view():
        return as_strings(column, name)
    demand_sound(column, name)
    try:
        return pa.chunked_array([id_strings(chunk) for chunk in column.chunks], pa.large_string())
    except pa.ArrowException as error:
        hint = say("name another column, or convert it first")
        raise InputError(
            say("column {name!r} is {type}, not text: {error}", name=name, type=column.type, error=error), hint=hint
        ) from error


def id_strings(array: Any) -> Any:
    """Return ids of any type as ``large_string`` in their usual spelling, so that different ids stay different.

    Doubles are written as in Python and JSON (1.0); NaN becomes null. UUIDs have their hyphens. Bytes are decoded if
    they are UTF-8, else written as hexadecimal digits.

    Raises:
        pyarrow.ArrowException: the type has no text form.
    """
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        return id_strings(_decoded(array))
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return _written(array.storage, lambda value: str(UUID(bytes=value)))
        return id_strings(array.storage)
    if pa.types.is_floating(kind):
        values = array.to_numpy(zero_copy_only=False)
        return pa.array(values.astype(str), pa.large_string(), mask=np.isnan(values))
    is_bytes = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
    if any(check(kind) for check in is_bytes):
        return _written(array, bytes_spelling)
    return array.cast(pa.large_string())


def bytes_spelling(value: bytes) -> str:
    """Return bytes as text if they are UTF-8, else as hexadecimal digits.

    >>> bytes_spelling(b"a1"), bytes_spelling(bytes([255, 1]))
    ('a1', 'ff01')
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def _written(array: Any, write: Callable[[Any], str]) -> Any:
    import pyarrow as pa

    return pa.array([None if value is None else write(value) for value in array.to_pylist()], pa.large_string())


def _decoded(chunk: Any) -> Any:
    """Return the values of a dictionary array. Arrow cannot decode those of string views, which polars exports."""
    import pyarrow as pa

    values = chunk.dictionary.cast(pa.large_string()) if _is_of_strings(chunk.dictionary.type) else chunk.dictionary
    return pa.DictionaryArray.from_arrays(chunk.indices, values).dictionary_decode()


def select_rows(rows: Any, mask: NDArray[np.bool_]) -> list[Any]:
    """Return the rows selected by ``mask``: one piece, or contiguous slices where Arrow cannot filter the type."""
    import pyarrow as pa

    if mask.all() or not mask.any():
        return [rows] if mask.any() else []
    try:
        return [rows.filter(pa.array(mask))]
    except pa.ArrowNotImplementedError:
        edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
        return [rows.slice(start, stop - start) for start, stop in edges.reshape(-1, 2).tolist()]


__all__ = ["as_ids", "as_strings", "bytes_spelling", "demand_sound", "id_strings", "select_rows"]

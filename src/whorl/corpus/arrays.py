"""Arrow columns that others made: nothing in them is read before their buffers are known to hold it."""

from __future__ import annotations

from typing import Any

from whorl import _core
from whorl.errors import InputError


def demand_sound(column: Any, name: str) -> None:
    """Refuse a column whose offsets leave its buffers, or whose strings are not UTF-8. One pass.

    Args:
        column: a ``pyarrow.ChunkedArray``.
        name: what a message calls it.

    Raises:
        InputError: it is such a column; of strings, with the first row that is wrong, counted from 0.
    """
    first = 0
    for chunk in column.chunks:
        reason = _fault(chunk, first)
        if reason is not None:
            cure = "write the column again with the program that made it, or leave the row out"
            raise InputError(f"column {name!r}, {reason}", cure=cure)
        first += len(chunk)


def _fault(chunk: Any, first: int) -> str | None:
    import pyarrow as pa

    values = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
    try:
        if _is_of_strings(values.type):
            values.validate()
            fault = _core.array_fault(values)
            if fault is not None:
                return f"{'row' if values is chunk else 'category'} {first + fault[0]}, from 0: {fault[1]}"
        if values is not chunk or not _is_of_strings(values.type):
            chunk.validate(full=True)
    except pa.ArrowException as error:
        return str(error)
    return None


def _is_of_strings(kind: Any) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary_view())


__all__ = ["demand_sound"]

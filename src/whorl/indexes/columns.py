"""Conversion of codes, keys, ids and times between user types (NumPy, Arrow, lists) and columns."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from whorl.errors import UsageError
from whorl.i18n import say

if TYPE_CHECKING:
    import pyarrow as pa

    from whorl import _core

_WORD = 64
_LARGEST_ID = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def code_words(codes: Any, bits: int) -> NDArray[np.uint64]:
    """Return codes as 64-bit words, the lowest bits first: ``words_of(bits)`` each.

    Args:
        codes: integers in a list or array; or little-endian bytes as an array uint8 (n, bits / 8), like
            ``Fingerprints.codes``; or long codes as uint64 (n, 2) or (n, 4), the lowest bits first. NumPy or Arrow.
        bits: number of bits of a code.

    Raises:
        UsageError: the codes have another type, or one is too long.
    """
    words = _words(codes, bits, words_of(bits))
    used, partly = divmod(bits, _WORD)
    beyond = words.reshape(-1, words_of(bits))[:, used:]
    if beyond[:, 1:].any() or (beyond[:, :1] >> np.uint64(partly)).any():
        raise UsageError(
            say("codes: one has more than {bits} bits", bits=bits),
            hint=say("create the index with the number of bits of the codes"),
        )
    return words


def words_of(bits: int) -> int:
    """Return the number of 64-bit words of a code: 1, 2 or 4."""
    return 1 << ((bits - 1) // _WORD).bit_length()


def _words(codes: Any, bits: int, words: int) -> NDArray[np.uint64]:
    array = _array(codes, "codes")
    if array.dtype == object:
        return _words_of_numbers(array, "codes", bits, words)
    if array.ndim == 1 and array.dtype.kind == "S":
        array = array.view(np.uint8).reshape(len(array), array.dtype.itemsize)
    if array.dtype == np.uint8 and array.ndim == 2:
        return _words_of_bytes(array, bits, words)
    if array.dtype.kind == "i" and (array < 0).any():
        raise UsageError(say("codes: a code is below 0"), hint=say("use codes as unsigned numbers: `codes.view('u8')`"))
    if array.dtype.kind not in "ui" or array.shape[1:] not in ((), (words,)):
        raise UsageError(
            say(
                "codes: {dtype} of shape {shape}, not codes of {bits} bits",
                dtype=array.dtype,
                shape=array.shape,
                bits=bits,
            ),
            hint=say("use whole numbers, or uint8 with a row of bytes for each code"),
        )
    unsigned = array.astype(np.uint64, copy=False)
    if array.ndim == 1 and words > 1:
        unsigned = np.column_stack([unsigned, np.zeros((len(array), words - 1), np.uint64)])
    return np.ascontiguousarray(unsigned).reshape(-1)


def _words_of_numbers(array: NDArray[Any], name: str, bits: int, words: int) -> NDArray[np.uint64]:
    try:
        numbers = b"".join(int(code).to_bytes(words * 8, "little") for code in array.tolist())
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(
            say("{name}: not numbers of {bits} bits: {error}", name=name, bits=bits, error=error),
            hint=say("use whole numbers from 0"),
        ) from error
    return np.frombuffer(numbers, np.uint64)


def _words_of_bytes(array: NDArray[np.uint8], bits: int, words: int) -> NDArray[np.uint64]:
    width = (bits + 7) // 8
    if array.shape[1] != width:
        raise UsageError(
            say("codes: {size} bytes a code, not {width}", size=array.shape[1], width=width),
            hint=say("create the index with bits={bits}", bits=array.shape[1] * 8),
        )
    padded = np.zeros((len(array), words * 8), np.uint8)
    padded[:, :width] = array
    return padded.view(np.uint64).reshape(-1)


def key_columns(keys: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the concatenated keys of all documents, and the number of keys of each.

    Args:
        keys: an object with ``keys`` and ``counts``, like ``Fingerprints``; an Arrow column of lists; or an iterable
            of iterables of integers.

    Raises:
        UsageError: the keys have another type, or are not from 0 to 2^64 - 1.
    """
    if isinstance(getattr(keys, "counts", None), np.ndarray):
        return np.ascontiguousarray(keys.keys, np.uint64), np.ascontiguousarray(keys.counts, np.uint32)
    if hasattr(keys, "__arrow_c_array__") or hasattr(keys, "__arrow_c_stream__"):
        return _keys_of_arrow(keys)
    try:
        rows = [key_row(row) for row in keys]
    except TypeError as error:
        raise UsageError(
            say("{label}: {reason}", label="keys", reason=error), hint=say("use a list of keys for each document")
        ) from error
    counts = np.fromiter(map(len, rows), np.uint32, len(rows))
    return np.concatenate(rows) if rows else np.empty(0, np.uint64), counts


def key_row(keys: Any) -> NDArray[np.uint64]:
    """Return the keys of one document.

    Raises:
        UsageError: they are not integers from 0 to 2^64 - 1.
    """
    if isinstance(keys, (str, bytes)) or not isinstance(keys, (Iterable, np.ndarray)):
        raise UsageError(
            say("keys: {keys!r} is not a list of keys", keys=keys),
            hint=say("use whole numbers, a list for each document"),
        )
    array = _array(keys, "keys")
    if array.dtype == object:
        return _words_of_numbers(array, "keys", _WORD, 1)
    if array.ndim != 1 or array.dtype.kind not in "ui" or (array.dtype.kind == "i" and (array < 0).any()):
        raise UsageError(say("keys: not whole numbers from 0 to 2^64 - 1"), hint=say("hash the keys to 64 bits first"))
    return np.ascontiguousarray(array, np.uint64)


def _keys_of_arrow(keys: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = pa.chunked_array(keys) if hasattr(keys, "__arrow_c_stream__") else pa.chunked_array([pa.array(keys)])
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)) or lists.null_count:
        raise UsageError(
            say("keys: {type}, not a list of keys for each document", type=lists.type), hint=say("fill missing values")
        )
    try:
        lists.validate(full=True)
    except pa.ArrowException as error:
        raise UsageError(
            say("{label}: {reason}", label="keys", reason=error),
            hint=say("write the column again with the program that made it"),
        ) from error
    flat = pc.list_flatten(lists)
    return key_row(flat), pc.list_value_length(lists).to_numpy().astype(np.uint32)


def id_column(ids: Any) -> NDArray[np.uint64]:
    """Return ids as numbers.

    Raises:
        UsageError: they are not integers from 0 to 2^63 - 1.
    """
    array = _array(ids, "ids")
    whole = array.dtype.kind in "ui" or not array.size
    if array.ndim != 1 or not whole or (array.size and not 0 <= int(array.min()) <= int(array.max()) <= _LARGEST_ID):
        raise UsageError(
            say("ids: not whole numbers from 0 to 2^63 - 1"), hint=say("number the documents, and look names up")
        )
    return np.ascontiguousarray(array, np.uint64)


def time_column(times: Any) -> NDArray[np.int64]:
    """Return times as integers: integers unchanged, dates as microseconds since 1970.

    Raises:
        UsageError: they have another type, or one is missing.
    """
    array = _array(times, "times")
    if array.ndim != 1:
        raise UsageError(say("times: not one for each row"), hint=say("use a list of numbers or dates"))
    if array.dtype == object:
        return np.array([time_number(value) for value in array.tolist()], np.int64)
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise UsageError(say("times: one is missing"), hint=say("give every row a time"))
        array = array.astype("datetime64[us]").view(np.int64)
    if array.ndim != 1 or (array.dtype.kind not in "ui" and array.size):
        raise UsageError(
            say("times: {dtype}, not whole numbers or dates", dtype=array.dtype), hint=say("use numbers or datetime64")
        )
    return np.ascontiguousarray(array, np.int64)


def time_number(time: Any) -> int:
    """Return a time as an integer: an integer unchanged, a date as microseconds since 1970; a naive one is UTC.

    Raises:
        UsageError: it has another type.
    """
    if isinstance(time, datetime):
        return (time.replace(tzinfo=time.tzinfo or UTC) - _EPOCH) // timedelta(microseconds=1)
    if isinstance(time, np.datetime64):
        return int(time.astype("datetime64[us]").astype(np.int64))
    if isinstance(time, (int, np.integer)):
        return int(time)
    raise UsageError(
        say("{time!r} is not a time", time=time), hint=say("use a whole number, a datetime or a datetime64")
    )


def demand_positive(name: str, value: int) -> None:
    """Raise a UsageError unless a parameter is a positive integer."""
    if type(value) is not int or not 1 <= value < 2**63:
        raise UsageError(
            say("expected a positive whole number for {name}, got {value!r}", name=name, value=value),
            hint=say("give {name} a number, or leave it out", name=name),
        )


def column(buffer: _core.Buffer, kind: type[np.generic]) -> NDArray[Any]:
    """View a buffer of the core as an array, without copying."""
    return np.frombuffer(memoryview(buffer), np.dtype(kind))


def table(**columns: Any) -> pa.Table:
    """Return columns as a table, without copying."""
    import pyarrow as pa

    return pa.table(columns)


def _array(values: Any, name: str) -> NDArray[Any]:
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _from_arrow(values, name)
    if isinstance(values, Iterable) and not isinstance(values, (np.ndarray, list, tuple)):
        values = list(values)
    if isinstance(values, (list, tuple)) and any(isinstance(value, int) and value >= 2**63 for value in values):
        return np.array(values, object)
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise UsageError(
            say("{label}: {reason}", label=name, reason=error), hint=say("use one number for each row")
        ) from error
    if array.dtype.kind in "fUb":
        return _empty_or_refused(array, name)
    return array


def _empty_or_refused(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.size:
        raise UsageError(
            say("{name}: {dtype}, not whole numbers", name=name, dtype=array.dtype),
            hint=say("convert the {name} first", name=name),
        )
    return np.empty(0, np.uint64)


def _from_arrow(values: Any, name: str) -> NDArray[Any]:
    import pyarrow as pa

    try:
        return _numbers_of_arrow(values, name)
    except pa.ArrowException as error:
        raise UsageError(
            say("{label}: {reason}", label=name, reason=error), hint=say("use whole numbers, one for each row")
        ) from error


def _numbers_of_arrow(values: Any, name: str) -> NDArray[Any]:
    import pyarrow as pa

    column = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.chunked_array([pa.array(values)])
    if column.null_count:
        raise UsageError(
            say("{name}: {count} are missing", name=name, count=column.null_count),
            hint=say("fill them, or leave their rows out"),
        )
    if pa.types.is_fixed_size_binary(column.type):
        width = column.type.byte_width
        joined = b"".join(column.to_pylist())
        return np.frombuffer(joined, np.uint8).reshape(-1, width)
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us")).cast(pa.int64())
    return cast("NDArray[Any]", column.to_numpy())


__all__ = [
    "code_words",
    "column",
    "demand_positive",
    "id_column",
    "key_columns",
    "key_row",
    "table",
    "time_column",
    "time_number",
    "words_of",
]

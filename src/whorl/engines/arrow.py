"""Arrow columns of the tables of a run, made without `pyarrow.compute` and `numpy.ma`.

Their import takes about 80 ms, an eighth of a small run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core

if TYPE_CHECKING:
    import pyarrow as pa


def column(values: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return numbers or truth values as a column.

    Args:
        values: (n,), numbers or bool.
        valid: bool (n,); the others are null. None for all.
    """
    import pyarrow as pa

    data = _bits(values) if values.dtype == np.bool_ else pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [_valid(valid), data])


def strings_of(names: Sequence[str]) -> _core.Strings:
    """Return names as strings to choose from by row."""
    encoded = [name.encode() for name in names]
    return _core.Strings(b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64))


def chosen(strings: _core.Strings, rows: NDArray[Any]) -> pa.LargeStringArray:
    """Return the strings in some rows, integers (m,), as a column."""
    import pyarrow as pa

    values, bounds = strings.take(np.ascontiguousarray(rows, np.uint32))
    return pa.LargeStringArray.from_buffers(len(rows), pa.py_buffer(bounds), pa.py_buffer(values))


def named(names: Sequence[str], codes: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.StringArray:
    """Return the name of each code as a column.

    Args:
        names: the names, by code.
        codes: integers (n,).
        valid: bool (n,); the others are null. None for all.
    """
    import pyarrow as pa

    values, bounds = strings_of(names).take(np.ascontiguousarray(codes, np.uint32))
    offsets = pa.py_buffer(np.frombuffer(memoryview(bounds), np.int64).astype(np.int32))
    return pa.StringArray.from_buffers(len(codes), offsets, pa.py_buffer(values), _valid(valid))


def _valid(valid: NDArray[np.bool_] | None) -> pa.Buffer | None:
    return None if valid is None else _bits(valid)


def _bits(values: NDArray[np.bool_]) -> pa.Buffer:
    import pyarrow as pa

    return pa.py_buffer(np.packbits(values, bitorder="little"))


__all__ = ["chosen", "column", "named", "strings_of"]

"""Detect the columns with publication dates and parse their values.

The date of a row comes from the first of these columns that has one. This is decided per row and not per file, so it
does not depend on where a file is split, or on what its first rows lack.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl import _core

DATE_NAMES = (
    *("publishedat", "published", "datepublished", "publishtime", "publishdate", "publishedtime", "pubtime"),
    *("pubdate", "发布时间", "發布時間", "发布日期", "發布日期", "发表时间", "發表時間", "发表日期", "發表日期"),
    *("datetime", "date", "日期", "time", "时间", "時間", "timestamp"),
)
"""Usual names of publication date columns, as ``plain_name`` writes them, the most specific first."""

_SEPARATORS = re.compile(r"[\s_-]+")
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_DAY = 86_400.0
_CALENDAR = (-62_135_510_400.0, 253_402_214_399.0)
"""0001-01-02 and 9999-12-30, the limits of the core."""


class RowDates(NamedTuple):
    """Publication dates of some rows.

    Attributes:
        values: float64 (n,), seconds since 1970, NaN if missing.
        column: int64 (n,), index of the column with the date, -1 if missing.
        names: the columns.
    """

    values: NDArray[np.float64]
    column: NDArray[np.int64]
    names: Sequence[str]

    def rows_by_column(self, good: NDArray[np.bool_] | None = None) -> dict[str, int]:
        """Return the number of dated rows per column, optionally only under a mask."""
        places = self.column if good is None else self.column[good]
        counts = np.bincount(places[places >= 0], minlength=len(self.names))
        return {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}


def plain_name(column: str) -> str:
    """Normalize a column name: lower case, without spaces, - and _.

    >>> plain_name("Published_At")
    'publishedat'
    """
    return _SEPARATORS.sub("", column).casefold()


def date_columns(names: Sequence[str], used: Collection[str | None] = ()) -> list[str]:
    """Return the columns with publication dates, the most specific first.

    Args:
        names: all columns.
        used: columns that already have another role.

    >>> date_columns(["id", "time", "Published"])
    ['Published', 'time']
    """
    spelled: dict[str, str] = {}
    for name in names:
        plain = plain_name(name)
        if name not in used:
            spelled[plain] = name if name == plain else spelled.get(plain, name)
    return [spelled[plain] for plain in DATE_NAMES if plain in spelled]


def first_dates(columns: Mapping[str, Any], count: int) -> RowDates:
    """Return the date of each row: the first that any of the columns has.

    Args:
        columns: Arrow arrays, or lists of Python values.
        count: the number of rows.
    """
    values, place = np.full(count, np.nan), np.full(count, -1, np.int64)
    for number, column in enumerate(columns.values()):
        if not np.isnan(values).any():
            break
        column_values = date_values(column)
        new = np.isnan(values) & ~np.isnan(column_values)
        values[new], place[new] = column_values[new], number
    return RowDates(values, place, list(columns))


def date_values(column: Any) -> NDArray[np.float64]:
    """Return each value of a column as seconds since 1970, NaN if it is not a date; see ``rows::time`` of the core.

    >>> date_values(["1970-01-02", "20200131", 1_700_000_000, 7, None]).tolist()
    [86400.0, 1580428800.0, 1700000000.0, nan, nan]
    """
    if isinstance(column, list):
        return np.frombuffer(memoryview(_core.date_values([_written(value) for value in column])), np.float64)
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _within_calendar(times_of(column))
    if pa.types.is_nested(kind) or pa.types.is_temporal(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    return date_values(column.to_pylist())


def times_of(column: Any) -> NDArray[np.float64]:
    """Return an Arrow array of times or dates as seconds since 1970, NaN for null."""
    import pyarrow as pa

    kind = column.type
    number = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
    unit = _SECONDS[kind.unit] if not pa.types.is_date(kind) else _DAY if pa.types.is_date32(kind) else _SECONDS["ms"]
    return np.asarray(number.to_numpy(zero_copy_only=False), np.float64) * unit


def _within_calendar(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where((seconds >= _CALENDAR[0]) & (seconds <= _CALENDAR[1]), seconds, np.nan)


def _written(value: Any) -> str | None:
    """Return a value in the form that the core parses; None for values that are never dates, such as lists."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "ignore")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool | list | tuple | Mapping):
        return None
    if isinstance(value, float):
        return f"{value:.6f}" if np.isfinite(value) else None
    return str(value)


__all__ = ["DATE_NAMES", "RowDates", "date_columns", "date_values", "first_dates", "plain_name", "times_of"]

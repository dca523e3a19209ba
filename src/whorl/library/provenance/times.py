"""Parse times as people, programs and files write them."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any

from whorl import _core
from whorl.errors import InputError
from whorl.i18n import say

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
_LATEST = datetime(9999, 12, 30, tzinfo=UTC)
_COMPACT = {4: "%Y", 6: "%Y%m", 8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_RECENT = range(1900, 2101)
_FREE = (4, 8)
"""Numbers of digits that are always a date, whatever the year; other lengths may be seconds."""
_LEAST_SECONDS = 10**8
_UNITS = ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9))
"""Upper bounds of numbers in seconds, milliseconds, microseconds and nanoseconds: up to the year 5138."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")
_MONTH = re.compile(r"(\d{4})\s*(?:[-/.]\s*(\d{1,2})|年(?:\s*(\d{1,2})\s*月)?)")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_MAIL = re.compile(r"(?:[A-Za-z]{3},\s*)?\d{1,2}\s+[A-Za-z]{3}\s+\d{4}\b.*")


def time_of(value: Any, name: str) -> datetime | None:
    """Return a time in UTC; None for None.

    Args:
        value: a datetime or date; a number of seconds, milliseconds, microseconds or nanoseconds since 1970 of nine
            digits or more; or text: such a number, digits such as 2020, 202001, 20200131 and 20200131080000, or a date
            in one of the usual forms, Chinese or English. What has no zone is UTC; what has no day is the first.
        name: name of the value in error messages.

    Raises:
        InputError: it is not a time.
    """
    if value is None:
        return None
    parsed = _understood(value)
    if parsed is None:
        raise InputError(
            say("{name} is not a valid time: {value!r:.60}", name=name, value=value),
            hint=say("use a datetime, or text such as 2019-12-20T08:00:00+08:00"),
        )
    time = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    if not _EARLIEST <= time <= _LATEST:
        raise InputError(
            say("{name} is {time}, which is out of range", name=name, time=time),
            hint=say("use a year from 1 to 9999"),
        )
    return time.astimezone(UTC)


def _understood(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return _of_number(value)
    return _of_text(value.strip()) if isinstance(value, str) else None


def _of_number(value: float | Decimal) -> datetime | None:
    if not math.isfinite(value):
        return None
    number = Decimal(value)
    compact = _of_digits(str(int(number))) if number == int(number) else None
    if compact is not None or abs(number) < _LEAST_SECONDS:
        return compact
    unit = next((unit for limit, unit in _UNITS if abs(number) < limit), None)
    return None if unit is None else _after_1970(number * 1_000_000 / unit)


def _of_digits(digits: str) -> datetime | None:
    form = _COMPACT.get(len(digits))
    if form is None or not digits.isascii() or not digits.isdigit():
        return None
    with suppress(ValueError):
        time = datetime.strptime(digits, form).replace(tzinfo=UTC)
        return time if len(digits) in _FREE or time.year in _RECENT else None
    return None


def _of_text(text: str) -> datetime | None:
    if _NUMBER.fullmatch(text):
        return _of_digits(text) or _of_number(Decimal(text))
    month = _MONTH.fullmatch(text)
    with suppress(ValueError, TypeError):
        if month:
            return datetime(int(month[1]), int(month[2] or month[3] or 1), 1, tzinfo=UTC)
        if _MAIL.fullmatch(text):
            return parsedate_to_datetime(text)
        if _ISO.match(text):
            return datetime.fromisoformat(text)
    seconds = memoryview(_core.order_values([text])).cast("B").cast("d")[0]
    return None if math.isnan(seconds) else _after_1970(seconds * 1_000_000)


def _after_1970(microseconds: float | Decimal) -> datetime | None:
    with suppress(OverflowError):
        return _EPOCH + timedelta(microseconds=round(microseconds))
    return None


__all__ = ["time_of"]

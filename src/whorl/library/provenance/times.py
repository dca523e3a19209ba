"""Parse times as people, programs and files write them."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from whorl import _core
from whorl._internal.patterns import lazy_pattern
from whorl.errors import InputError
from whorl.i18n import say
from whorl.types.times import PRECISIONS, UNKNOWN_ZONE, PublicationTime, demand_zone, zone_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
_LATEST = datetime(9999, 12, 30, tzinfo=UTC)
_COMPACT = {
    4: ("%Y", "year"),
    6: ("%Y%m", "month"),
    8: ("%Y%m%d", "day"),
    12: ("%Y%m%d%H%M", "minute"),
    14: ("%Y%m%d%H%M%S", "second"),
}
_RECENT = range(1900, 2101)
_FREE = (4, 8)
"""Numbers of digits that are always a date, whatever the year; other lengths may be seconds."""
_LEAST_SECONDS = 10**8
_UNITS = ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9))
"""Upper bounds of numbers in seconds, milliseconds, microseconds and nanoseconds: up to the year 5138."""
_NUMBER = lazy_pattern(r"[+-]?\d+(\.\d*)?")
_MONTH = lazy_pattern(r"(\d{4})\s*(?:[-/.]\s*(\d{1,2})|年(?:\s*(\d{1,2})\s*月)?)")
_ISO = lazy_pattern(r"\d{4}-\d\d-\d\d")
_BASIC = lazy_pattern(r"(?:\d{8}|\d{4}-?W\d\d(?:-?\d)?)(?:[T ](\d\d(?:\d\d){0,2}))?(?![\d:])")
"""Forms of ISO 8601 without separators, and weeks."""
_BASIC_PRECISIONS = {0: "day", 2: "hour", 4: "minute", 6: "second"}
_BEFORE_ZONE = lazy_pattern(
    r"""(?P<date> \d{4}(?:\d\d)? | \d{4}\s*[-/.]\s*\d{1,2} | \d{4}年(?:\s*\d{1,2}\s*月)? ) \s* (?P<zone>Z|\+\d\d:?\d\d)
    | (?P<day> \d{8} | \d{4}-?W\d\d(?:-?\d)? ) \s* (?P<day_zone>Z|\+\d\d:?\d\d|-\d\d:\d\d)
    | (?P<digits> \d{12}(?:\d\d)? ) \s* (?P<digits_zone>Z|[+-]\d\d(?::?\d\d)?)""",
    re.VERBOSE | re.IGNORECASE,
)
"""A date without separators or without a day, and its zone.

`datetime.fromisoformat` takes the zone of a day for a time. A minus that may be part of the date is not a zone."""
_MAIL = lazy_pattern(r"(?:[A-Za-z]{3},\s*)?\d{1,2}\s+[A-Za-z]{3}\s+\d{4}\b.*")
_PROGRAM = lazy_pattern(r"[A-Za-z]{3}\s+([A-Za-z]{3})\s+(\d{1,2})\s+(\d\d:\d\d:\d\d)\s+(?:(\S+)\s+)?(\d{4})")
"""The date of C, Java and Weibo: ``Tue Nov 24 08:00:00 +0800 2026``."""
_AMBIGUOUS = lazy_pattern(r"\bCST\b")
"""Abbreviation of two zones 14 hours apart, in China and in America."""
_DATE = lazy_pattern(
    r"""(?P<year>\d{4}) \s*(?:[-/.]|年)\s* (?P<month>\d{1,2}) \s*(?:[-/.]|月)\s* (?P<day>\d{1,2}) \s*[日号號]?
    (?: \s*[(（]?(?:星期|周|週)[一二三四五六日天][)）]? )?
    (?: (?:\s*[T,]\s*|\s+|(?<=[日号號])|(?<=[)）])) (?P<hour>\d{1,2})
        (?: \s*[:时時点點]\s* (?P<minute>\d{1,2})? \s*分?
            (?: (?:(?<=分)|\s*:)\s* (?P<second>\d{1,2}) (?:[.,](?P<fraction>\d{1,9}))? \s*秒? )? )? )?
    \s* (?P<zone> Z | (?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)? | UTC | GMT )?
    \s* (?:\[(?P<name>[A-Za-z0-9_+\-/]{2,60})\])?""",
    re.VERBOSE | re.IGNORECASE,
)
_BEIJING = lazy_pattern(r"^\s*北京时间\s*|\s*[(（]?\s*北京时间\s*[)）]?\s*$")
_CHINA = timezone(timedelta(hours=8))
_STATED_ZONE = lazy_pattern(r"(?:[Zz]|GMT|UTC?|EST|EDT|CDT|MST|MDT|PST|PDT|[+-]\d\d:?\d\d|\d[+-]\d\d)\s*$")
_CLOCK = lazy_pattern(r"\d{1,2}:\d\d(:\d\d)?")


class WrittenTime(NamedTuple):
    """A parsed time, in the zone that it was written with, if any.

    Attributes:
        at: the time; naive if it was written without a zone.
        precision: how precisely it was written.
        zone: name of its zone; empty if only an offset was written, or nothing.
    """

    at: datetime
    precision: str
    zone: str = ""


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
    time = _parsed(value, name).at
    return _within_calendar(time if time.tzinfo else time.replace(tzinfo=UTC), name).astimezone(UTC)


def publication_of(
    value: Any, name: str, *, precision: str | None = None, zone: str | None = None, original: str | None = None
) -> PublicationTime | None:
    """Return a publication time with the precision and the zone that it was written with; None for None.

    Args:
        value: as for `time_of`, or a `PublicationTime`. A date is a day; a datetime is a time to the second.
        name: name of the value in error messages.
        precision: overrides the written precision.
        zone: zone of a time without one; it also overrides the zone in which a time with an offset is shown.
        original: the written form; None is that of a text or a number without an explicit precision.

    Raises:
        InputError: it is not a time, or the precision is unknown.
        UsageError: there is no such zone.
    """
    if value is None or isinstance(value, PublicationTime):
        return value
    time = _parsed(value, name)
    _within_calendar(time.at if time.at.tzinfo else time.at.replace(tzinfo=UTC), name)
    if precision is not None and precision not in PRECISIONS:
        raise InputError(
            say("the precision of {name} is {value!r:.60}", name=name, value=precision),
            hint=say("choose one of: {known}", known=", ".join(PRECISIONS)),
        )
    named = zone if zone in (None, UNKNOWN_ZONE) else demand_zone(zone)
    is_derived = precision is not None or isinstance(value, date)
    written = original if original is not None else "" if is_derived else _original(str(value))
    if time.at.tzinfo is None:
        return PublicationTime.local(time.at, precision or time.precision, named or UNKNOWN_ZONE, written)
    return PublicationTime.instant(time.at, precision or time.precision, named or time.zone, written)


def is_time(value: Any) -> bool:
    """Return True if a value is a time, as `time_of` accepts it."""
    return _understood(value) is not None


def _original(text: str) -> str:
    return text.strip().encode("utf-8", "replace").decode().replace("\0", "")


def _parsed(value: Any, name: str) -> WrittenTime:
    parsed = _understood(value)
    if parsed is None:
        raise InputError(
            say("{name} is not a valid time: {value!r:.60}", name=name, value=value),
            hint=say("use a datetime, or text such as 2019-12-20T08:00:00+08:00"),
        )
    return parsed


def _within_calendar(time: datetime, name: str) -> datetime:
    if not _EARLIEST <= time <= _LATEST:
        raise InputError(
            say("{name} is {time}, which is out of range", name=name, time=time),
            hint=say("use a year from 1 to 9999"),
        )
    return time


def _understood(value: Any) -> WrittenTime | None:
    if isinstance(value, datetime):
        return WrittenTime(value, "second")
    if isinstance(value, date):
        return WrittenTime(_day(value.year, value.month, value.day), "day")
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return _of_number(value)
    return _of_text(value.strip()) if isinstance(value, str) else None


def _day(year: int, month: int, day: int) -> datetime:
    """Return the beginning of a day in no zone."""
    return datetime(year, month, day, tzinfo=UTC).replace(tzinfo=None)


def _of_number(value: float | Decimal) -> WrittenTime | None:
    number = Decimal(value)
    unit = next((unit for limit, unit in _UNITS if abs(number) < limit), None) if number.is_finite() else None
    if unit is None:
        return None
    compact = _of_digits(str(int(number))) if number == int(number) else None
    if compact is not None or abs(number) < _LEAST_SECONDS:
        return compact
    return _after_1970(number * 1_000_000 / unit)


def _of_digits(digits: str) -> WrittenTime | None:
    form, precision = _COMPACT.get(len(digits), ("", ""))
    if not form or not digits.isascii() or not digits.isdigit():
        return None
    with suppress(ValueError):
        time = datetime.strptime(digits, form).replace(tzinfo=UTC).replace(tzinfo=None)
        return WrittenTime(time, precision) if len(digits) in _FREE or time.year in _RECENT else None
    return None


def _of_text(text: str) -> WrittenTime | None:
    if _NUMBER.fullmatch(text):
        return _of_digits(text) or _of_number(Decimal(text))
    if zoned := _BEFORE_ZONE.fullmatch(text):
        return _before_zone(zoned)
    month = _MONTH.fullmatch(text)
    with suppress(ValueError, TypeError):
        if month:
            number = month[2] or month[3]
            return WrittenTime(_day(int(month[1]), int(number or 1), 1), "month" if number else "year")
        if program := _PROGRAM.fullmatch(text):
            return _mail(f"{program[2]} {program[1]} {program[5]} {program[3]} {program[4] or ''}")
        if _MAIL.fullmatch(text):
            return _mail(text)
    return _of_date(text) or _of_other(text)


def _before_zone(zoned: re.Match[str]) -> WrittenTime | None:
    written, offset = (part for part in zoned.groups() if part is not None)
    time = _of_text(written)
    return time if time is None else _zoned(time.at, time.precision, None, offset, None)


def _mail(text: str) -> WrittenTime:
    """Parse the date of a mail header or a feed. The zones ``-0000`` and ``CST`` are not known."""
    clock = _CLOCK.search(text)
    precision = "day" if clock is None else "second" if clock[1] else "minute"
    at = parsedate_to_datetime(text if clock else f"{text} 00:00")
    is_zoned = clock is not None and text[clock.end() :].strip() and not _AMBIGUOUS.search(text)
    return WrittenTime(at if is_zoned else at.replace(tzinfo=None), precision)


def _of_date(text: str) -> WrittenTime | None:
    """Parse year, month and day with an optional clock time and zone."""
    bare = _BEIJING.sub("", text)
    match = _DATE.fullmatch(bare)
    if match is None:
        return None
    parts = match.groupdict()
    precision = next((part for part in ("second", "minute", "hour") if parts[part]), "day")
    clock = [int(parts[part] or 0) for part in ("hour", "minute", "second")]
    is_midnight = clock == [24, 0, 0]
    fraction = int((parts["fraction"] or "0").ljust(6, "0")[:6])
    with suppress(ValueError, OverflowError):
        day = _day(int(parts["year"]), int(parts["month"]), int(parts["day"]))
        at = day.replace(hour=0 if is_midnight else clock[0], minute=clock[1], second=min(clock[2], 59))
        at = at.replace(microsecond=fraction) + timedelta(days=int(is_midnight))
        if clock[2] > 60:
            return None
        return _zoned(at, precision, _CHINA if bare != text else None, parts["zone"], parts["name"])
    return None


def _zoned(
    at: datetime, precision: str, stated: timezone | None, offset: str | None, name: str | None
) -> WrittenTime | None:
    """Return a time with its written zone: an offset, or the name in brackets of RFC 9557, or both."""
    from whorl.errors import UsageError

    with suppress(UsageError):
        zone = zone_of(name) if name else stated
        if offset:
            return WrittenTime(at.replace(tzinfo=zone_of(offset)), precision, name or "")
        return WrittenTime(at.replace(tzinfo=zone), precision, name or "")
    return None


def _of_other(text: str) -> WrittenTime | None:
    """Parse further forms of ISO 8601, and dates with any separators."""
    clock = _CLOCK.search(text)
    basic = _BASIC.match(text)
    precision = "day" if clock is None else "second" if clock[1] else "minute"
    if basic:
        precision = _BASIC_PRECISIONS[len(basic[1] or "")]
    if basic or _ISO.match(text):
        with suppress(ValueError):
            return WrittenTime(datetime.fromisoformat(text), precision)
    seconds = memoryview(_core.order_values([text])).cast("B").cast("d")[0]
    time = None if math.isnan(seconds) else _after_1970(seconds * 1_000_000)
    if time is None:
        return None
    is_zoned = _STATED_ZONE.search(text) is not None and clock is not None
    return WrittenTime(time.at if is_zoned else time.at.replace(tzinfo=None), precision)


def _after_1970(microseconds: float | Decimal) -> WrittenTime | None:
    with suppress(OverflowError):
        return WrittenTime(_EPOCH + timedelta(microseconds=round(microseconds)), "second")
    return None


__all__ = ["WrittenTime", "is_time", "publication_of", "time_of"]

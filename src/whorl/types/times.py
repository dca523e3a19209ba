"""Publication times as intervals with zone and precision.

A date such as "2026-11-24" is a day in some place, not an instant. Stored as midnight UTC it would be 08:00 in Beijing,
and could not be told from an article that was published at 08:00. So a publication time keeps how precisely it was
written, in which zone, and the written form itself. Its precision never depends on its value: midnight that was written
as a time is a time.

A time that was written without a zone, where neither its site nor its library has a default zone, has an unknown offset
from UTC. Its bounds are then up to 14 hours earlier and 12 hours later. Two such times are compared as written, because
the times of one collection usually come from one clock, and widening both would leave no order among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Literal, NamedTuple, Self, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from whorl._internal.frozen import frozen
from whorl._internal.patterns import lazy_pattern
from whorl.errors import UsageError
from whorl.i18n import say
from whorl.types.comparison import Plain

Precision = Literal["year", "month", "day", "hour", "minute", "second"]
PRECISIONS: tuple[str, ...] = get_args(Precision)
UNKNOWN_ZONE = "unknown"
"""Zone of a time that was written without one."""

EAST, WEST = timedelta(hours=14), timedelta(hours=12)
"""Largest offsets from UTC: clocks are at most 14 hours ahead, and at most 12 hours behind."""

_UTC_ZONE = "+00:00"
_CHINA = timedelta(hours=8)
_STEPS = {"day": timedelta(days=1), "hour": timedelta(hours=1), "minute": timedelta(minutes=1)}
_SECOND = timedelta(seconds=1)
_OFFSET = lazy_pattern(r"(?:UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_UTC_NAMES = frozenset(("UTC", "GMT", "Z", "UT"))
_LONGEST_ORIGINAL = 100
_reader: ContextVar[str] = ContextVar("readers_zone", default="")
_LENGTHS = {"year": 4, "month": 7, "day": 10, "hour": 13, "minute": 16, "second": 19}
"""Code points of each precision in ISO 8601."""


class TimeBounds(NamedTuple):
    """Half-open interval, in UTC.

    >>> from datetime import datetime
    >>> from whorl.types.times import PublicationTime
    >>> PublicationTime.local(datetime(2026, 11, 24), "day", "Asia/Shanghai").bounds.end.isoformat()
    '2026-11-24T16:00:00+00:00'
    """

    start: datetime
    end: datetime


@frozen
class PublicationTime(Plain):
    """A time as it was written: an interval with a zone and a precision.

    >>> from whorl.results import PublicationTime
    >>> from datetime import datetime
    >>> day = PublicationTime.local(datetime(2026, 11, 24), "day", "Asia/Shanghai")
    >>> day.at.isoformat(), str(day)
    ('2026-11-23T16:00:00+00:00', '2026-11-24')

    Attributes:
        at: its start, in UTC; for an unknown zone the written time as if it was in UTC.
        precision: "year", "month", "day", "hour", "minute" or "second".
        zone: an IANA name, an offset such as "+08:00", or "unknown".
        original: how it was written; empty if that was not recorded.
    """

    at: datetime
    precision: str
    zone: str = _UTC_ZONE
    original: str = ""

    @classmethod
    def local(cls, written: datetime, precision: str, zone: str, original: str = "") -> Self:
        """Return a time that was written without an offset, in a zone; of two equal clock times the first is meant."""
        start = _floor(written.replace(tzinfo=None), precision)
        at = start.replace(tzinfo=UTC) if zone == UNKNOWN_ZONE else min(_instants(start, zone_of(zone)))
        return cls(at, precision, zone, original[:_LONGEST_ORIGINAL])

    @classmethod
    def instant(cls, at: datetime, precision: str = "second", zone: str = "", original: str = "") -> Self:
        """Return a time with a known offset, which is its zone unless another one is passed; naive times are UTC."""
        aware = at if at.tzinfo else at.replace(tzinfo=UTC)
        if zone == UNKNOWN_ZONE:
            return cls.local(aware.astimezone(UTC), precision, zone, original)
        name = zone or _name_of(aware)
        start = _floor(aware.astimezone(zone_of(name)), precision).astimezone(UTC)
        return cls(start, precision, name, original[:_LONGEST_ORIGINAL])

    @classmethod
    def unrecorded(cls, at: datetime) -> Self:
        """Interpret a time that was stored before precision was recorded, by its value.

        Midnight in UTC is a day of an unknown zone, midnight in China a day there, and a full hour that hour.
        """
        start = at.astimezone(UTC)
        if start.time() == datetime.min.time():
            return cls(start, "day", UNKNOWN_ZONE)
        if (start + _CHINA).time() == datetime.min.time():
            return cls(start, "day", "+08:00")
        return cls(start, "hour" if start.minute == start.second == 0 else "minute")

    @classmethod
    def unpacked(cls, at: datetime, packed: str | None) -> Self:
        """Return a stored time, from its start and from `packed`."""
        if not packed:
            return cls.unrecorded(at)
        precision, zone, original = (*packed.split(" ", 2), "", "")[:3]
        return cls(at, precision if precision in PRECISIONS else "second", zone or _UTC_ZONE, original)

    @property
    def packed(self) -> str:
        """Precision, zone and original, separated by spaces."""
        return f"{self.precision} {self.zone} {self.original}"

    @property
    def has_zone(self) -> bool:
        """Return True if its offset from UTC is known."""
        return self.zone != UNKNOWN_ZONE

    @property
    def written(self) -> TimeBounds:
        """Its bounds; for an unknown zone as if it was in UTC."""
        zone = zone_of(self.zone) if self.has_zone else UTC
        start = self.at.astimezone(zone).replace(tzinfo=None)
        return TimeBounds(self.at, _end(start, self.precision, zone))

    @property
    def bounds(self) -> TimeBounds:
        """Its bounds; for an unknown zone those of all zones together."""
        return self.written if self.has_zone else widened(self.written)

    def is_before(self, other: PublicationTime) -> bool:
        """Return True if it is earlier for certain: the intervals do not overlap."""
        if self.has_zone == other.has_zone:
            return self.written.end <= other.written.start
        return self.bounds.end <= other.bounds.start

    def in_zone(self, zone: str) -> PublicationTime:
        """Return the same written time in a zone, if its zone is unknown."""
        if self.has_zone:
            return self
        return PublicationTime.local(self.at, self.precision, zone, self.original)

    def format(self, zone: str = "") -> str:
        """Format it to the minute, with its offset. Days, months and years stay as they are.

        Args:
            zone: zone to show it in; empty is that of the reader, else its own.
        """
        is_day = self.precision in ("year", "month", "day")
        precision = "minute" if self.precision == "second" else self.precision
        local_start = self.at.astimezone(zone_of(self.zone) if self.has_zone else UTC)
        if is_day or not self.has_zone:
            return _iso(local_start, precision)
        return shown_time(self.at, zone or _reader.get() or self.zone, precision)

    def __str__(self) -> str:
        """Format it in its own zone."""
        return self.format(self.zone if self.has_zone else "")


def publication_time(at: datetime, precision: str | None, zone: str | None, original: str | None) -> PublicationTime:
    """Return a publication time from separate fields; without a precision it is a time to the second."""
    if at.tzinfo is None and zone in (None, UNKNOWN_ZONE):
        return PublicationTime.local(at, precision or "second", UNKNOWN_ZONE, original or "")
    if at.tzinfo is None:
        return PublicationTime.local(at, precision or "second", zone or "", original or "")
    return PublicationTime.instant(at, precision or "second", zone or "", original or "")


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo:
    """Return the zone of a name such as ``Asia/Shanghai``, ``UTC`` or ``+08:00``.

    Raises:
        UsageError: there is no such zone.
    """
    if name.upper() in _UTC_NAMES:
        return UTC
    parts = _OFFSET.fullmatch(name)
    if parts:
        offset = timedelta(hours=int(parts[2]), minutes=int(parts[3] or 0))
        if offset <= EAST and int(parts[3] or 0) < 60:
            return timezone(offset if parts[1] == "+" else -offset)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            say("unknown time zone {zone!r:.60}", zone=name),
            hint=say("use a name such as Asia/Shanghai, or an offset such as +08:00"),
        ) from None


def demand_zone(name: object) -> str:
    """Return the name of a zone, with an offset written as ``+08:00``.

    Raises:
        UsageError: it is no zone.
    """
    if not isinstance(name, str):
        raise UsageError(
            say("unknown time zone {zone!r:.60}", zone=name),
            hint=say("use a name such as Asia/Shanghai, or an offset such as +08:00"),
        )
    zone = zone_of(name.strip())
    return name.strip() if isinstance(zone, ZoneInfo) else offset_name(zone.utcoffset(None) or timedelta())


def offset_name(offset: timedelta) -> str:
    """Format an offset from UTC, as ``+08:00``."""
    minutes = round(offset / timedelta(minutes=1))
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def shown_time(at: datetime, zone: str = "", precision: str = "minute") -> str:
    """Format an instant with its offset, such as ``2026-11-24 08:00 +08:00``.

    Args:
        at: the instant; UTC unless it has a zone.
        zone: zone to show it in; empty is that of the reader, else UTC.
        precision: last part to show.
    """
    local = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(zone_of(zone or _reader.get() or "UTC"))
    return f"{_iso(local, precision)} {offset_name(local.utcoffset() or timedelta())}"


def shown_day(at: datetime) -> str:
    """Format the day of an instant in the zone of the reader, else in UTC."""
    return shown_time(at, precision="day")[: _LENGTHS["day"]]


@contextmanager
def reading_in(zone: str | None) -> Iterator[None]:
    """Show times in the zone of a reader within the block; None keeps the current one.

    Raises:
        UsageError: there is no such zone.
    """
    before = _reader.set(_reader.get() if zone is None else demand_zone(zone))
    try:
        yield
    finally:
        _reader.reset(before)


def readers_zone() -> str:
    """Return the zone of the current reader; empty without one."""
    return _reader.get()


def widened(bounds: TimeBounds) -> TimeBounds:
    """Return bounds of clock times with an unknown offset as those of all possible offsets together."""
    return TimeBounds(bounds.start - EAST, bounds.end + WEST)


def _iso(local: datetime, precision: str) -> str:
    written = local.isoformat(sep=" ")[: _LENGTHS[precision]]
    return f"{written}h" if precision == "hour" else written


def _name_of(aware: datetime) -> str:
    key = getattr(aware.tzinfo, "key", None) or getattr(aware.tzinfo, "zone", None)
    return key if isinstance(key, str) and "/" in key else offset_name(aware.utcoffset() or timedelta())


def _floor(at: datetime, precision: str) -> datetime:
    """Return the start of the year, month, day, hour or minute of a time; seconds keep their fraction."""
    keep = PRECISIONS.index(precision)
    if precision == "second":
        return at
    parts = {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}
    lost = {name: parts[name] for name in PRECISIONS[keep + 1 :]}
    return at.replace(**lost, microsecond=0)  # type: ignore[arg-type]


def _instants(local: datetime, zone: tzinfo) -> list[datetime]:
    """Return the instants of a clock time: two when clocks are set back; one for a time that clocks skip."""
    both = [local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
    return [at for at in both if at.astimezone(zone).replace(tzinfo=None) == local] or both[:1]


def _end(start: datetime, precision: str, zone: tzinfo) -> datetime:
    """Return the end, in UTC, of the interval that begins at a clock time."""
    try:
        if precision == "year":
            return max(_instants(start.replace(year=start.year + 1), zone))
        if precision == "month":
            year, month = divmod(start.year * 12 + start.month, 12)
            return max(_instants(start.replace(year=year, month=month + 1), zone))
        if precision == "day":
            return max(_instants(start + _STEPS["day"], zone))
        return max(_instants(start, zone)) + _STEPS.get(precision, _SECOND)
    except (OverflowError, ValueError):
        return datetime.max.replace(tzinfo=UTC) - EAST


__all__ = [
    "EAST",
    "PRECISIONS",
    "UNKNOWN_ZONE",
    "WEST",
    "Precision",
    "PublicationTime",
    "TimeBounds",
    "demand_zone",
    "offset_name",
    "publication_time",
    "readers_zone",
    "reading_in",
    "shown_day",
    "shown_time",
    "widened",
    "zone_of",
]

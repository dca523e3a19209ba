"""Publication time of a text as an interval, derived from sightings and claims."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import NamedTuple

from whorl.attribution.member_facts import Witness
from whorl.i18n import Message, say_many
from whorl.types.times import PublicationTime, TimeBounds, widened

USUAL_CYCLE = timedelta(days=1)
"""Assumed interval between visits to a site whose update cycle is unknown."""
_LONGEST_CYCLE = timedelta(days=7)
_STALE = 10
_CLOCKS_DIFFER = timedelta(hours=1)
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_BACK = 2
_RIVALS = 8


class Interval(NamedTuple):
    """Half-open time interval, in UTC.

    Attributes:
        start: its start.
        end: its end.
        is_stated: True if a source stated it, False for an estimate in which every moment is equally probable.
        has_zone: False if the bounds are clock times with an unknown offset.
    """

    start: datetime
    end: datetime
    is_stated: bool = False
    has_zone: bool = True


def precise(time: PublicationTime | datetime) -> PublicationTime:
    """Return a time with its precision; a datetime is a time to the second, in UTC unless it has a zone."""
    return time if isinstance(time, PublicationTime) else PublicationTime.instant(time)


def sighted(member: Witness) -> Interval | None:
    """Return the interval of publication from sightings: between the last visit without it and the first sighting."""
    first = earliest(member)
    return Interval(first - (member.update_cycle or USUAL_CYCLE), first) if first else None


def earliest(member: Witness) -> datetime | None:
    """Return the first sighting at any address."""
    times = [at for _, at in member.sightings]
    times += [member.first_seen_at] if member.first_seen_at else []
    return min(map(utc, times), default=None)


def is_impossible(member: Witness) -> bool:
    """Return True if the claimed time is impossible: after a sighting, or before the site existed."""
    if member.published_at is None:
        return False
    start, end = precise(member.published_at).bounds
    first = earliest(member)
    too_late = first is not None and start > first + _CLOCKS_DIFFER
    return too_late or (member.since is not None and max(end, start + _DAY) < utc(member.since))


def is_first_visit(member: Witness) -> bool:
    """Return True if it was seen at the first visit to its site, so that its age is unknown."""
    first = earliest(member)
    if first is None or member.visited_since is None:
        return False
    return first <= utc(member.visited_since) + _BACK * (member.update_cycle or USUAL_CYCLE) + _DAY


def is_backdated(member: Witness) -> bool:
    """Return True if the site was visited between the claimed time and the first sighting."""
    first = earliest(member)
    if member.published_at is None or first is None or member.update_cycle is None or is_first_visit(member):
        return False
    start, end = precise(member.published_at).bounds
    return max(end, start + _DAY) < first - _BACK * member.update_cycle


def claimed(member: Witness) -> Interval | None:
    """Return the interval of publication from the claim; None for a missing, impossible or doubtful claim.

    It is as long as the precision of the claim, but at least a minute, because clocks differ.
    """
    if member.published_at is None or is_impossible(member) or is_backdated(member):
        return None
    time = precise(member.published_at)
    start, end = time.written
    return Interval(start, max(end, start + _MINUTE), is_stated=True, has_zone=time.has_zone)


def timely(member: Witness) -> Interval | None:
    """Return the claimed interval if the next visit to the site confirms it."""
    interval, first = claimed(member), earliest(member)
    if interval is None or first is None or is_first_visit(member):
        return interval
    return interval if first <= _widest(interval).end + (member.update_cycle or USUAL_CYCLE) else None


def kept(member: Witness, since: datetime | None) -> Interval | None:
    """Return the interval of publication from the first snapshot of the page.

    Args:
        member: the member.
        since: earliest sighting or snapshot of any member. A snapshot more than one update cycle later says little
            about the publication and is ignored.
    """
    if not member.snapshots:
        return None
    first = min(map(utc, member.snapshots))
    cycle = member.update_cycle or USUAL_CYCLE
    is_stale = since is not None and first - since > max(cycle, _LONGEST_CYCLE)
    return Interval(first - cycle * (_STALE if is_stale else 1), first)


def overlap(first: Interval, second: Interval) -> bool:
    """Return True if two intervals overlap."""
    return first.start < second.end and second.start < first.end


def chance_before(first: Interval, second: Interval) -> float:
    """Return the probability that the time in one interval precedes the time in the other.

    Stated times that overlap have no order: 0.5. Otherwise, each time is uniform in its interval.
    """
    if first.has_zone != second.has_zone:
        first, second = _widest(first), _widest(second)
    if first.is_stated and second.is_stated:
        return 1.0 if first.end <= second.start else 0.0 if second.end <= first.start else 0.5
    a, b = 0.0, (first.end - first.start) / _MINUTE
    c, d = (second.start - first.start) / _MINUTE, (second.end - first.start) / _MINUTE
    if d - c < 1e-9:
        d = c + 1e-9
    if b < 1e-9:
        b = 1e-9

    def area(at: float) -> float:
        """Return the integral of the distribution function of the first up to a time of the second."""
        return max(0.0, at - b) + min(max(at, a), b) ** 2 / (2 * b)

    return min(1.0, max(0.0, (area(d) - area(c)) / (d - c)))


def _widest(interval: Interval) -> Interval:
    """Return clock times with an unknown offset as the interval of all possible offsets together."""
    if interval.has_zone:
        return interval
    return Interval(*widened(TimeBounds(*interval[:2])), is_stated=interval.is_stated)


def orders(
    intervals: Sequence[Interval | None],
    others: Sequence[Interval | None] | None = None,
    credits: Sequence[float] | None = None,
) -> list[tuple[float, int | None]]:
    """Return for each interval how certainly it precedes the others, from -1 to 1, and the deciding other interval.

    The deciding interval is the one that it least certainly precedes: the earliest, if all are credible.

    Args:
        intervals: intervals of publication; a missing one, or one without others, gets 0.
        others: intervals to compare with; None is the intervals themselves.
        credits: probability that each interval is right, in [0, 1]; None is 1. A pair counts by the product.

    Cost: that of sorting.
    """
    others = intervals if others is None else others
    believed = [1.0] * len(intervals) if credits is None else credits
    rivals = _rivals(others)
    order: list[tuple[float, int | None]] = [(0.0, None)] * len(intervals)
    for place, current in enumerate(intervals):
        if current is not None:
            against = [
                (believed[place] * believed[other] * (2 * chance_before(current, interval) - 1), other)
                for other, interval in rivals
                if other != place
            ]
            order[place] = min(against, key=lambda pair: pair[0], default=(0.0, None))
    return order


def _rivals(intervals: Sequence[Interval | None]) -> list[tuple[int, Interval]]:
    """Return the intervals that may decide an order: those that end first, with and without a zone."""
    present = [(place, interval) for place, interval in enumerate(intervals) if interval is not None]
    present.sort(key=lambda pair: (pair[1].end, pair[0]))
    kinds = ([pair for pair in present if pair[1].has_zone is has_zone] for has_zone in (True, False))
    return sorted(chain.from_iterable(kind[: _RIVALS + 1] for kind in kinds), key=lambda pair: (pair[1].end, pair[0]))


def lasting(duration: timedelta) -> Message:
    """Format a duration in its largest unit."""
    minutes = round(abs(duration) / _MINUTE)
    if minutes >= 2 * 24 * 60:
        return say_many("{count:,} day", "{count:,} days", round(minutes / (24 * 60)))
    if minutes >= 2 * 60:
        return say_many("{count:,} hour", "{count:,} hours", round(minutes / 60))
    return say_many("{count:,} minute", "{count:,} minutes", minutes)


def utc(at: datetime) -> datetime:
    """Convert a time to UTC; a time without a zone is UTC."""
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def format_time(at: datetime) -> str:
    """Format a time for reasons: to the minute, in UTC."""
    return f"{utc(at):%Y-%m-%d %H:%M}"


__all__ = [
    "USUAL_CYCLE",
    "Interval",
    "chance_before",
    "claimed",
    "earliest",
    "format_time",
    "is_backdated",
    "is_first_visit",
    "is_impossible",
    "kept",
    "lasting",
    "orders",
    "precise",
    "sighted",
    "timely",
    "utc",
]

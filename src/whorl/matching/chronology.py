"""What times say of who was first: those that were seen, those that are claimed, and those of snapshots."""

from __future__ import annotations

from datetime import datetime

from whorl.language import Message, say
from whorl.matching.case import Case, Evidence
from whorl.matching.moments import (
    Interval,
    claimed,
    day_of,
    earliest,
    is_backdated,
    is_impossible,
    is_whole_day,
    kept,
    lasting,
    orders,
    seen,
    shown,
    timely,
    utc,
)
from whorl.matching.witness import Witness

_LEAST_CREDIT = 0.4


def by_seen(case: Case, found: Evidence) -> None:
    """Note who was seen first, as far as the visits to the sites tell."""
    intervals = [seen(member) for member in case.members]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals), intervals, strict=True)):
        other = intervals[rival] if rival is not None else None
        if interval is not None and other is not None and rival is not None:
            found.note(place, value, _in_time(interval, other, case.members[rival].id, value))


def _in_time(own: Interval, other: Interval, rival: str, value: float) -> Message:
    gap = lasting(own.end - other.end)
    if abs(value) < 0.2:
        return say(
            "first seen {when} UTC; the visits to both sites do not tell whether {other} was earlier",
            when=shown(own.end),
            other=rival,
        )
    if value > 0:
        return say("first seen {when} UTC, {gap} before {other}", when=shown(own.end), gap=gap, other=rival)
    return say("first seen {when} UTC, {gap} after {other}", when=shown(own.end), gap=gap, other=rival)


def by_published(case: Case, found: Evidence) -> None:
    """Note who claims to be first, of claims that can be."""
    intervals = [claimed(member) for member in case.members]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals), intervals, strict=True)):
        member = case.members[place]
        if member.published_at is None:
            continue
        when = shown(member.published_at)
        if interval is None and is_backdated(member):
            said = say("claims {when} UTC, but its site was visited since without it; that does not count", when=when)
            found.note(place, 0.0, said)
        if interval is None or rival is None:
            continue
        other = case.members[rival].id
        if is_whole_day(member.published_at):
            said = say(
                "claims the day {day} without a time; the earliest other is {other}",
                day=day_of(member.published_at),
                other=other,
            )
        elif value > 0:
            said = say("claims {when} UTC, before {other}", when=when, other=other)
        elif value < 0:
            said = say("claims {when} UTC, after {other}", when=when, other=other)
        else:
            said = say("claims {when} UTC, as does {other}", when=when, other=other)
        found.note(place, value * _credit(member), said)


def _credit(member: Witness) -> float:
    """How far a claim counts: as much as the site is trusted, where that is known."""
    return 1.0 if member.trust is None else _LEAST_CREDIT + member.trust


def by_timely(case: Case, found: Evidence) -> None:
    """Note who claims to be first, of claims that the next visit bore out."""
    intervals = [timely(member) for member in case.members]
    for place, (value, rival) in enumerate(orders(intervals)):
        member = case.members[place]
        if rival is None or member.published_at is None:
            continue
        other = case.members[rival].id
        if value > 0:
            said = say("was seen soon after the time that it claims, which is before that of {other}", other=other)
        else:
            said = say("was seen soon after the time that it claims, but {other} was there before", other=other)
        found.note(place, value * _credit(member), said)


def by_impossible(case: Case, found: Evidence) -> None:
    """Note who claims a time that cannot be."""
    for place, member in enumerate(case.members):
        if is_impossible(member) and member.published_at:
            first = earliest(member)
            when = shown(member.published_at)
            if first is not None and utc(member.published_at) > first:
                said = say("claims {when} UTC, after it was seen; the claim does not count", when=when)
            else:
                said = say("claims {when} UTC, before its site was there; the claim does not count", when=when)
            found.note(place, -1.0, said)


def by_snapshot(case: Case, found: Evidence) -> None:
    """Note whose page was kept before any other was seen or kept."""
    times: list[datetime] = [first for member in case.members if (first := earliest(member))]
    times += [utc(at) for member in case.members for at in member.snapshots]
    since = min(times, default=None)
    intervals = [kept(member, since) for member in case.members]
    pairs = zip(intervals, map(seen, case.members), strict=True)
    known = [min(filter(None, pair), key=lambda one: one.end, default=None) for pair in pairs]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals, known), intervals, strict=True)):
        if interval is None or rival is None:
            continue
        when, other = shown(interval.end), case.members[rival].id
        if value > 0:
            said = say("a snapshot of it is of {when} UTC, before {other} was seen", when=when, other=other)
        else:
            said = say("its first snapshot is of {when} UTC; {other} was seen or kept before", when=when, other=other)
        found.note(place, value, said)


__all__ = ["by_impossible", "by_published", "by_seen", "by_snapshot", "by_timely"]

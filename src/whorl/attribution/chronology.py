"""Evidence from times: sightings, claimed publication times, and snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import atanh

from whorl.attribution.case import AttributionCase, EvidenceValues
from whorl.attribution.intervals import (
    USUAL_CYCLE,
    Interval,
    claimed,
    earliest,
    format_time,
    is_backdated,
    is_impossible,
    kept,
    lasting,
    orders,
    precise,
    sighted,
    timely,
    utc,
)
from whorl.attribution.member_facts import PROTECTED, Witness
from whorl.i18n import Message, say, say_many
from whorl.types.times import PublicationTime

_USUAL_CREDIT = 0.9
_LEAST_CREDIT, _CREDIT_OF_TRUST = 0.5, 0.45
_DATES_TO_OUTWEIGH = 10
_LATE_CYCLES = 2


def by_seen(case: AttributionCase, evidence: EvidenceValues) -> None:
    """Record which member was seen first, within the precision of the crawl."""
    intervals = [sighted(member) for member in case.members]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals), intervals, strict=True)):
        other = intervals[rival] if rival is not None else None
        if interval is not None and other is not None and rival is not None:
            evidence.note(place, value, _in_time(interval, other, case.members[rival].id, value))


def _in_time(interval: Interval, other: Interval, rival: str, value: float) -> Message:
    gap = lasting(interval.end - other.end)
    if abs(value) < 0.2:
        return say(
            "first seen {when} UTC; the visits to both sites do not show whether {other} was earlier",
            when=format_time(interval.end),
            other=rival,
        )
    if value > 0:
        return say("first seen {when} UTC, {gap} before {other}", when=format_time(interval.end), gap=gap, other=rival)
    return say("first seen {when} UTC, {gap} after {other}", when=format_time(interval.end), gap=gap, other=rival)


def by_published(case: AttributionCase, evidence: EvidenceValues) -> None:
    """Record which plausible claim is the earliest; members without one are compared by their sighting."""
    discounted = _discounted(case)
    claims = [None if place in discounted else claimed(member) for place, member in enumerate(case.members)]
    intervals = [
        None if place in discounted else claims[place] or sighted(member) for place, member in enumerate(case.members)
    ]
    credits = [credit(member) for member in case.members]
    ordered = orders(intervals, credits=credits)
    for place, (member, (value, rival)) in enumerate(zip(case.members, ordered, strict=True)):
        if member.published_at is not None and is_backdated(member):
            when = precise(member.published_at)
            message = say(
                "claims {when}, but a later visit to its site did not find it; the claim is ignored", when=when
            )
            evidence.note(place, atanh(value), message)
        elif place in discounted:
            evidence.note(place, 0.0, discounted[place])
        elif rival is not None:
            other = case.members[rival].id
            times = [_stated(case.members[index], claims[index]) for index in (place, rival)]
            message = _claim(times[0], times[1], value, other) if times[0] else _sighting(value, other)
            evidence.note(place, atanh(value), _with_record(message, member))


def _discounted(case: AttributionCase) -> dict[int, Message]:
    """Return the members whose claimed time does not count, with the reason.

    A page that names its source was published after it. And a page that claims to precede one that was seen long before
    it was not observed to be first: it may have been found late, or its date may be false. Such a claim costs a copier
    nothing, so it never outweighs the sighting of the other. What the owner of the library registered counts as seen.
    """
    claims = [claimed(member) for member in case.members]
    seen_first, rival = min(
        ((first, place) for place, member in enumerate(case.members) if (first := earliest(member))), default=(None, 0)
    )
    discounted: dict[int, Message] = {}
    for place, (member, claim) in enumerate(zip(case.members, claims, strict=True)):
        if claim is None or member.published_at is None:
            continue
        sources = [other for other in case.followed(place) if other != place and _precedes(claim, claims[other])]
        if sources:
            discounted[place] = say(
                "claims {when}, before {other}, which it names as its source; the claim does not count",
                when=precise(member.published_at),
                other=case.members[sources[0]].id,
            )
        elif seen_first and claim.start < seen_first and _was_seen_long_after(member, seen_first):
            discounted[place] = say(
                "claims {when}, but {other} was seen long before it; the claim does not count",
                when=precise(member.published_at),
                other=case.members[rival].id,
            )
    return discounted


def seen_late(members: Sequence[Witness]) -> list[int]:
    """Return the members that were seen long after another one, although their sites were visited or may have been."""
    first = min(filter(None, map(earliest, members)), default=None)
    return (
        [] if first is None else [place for place, member in enumerate(members) if _was_seen_long_after(member, first)]
    )


def _was_seen_long_after(member: Witness, at: datetime) -> bool:
    """Return True if visits to the site of an unregistered member should have found it long before it was seen."""
    first = earliest(member)
    patience = _LATE_CYCLES * max(member.update_cycle or USUAL_CYCLE, USUAL_CYCLE)
    return first is not None and first - at > patience and member.collection not in PROTECTED


def _precedes(claim: Interval, other: Interval | None) -> bool:
    return other is not None and claim.start < other.start


def _stated(member: Witness, claim: Interval | None) -> PublicationTime | None:
    """Return the claimed time of a member; None if it does not count."""
    return precise(member.published_at) if member.published_at and claim else None


def _claim(when: PublicationTime, rival: PublicationTime | None, value: float, other: str) -> Message:
    """Explain the evidence of a counted claim, compared with that of another member, or with its sighting."""
    if value > 0:
        return say("claims {when}, before {other}", when=when, other=other)
    if value < 0:
        return say("claims {when}, after {other}", when=when, other=other)
    if rival is not None and rival.has_zone != when.has_zone:
        return say("claims {when}; a zone is unknown, so it may be before or after {other}", when=when, other=other)
    if rival is not None and "day" in (when.precision, rival.precision):
        return say("claims {when}, the same day as {other}; which was first is undetermined", when=when, other=other)
    return say("claims {when}, the same time as {other}; which was first is undetermined", when=when, other=other)


def _sighting(value: float, other: str) -> Message:
    """Explain the evidence of a member without a counted claim."""
    if value > 0:
        return say("has no usable claim; it was seen before or about the time of {other}", other=other)
    return say("has no usable claim; the time of {other} is before its first sighting", other=other)


def _with_record(message: Message, member: Witness) -> Message:
    """Append to an explanation how many other dates of the site were false, if any."""
    if not member.dates_false:
        return message
    return say_many(
        "{said}; of {checked:,} other dates of its site {count:,} was false",
        "{said}; of {checked:,} other dates of its site {count:,} were false",
        member.dates_false,
        checked=member.dates_checked,
        said=message,
    )


def credit(member: Witness) -> float:
    """Return the probability that the claimed time of a member is true, in (0, 1).

    Most sites date honestly. The trust in a site matters more, and the dates of its other articles matter most: ten of
    them weigh as much as the prior.
    """
    before = _USUAL_CREDIT if member.trust is None else _LEAST_CREDIT + _CREDIT_OF_TRUST * member.trust
    borne_out = member.dates_checked - member.dates_false
    return (before * _DATES_TO_OUTWEIGH + borne_out) / (_DATES_TO_OUTWEIGH + member.dates_checked)


def by_timely(case: AttributionCase, evidence: EvidenceValues) -> None:
    """Record which claim is the earliest, among claims confirmed by the next visit."""
    discounted = _discounted(case)
    intervals = [None if place in discounted else timely(member) for place, member in enumerate(case.members)]
    credits = [credit(member) for member in case.members]
    for place, (value, rival) in enumerate(orders(intervals, credits=credits)):
        member = case.members[place]
        if rival is None or member.published_at is None:
            continue
        other = case.members[rival].id
        if earliest(member) is None:
            message = say("no sighting contradicts its claimed time")
        elif value > 0:
            message = say("was seen soon after its claimed time, which is before that of {other}", other=other)
        else:
            message = say("was seen soon after its claimed time, but {other} is earlier", other=other)
        evidence.note(place, value, message)


def by_impossible(case: AttributionCase, evidence: EvidenceValues) -> None:
    """Record impossible claims."""
    for place, member in enumerate(case.members):
        if is_impossible(member) and member.published_at:
            first = earliest(member)
            when = precise(member.published_at)
            if first is not None and when.bounds.start > first:
                message = say("claims {when}, after it was seen; the claim is ignored", when=when)
            else:
                message = say("claims {when}, before its site existed; the claim is ignored", when=when)
            evidence.note(place, -1.0, message)


def by_snapshot(case: AttributionCase, evidence: EvidenceValues) -> None:
    """Record a snapshot that predates all sightings and snapshots of other members."""
    times: list[datetime] = [first for member in case.members if (first := earliest(member))]
    times += [utc(at) for member in case.members for at in member.snapshots]
    since = min(times, default=None)
    intervals = [kept(member, since) for member in case.members]
    pairs = zip(intervals, map(sighted, case.members), strict=True)
    first_seen = [min(filter(None, pair), key=lambda span: span.end, default=None) for pair in pairs]
    for place, ((value, rival), interval) in enumerate(zip(orders(intervals, first_seen), intervals, strict=True)):
        if interval is None or rival is None:
            continue
        when, other = format_time(interval.end), case.members[rival].id
        if value > 0:
            message = say("a snapshot of it is of {when} UTC, before {other} was seen", when=when, other=other)
        else:
            message = say(
                "its first snapshot is of {when} UTC; {other} was seen or kept before", when=when, other=other
            )
        evidence.note(place, value, message)


__all__ = ["by_impossible", "by_published", "by_seen", "by_snapshot", "by_timely", "credit", "seen_late"]

"""Publication times that simulated sites claim, and the record of how accurate their earlier claims were."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from whorl.attribution.intervals import is_backdated, is_impossible
from whorl.attribution.member_facts import Witness
from whorl.evaluation.attribution.habits import Dating, Habits
from whorl.types.times import PublicationTime

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_CHECKED = (5, 60)
_COPIES = 0.7


class DateRecord(NamedTuple):
    """The number of articles of a site whose claimed time was checked, and the number of false claims."""

    checked: int
    false: int


def dating_of(habits: Habits, kind: str, rng: Random) -> Dating:
    """Choose how a new site of a kind dates its articles."""
    weights = dict(habits.kinds[kind].dating)
    for name in ("careless", "false"):
        weights[name] *= habits.false_dates
    return habits.datings[rng.choices(list(weights), list(weights.values()))[0]]


def claim(
    at: datetime, ways: Mapping[str, float], before: PublicationTime | None, rng: Random
) -> PublicationTime | None:
    """Return the publication time that a page claims, or None.

    Args:
        at: true publication time.
        ways: ways in which the site dates, with weights.
        before: time claimed by the page it was copied from, or None.
        rng: random generator.
    """
    way = rng.choices(list(ways), list(ways.values()))[0]
    if way == "missing":
        return None
    if way == "day":
        return PublicationTime.instant(at, "day")
    if way == "hour":
        return PublicationTime.instant(at, "hour")
    if way == "inherited" and before is not None:
        return before
    if way == "later":
        at += rng.uniform(1, 72) * _HOUR
    elif way == "backdated":
        at = (before.at if before else at) - rng.uniform(1, 72) * _HOUR
    elif way == "future":
        at += rng.uniform(3, 400) * _DAY
    return PublicationTime.instant(at, "minute")


def first_sighting(at: datetime, cycle: timedelta, habits: Habits, rng: Random) -> datetime:
    """Return when a crawler first sees a page, given the publication time and the update cycle of its site."""
    sighted_at = at + rng.uniform(0, 1) * cycle + rng.expovariate(1 / 2) * _HOUR
    while rng.random() < habits.visit_fails:
        sighted_at += cycle
    if rng.random() < habits.found_late:
        sighted_at += rng.uniform(5, 60) * _DAY
    return sighted_at


def record_of(
    dating: Dating, cycle: timedelta, told_cycle: timedelta | None, begin: datetime, habits: Habits, rng: Random
) -> DateRecord:
    """Simulate the record of earlier articles of a site; it is empty if none was crawled."""
    checked = false = 0
    count = rng.randint(*_CHECKED) if rng.random() < habits.record_is_known else 0
    for _ in range(count):
        at = begin - rng.uniform(1, 300) * _DAY
        is_copy = rng.random() < _COPIES
        before = at - rng.lognormvariate(habits.delay_log_hours, habits.delay_spread) * _HOUR if is_copy else None
        former = None if before is None else PublicationTime.instant(before)
        claimed = claim(at, dating.copied if is_copy else dating.originals, former, rng)
        sighted_at = first_sighting(at, cycle, habits, rng)
        other = Witness("", published_at=claimed, first_seen_at=sighted_at, update_cycle=told_cycle)
        checked += claimed is not None
        false += is_impossible(other) or is_backdated(other)
    return DateRecord(checked, false)


__all__ = ["DateRecord", "claim", "dating_of", "first_sighting", "record_of"]

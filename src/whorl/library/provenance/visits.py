"""Complete visits of the watch to sites: when an article that was there would have been found.

The time between visits is how wrong a first sighting may be, and visits that did not find a page contradict the date
that it claims. Visits are one setting of the store, with at most 200 times for each watched site: older ones are
thinned out.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from whorl.library.core import Core
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.types.library import microseconds, moment

_SETTING = "visits"
_MOST_VISITS = 200
_FEWEST = 3
_CLOSE = timedelta(days=1)
"""A date without a time, and its unknown zone, may be this far off."""
_CONTRADICTING = 2


class SiteVisits(NamedTuple):
    """The complete visits to the site of an address, in chronological order; some of the older ones are left out."""

    times: Sequence[datetime]

    @property
    def since(self) -> datetime | None:
        """Time of the first visit, or None."""
        return self.times[0] if self.times else None

    def cycle(self, first_seen_at: datetime | None) -> timedelta | None:
        """Return how much earlier than its first sighting an article may have appeared; None if too few are known.

        It is the usual time between visits, or the time since the last visit before the sighting if that is longer.
        """
        if len(self.times) < _FEWEST:
            return None
        gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(self.times)]
        usual = timedelta(seconds=median(gaps))
        before = [] if first_seen_at is None else self.times[: bisect_left(self.times, first_seen_at)]
        return max(usual, first_seen_at - before[-1]) if first_seen_at is not None and before else usual

    def contradict(self, claimed_at: datetime, first_seen_at: datetime) -> bool:
        """Return True if a page was not there when it claims to have been published.

        The site was visited before and at least twice after the claimed time, without finding the page. A claim from
        before the first visit cannot be contradicted: an old page may be linked again.
        """
        if not self.times or claimed_at < self.times[0]:
            return False
        missed = bisect_left(self.times, first_seen_at) - bisect_left(self.times, claimed_at + _CLOSE)
        return missed >= _CONTRADICTING


class Visits:
    """The complete visits to watched sites.

    >>> import whorl
    >>> from datetime import UTC, datetime, timedelta
    >>> with whorl.open("visited") as library:
    ...     for day in range(1, 5):
    ...         library.visits.record(["copies.example"], datetime(2026, 3, day, tzinfo=UTC))
    ...     library.visits.of("https://www.copies.example/1").cycle(None)
    datetime.timedelta(days=1)

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def of(self, address: str) -> SiteVisits:
        """Return the visits to the site of an address, by its longest domain with any."""
        visits = self._stored()
        domain = next((domain for domain in domains_above(domain_of(address)) if domain in visits), "")
        return SiteVisits([moment(at) for at in visits.get(domain, ())])

    def cycles(self) -> dict[str, timedelta | None]:
        """Return the usual time between visits of each visited domain; None if too few are known."""
        visits = self._stored()
        return {domain: SiteVisits([moment(at) for at in times]).cycle(None) for domain, times in visits.items()}

    def record(self, domains: Iterable[str], at: datetime) -> None:
        """Record a visit that read all lists of a site and left no page to fetch."""
        with self._core.turn, self._core.store.writing() as writer:
            visits = self._stored()
            for domain in domains:
                visits[domain] = _thinned(sorted({*visits.get(domain, ()), microseconds(at)}))
            writer.put_settings({_SETTING: json.dumps(visits, separators=(",", ":"))})

    def _stored(self) -> dict[str, list[int]]:
        return dict(json.loads(self._core.store.settings().get(_SETTING) or "{}"))


def _thinned(times: list[int]) -> list[int]:
    """Drop every second visit of the older half if there are too many; the first one stays."""
    if len(times) <= _MOST_VISITS:
        return times
    half = len(times) // 2
    return [*times[:half:2], *times[half:]]


__all__ = ["SiteVisits", "Visits"]

"""Schedules of sites: which ones are due, by when their latest runs started.

The starts are stored with the library, so that of several machines only one runs a site that is due.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from whorl.monitor.settings.sites import Watch, WatchedSite, watch_of
from whorl.types.library import microseconds, moment

if TYPE_CHECKING:
    from whorl.library import Library

_SLACK = timedelta(minutes=5)
"""A run that starts a little early counts as punctual; otherwise a site would be left out of every second run."""


def due_watch(library: Library, watch: Watch, now: datetime) -> Watch:
    """Return the settings with only the sites that are due, which includes all sites without a schedule."""
    starts = library.watch_starts.read()
    return replace(watch, sites=tuple(site for site in watch.sites if _is_due(site, starts, now)))


def record_starts(library: Library, sites: Iterable[WatchedSite], now: datetime) -> None:
    """Record the start of a run for those of its sites that have a schedule."""
    started = {site.name: microseconds(now) for site in sites if site.every is not None}
    if started:
        library.watch_starts.change(lambda starts: {**starts, **started})


def claim_due(library: Library, now: datetime) -> list[str]:
    """Return the names of the stored sites whose schedule is due, and record that their run starts.

    Another process that asks at the same time does not get them.
    """
    stored = library.watch_settings.read()
    scheduled = [site for site in watch_of(stored).sites if site.every is not None] if stored.get("site") else []
    if not any(_is_due(site, library.watch_starts.read(), now) for site in scheduled):
        return []
    claimed: list[str] = []

    def revise(starts: dict[str, Any]) -> dict[str, Any]:
        claimed[:] = [site.name for site in scheduled if _is_due(site, starts, now)]
        kept = {site.name: starts[site.name] for site in scheduled if site.name in starts}
        return {**kept, **dict.fromkeys(claimed, microseconds(now))}

    library.watch_starts.change(revise)
    return claimed


def next_start(site: WatchedSite, starts: Mapping[str, Any]) -> datetime | None:
    """Return when a site is due next; None without a schedule, or if it is due now for the first time."""
    if site.every is None or site.name not in starts:
        return None
    return moment(starts[site.name]) + site.every


def _is_due(site: WatchedSite, starts: Mapping[str, Any], now: datetime) -> bool:
    at = next_start(site, starts)
    return at is None or site.every is None or now >= at - min(_SLACK, site.every / 10)


__all__ = ["claim_due", "due_watch", "next_start", "record_starts"]

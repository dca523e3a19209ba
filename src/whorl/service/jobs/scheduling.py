"""Start runs of the watch when the schedules of stored sites are due."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from threading import Event

from whorl.library import Library
from whorl.monitor.settings.schedule import claim_due
from whorl.service.jobs.desk import JobQueue
from whorl.service.shelf import Shelf

SCHEDULE = "schedule"
"""Submitter of scheduled runs."""
_LOG = logging.getLogger(__name__)
_LOOK = 30.0
"""Seconds between looks at the schedules."""


def submit_due(shelf: Shelf, queue: JobQueue, now: datetime) -> int:
    """Submit a run for each library with sites that are due; return how many.

    A library with a queued or running watch is left for later. Several processes, also on other machines, may call this
    concurrently: a due site is visited once.
    """
    return sum(_submit(name, library, queue, now) for name in shelf if (library := shelf.get(name)) is not None)


def _submit(name: str, library: Library, queue: JobQueue, now: datetime) -> bool:
    if any(queue.list(library=name, kind="watch", state=state, limit=1) for state in ("queued", "running")):
        return False
    try:
        names = claim_due(library, now)
        if names:
            queue.submit("watch", name, {"names": names}, by=SCHEDULE)
    except Exception as error:
        _LOG.error("the schedule of %s failed", name, exc_info=error)
        return False
    return bool(names)


def keep_schedules(shelf: Shelf, queue: JobQueue, stopping: Event, clock: Callable[[], datetime]) -> None:
    """Submit due runs until the service stops."""
    while not stopping.wait(_LOOK):
        try:
            submit_due(shelf, queue, clock())
        except Exception as error:
            _LOG.error("failed to look at the schedules", exc_info=error)


__all__ = ["SCHEDULE", "keep_schedules", "submit_due"]

"""Threads that add at the same time share a commit."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock

from whorl.library.adding import Batch, add_batches
from whorl.library.core import Core
from whorl.library.model import Report

_MOST_DOCUMENTS = 2000


@dataclass(eq=False, slots=True)
class _Job:
    batch: Batch
    reports: list[Report] | None = None
    failure: BaseException | None = None

    def is_done(self) -> bool:
        return self.reports is not None or self.failure is not None


class Commits:
    """Whoever has the turn writes what all the others wait for as well."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = Lock()
        self._waiting: deque[_Job] = deque()

    def add(self, batch: Batch) -> list[Report]:
        """Return when the batch is on the disk.

        Raises:
            ResourceError: nothing of it was kept.
        """
        job = _Job(batch)
        with self._lock:
            self._waiting.append(job)
        with self._core.turn:
            while not job.is_done():
                self._write()
        if job.failure is not None:
            raise job.failure
        return job.reports or []

    def _write(self) -> None:
        jobs = self._next()
        try:
            for job, reports in zip(jobs, add_batches(self._core, [job.batch for job in jobs]), strict=True):
                job.reports = reports
        except BaseException as failure:
            for job in jobs:
                job.failure = failure

    def _next(self) -> list[_Job]:
        """The jobs that waited longest, as many as fit into one transaction."""
        jobs: list[_Job] = []
        with self._lock:
            while self._waiting and sum(len(job.batch.documents) for job in jobs) < _MOST_DOCUMENTS:
                jobs.append(self._waiting.popleft())
        return jobs


__all__ = ["Commits"]

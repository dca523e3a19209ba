"""Group commit: threads that add concurrently share a transaction."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock

from whorl.library.core import Core
from whorl.library.ingest.adding import add_batches
from whorl.library.ingest.batches import DocumentBatch
from whorl.library.ingest.reporting import PendingReports
from whorl.library.ingest.speculation import foresee

_MOST_DOCUMENTS, _WORTH_FORESEEING = 2000, 50


@dataclass(eq=False, slots=True)
class _Job:
    batch: DocumentBatch
    added: PendingReports | None = None
    failure: BaseException | None = None


class GroupCommit:
    """Group commit: the lock holder writes all queued batches."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = Lock()
        self._waiting: deque[_Job] = deque()
        self._is_writing = False

    def add(self, batch: DocumentBatch) -> PendingReports:
        """Write the batch, or wait until another thread has written it.

        Raises:
            ResourceError: the batch was not stored.
        """
        job = _Job(self._foreseen(batch))
        with self._lock:
            self._waiting.append(job)
        with self._core.turn:
            while job.failure is None:
                if job.added is not None:
                    return job.added
                self._write()
        raise job.failure

    def _foreseen(self, batch: DocumentBatch) -> DocumentBatch:
        """Compare the batch speculatively if others are writing and it is large enough."""
        is_worth = len(batch.documents) >= _WORTH_FORESEEING and self._core.making.rules.texts
        return foresee(self._core, batch) if is_worth and self._has_company() else batch

    def _has_company(self) -> bool:
        return self._core.company.is_there() or self._is_writing

    def _write(self) -> None:
        jobs = self._next()
        try:
            self._is_writing = True
            for job, added in zip(jobs, add_batches(self._core, [job.batch for job in jobs]), strict=True):
                job.added = added
        except BaseException as failure:
            for job in jobs:
                job.failure = failure
        finally:
            self._is_writing = False

    def _next(self) -> list[_Job]:
        """Return the oldest queued jobs that fit into one transaction."""
        jobs: list[_Job] = []
        with self._lock:
            while self._waiting and sum(len(job.batch.documents) for job in jobs) < _MOST_DOCUMENTS:
                jobs.append(self._waiting.popleft())
        return jobs


__all__ = ["GroupCommit"]

"""Execution of jobs in threads of each worker process, with leases that are renewed while a job runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from secrets import token_hex
from threading import Event, Thread
from time import monotonic
from typing import Any

from whorl.errors import ResourceError, WhorlError, is_error
from whorl.i18n import say
from whorl.service.http.problems import code_of, places_of, without_places
from whorl.service.jobs.desk import JobQueue
from whorl.service.jobs.kinds import KINDS, LANES, Work
from whorl.service.jobs.progress import JobProgress, Stopped
from whorl.service.jobs.scheduling import keep_schedules
from whorl.service.retention import apply_retention
from whorl.service.running import Service
from whorl.service.state.jobs import Claimed, Jobs
from whorl.types.jobs import JobState

_LOG = logging.getLogger(__name__)
_THREADS = 2
"""Threads per lane and process."""
_LOOK = 0.5
"""Seconds between polls for jobs and between progress updates."""
_RENEWED = 2.0
"""Seconds after which a job without progress renews its lease and checks for cancellation."""
_TIDIED = 3600.0
_USES_RECORDED = 5.0
"""Seconds between updates of the last use of keys."""
_PARTING = 10.0
"""Seconds that a job has to end when the service stops. Afterwards another process restarts it."""


@dataclass(slots=True)
class _Running:
    """A job running in this process.

    Attributes:
        worker: name of the worker.
        progress: current progress.
        reported: last reported stage and number of completed units.
        reported_at: time of the last report on the monotonic clock.
    """

    worker: str
    progress: JobProgress
    reported: tuple[str, int] = ("", -1)
    reported_at: float = 0.0


class Runner:
    """Runs jobs until it is stopped. Each lane of `LANES` has separate threads, so lanes do not block each other.

    With more than one thread per lane over all worker processes, one caller never occupies all of them.
    """

    def __init__(self, service: Service) -> None:
        self._queue: JobQueue = service.jobs
        self._jobs: Jobs = service.state.jobs
        self._keys = service.state.keys
        self._state, self._keep_days = service.state, service.settings.keep_days
        self._shelf = service.shelf
        self._metrics, self._model = service.metrics, service.settings.meaning
        self._places = places_of(service)
        self._stopping = Event()
        self._running: dict[str, _Running] = {}
        self._worker = f"{os.getpid()}-{token_hex(4)}"
        self._per_caller = service.settings.workers * _THREADS - 1
        self._threads = [
            Thread(target=self._work, args=(f"{self._worker}-{number}", kinds), name=f"jobs-{number}", daemon=True)
            for number, kinds in enumerate(lane for lane in LANES for _ in range(_THREADS))
        ]
        self._threads.append(Thread(target=self._tell, name="jobs-renewal", daemon=True))
        schedule = (self._shelf, self._queue, self._stopping, partial(datetime.now, UTC))
        self._threads.append(Thread(target=keep_schedules, args=schedule, name="jobs-schedule", daemon=True))

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop running jobs at their next step and requeue them."""
        self._stopping.set()
        for running in list(self._running.values()):
            running.progress.stopping.set()
        until = monotonic() + _PARTING
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        for id, running in list(self._running.items()):
            self._jobs.put_back(id, running.worker)

    def _work(self, worker: str, kinds: Sequence[str]) -> None:
        """Run jobs one after the other."""
        while not self._stopping.is_set():
            try:
                claimed = self._jobs.claim(worker, kinds, per_caller=self._per_caller)
                if claimed is not None:
                    self._do(claimed, worker)
                    continue
            except BaseException as error:
                if not is_error(error):
                    raise
                _LOG.error("failed to claim or to finish a job", exc_info=error)
            self._stopping.wait(_LOOK)

    def _do(self, claimed: Claimed, worker: str) -> None:
        """Run a job and store its result."""
        job, progress = claimed.job, JobProgress()
        self._running[job.id] = _Running(worker, progress)
        if self._stopping.is_set() or job.is_cancelled:
            progress.stopping.set()
        try:
            result = self._result(claimed, progress)
        except Stopped:
            self._give_up(job.id, worker)
        except BaseException as error:
            if not is_error(error):
                raise
            problem = self._problem(job.id, error)
            self._end(
                job.id, worker, "failed", problem={**problem, "detail": self._without_folder(job.id, problem["detail"])}
            )
        else:
            notes = [self._without_folder(job.id, note) for note in progress.notes]
            self._end(job.id, worker, "done", result={**result, "notes": notes})
            if job.kind == "add":
                self._metrics.articles.labels(job.library, "added").inc(progress.done)
        finally:
            self._running.pop(job.id, None)

    def _end(self, id: str, worker: str, state: JobState, **how: Any) -> None:
        """End a job and store its final progress."""
        progress = self._running[id].progress
        self._jobs.renew(id, worker, progress.name, progress.done, progress.total)
        self._jobs.end(id, worker, state, **how)

    def _without_folder(self, id: str, text: str) -> str:
        """Remove the folder of the job from a message."""
        return text.replace(f"{self._queue.folder(id)}{os.sep}", "")

    def _result(self, claimed: Claimed, progress: JobProgress) -> dict[str, Any]:
        """Run a job and return its result."""
        job, kind = claimed.job, KINDS[claimed.job.kind]
        library = self._shelf.get(job.library)
        if library is None:
            raise WhorlError(
                say("library {name!r} not found", name=job.library), hint=say("restart the service with the library")
            )
        progress.stage(job.kind, None, "")
        folder = self._queue.folder(job.id)
        folder.mkdir(parents=True, exist_ok=True)
        parameters = kind.parameters.model_validate(claimed.parameters)
        return kind.run(Work(job, parameters, library, folder, progress, self._model))

    def _give_up(self, id: str, worker: str) -> None:
        """End a cancelled job; requeue one that was interrupted by the stop of the service."""
        if self._jobs.get(id).is_cancelled:
            self._end(id, worker, "cancelled")
        else:
            self._jobs.put_back(id, worker)

    def _tell(self) -> None:
        """Renew leases and report progress; clean up from time to time."""
        tidied = recorded = float("-inf")
        while not self._stopping.wait(_LOOK):
            try:
                for id, running in list(self._running.items()):
                    self._renew(id, running)
                if monotonic() - recorded > _USES_RECORDED:
                    recorded = monotonic()
                    self._keys.record_uses()
                if monotonic() - tidied > _TIDIED:
                    tidied = monotonic()
                    self._queue.tidy()
                    if self._keep_days:
                        apply_retention(self._state, self._shelf.opened(), self._keep_days, datetime.now(UTC))
            except BaseException as error:
                if not is_error(error):
                    raise
                _LOG.error("failed to renew the leases of jobs", exc_info=error)

    def _problem(self, id: str, error: BaseException) -> dict[str, str]:
        """Describe an error as a problem. Defects and resource errors are logged."""
        if isinstance(error, WhorlError):
            if isinstance(error, ResourceError):
                _LOG.error("job %s: %s", id, error.message)
            return {"code": code_of(error), "detail": without_places(error, self._places), "hint": error.hint}
        _LOG.error("job %s failed", id, exc_info=error)
        detail = say("job {id} failed", id=id)
        return {"code": "defect", "detail": detail, "hint": say("report it with the log lines that contain the id")}

    def _renew(self, id: str, running: _Running) -> None:
        progress = running.progress
        course = progress.name, progress.done
        if course == running.reported and monotonic() - running.reported_at < _RENEWED:
            return
        if not self._jobs.renew(id, running.worker, *course, progress.total):
            progress.stopping.set()
        running.reported, running.reported_at = course, monotonic()


__all__ = ["Runner"]

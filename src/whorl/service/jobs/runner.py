"""Who does the jobs: threads of each worker process, which tell again and again that they still live."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from threading import Event, Thread
from time import monotonic
from typing import Any

from whorl.errors import ResourceError, WhorlError
from whorl.language import say
from whorl.service.jobs.desk import Desk
from whorl.service.jobs.kinds import KINDS, LANES, Work
from whorl.service.jobs.progress import JobProgress, Stopped
from whorl.service.problems import code_of, places_of, without_places
from whorl.service.running import Service
from whorl.service.state.jobs import Claimed, Jobs, JobState

_LOG = logging.getLogger(__name__)
_THREADS = 2
"""Jobs of a lane that a process does at once."""
_LOOK = 0.5
"""Seconds between two looks for jobs, and two notes of progress."""
_RENEWED = 2.0
"""Seconds after which a job without progress tells that it lives, and learns that it is cancelled."""
_TIDIED = 3600.0
_USES_RECORDED = 5.0
"""Seconds between two records of which keys were used."""
_PARTING = 10.0
"""Seconds that a job has to end at its next step when the service stops; then another process begins it again."""


@dataclass(slots=True)
class _Running:
    """A job that this process does.

    Attributes:
        worker: under which name.
        progress: how far it is.
        told: what was told of that last: the stage, and the units that are done.
        told_at: when, on the monotonic clock.
    """

    worker: str
    progress: JobProgress
    told: tuple[str, int] = ("", -1)
    told_at: float = 0.0


class Runner:
    """Does jobs until it is stopped: each lane of `LANES` in threads of its own, so that no lane waits for another.

    One caller never has all threads of a lane, over all worker processes, as long as there is more than one.
    """

    def __init__(self, service: Service) -> None:
        self._desk: Desk = service.jobs
        self._jobs: Jobs = service.state.jobs
        self._keys = service.state.keys
        self._shelf = service.shelf
        self._metrics = service.metrics
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

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End what is being done at its next step, and give it back so that it is begun again."""
        self._stopping.set()
        for running in list(self._running.values()):
            running.progress.stopping.set()
        until = monotonic() + _PARTING
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        for id, running in list(self._running.items()):
            self._jobs.put_back(id, running.worker)

    def _work(self, worker: str, kinds: Sequence[str]) -> None:
        """Take one job after the other."""
        while not self._stopping.is_set():
            try:
                claimed = self._jobs.claim(worker, kinds, per_caller=self._per_caller)
                if claimed is not None:
                    self._do(claimed, worker)
                    continue
            except Exception as error:
                _LOG.error("a job was not taken, or not ended", exc_info=error)
            self._stopping.wait(_LOOK)

    def _do(self, claimed: Claimed, worker: str) -> None:
        """Do a job, and keep what came of it."""
        job, progress = claimed.job, JobProgress()
        self._running[job.id] = _Running(worker, progress)
        if self._stopping.is_set() or job.is_cancelled:
            progress.stopping.set()
        try:
            result = self._result(claimed, progress)
        except Stopped:
            self._give_up(job.id, worker)
        except Exception as error:
            problem = self._problem(job.id, error)
            self._end(job.id, worker, "failed", problem={**problem, "detail": self._told(job.id, problem["detail"])})
        else:
            notes = [self._told(job.id, note) for note in progress.notes]
            self._end(job.id, worker, "done", result={**result, "notes": notes})
            if job.kind == "add":
                self._metrics.articles.labels(job.library, "added").inc(progress.done)
        finally:
            self._running.pop(job.id, None)

    def _end(self, id: str, worker: str, state: JobState, **how: Any) -> None:
        """End a job, with the last of its progress."""
        progress = self._running[id].progress
        self._jobs.renew(id, worker, progress.name, progress.done, progress.total)
        self._jobs.end(id, worker, state, **how)

    def _told(self, id: str, text: str) -> str:
        """A sentence without the folder in which the files of a job are."""
        return text.replace(f"{self._desk.folder(id)}{os.sep}", "")

    def _result(self, claimed: Claimed, progress: JobProgress) -> dict[str, Any]:
        """Do a job."""
        job, kind = claimed.job, KINDS[claimed.job.kind]
        library = self._shelf.get(job.library)
        if library is None:
            raise WhorlError(say("there is no library {name!r}", name=job.library), cure=say("serve it again"))
        progress.stage(job.kind, None, "")
        folder = self._desk.folder(job.id)
        folder.mkdir(parents=True, exist_ok=True)
        return kind.run(Work(job, kind.told.model_validate(claimed.given), library, folder, progress))

    def _give_up(self, id: str, worker: str) -> None:
        """End a job that somebody has cancelled; leave one to others that the service cannot finish."""
        if self._jobs.get(id).is_cancelled:
            self._end(id, worker, "cancelled")
        else:
            self._jobs.put_back(id, worker)

    def _tell(self) -> None:
        """Tell that the jobs of this process are worked on, and how far they are; tidy up now and then."""
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
                    self._desk.tidy()
            except Exception as error:
                _LOG.error("the jobs of this process cannot be told of", exc_info=error)

    def _problem(self, id: str, error: Exception) -> dict[str, str]:
        """What an error is; a defect, or what the machine lacks, is written to the log."""
        if isinstance(error, WhorlError):
            if isinstance(error, ResourceError):
                _LOG.error("job %s: %s", id, error.message)
            return {"code": code_of(error), "detail": without_places(error, self._places), "cure": error.cure}
        _LOG.error("job %s failed", id, exc_info=error)
        detail = say("the job {id} failed", id=id)
        return {"code": "defect", "detail": detail, "cure": say("report it with the lines of the log that name it")}

    def _renew(self, id: str, running: _Running) -> None:
        progress = running.progress
        course = progress.name, progress.done
        if course == running.told and monotonic() - running.told_at < _RENEWED:
            return
        if not self._jobs.renew(id, running.worker, *course, progress.total):
            progress.stopping.set()
        running.told, running.told_at = course, monotonic()


__all__ = ["Runner"]

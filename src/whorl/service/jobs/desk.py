"""Submission and lookup of jobs, including a folder for the files of each."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any

from whorl._internal.disk import make_folder
from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.service.jobs.kinds import EVALUATIONS, KINDS, MAX_EVALUATIONS, MAX_WAITING, demanded
from whorl.service.state import State
from whorl.service.state.jobs import Jobs
from whorl.service.throttling import TooManyError
from whorl.types.jobs import Job

FOLDER = "jobs"
KEPT = timedelta(days=7)
"""Retention of finished jobs and their files."""
_RETRY_SECONDS = 60
_ORPHANED = timedelta(days=1)


class JobQueue:
    """Queue of the jobs of a service. Thread-safe and process-safe."""

    def __init__(self, state: State, folder: Path) -> None:
        """Create the queue.

        Args:
            state: state of the service.
            folder: folder of the files of the service, which all processes that run its jobs share.
        """
        self._jobs: Jobs = state.jobs
        self._folder = folder / FOLDER

    def new_id(self) -> str:
        """Return the id of a new job. Its files can be written to its `folder` before it is submitted."""
        id = token_hex(8)
        make_folder(self.folder(id), private=True)
        return id

    def folder(self, id: str) -> Path:
        """Return the folder of the files of a job."""
        return self._folder / id

    def submit(self, kind: str, library: str, parameters: Mapping[str, Any], by: str, *, id: str | None = None) -> Job:
        """Submit a job.

        Args:
            kind: one of `KINDS`.
            library: name of the library.
            parameters: parameters of the kind.
            by: `Caller.who` of the submitter.
            id: id from ``new_id``, if its folder already has files.

        Raises:
            UsageError: the kind is unknown, or a parameter is invalid.
            TooManyError: too many jobs of the caller are queued.
        """
        validated = demanded(kind).demand(parameters)
        id = id or self.new_id()
        limits = {tuple(KINDS): MAX_WAITING} | ({EVALUATIONS: MAX_EVALUATIONS} if kind in EVALUATIONS else {})
        job = self._jobs.put(id, kind, library, validated, by, limits=limits)
        if job is None:
            shutil.rmtree(self.folder(id), ignore_errors=True)
            raise TooManyError(
                say("too many jobs are queued"),
                hint=say("wait for some of them, or cancel some"),
                seconds=_RETRY_SECONDS,
            )
        return job

    def get(self, id: str) -> Job:
        """Return a job.

        Raises:
            NotFoundError: the job does not exist.
        """
        return self._jobs.get(id)

    def cohort(self, id: str, library: str) -> Job:
        """Return the job of a cohort.

        Raises:
            NotFoundError: the library has no such cohort.
        """
        job = self.get(id)
        if (job.kind, job.library) != ("cohort", library):
            raise NotFoundError(say("job {id!r:.60} not found", id=id), hint=say("open the list of jobs"))
        return job

    def finished_cohort(self, id: str, library: str) -> Job:
        """Return the job of a cohort that is done.

        Raises:
            NotFoundError: the library has no such cohort, or it is not done.
        """
        job = self.cohort(id, library)
        if job.state != "done":
            raise NotFoundError(say("cohort {id!r:.60} is not finished", id=id), hint=say("wait until it has finished"))
        return job

    def list(self, **chosen: Any) -> list[Job]:
        """Return jobs, the newest first; the filters are those of `whorl.service.state.jobs.Jobs.list`."""
        return self._jobs.list(**chosen)

    def cancel(self, id: str) -> Job:
        """Cancel a job; a running one ends at its next step.

        Raises:
            NotFoundError: the job does not exist.
            UsageError: the job has ended.
        """
        return self._jobs.cancel(id)

    def result(self, job: Job) -> Path:
        """Return the result file of a job.

        Raises:
            NotFoundError: the job is not done, has no file, or its files were deleted.
        """
        name = (job.result or {}).get("file")
        path = self.folder(job.id) / str(name) if name else None
        if path is None or not path.is_file():
            raise NotFoundError(
                say("job {id} has no file", id=job.id), hint=say("see its state: GET /v1/jobs/{id}", id=job.id)
            )
        return path

    def tidy(self) -> None:
        """Delete old finished jobs and folders without a job."""
        at = datetime.now(UTC)
        for id in self._jobs.forget(at - KEPT):
            shutil.rmtree(self.folder(id), ignore_errors=True)
        if not self._folder.is_dir():
            return
        ids = self._jobs.ids()
        for folder in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another process may delete it at the same time
                if folder.name not in ids and folder.stat().st_mtime < (at - _ORPHANED).timestamp():
                    shutil.rmtree(folder, ignore_errors=True)


__all__ = ["FOLDER", "KEPT", "JobQueue"]

"""Where jobs are handed in and asked for, with the folder that each has for its files."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any

from whorl.disk import make_folder
from whorl.errors import NotFoundError
from whorl.language import say
from whorl.service.jobs.kinds import EVALUATIONS, KINDS, MAX_EVALUATIONS, MAX_WAITING, demanded
from whorl.service.limits import TooManyError
from whorl.service.state import State
from whorl.service.state.jobs import Job, Jobs

FOLDER = "jobs"
KEPT = timedelta(days=7)
"""For how long a job that has ended is kept, with its files."""
_RETRY_SECONDS = 60
_ORPHANED = timedelta(days=1)


class Desk:
    """The jobs of a service. Safe from threads and from other processes."""

    def __init__(self, state: State) -> None:
        self._jobs: Jobs = state.jobs
        self._folder = state.database.folder / FOLDER

    def new_id(self) -> str:
        """Return the id of a job that will be handed in, once its files are in its `folder`."""
        id = token_hex(8)
        make_folder(self.folder(id), private=True)
        return id

    def folder(self, id: str) -> Path:
        """Return where the files of a job are."""
        return self._folder / id

    def submit(self, kind: str, library: str, given: Mapping[str, Any], by: str, *, id: str | None = None) -> Job:
        """Hand a job in.

        Args:
            kind: of `KINDS`.
            library: the name of the library.
            given: what it is told, as its kind wants it.
            by: who asks for it, as `Caller.who`.
            id: of ``new_id``, where files of it are in its folder already.

        Raises:
            UsageError: there is no such kind, or it is told something wrong.
            TooManyError: too many jobs of theirs wait already.
        """
        told = demanded(kind).demand(given)
        id = id or self.new_id()
        limits = {tuple(KINDS): MAX_WAITING} | ({EVALUATIONS: MAX_EVALUATIONS} if kind in EVALUATIONS else {})
        job = self._jobs.put(id, kind, library, told, by, limits=limits)
        if job is None:
            shutil.rmtree(self.folder(id), ignore_errors=True)
            raise TooManyError(
                say("too many jobs wait"), cure=say("let them be done, or cancel some"), seconds=_RETRY_SECONDS
            )
        return job

    def get(self, id: str) -> Job:
        """Return a job.

        Raises:
            NotFoundError: there is none.
        """
        return self._jobs.get(id)

    def list(self, **chosen: Any) -> list[Job]:
        """Return jobs, the newest first; see `whorl.service.state.jobs.Jobs.list` for what may be chosen."""
        return self._jobs.list(**chosen)

    def cancel(self, id: str) -> Job:
        """End a job, at its next step where it runs.

        Raises:
            NotFoundError: there is none.
            UsageError: it has ended.
        """
        return self._jobs.cancel(id)

    def result(self, job: Job) -> Path:
        """Return the file that a job has made.

        Raises:
            NotFoundError: it is not done, has made none, or its files are no longer kept.
        """
        name = (job.result or {}).get("file")
        path = self.folder(job.id) / str(name) if name else None
        if path is None or not path.is_file():
            raise NotFoundError(
                say("the job {id} has no file", id=job.id), cure=say("see how it is: GET /v1/jobs/{id}", id=job.id)
            )
        return path

    def tidy(self) -> None:
        """Remove the jobs that ended long ago, and the folders that belong to none."""
        at = datetime.now(UTC)
        for id in self._jobs.forget(at - KEPT):
            shutil.rmtree(self.folder(id), ignore_errors=True)
        if not self._folder.is_dir():
            return
        known = self._jobs.ids()
        for folder in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another process tidies as well
                if folder.name not in known and folder.stat().st_mtime < (at - _ORPHANED).timestamp():
                    shutil.rmtree(folder, ignore_errors=True)


__all__ = ["FOLDER", "KEPT", "Desk"]

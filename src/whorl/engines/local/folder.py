"""Output folder of a run: checks its state, stages the work, and publishes the results."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from whorl._internal.disk import make_folder, sync_folder
from whorl.engines.local.columns import PASSING
from whorl.engines.local.durable import files_below, read_json, sync, write_json
from whorl.errors import InputError, UsageError
from whorl.i18n import say

WORK = ".whorl"
_JOB = "job.json"
RUN = "run.json"
_STAGED = "staged.json"


class OutputFolder:
    """The output folder OUT of a run.

    All results are written below ``OUT/.whorl`` and moved to their final names when they are complete, ``run.json``
    last. An interrupted run leaves ``OUT/.whorl``; the same job continues it, another job starts over. Files are
    flushed before a manifest names them, and incomplete files are ignored.

    Args:
        path: OUT.
        job: everything that determines the result, as JSON values.

    Used as a context manager, it prepares the folder and locks it.

    Raises:
        UsageError: OUT contains a finished run or unrelated files, or another run is using it.
    """

    def __init__(self, path: Path, job: dict[str, Any]) -> None:
        self.path = path
        self.work = path / WORK
        self.staging = self.work / "staging"
        self.segments = self.work / "segments"
        self.stretches = self.work / "stretches"
        self.scratch = self.work / "scratch"
        self._lock: IO[bytes] | None = None
        self._job = job

    def __enter__(self) -> Self:
        try:
            self._prepare(self._job)
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._release()

    def _prepare(self, job: dict[str, Any]) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(say("{path} is a file", path=self.path), hint=say("name a new folder with -o"))
        recorded = read_json(self.work / _JOB)
        is_ours = (self.work / _JOB).exists() and (recorded == job or not self._is_published)
        foreign = [item.name for item in self.path.iterdir() if item.name != WORK] if self.path.exists() else []
        if foreign and not is_ours:
            hint = say("choose a new folder with -o, or delete this one")
            if RUN in foreign:
                raise UsageError(say("{path} contains an earlier run", path=self.path), hint=hint)
            raise UsageError(say("{path} is not empty: it holds {name}", path=self.path, name=min(foreign)), hint=hint)
        make_folder(self.path)
        self._lock = _lock(self.work)
        if is_ours and recorded == job:
            return
        # Delete the job first, so that a half-deleted folder cannot be continued.
        (self.work / _JOB).unlink(missing_ok=True)
        shutil.rmtree(self.work)
        self._release()
        self._lock = _lock(self.work)
        write_json(job, self.work / _JOB)

    @property
    def _is_published(self) -> bool:
        return (self.path / RUN).exists()

    def begin_staging(self) -> None:
        """Delete the staged files of an earlier attempt."""
        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()
        self.scratch.mkdir(exist_ok=True)

    @property
    def is_complete(self) -> bool:
        """Return True if all results are staged and intact, so that only renames remain, if any."""
        if self._is_published:
            return True
        staged = read_json(self.work / _STAGED)
        if not isinstance(staged, dict) or read_json(self.work / RUN) is None:
            return False
        return all(self._size(name) == size for name, size in staged.items())

    def _size(self, name: str) -> int:
        """Return the size of a staged or already published file; -1 if it does not exist."""
        existing = next((place for place in (self.staging / name, self.path / name) if place.is_file()), None)
        return -1 if existing is None else existing.stat().st_size

    def complete(self, run: dict[str, Any]) -> None:
        """Record that everything is staged, after flushing it to disk."""
        staged = files_below(self.staging)
        sync(staged)
        sizes = {path.relative_to(self.staging).as_posix(): path.stat().st_size for path in staged}
        write_json(sizes, self.work / _STAGED)
        write_json(run, self.work / RUN)

    def publish(self) -> dict[str, Any]:
        """Move all staged files to their final names, ``run.json`` last; delete the work and return the run."""
        if not self._is_published:
            self._stage_segments()
            for folder in (self.staging, *filter(Path.is_dir, self.staging.rglob("*"))):
                sync_folder(folder)
            for item in sorted(self.staging.iterdir()):
                target = self.path / item.name
                if target.is_dir():
                    shutil.rmtree(self.work / f"{item.name}.old", ignore_errors=True)
                    target.replace(self.work / f"{item.name}.old")
                item.replace(target)
            sync_folder(self.path)
            (self.work / RUN).replace(self.path / RUN)
            sync_folder(self.path)
        run = read_run(self.path)
        self._drop_finished_work()
        return run

    def _stage_segments(self) -> None:
        """Move the segments to the final folder for later runs, without texts and rejected rows."""
        for segment in sorted(self.segments.iterdir()) if self.segments.exists() else []:
            for name in PASSING:
                (segment / name).unlink(missing_ok=True)
            shutil.rmtree(segment / "rejected", ignore_errors=True)
            (self.staging / "sketches").mkdir(exist_ok=True)
            segment.replace(self.staging / "sketches" / segment.name)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _drop_finished_work(self) -> None:
        """Delete the work, the job file last: while it exists, the same command resumes only this step."""
        for item in self.work.iterdir():
            if item.is_dir():
                shutil.rmtree(item, ignore_errors=True)
            elif item.name != _JOB:
                item.unlink(missing_ok=True)
        shutil.rmtree(self.work, ignore_errors=True)


def _lock(work: Path) -> IO[bytes]:
    """Lock the working folder for this process until the returned file is closed.

    The operating system releases the lock when the process ends. Systems without ``fcntl`` have no lock.
    """
    work.mkdir(parents=True, exist_ok=True)
    file = (work / "lock").open("ab")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except BlockingIOError as error:
        file.close()
        hint = say("wait until it finishes, or choose another folder with -o")
        raise UsageError(say("another run is using {parent}", parent=work.parent), hint=hint) from error
    return file


def fetched_beside(out: Path) -> Path:
    """Return the folder for fetched inputs, which is kept until the run is finished so that it can be resumed."""
    return out.with_name(f".{out.name}.fetched")


def is_finished_run(path: Path) -> bool:
    """Return True if ``path`` is the output folder of a finished run."""
    return (path / RUN).is_file() and any((path / name).exists() for name in ("kept", "clusters.parquet"))


def load_run(path: Path) -> dict[str, Any]:
    """Read the ``run.json`` of a finished run.

    Raises:
        UsageError: there is no finished run.
        InputError: it is damaged.
    """
    if not is_finished_run(path):
        raise UsageError(
            say("{path} is not the output folder of a finished run", path=path), hint=say("use the folder of -o")
        )
    return read_run(path)


def demand_rows(run: dict[str, Any], path: str | Path) -> None:
    """Refuse a run that wrote only the ids of the kept documents.

    Raises:
        InputError: the run has no kept rows.
    """
    if run.get("output") == "ids":
        raise InputError(
            say("{path} has no kept rows: they were not written, only their ids", path=path),
            hint=say("name the files that were read, or run `whorl dedup` without `output=ids`"),
        )


def read_run(path: Path) -> dict[str, Any]:
    """Read the ``run.json`` of a folder that has one, whether or not it has kept files.

    Raises:
        InputError: it is damaged.
    """
    run = read_json(path / RUN)
    if not isinstance(run, dict):
        raise InputError(
            say("{path} is damaged", path=path / RUN),
            hint=say("use only the documents: {path}", path=path / "kept"),
        )
    return run


__all__ = ["RUN", "OutputFolder", "demand_rows", "fetched_beside", "is_finished_run", "load_run", "read_run"]

"""The folder that the shards of a run share: results, manifests, and missing shards."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Literal, TypeVar, get_args
from uuid import uuid4
from zlib import crc32

from whorl._internal.disk import make_folder, sync_folder
from whorl._internal.frozen import frozen
from whorl.engines.local.durable import is_as_written, read_json, write_json
from whorl.errors import InputError, UsageError, WhorlError
from whorl.i18n import say

Stage = Literal["sketch", "group", "decide", "write"]
STAGES: tuple[Stage, ...] = get_args(Stage)
MAX_SHARDS = 10_000
"""Maximum number of shards."""
_JOB = "job.json"
_OWN_FILES = ("locks", f"{_JOB}.part")
"""Files that may exist before a job is stored."""
_Result = TypeVar("_Result")


@frozen
class Shard:
    """One piece of one stage of a run.

    Attributes:
        stage: "sketch", "group", "decide" or "write".
        number: number of the piece, from 1.
        count: number of pieces in every stage.
        work: the shared folder.
    """

    stage: Stage
    number: int
    count: int
    work: Path

    def share(self, of: int) -> range:
        """Return the contiguous part of ``of`` items that belongs to this shard."""
        return range((self.number - 1) * of // self.count, self.number * of // self.count)


class WorkFolder:
    """The shared folder of one job.

    Every shard of a stage writes its results and then a manifest that identifies them and the results of the previous
    stage that they were made from. A crashed shard is simply run again, a complete one does nothing, and results made
    from outdated inputs are detected.

    Args:
        shard: the shard of this process.
        job: everything that determines the result, as JSON values.

    Raises:
        UsageError: the folder contains the work of another job.
        InputError: an input has changed since the work began.
    """

    def __init__(self, shard: Shard, job: Mapping[str, Any]) -> None:
        self.shard = shard
        self.path = shard.work
        self.reference = self.path / "reference"
        make_folder(self.path)
        foreign = next((item.name for item in self.path.iterdir() if item.name not in _OWN_FILES), None)
        if foreign is not None and not (self.path / _JOB).exists():
            raise UsageError(
                say("{path} is not empty: it holds {name}", path=self.path, name=foreign),
                hint=say("choose a new folder with --work"),
            )
        self._started = time.perf_counter()
        self.job: dict[str, Any] = json.loads(json.dumps(job))
        with self.claim("job"):
            if not (self.path / _JOB).exists():
                write_json({"job": self.job, "began": datetime.now(UTC).isoformat()}, self.path / _JOB)
        recorded = read_json(self.path / _JOB)
        if not isinstance(recorded, dict) or recorded.get("job") != self.job:
            raise _disagreement(self.path, recorded.get("job", {}) if isinstance(recorded, dict) else {}, self.job)
        self.began = datetime.fromisoformat(recorded["began"])

    @contextmanager
    def claim(self, name: str) -> Iterator[None]:
        """Acquire an exclusive lock on ``name``, waiting if necessary; it is released when the process ends."""
        (self.path / "locks").mkdir(exist_ok=True)
        with (self.path / "locks" / name).open("ab") as file:
            with suppress(ImportError):
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def folder(self, stage: str, number: int) -> Path:
        """Return the folder for the results of a shard of a stage."""
        return self.path / stage / f"{number:05d}"

    def save(self, name: str, data: bytes) -> Sequence[int]:
        """Write a file below the folder atomically and durably, and return its checksum."""
        path = self.path / name
        make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{uuid4().hex}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
        return sum_of_bytes(data)

    def load(self, stage: str, number: int, read: Callable[[IO[bytes]], _Result], name: str | None = None) -> _Result:
        """Return the result of ``read`` for the file of a shard, or another file of it with this name.

        Raises:
            InputError: the file is missing or damaged.
        """
        path = self.path / (name or file_name(stage, number))
        try:
            with path.open("rb") as file:
                return read(file)
        except (OSError, ValueError) as error:
            raise self.damaged(path, stage, number) from error

    def damaged(self, path: Path, stage: str, number: int) -> InputError:
        """Return the error for a result of a shard that was changed."""
        hint = say(
            "run it again: --stage {stage} --shard {number}/{count}",
            stage=stage,
            number=number,
            count=self.shard.count,
        )
        return InputError(say("{path} is damaged", path=path), hint=hint)

    def manifest(self, stage: str, number: int) -> dict[str, Any]:
        """Return the manifest of a shard, empty if there is none."""
        manifest = read_json(self._manifest(stage, number))
        return manifest if isinstance(manifest, dict) else {}

    def record(self, stage: str, number: int, of: str, sums: Mapping[str, Sequence[int]], **details: Any) -> None:
        """Write the manifest that makes a shard complete."""
        make_folder(self.path / stage)
        recorded, listed = self.manifest(stage, number), {name: list(sizes) for name, sizes in sums.items()}
        spent = round(time.perf_counter() - self._started, 3)
        seconds = recorded["seconds"] if (recorded.get("of"), recorded.get("sums")) == (of, listed) else spent
        manifest = {"of": of, "sums": listed, **details, "seconds": seconds}
        temporary = self.path / stage / f".{number:05d}.{uuid4().hex}"
        write_json(manifest, temporary)
        temporary.replace(self._manifest(stage, number))
        sync_folder(self.path / stage)

    def is_done(self, stage: str, number: int, of: str) -> bool:
        """Return True if a shard is complete and its files are intact. Reads every file once."""
        manifest = self.manifest(stage, number)
        return manifest.get("of") == of and is_as_written(self.path, manifest.get("sums", {}))

    def undone(self, stage: str) -> list[int]:
        """Return the shards of a stage without results."""
        return [number for number in range(1, self.shard.count + 1) if not self.manifest(stage, number)]

    def missing(self, stage: str, of: str) -> list[int]:
        """Return the shards of a stage that are incomplete or were made from other results."""
        return [number for number in range(1, self.shard.count + 1) if self.manifest(stage, number).get("of") != of]

    def state(self, stage: str, of: str) -> str:
        """Return a value that identifies the results of a whole stage.

        Raises:
            UsageError: a shard is missing.
        """
        missing = self.missing(stage, of)
        if missing:
            raise UsageError(
                say(
                    "{stage} is not done: {count} of {all} shards are missing: {numbers}",
                    stage=stage,
                    count=len(missing),
                    all=self.shard.count,
                    numbers=_listed(missing),
                ),
                hint=say(
                    "run them first: --stage {stage} --shard {number}/{count}",
                    stage=stage,
                    number=missing[0],
                    count=self.shard.count,
                ),
            )
        sums = [self.manifest(stage, number).get("sums") for number in range(1, self.shard.count + 1)]
        return blake2b(json.dumps([of, sums]).encode(), digest_size=16).hexdigest()

    def _manifest(self, stage: str, number: int) -> Path:
        return self.folder(stage, number).with_suffix(".json")


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" ..." if len(numbers) > 10 else "")


def file_name(stage: str, number: int) -> str:
    """Return the name of the array file of a shard."""
    return f"{stage}/{number:05d}.npz"


def sum_of_bytes(data: bytes) -> Sequence[int]:
    """Return the size and the CRC-32 of some bytes."""
    return len(data), crc32(data)


def _disagreement(folder: Path, recorded: Mapping[str, Any], job: Mapping[str, Any]) -> WhorlError:
    """Describe how a job differs from the job of the work folder."""
    if recorded and recorded.get("shards") != job["shards"]:
        return UsageError(
            say("{folder} contains the work of {count} shards", folder=folder, count=recorded.get("shards")),
            hint=say(
                "use --shard 1/{count} to {count}/{count}, or choose a new folder with --work",
                count=recorded.get("shards"),
            ),
        )
    if recorded.get("recipe") == job["recipe"] and recorded.get("inputs") != job["inputs"]:
        files = {str(entry[0]): entry for entry in recorded.get("inputs", ())}
        changed = [str(entry[0]) for entry in job["inputs"] if files.pop(str(entry[0]), None) != entry]
        return InputError(
            say(
                "the input has changed since the work in {folder} began: {file}",
                folder=folder,
                file=min([*changed, *files], default=""),
            ),
            hint=say("restore it, or start over in a new folder with --work"),
        )
    names = sorted(name for name in {*recorded, *job} if recorded.get(name) != job.get(name))
    return UsageError(
        say("{folder} contains the work of another job: {names} differ", folder=folder, names=", ".join(names)),
        hint=say("use the same options for every stage, or choose a new folder with --work"),
    )


__all__ = ["MAX_SHARDS", "STAGES", "Shard", "Stage", "WorkFolder", "file_name"]

"""Run whorl like a user, and read the output of a run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from tests import prepared
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.recipe import Recipe

_PYTHONPATH = os.environ.get("PYTHONPATH")
_SHELL = re.compile(r"[|&;<>`~*?\[\\\n]|\$[^A-Z]")
"""What only a shell interprets."""
_VARIABLE = re.compile(r"\$([A-Z_]+)")

NAMES = {
    "kept",
    "rejected",
    "duplicates.parquet",
    "clusters.parquet",
    "related.parquet",
    "clusters.csv",
    "run.json",
    "report.html",
    "sketches",
}
"""The files of a finished run."""


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    code: int
    out: str
    error: str


@dataclass
class RecordedProgress:
    """A ``Progress`` that records its messages."""

    stages: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def stage(self, name: str, *_: object) -> None:
        self.stages.append(name)

    def advance(self, amount: int) -> None:
        pass

    def note(self, message: str) -> None:
        self.notes.append(message)


def whorl(
    *arguments: str | Path,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Finished:
    """Run the command line in a separate process; ``before`` runs in it first, such as to limit the size of files."""
    surroundings = {**os.environ, "COLUMNS": "300", **(environment or {})}
    if before is not None:
        surroundings["PYTHONDONTWRITEBYTECODE"] = "1"  # else it may leave halves of compiled modules behind
    is_usual = not stdin and before is None and surroundings.get("PYTHONPATH") == _PYTHONPATH
    if is_usual and prepared.can_run():
        return _prepared([*map(str, arguments)], surroundings)
    process = subprocess.run(
        [sys.executable, "-m", "whorl", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=surroundings,
        preexec_fn=before,
        check=False,
    )
    return Finished(process.returncode, process.stdout.decode(), process.stderr.decode())


def shell(command: str, environment: Mapping[str, str], folder: Path | None = None, stdin: bytes = b"") -> Finished:
    """Run a documented command line: in a prepared process, or in a shell unless it is a single ``whorl`` command."""
    words = shlex.split(command) if not _SHELL.search(command) else []
    words = [_VARIABLE.sub(lambda name: environment[name[1]], word) for word in words]
    if words[:1] == ["whorl"] and prepared.can_run():
        return _prepared(words[1:], environment, folder, stdin)
    process = subprocess.run(
        command, shell=True, cwd=folder, env=environment, input=stdin, capture_output=True, check=False
    )
    return Finished(process.returncode, process.stdout.decode(), process.stderr.decode())


def _prepared(
    arguments: list[str], environment: Mapping[str, str], folder: Path | None = None, stdin: bytes = b""
) -> Finished:
    with TemporaryDirectory() as place:
        typed, out, error = (Path(place) / name for name in ("in", "out", "error"))
        typed.write_bytes(stdin)
        code = prepared.run(arguments, environment, (typed, out, error), folder)
        return Finished(code, out.read_bytes().decode(), error.read_bytes().decode())


def dedup(
    source: Path | tuple[Path, ...], out: Path, *, against: tuple[Path, ...] = (), **recipe: Any
) -> dict[str, Any]:
    """Deduplicate files in this process, and return the run."""
    sources = source if isinstance(source, tuple) else (source,)
    return dedup_files(DedupJob(tuple(map(str, sources)), out, Recipe(**recipe), tuple(map(str, against))))


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file."""
    records: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return records


def duplicates(out: Path) -> list[dict[str, Any]]:
    """Return the removed documents of a run."""
    return rows(out / "duplicates.parquet")


def clusters(out: Path) -> list[dict[str, Any]]:
    """Return the clusters of a run."""
    return rows(out / "clusters.parquet")


def rejected(out: Path) -> list[dict[str, Any]]:
    """Return the list of rejected rows of a run."""
    lines = (out / "rejected" / "rejected.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def kept_documents(out: Path) -> list[dict[str, Any]]:
    """Return the kept rows of all JSON Lines files of a run."""
    lines = [line for path in sorted((out / "kept").rglob("*.jsonl")) for line in path.read_bytes().splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below ``folder`` with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def result(out: Path) -> dict[str, Any]:
    """Return the reproducible part of a run: its files, without times and the timing report."""
    content: dict[str, Any] = files(out)
    content.pop("report.html")
    run = json.loads(content.pop("run.json"))
    for name in ("started", "timings", "outputs", "command", "inputs"):
        run.pop(name)
    sketches = {name: content.pop(name) for name in list(content) if name.startswith("sketches/")}
    columns = {name: data for name, data in sketches.items() if not name.endswith(".json")}
    return content | columns | {"run": run}


def comparable(out: Path) -> dict[str, Any]:
    """Return the result without its process (segmentation of sketches, shards, comparisons): equal for every engine.

    Files are represented by their digests, which keeps the diff of a failure readable.
    """
    whole = {name: data for name, data in result(out).items() if not name.startswith("sketches/")}
    for name in ("shards", "comparisons"):
        whole["run"].pop(name, None)
    return {name: sha256(data).hexdigest() if isinstance(data, bytes) else data for name, data in whole.items()}


def assert_nothing_half_written(out: Path, whole: dict[str, Any]) -> None:
    """Assert that every file with its final name is complete, and that all files in ``run.json`` exist."""
    named = {path.name for path in out.iterdir()} - {".whorl"} if out.exists() else set()
    assert named <= NAMES
    if "run.json" in named:
        assert named == NAMES
        json.loads((out / "run.json").read_text(encoding="utf-8"))
    if "report.html" in named:
        assert (out / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    for name in named - {"run.json", "report.html", "sketches"}:
        there = {path: data for path, data in files(out).items() if path.split("/")[0] == name}
        assert there == {path: data for path, data in whole.items() if path.split("/")[0] == name}

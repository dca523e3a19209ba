"""Deduplication of one corpus by each engine, as documented, and comparison of the results."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from hashlib import blake2b
from pathlib import Path
from shlex import join
from typing import Any

from benchmarks.engines.simulation import distribution
from benchmarks.measure import Cost, RunFailed, run
from benchmarks.questions import Settings, whorl_dedup

_ROOT = Path(__file__).parents[2]
_TASKS = "benchmarks.engines.tasks"
_TABLES = ("duplicates.parquet", "clusters.parquet")


def run_engine(engine: str, corpus: Path, folder: Path, settings: Settings) -> dict[str, Any]:
    """Deduplicate a corpus on an engine.

    Args:
        engine: "local", "shards" or "spark".
        corpus: JSON Lines.
        folder: the output folder.
        settings: settings of the question.

    Returns:
        The fields of ``Cost``; ``timings`` of the run by stage, ``stages`` of Spark, ``comparisons``, ``largest``: the
        documents of the largest component, ``keys``: the number of keys by document frequency (engine "local" only),
            and
        ``result``: a digest of all output.

    Raises:
        RunFailed: the engine is not available on this machine, or failed.
    """
    out = folder / "out"
    cost = _ENGINES[engine](corpus, out, folder / "work", settings)
    run_info = json.loads((out / "run.json").read_text(encoding="utf-8"))
    stages = run_info.get("engine", {}).get("stages", {})
    parts = run_info.get("shards", {}).get("documents_by_part", [])
    return {
        **asdict(cost),
        "timings": run_info["timings"],
        "stages": stages,
        "comparisons": run_info["comparisons"]["count"],
        "largest": stages.get("decide", {}).get("largest", max(parts, default=0)),
        "keys": distribution(out) if engine == "local" else {},
        "result": _digest(out),
    }


def task_seconds(settings: Settings) -> float:
    """Return the slot seconds of an empty Spark task.

    Raises:
        RunFailed: Spark is not available on this machine, or failed.
    """
    command = ["env", *_java(), sys.executable, "-m", _TASKS, settings["master"], str(settings["slots"])]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RunFailed(done.stderr)
    return float(json.loads(done.stdout))


def _local(corpus: Path, out: Path, work: Path, settings: Settings) -> Cost:
    del work
    return run(whorl_dedup(corpus, out, settings["threshold"], settings["cores"]), watch=out)


def _shards(corpus: Path, out: Path, work: Path, settings: Settings) -> Cost:
    """Run the shards in a shell loop, one per core at a time."""
    shard_command = join(map(str, whorl_dedup(corpus, out, settings["threshold"], 1)))
    count = settings["shards"]
    command = f"{shard_command} --work {work} --stage $stage --shard {{}}/{count}"
    loop = f"seq {count} | xargs -P {settings['cores']} -I {{}} {command}"
    return run(["sh", "-c", f"for stage in sketch group decide write; do {loop} || exit 1; done"])


def _spark(corpus: Path, out: Path, work: Path, settings: Settings) -> Cost:
    del work
    command = whorl_dedup(corpus, out, settings["threshold"], settings["cores"])
    return run(["env", *_java(), *command, "--engine", "spark", "--master", settings["master"]], watch=out)


_ENGINES: Mapping[str, Callable[[Path, Path, Path, Settings], Cost]] = {
    "local": _local,
    "shards": _shards,
    "spark": _spark,
}
ENGINES = tuple(_ENGINES)


@cache
def _java() -> tuple[str, ...]:
    """Return an environment in which Spark finds the Java that the project's script installs."""
    process = subprocess.run(["sh", _ROOT / "scripts" / "java.sh"], check=False, capture_output=True, encoding="utf-8")
    if process.returncode:
        raise RunFailed(process.stderr)
    return f"JAVA_HOME={process.stdout.strip()}", "SPARK_LOCAL_IP=127.0.0.1", f"PYSPARK_PYTHON={sys.executable}"


def _digest(out: Path) -> str:
    """Return a digest of the kept and the rejected rows, and of the tables."""
    folders = (path for name in ("kept", "rejected") for path in (out / name).rglob("*") if path.is_file())
    digest = blake2b(digest_size=16)
    for path in (*sorted(folders), *(out / name for name in _TABLES)):
        digest.update(path.relative_to(out).as_posix().encode())
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    return digest.hexdigest()


__all__ = ["ENGINES", "run_engine", "task_seconds"]

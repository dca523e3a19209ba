"""Crash recovery: kill workers and servers, then compare the library with one written by a single worker."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.stores.crew import Task, Worker, crew
from benchmarks.stores.servers import OnServer, Places

_MIN_PAUSE_S, _MAX_PAUSE_S = 0.1, 1.0


def survive(store: Places, task: Task, settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Kill workers, then the server, while articles are added; return the result.

    Args:
        store: provides the location.
        task: ``file``, ``start`` and ``stop`` of the articles.
        settings: ``workers``, ``killed_workers``, ``killed_servers`` and ``batch`` of the question.
        folder: for the library of the single worker.
    """
    generator = random.Random(settings["seed"])
    task = dict(task) | {"address": store.fresh(), "batch": settings["batch"]}
    acknowledged: set[str] = set()
    workers = crew(settings["workers"], task)
    for worker in workers:
        worker.begin()
    for _ in range(settings["killed_workers"]):
        time.sleep(generator.uniform(_MIN_PAUSE_S, _MAX_PAUSE_S))
        place = generator.randrange(len(workers))
        workers[place].kill()
        workers[place] = _replace(workers[place], acknowledged)
    crashes = settings["killed_servers"] if isinstance(store, OnServer) else 0
    for _ in range(crashes):
        time.sleep(generator.uniform(_MIN_PAUSE_S, _MAX_PAUSE_S))
        store.crash()
        workers = [member if member.is_running() else _replace(member, acknowledged) for member in workers]
    for worker in workers:
        worker.kill()
        acknowledged |= worker.acknowledged_ids()
    killed = {"workers": settings["killed_workers"], "servers": crashes}
    return {"killed": killed} | _damage(task, acknowledged, folder)


def _replace(worker: Worker, acknowledged: set[str]) -> Worker:
    """Start a worker that continues the task of a killed one."""
    worker.wait()
    acknowledged |= worker.acknowledged_ids()
    following = Worker(worker.following())
    following.begin()
    return following


def _damage(task: Task, acknowledged: set[str], folder: Path) -> dict[str, Any]:
    """Return lost articles, partial batches, and clusters that differ from those of a single worker."""
    import whorl

    batches = _batches(task)
    of = {row["id"]: number for number, batch in enumerate(batches) for row in batch}
    with whorl.open(task["address"]) as library, whorl.open(folder / "alone") as alone:
        kept = list(library)
        for number in dict.fromkeys(of[id_] for id_ in kept):
            alone.add(batches[number])
        counts = [len({row["id"] for row in batch}.intersection(kept)) for batch in batches]
        checkup = library.verify()
        differing = _clusters(library) ^ _clusters(alone)
    return {
        "acknowledged": len(acknowledged),
        "lost": len(acknowledged.difference(kept)),
        "half": sum(0 < count < len(batch) for count, batch in zip(counts, batches, strict=True)),
        "faults": [*checkup.faults, *checkup.healed],
        "differing": len(differing),
    }


def _batches(task: Task) -> list[list[dict[str, Any]]]:
    with Path(task["file"]).open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in islice(file, task["start"], task["stop"])]
    return [rows[start : start + task["batch"]] for start in range(0, len(rows), task["batch"])]


def _clusters(library: Any) -> set[frozenset[str]]:
    return {frozenset(library.cluster(cluster.id).documents) for cluster in library.clusters()}

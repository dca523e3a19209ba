"""The library without the service: the same number of processes and callers; prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.rivals.library_task import spread, timed

_WARM = 20
_PATIENCE = 120.0


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Return the throughput of processes that open the library themselves.

    Args:
        task: ``library``, its folder; ``checked`` and ``added``, JSON Lines of ``body``; ``bulk``, the same for many;
            ``workers``, ``connections`` and ``seconds``.
    """
    context = get_context("spawn")
    parts = range(task["workers"])
    figures: dict[str, Any] = {}
    for act in ("check", "add"):
        begin = context.Barrier(task["workers"])
        with ProcessPoolExecutor(task["workers"], context, _share, (begin,)) as processes:
            done = list(processes.map(_work, [task] * len(parts), [act] * len(parts), parts))
        latencies = [latency for times, _ in done for latency in times]
        figures[act] = {"rate": len(latencies) / max(seconds for _, seconds in done), "milliseconds": spread(latencies)}
    return figures | {"bulk": {"rate": _bulk(task)}}


def _share(begin: Any) -> None:
    global _begin  # noqa: PLW0603 - what processes share reaches them only when they begin
    _begin = begin


_begin: Any


def _work(task: dict[str, Any], act: str, part: int) -> tuple[list[float], float]:
    """Return the milliseconds of each call of the threads of one process, and the total seconds."""
    import whorl

    bodies = _bodies(task["checked" if act == "check" else "added"])[part :: task["workers"]]
    latencies: list[float] = []
    with whorl.open(task["library"], create=False) as library:
        for body in bodies[:_WARM]:
            library.check(body["text"])
        calls: Callable[[Any], Any] = library.add if act == "add" else lambda body: library.check(body["text"])
        pending, lock = (iter(bodies) if act == "add" else cycle(bodies)), Lock()
        _begin.wait(_PATIENCE)
        began = time.perf_counter()
        end = began + task["seconds"]

        def caller(_: int) -> None:
            while time.perf_counter() < end:
                with lock:
                    body = next(pending, None)
                if body is None:
                    return
                latencies.append(timed(calls, body))

        callers = max(1, task["connections"] // task["workers"])
        with ThreadPoolExecutor(callers) as threads:
            list(threads.map(caller, range(callers)))
        return latencies, time.perf_counter() - began


def _bulk(task: dict[str, Any]) -> float:
    """Return articles per second, added in batches by one process."""
    import whorl

    documents = [json.loads(line) for body in _lines(task["bulk"]) for line in body.splitlines()]
    with whorl.open(task["library"], create=False) as library:
        began = time.perf_counter()
        for start in range(0, len(documents), task["batch"]):
            library.add(documents[start : start + task["batch"]])
        return len(documents) / (time.perf_counter() - began)


def _bodies(path: str) -> list[dict[str, Any]]:
    return [json.loads(body) for body in _lines(path)]


def _lines(path: str) -> list[str]:
    return [json.loads(line)["body"] for line in Path(path).read_text(encoding="ascii").splitlines()]


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))

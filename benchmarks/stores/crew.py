"""Workers in processes of their own, started together, waited for, or killed and replaced."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from threading import Thread
from typing import Any

from benchmarks.measure import RunFailed

Task = Mapping[str, Any]


class Worker:
    """A worker that runs; what it acknowledges is read as it comes.

    Attributes:
        task: what it was told; see `benchmarks.stores.worker`.
        acknowledged: the ids of each batch.
        seconds: how long all of them took; None until they are done.
    """

    def __init__(self, task: Task) -> None:
        self.task = dict(task)
        self.acknowledged: list[list[str]] = []
        self.seconds: float | None = None
        command = (sys.executable, "-m", "benchmarks.stores.worker", json.dumps(self.task))
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, encoding="utf-8", **pipes)
        self._is_ready = bool(self._line())
        self._reader = Thread(target=self._read)

    def begin(self) -> None:
        """Let it begin.

        Raises:
            RunFailed: it could not open the library.
        """
        if not self._is_ready or self.process.stdin is None:
            raise RunFailed(self._errors())
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self._reader.start()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.wait()

    def wait(self) -> bool:
        """Wait until it ends; return whether it has added everything."""
        self._reader.join()
        self.process.wait()
        return self.seconds is not None

    def finish(self) -> float:
        """Wait until it has added everything, and return the seconds of that.

        Raises:
            RunFailed: it ended before.
        """
        if not self.wait() or self.seconds is None:
            raise RunFailed(self._errors())
        return self.seconds

    def is_running(self) -> bool:
        """Whether it is at work."""
        return self.process.poll() is None and self.seconds is None

    def acknowledged_ids(self) -> set[str]:
        """The ids of all articles that it has said are there."""
        return {id_ for ids in self.acknowledged for id_ in ids}

    def following(self) -> Task:
        """What a worker in its place has still to do."""
        return self.task | {"done": self.task["done"] + len(self.acknowledged)}

    def _line(self) -> str:
        return self.process.stdout.readline() if self.process.stdout else ""

    def _read(self) -> None:
        while (line := self._line()).endswith("\n"):
            told = json.loads(line)
            if isinstance(told, list):
                self.acknowledged.append(told)
            else:
                self.seconds = told

    def _errors(self) -> str:
        return self.process.stderr.read().strip() if self.process.stderr else ""


def crew(workers: int, task: Task) -> list[Worker]:
    """Start as many workers, which wait to begin."""
    return [Worker(task | {"workers": workers, "worker": number, "done": 0}) for number in range(workers)]


def rate_of(workers: int, task: Task) -> float:
    """Return how many articles a second some workers add together, until the last of them has added its own.

    What a worker does after that, such as saving its index, does not count.

    Raises:
        RunFailed: one of them failed.
    """
    started = crew(workers, task)
    for worker in started:
        worker.begin()
    slowest = max([worker.finish() for worker in started])
    return float((task["stop"] - task["start"]) / slowest)

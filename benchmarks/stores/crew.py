"""Workers in separate processes: started together, then awaited, or killed and replaced."""

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
    """A running worker whose acknowledgements are read as they arrive.

    Attributes:
        task: its task; see `benchmarks.stores.worker`.
        acknowledged: the ids of each batch.
        seconds: total duration; None until it ends.
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
        """Start the work.

        Raises:
            RunFailed: it could not open the library.
        """
        if not self._is_ready or self.process.stdin is None:
            raise RunFailed(self._errors())
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self._reader.start()

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.wait()

    def wait(self) -> bool:
        """Wait until it ends; return whether it has added everything."""
        self._reader.join()
        self.process.wait()
        return self.seconds is not None

    def finish(self) -> float:
        """Wait until it has added everything, and return the seconds.

        Raises:
            RunFailed: it ended early.
        """
        if not self.wait() or self.seconds is None:
            raise RunFailed(self._errors())
        return self.seconds

    def is_running(self) -> bool:
        """True while it is running."""
        return self.process.poll() is None and self.seconds is None

    def acknowledged_ids(self) -> set[str]:
        """The ids of all acknowledged articles."""
        return {id_ for ids in self.acknowledged for id_ in ids}

    def following(self) -> Task:
        """Return the task of a worker that replaces this one."""
        return self.task | {"done": self.task["done"] + len(self.acknowledged)}

    def _line(self) -> str:
        return self.process.stdout.readline() if self.process.stdout else ""

    def _read(self) -> None:
        while (line := self._line()).endswith("\n"):
            message = json.loads(line)
            if isinstance(message, list):
                self.acknowledged.append(message)
            else:
                self.seconds = message

    def _errors(self) -> str:
        return self.process.stderr.read().strip() if self.process.stderr else ""


def crew(workers: int, task: Task) -> list[Worker]:
    """Start workers that wait for their start signal."""
    return [Worker(task | {"workers": workers, "worker": number, "done": 0}) for number in range(workers)]


def rate_of(workers: int, task: Task) -> float:
    """Return the articles per second of several workers together, until the last of them has added its articles.

    Later work of a worker, such as saving its index, is excluded.

    Raises:
        RunFailed: one of them failed.
    """
    started = crew(workers, task)
    for worker in started:
        worker.begin()
    slowest = max([worker.finish() for worker in started])
    return float((task["stop"] - task["start"]) / slowest)

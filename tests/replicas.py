"""Replicas of a service, each in processes of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from whorl.service.settings import Settings

PATIENCE = 120.0
"""Seconds to wait for what a replica does."""


class Replica:
    """A service in processes of its own.

    Args:
        settings: its libraries, its state and the folder of its files.
        log: file for its standard error.
        options: further options of the command.
        program: arguments of Python that run whorl.
    """

    def __init__(
        self,
        settings: Settings,
        log: Path,
        options: Sequence[str] = ("--port", "0"),
        program: Sequence[str | Path] = ("-m", "whorl"),
    ) -> None:
        self._log = log
        libraries = [f"{name}={address}" for name, address in settings.libraries.items()]
        command = [
            sys.executable, *program, "serve", *libraries,
            "--state", settings.state, "--files", settings.files, *options,
        ]  # fmt: skip
        with log.open("w") as stream:
            self.process = subprocess.Popen(command, stderr=stream, start_new_session=True)

    @property
    def address(self) -> str:
        """Return its address, once it responds."""
        until(lambda: "http://" in self.log())
        return next(word for word in self.log().split() if word.startswith("http://"))

    def log(self) -> str:
        """Return its standard error."""
        return self._log.read_text("utf-8")

    def workers(self) -> list[int]:
        """Return the processes that its first process has started."""
        process = self.process.pid
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text("utf-8").split()]

    def memory(self) -> int:
        """Return the bytes of private memory that all its processes take."""
        return sum(map(_private, [self.process.pid, *self.workers()]))

    def kill(self) -> None:
        """End all its processes like a crash."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait(PATIENCE)


def _private(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


def until(condition: Callable[[], Any]) -> Any:
    """Wait for a condition, and return its value."""
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return result

"""Cost of a program and its children: time, memory and disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_INTERVAL = 0.05
_ERROR_TAIL = 2000
_LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one run of a program.

    Attributes:
        wall: seconds from start to end.
        cpu: seconds of processor time, user and system.
        memory: peak resident memory in bytes, of the largest process or of all together (shared pages once).
        disk: peak bytes on disk of the watched folder.
    """

    wall: float
    cpu: float
    memory: int
    disk: int


class RunFailed(Exception):
    """A program failed; the message is the end of its output."""


def run(command: Sequence[str | Path], *, watch: Path | None = None, expected: int = 0) -> Cost:
    """Run a program and return its cost.

    Args:
        command: program and arguments.
        watch: folder whose size is sampled while the program runs.
        expected: exit code of the program.

    Raises:
        RunFailed: the program ended with another code than that.
    """
    with tempfile.TemporaryDirectory() as folder:
        report, errors = Path(folder) / "report.json", Path(folder) / "errors.txt"
        with errors.open("wb") as file:
            launched = [sys.executable, "-I", "-S", _LAUNCHER, report, *command]
            process = subprocess.Popen(launched, stdout=subprocess.DEVNULL, stderr=file, env=_as_installed())
            observer = _Observer(process.pid, watch)
            observer.start()
            code = process.wait()
            observer.stop()
        if code != expected:
            message = errors.read_text(encoding="utf-8", errors="replace")[-_ERROR_TAIL:]
            raise RunFailed(f"{Path(command[0]).name} ended with code {code}: {message}")
        usage = json.loads(report.read_text(encoding="ascii"))
    return Cost(usage["wall"], usage["cpu"], max(usage["memory"], observer.memory), observer.disk)


def _as_installed() -> dict[str, str]:
    """Return an environment in which Python caches compiled modules, as for an installed package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class _Observer(threading.Thread):
    """Thread that samples the memory of a program with several processes, and the size of a folder."""

    def __init__(self, launcher: int, watch: Path | None) -> None:
        super().__init__(daemon=True)
        self.memory = 0
        self.disk = 0
        self._launcher = launcher
        self._watch = watch
        self._ended = threading.Event()

    def run(self) -> None:
        """Sample until the process has ended."""
        while not self._ended.wait(_INTERVAL):
            program = _descendants(self._launcher)[1:]
            if len(program) > 1:
                self.memory = max(self.memory, sum(map(_proportional_memory, program)))
            if self._watch is not None:
                self.disk = max(self.disk, size_on_disk(self._watch))

    def stop(self) -> None:
        """Stop sampling."""
        self._ended.set()
        self.join()


def memory_of(process: int) -> int:
    """Return the bytes of memory of a process and its children, counting shared pages once."""
    return sum(map(_proportional_memory, _descendants(process)))


def processor_seconds(process: int) -> float:
    """Return the processor time that a process and its children have used."""
    ticks = 0
    for number in _descendants(process):
        ticks += sum(map(int, _read(Path(f"/proc/{number}/stat")).rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def size_on_disk(folder: Path) -> int:
    """Return the bytes on disk of the files of a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH116, PTH118 - called very often
            except FileNotFoundError:
                continue
    return total


def _descendants(process: int) -> list[int]:
    processes = [process]
    for parent in processes:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            processes += map(int, _read(children).split())
    return processes


def _proportional_memory(process: int) -> int:
    for line in _read(Path(f"/proc/{process}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""

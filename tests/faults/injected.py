"""Processes with injected faults in system calls."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("faults.c")

WRITE, RENAME, SYNC, OPEN, TRUNCATE, REMOVE, MKDIR = (1 << bit for bit in range(7))
EVERYTHING = 127
_NOTHING, _FAIL, _SHORT, _TORN, _KILL_BEFORE, _KILL_AFTER = range(6)
KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Fault:
    """A fault of some calls.

    Attributes:
        name: its name.
        kinds: affected kinds of calls.
        act: the effect.
        error: errno of a failing call.
        lasts: whether all later calls fail too, as on a full disk.
    """

    name: str
    kinds: int
    act: int
    error: int = 0
    lasts: bool = False


FAULTS = (
    Fault("killed before", EVERYTHING, _KILL_BEFORE),
    Fault("full disk", WRITE | OPEN | TRUNCATE | MKDIR | RENAME, _FAIL, errno.ENOSPC, lasts=True),
    Fault("killed after half a write", WRITE, _TORN),
    Fault("one write without room", WRITE, _FAIL, errno.ENOSPC),
    Fault("killed after", EVERYTHING, _KILL_AFTER),
    Fault("bad disk", EVERYTHING & ~REMOVE, _FAIL, errno.EIO, lasts=True),
    Fault("one bad write", WRITE, _FAIL, errno.EIO),
    Fault("one sync that failed", SYNC, _FAIL, errno.EIO),
    Fault("one renaming that failed", RENAME, _FAIL, errno.EIO),
    Fault("one file that cannot be opened", OPEN, _FAIL, errno.EIO),
    Fault("one truncation that failed", TRUNCATE, _FAIL, errno.EIO),
    Fault("one file that cannot be removed", REMOVE, _FAIL, errno.EIO),
    Fault("half a write at first", WRITE, _SHORT),
)
KILLS = tuple(fault for fault in FAULTS if fault.act in (_TORN, _KILL_BEFORE, _KILL_AFTER))
ERRORS = tuple(fault for fault in FAULTS if fault not in KILLS)


@dataclass(frozen=True)
class Ended:
    """A process that ended.

    Attributes:
        status: its exit code, or minus the signal.
        out: its stdout.
        error: its stderr.
        call_counts: number of counted calls per kind; empty if it was killed.
    """

    status: int
    out: str
    error: str
    call_counts: tuple[int, ...]

    def calls(self, kinds: int) -> int:
        """Return the number of counted calls of some kinds."""
        return sum(number for bit, number in enumerate(self.call_counts) if kinds >> bit & 1)


class Injector:
    """Context manager that starts works (see `works.py`) in processes with armed faults."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        library = self._folder / "faults.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-lpthread"], check=True)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(library), "COLUMNS": "300"},
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._server.communicate()

    def run(
        self, folder: Path, work: Sequence[str], fault: Fault | None = None, at: int = 0, log: Path | None = None
    ) -> Ended:
        """Run ``work`` and apply ``fault`` to call number ``at`` of its kinds.

        Args:
            folder: changes below it are counted.
            work: a function of `works.py` with its arguments.
            fault: the fault, or None.
            at: number of the affected call, from 1; 0 only counts the calls.
            log: file in which all changes are recorded.
        """
        arm: list[Any] = [EVERYTHING, 0, _NOTHING, 0, 0]
        if fault is not None:
            arm = [fault.kinds, at, fault.act, fault.error, int(fault.lasts)]
        out, error = self._folder / "out", self._folder / "error"
        for path in (out, error):
            path.unlink(missing_ok=True)
        request = {
            "work": work[0],
            "arguments": list(work[1:]),
            "arm": [str(folder), *arm],
            "log": None if log is None else str(log),
            "out": str(out),
            "error": str(error),
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        streams = (path.read_text(encoding="utf-8") for path in (out, error))
        return Ended(answer["status"], *streams, tuple(answer["seen"]))


__all__ = ["ERRORS", "FAULTS", "KILLED", "KILLS", "Ended", "Fault", "Injector"]

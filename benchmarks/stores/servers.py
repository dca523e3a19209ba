"""Locations of the measured libraries: folders, and the servers of the tests, run as programs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from benchmarks.measure import RunFailed


@dataclass(slots=True)
class Folders:
    """Libraries of SQLite.

    Args:
        folder: their parent folder.
    """

    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def fresh(self) -> str:
        """Return the address of an empty location."""
        return str(self.folder / f"library{next(self._numbers)}")


@dataclass(slots=True)
class OnServer:
    """Libraries on a server that can be killed.

    Args:
        process: the server process.
    """

    process: subprocess.Popen[str]

    def fresh(self) -> str:
        """Return the address of an empty location."""
        return self._command("fresh")

    def crash(self) -> None:
        """Kill all processes of the server, and start it again."""
        self._command("kill")
        self._command("start")

    def _command(self, command: str) -> str:
        if self.process.stdin is None or self.process.stdout is None:
            raise RunFailed("the server has no input stream")
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RunFailed("the server has ended")
        return answer


Places = Folders | OnServer


@contextmanager
def places(server: str, folder: Path) -> Iterator[Places]:
    """Provide locations for libraries: on a server of this kind, or in a folder by default.

    Raises:
        RunFailed: it is not available; the message states the reason.
    """
    if not server:
        yield Folders(folder)
        return
    command = (sys.executable, "-m", "tests.servers", server)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, encoding="utf-8", **pipes) as process:
        if process.stdout is None or process.stderr is None or not process.stdout.readline():
            raise RunFailed(process.stderr.read().strip() if process.stderr else "the server did not begin")
        yield OnServer(process)
        process.communicate()

"""The service in processes of its own, and how it is asked and how much memory it holds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.measure import RunFailed, memory_of

LIBRARY = "news"
_SERVE = """
import sys
from whorl.service.serving import serve
from whorl.service.settings import Settings

library, state, workers = sys.argv[1:]
serve(Settings({"news": library}, state, port=0, workers=int(workers)), lambda address: print(address, flush=True))
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A service that runs.

    Attributes:
        host: where it is.
        port: where it is.
        process: its first process.
    """

    host: str
    port: int
    process: int

    def load(
        self,
        path: str,
        bodies: Path | None = None,
        *,
        connections: int,
        seconds: float,
        once: bool = False,
        rate: float = 0.0,
        type: str = "application/json",
    ) -> dict[str, Any]:
        """Ask for some time, and return how many requests were answered, how fast, and how many badly.

        Args:
            path: what is asked.
            bodies: JSON Lines of ``body`` and ``has``, what an answer must have; None asks without a body (GET).
            connections: at once.
            seconds: for which it is asked.
            once: whether each body is sent once, and the end of them the end of all.
            rate: requests a second; 0 for as many as are answered.
            type: of the bodies.

        Raises:
            RunFailed: a connection broke.
        """
        told = {"host": self.host, "port": self.port, "path": path, "bodies": bodies and str(bodies), "type": type}
        told |= {"method": "POST" if bodies else "GET", "once": once, "rate": rate}
        told |= {"connections": connections, "seconds": seconds}
        command = (sys.executable, "-m", "benchmarks.serving.load", json.dumps(told))
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
        if done.returncode:
            raise RunFailed(done.stderr)
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures

    def memory(self) -> int:
        """Return the bytes that all its processes hold, pages that they share once."""
        return memory_of(self.process)


@contextmanager
def serving(library: Path, state: Path, workers: int) -> Iterator[Server]:
    """Run the service over a library, on a free port that only this machine reaches.

    Raises:
        RunFailed: it does not begin, or does not end well.
    """
    command = (sys.executable, "-c", _SERVE, str(library), str(state), str(workers))
    with (
        library.with_name("requests.log").open("ab") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, encoding="utf-8") as process,
    ):
        try:
            if process.stdout is None or not (address := process.stdout.readline().strip()):
                raise RunFailed("the service did not begin")
            found = urlsplit(address)
            yield Server(str(found.hostname), int(found.port or 0), process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

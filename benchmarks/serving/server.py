"""The service in separate processes, its load and its memory."""

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

library, state, files, workers = sys.argv[1:]
settings = Settings({"news": library}, state, port=0, files=files, workers=int(workers))
serve(settings, lambda address: print(address, flush=True))
"""


@dataclass(frozen=True, slots=True)
class Server:
    """A running service.

    Attributes:
        host: its host.
        port: its port.
        process: its main process.
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
        """Send requests for some time; return how many were answered, how fast, and how many failed.

        Args:
            path: path of the requests.
            bodies: JSON Lines of ``body`` and ``has``, the expected content of the response; None sends GET without a
                body.
            connections: number of concurrent connections.
            seconds: duration.
            once: send each body once, and stop after the last one.
            rate: requests per second; 0 for the maximum.
            type: content type of the bodies.

        Raises:
            RunFailed: a connection broke.
        """
        task = {"host": self.host, "port": self.port, "path": path, "bodies": bodies and str(bodies), "type": type}
        task |= {"method": "POST" if bodies else "GET", "once": once, "rate": rate}
        task |= {"connections": connections, "seconds": seconds}
        command = (sys.executable, "-m", "benchmarks.serving.load", json.dumps(task))
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
        if done.returncode:
            raise RunFailed(done.stderr)
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures

    def memory(self) -> int:
        """Return the memory of all its processes in bytes, counting shared pages once."""
        return memory_of(self.process)


@contextmanager
def serving(library: str, state: str, folder: Path, workers: int) -> Iterator[Server]:
    """Run the service over a library, on a free local port.

    Args:
        library: address of the library.
        state: folder or address of the state.
        folder: folder of its log and of the files of jobs.
        workers: number of worker processes.

    Raises:
        RunFailed: it did not start or ended with an error.
    """
    command = (sys.executable, "-c", _SERVE, library, state, str(folder / "files"), str(workers))
    with (
        (folder / "requests.log").open("ab") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, encoding="utf-8") as process,
    ):
        try:
            if process.stdout is None or not (address := process.stdout.readline().strip()):
                raise RunFailed("the service did not begin")
            url = urlsplit(address)
            yield Server(str(url.hostname), int(url.port or 0), process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

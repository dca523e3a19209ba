"""Real databases and reverse proxies for tests and benchmarks: each with a separate folder and a free local port.

When started by root they run as the user nobody. They are stopped by process id, and end with the process that started
them. `scripts/servers.sh` installs their programs. The requirements of a server are in the module of its name;
`tests.servers.shared` provides one database server of each kind for all tests of a run.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self
from urllib.parse import quote

UNPACKED = Path(__file__).parents[2] / ".servers" / "unpacked"
"""The folder in which `scripts/servers.sh` unpacks missing programs."""

HOST = "127.0.0.1"
USER = "whorl"
PASSWORD = "p@ss:w/rd#% 密"
"""The password of every server; it must be quoted in an address."""

QUOTED = quote(PASSWORD, safe="")

_PATIENCE = 60.0
_PAUSE = 0.02
_SIGNAL_AT_DEATH_OF_PARENT = 1


class Unavailable(Exception):
    """A server is not available on this machine; the message names it and a fix."""


class Server(ABC):
    """A server; a context manager that stops it and removes its folder, or controlled by its methods.

    Args:
        folder: its data folder, which must be accessible to its user; None for a temporary one.
        port: its port; None for a free one.
    """

    name: ClassVar[str]

    def __init__(self, folder: Path | None = None, port: int | None = None) -> None:
        self._is_temporary = folder is None
        self.folder = Path(tempfile.mkdtemp(prefix=f"whorl-{self.name}-")) if folder is None else folder
        self.port = free_port() if port is None else port
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def prepare(self) -> None:
        """Create the initial data of a server of this kind in ``folder``."""

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """Return the program and its arguments; it must run in the foreground."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Return True if it responds."""

    @abstractmethod
    def fresh(self) -> str:
        """Return the address of a new, empty and private location on it."""

    def start(self) -> None:
        """Start it, and wait until it responds.

        Raises:
            Unavailable: the program is missing, exits, or does not respond for a minute.
        """
        if not self._log.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            if is_root():
                shutil.chown(self.folder, *_nobody())
            self._log.touch()
            self.prepare()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                list(map(str, self.command())),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - a process without threads starts it
                **_unprivileged(),
            )
        deadline = time.monotonic() + _PATIENCE
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise Unavailable(f"{self.name} did not start: {self._last_words()}")
            time.sleep(_PAUSE)

    def kill(self) -> None:
        """Kill it like a crash, with all processes that it started."""
        if self._process is not None:
            for process in [*_children(self._process.pid), self._process.pid]:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Shut it down cleanly, and remove its temporary folder."""
        if self._process is not None:
            self._process.send_signal(self.ending)
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None
        if self._is_temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    ending: ClassVar[signal.Signals] = signal.SIGTERM

    def run(self, *command: str | Path, input: str = "") -> None:
        """Run a program that prepares data, as the user of the server, with some input.

        Raises:
            Unavailable: it failed.
        """
        arguments = list(map(str, command))
        with self._log.open("ab") as log:
            ended = subprocess.run(
                arguments, input=input.encode(), stdout=log, stderr=log, cwd=self.folder, check=False, **_unprivileged()
            )
        if ended.returncode:
            raise Unavailable(f"{self.name} could not be prepared: {self._last_words()}")

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _last_words(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-2000:]

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def program(name: str, patterns: Iterable[str]) -> Path:
    """Return the path of a server program: the one unpacked below the checkout, or else that of the system.

    Args:
        name: its name.
        patterns: folders, from the root of the system, in which it may be if it is not on the path.

    Raises:
        Unavailable: it is not installed.
    """
    for root in (UNPACKED, Path("/")):
        for pattern in patterns:
            for folder in sorted(root.glob(pattern), reverse=True):
                if os.access(folder / name, os.X_OK):
                    return folder / name
        if root is UNPACKED and (path := shutil.which(name)):
            return Path(path)
    raise Unavailable(f"{name} is not installed. Hint: run sh scripts/servers.sh")


def answers(port: int) -> bool:
    """Return True if something listens on a port of this machine."""
    with socket.socket() as connection:
        connection.settimeout(1)
        return connection.connect_ex((HOST, port)) == 0


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as connection:
        connection.bind((HOST, 0))
        return int(connection.getsockname()[1])


def is_root() -> bool:
    """Return True if this process is root, which servers must not be."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _nobody() -> tuple[int, int]:
    import pwd

    entry = pwd.getpwnam("nobody")
    return entry.pw_uid, entry.pw_gid


def _unprivileged() -> dict[str, object]:
    """Return a function that drops the privileges of a process, and an environment with the unpacked libraries."""
    libraries = [str(folder) for folder in sorted(UNPACKED.glob("usr/lib/*-linux-gnu*"))]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    if libraries:
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
    if not is_root():
        return {"env": environment}
    user, group = _nobody()
    return {"env": environment, "user": user, "group": group, "extra_groups": []}


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SIGNAL_AT_DEATH_OF_PARENT, signal.SIGKILL)


def _children(parent: int) -> list[int]:
    """Return the child processes of a process."""
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listing.splitlines()]
    return [process for process, of in pairs if of == parent]

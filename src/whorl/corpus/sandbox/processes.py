"""Worker processes and their pools.

A process belongs to one file at a time, or to a thread that reads files ahead. A thread reads its answers, so that
waiting for them has a time limit; its memory is checked from outside.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import stat
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Lock, Thread, local
from time import monotonic
from typing import IO, Any, ClassVar

from whorl._internal.interruption import demand_interest
from whorl.corpus.contract import Source
from whorl.corpus.sandbox.channel import CAN_PASS_FILES, RequestSender
from whorl.corpus.sandbox.confinement import environment
from whorl.corpus.sandbox.frames import WRITTEN, receive, send
from whorl.corpus.sandbox.isolation import process_limit
from whorl.errors import IsolationError
from whorl.i18n import say

Frame = tuple[dict[str, Any], bytes]

_WAITING = 8
_COPY_BYTES = 2**20
_START_SECONDS = 60.0
_MOMENT = 0.01
_LOOK_SECONDS = 0.2
_MOST_BUSY = 10
"""On a busy machine a process that had too little of the processors may take this many times its limit."""


class WorkerProcess:
    """A worker process and its queue of unread requests.

    Args:
        writes: whether it may write files, in its private folder.
    """

    def __init__(self, *, writes: bool = False) -> None:
        self.questions: deque[str] = deque()
        self.is_sound = True
        self.folder = TemporaryDirectory(prefix="whorl-rows-") if writes else None
        self._begin()

    def _begin(self) -> None:
        command = [sys.executable, "-m", "whorl.corpus.sandbox.worker"]
        surroundings = environment()
        if self.folder is not None:
            command.append(self.folder.name)
            surroundings["TMPDIR"] = self.folder.name
        self._sender = RequestSender() if CAN_PASS_FILES else None
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if self._sender is None else self._sender.end.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=surroundings,
        )
        if self._sender is not None:
            self._sender.end.close()
        self._answers: Queue[Frame | None] = Queue(_WAITING)
        self._listener = Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True)
        self._listener.start()
        self.has_answered = self._is_ready = False
        self.loaded: set[str] = set()

    def ask(self, question: str) -> None:
        """Queue a request."""
        self.questions.append(question)
        self._send(question)

    def turn_to(self, question: str) -> None:
        """Skip unread requests before this one."""
        if self.questions and self.questions[0] != question:
            while self.questions[0] != question:
                self.questions.popleft()
            self.renew()
        elif not self.questions:
            self.ask(question)
        self.is_sound = False

    def answer(self, source: Source, kind: str, seconds: float, most_bytes: int) -> Frame | None:
        """Return the next frame about a file of a kind; None if the process has ended.

        On a busy machine ``seconds`` are those that the process used, so that which files are read does not depend on
        what else runs. Where others wait, for files from other users, and where the system does not report what a
        process used, they are those that passed.

        Raises:
            Empty: no frame arrived within ``seconds``.
            MemoryError: the process exceeds ``most_bytes``. This is checked from outside, because a compromised parser
                could raise its own limit.
            IsolationError: the process cannot be started, or cannot load its libraries.
            Interrupted: nobody waits for the result any longer (see `whorl._internal.interruption`).
        """
        while not self._is_ready or kind not in self.loaded:
            try:
                frame = self._answers.get(timeout=_START_SECONDS)
            except Empty:
                raise cannot_start(say("it did not start within {seconds:.0f} s", seconds=_START_SECONDS)) from None
            if frame is None:
                raise cannot_start(say("it exited before reading anything"))
            if frame[0]["is"] == "unable":
                raise cannot_start(frame[0]["why"])
            self._is_ready = True
            if frame[0]["is"] == "loaded":
                self.loaded.add(kind)
        is_patient = not (self.has_answered or source.untrusted)  # libraries load more modules at the first file
        patience = seconds + (_START_SECONDS if is_patient else 0)
        frame = self._next(patience, most_bytes, patience if source.untrusted else _MOST_BUSY * patience)
        self.has_answered = True
        return frame

    def _next(self, seconds: float, most_bytes: int, most_seconds: float) -> Frame | None:
        begun, used_before = monotonic(), self._used_seconds()
        end = begun + seconds
        while True:
            demand_interest()
            remaining = end - monotonic()
            try:
                return self._answers.get(timeout=max(_MOMENT, min(remaining, _LOOK_SECONDS)))
            except Empty:
                if self._memory() > most_bytes:
                    raise MemoryError from None
                if remaining <= 0:
                    used = self._used_seconds()
                    unused = 0.0 if used is None or used_before is None else seconds - (used - used_before)
                    if unused <= 0 or monotonic() - begun >= most_seconds:
                        raise
                    end = monotonic() + unused

    def _used_seconds(self) -> float | None:
        """Return the processor time that it used; None if the system does not report it."""
        try:
            state = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8", errors="replace")
            user, system = state.rpartition(")")[2].split()[11:13]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, AttributeError):
            return None

    def _memory(self) -> int:
        """Return its resident memory in bytes; 0 if the system does not report it."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, ValueError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")

    def renew(self) -> None:
        """Replace the process, and repeat the unanswered requests."""
        self.end()
        self._begin()
        for question in self.questions:
            self._send(question)

    def take_written(self, target: Path) -> None:
        """Copy the file that it wrote; only a regular file is accepted, not a link."""
        if self.folder is None:
            return
        written = Path(self.folder.name, WRITTEN)
        opened = os.open(written, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(opened, "rb") as file, target.open("wb") as copy:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise OSError(f"{written} is no file")
            shutil.copyfileobj(file, copy, _COPY_BYTES)
        written.unlink()

    def close(self) -> None:
        """End the process permanently."""
        self.end()
        if self.folder is not None:
            self.folder.cleanup()

    def end(self) -> None:
        """Kill the process in any state, and discard its output."""
        self._process.kill()
        self._process.wait()
        while self._listener.is_alive():
            with suppress(Empty):
                self._answers.get(timeout=_MOMENT)
        for stream in (self._process.stdin, self._process.stdout, self._sender):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _send(self, question: str) -> None:
        header = json.loads(question)
        with suppress(OSError):  # it has ended, which shows in its answer
            if self._sender is not None:
                self._sender.send(header)
            elif self._process.stdin is not None:
                send(self._process.stdin, header)


def cannot_start(reason: str) -> IsolationError:
    """Return the error for a process that cannot be started."""
    return IsolationError(
        say("cannot start the process that parses files: {reason}", reason=reason),
        hint=say("raise the limits of memory and processes (`ulimit -v`, `ulimit -u`), and check the installation"),
    )


def _listen(stream: IO[bytes], answers: Queue[Frame | None]) -> None:
    frame: Frame | None = ({}, b"")
    while frame is not None:
        frame = receive(stream)
        answers.put(frame)


class ProcessPool:
    """Pool of idle processes. Thread-safe."""

    def __init__(self, *, writes: bool = False) -> None:
        self._writes = writes
        self._lock = Lock()
        self._all: list[WorkerProcess] = []
        self._idle: list[WorkerProcess] = []

    @property
    def has_idle(self) -> bool:
        """True if a process is ready, so that `take` does not start one."""
        return bool(self._idle)

    def take(self) -> WorkerProcess:
        """Return a process without requests."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        try:
            process = WorkerProcess(writes=self._writes)
        except OSError as error:
            raise cannot_start(str(error.strerror)) from error
        with self._lock:
            self._all.append(process)
        return process

    def give(self, process: WorkerProcess) -> None:
        """Return a process to the pool; it is ended if an answer is incomplete or the pool is full."""
        with self._lock:
            is_wanted = not process.questions and process.is_sound and len(self._idle) < process_limit()
            if is_wanted:
                self._idle.append(process)
                return
            self._all.remove(process)
        process.close()

    def close(self) -> None:
        """End all processes."""
        for process in self._all:
            process.close()


class ProcessState(local):
    """State of this process and thread; a forked child does not inherit it."""

    pool: ClassVar[ProcessPool | None] = None
    writers: ClassVar[ProcessPool | None] = None

    def __init__(self) -> None:
        self.assigned: dict[str, WorkerProcess] = {}


CURRENT = ProcessState()


def reading_pool() -> ProcessPool:
    """Return the pool of processes that only read."""
    if ProcessState.pool is None:
        ProcessState.pool = ProcessPool()
        atexit.register(_close, ProcessState.pool)
    return ProcessState.pool


def writing_pool() -> ProcessPool:
    """Return the pool of processes that may write files, each in a private folder."""
    if ProcessState.writers is None:
        ProcessState.writers = ProcessPool(writes=True)
        atexit.register(_close, ProcessState.writers)
    return ProcessState.writers


def _close(pool: ProcessPool) -> None:
    if pool in (ProcessState.pool, ProcessState.writers):
        pool.close()


def _forget() -> None:
    ProcessState.pool = ProcessState.writers = None
    CURRENT.assigned.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def least_busy(processes: list[WorkerProcess], useful: int) -> WorkerProcess:
    """Return the process with the fewest requests, after adding one if that is of use.

    Args:
        processes: the processes of the caller.
        useful: number of processes for which there is enough to do; idle processes are added beyond it.
    """
    limit, pool = process_limit(), reading_pool()
    if len(processes) < limit and (len(processes) < useful or pool.has_idle):
        processes.append(pool.take())
        return processes[-1]
    return min(processes, key=lambda process: len(process.questions))


__all__ = [
    "CURRENT",
    "Frame",
    "ProcessPool",
    "ProcessState",
    "WorkerProcess",
    "cannot_start",
    "least_busy",
    "reading_pool",
    "writing_pool",
]

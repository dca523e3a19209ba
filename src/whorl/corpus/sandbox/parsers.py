"""Client side of the worker processes: send files, receive batches."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import stat
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Lock, Thread, local
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, ClassVar

from whorl._internal.interruption import demand_interest
from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import Batch, Columns, Format, ReadOptions, Source
from whorl.corpus.sandbox.budget import BUDGETS, OURS, UNTRUSTED
from whorl.corpus.sandbox.channel import CAN_PASS_FILES, RequestSender
from whorl.corpus.sandbox.confinement import environment
from whorl.corpus.sandbox.frames import WRITTEN, kept_rows, read_request, receive, send, unpack, write_request
from whorl.errors import InputError, IsolationError, UsageError
from whorl.i18n import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.corpus.rejects import Rejects

Frame = tuple[dict[str, Any], bytes]

_AHEAD = 32
_AHEAD_BYTES = 32 * 2**20
_WAITING = 8
_PIECE_BYTES = 2**20
_START_SECONDS = 60.0
_MOMENT = 0.01
_PARSED_TO_WRITE = frozenset(("xlsx",))
"""Formats that must be parsed again to write kept rows; other formats are copied."""
_ENDS = ("end", "refused", "memory", "failed", "unable")
_LOOK_SECONDS = 0.2
_LIBRARY_BYTES = 768 * 2**20
"""Memory allowance of a process before it reads a file."""
_HINT = say("save it again, or as text")


class _WorkerProcess:
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

    def answer(self, source: Source, seconds: float, most_bytes: int) -> Frame | None:
        """Return the next frame about a file; None if the process has ended.

        Raises:
            Empty: no frame arrived within ``seconds``.
            MemoryError: the process exceeds ``most_bytes``. This is checked from outside, because a compromised parser
                could raise its own limit.
            IsolationError: the process cannot be started, or cannot load its libraries.
            Interrupted: nobody waits for the result any longer (see `whorl._internal.interruption`).
        """
        while not self._is_ready or source.format not in self.loaded:
            try:
                frame = self._answers.get(timeout=_START_SECONDS)
            except Empty:
                raise _unable(say("it did not start within {seconds:.0f} s", seconds=_START_SECONDS)) from None
            if frame is None:
                raise _unable(say("it exited before reading anything"))
            if frame[0]["is"] == "unable":
                raise _unable(frame[0]["why"])
            self._is_ready = True
            if frame[0]["is"] == "loaded":
                self.loaded.add(source.format)
        is_patient = not (self.has_answered or source.untrusted)  # libraries load more modules at the first file
        frame = self._next(seconds + (_START_SECONDS if is_patient else 0), most_bytes)
        self.has_answered = True
        return frame

    def _next(self, seconds: float, most_bytes: int) -> Frame | None:
        end = monotonic() + seconds
        while True:
            demand_interest()
            remaining = end - monotonic()
            try:
                return self._answers.get(timeout=max(_MOMENT, min(remaining, _LOOK_SECONDS)))
            except Empty:
                if self._memory() > most_bytes:
                    raise MemoryError from None
                if remaining <= 0:
                    raise

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
            shutil.copyfileobj(file, copy, _PIECE_BYTES)
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


def _unable(reason: str) -> IsolationError:
    return IsolationError(
        say("cannot start the process that parses files: {reason}", reason=reason),
        hint=say("raise the limits of memory and processes (`ulimit -v`, `ulimit -u`), and check the installation"),
    )


def _listen(stream: IO[bytes], answers: Queue[Frame | None]) -> None:
    frame: Frame | None = ({}, b"")
    while frame is not None:
        frame = receive(stream)
        answers.put(frame)


class _ProcessPool:
    """Pool of idle processes. Thread-safe."""

    def __init__(self, *, writes: bool = False) -> None:
        self._writes = writes
        self._lock = Lock()
        self._all: list[_WorkerProcess] = []
        self._idle: list[_WorkerProcess] = []

    def take(self) -> _WorkerProcess:
        """Return a process without requests."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        try:
            process = _WorkerProcess(writes=self._writes)
        except OSError as error:
            raise _unable(str(error.strerror)) from error
        with self._lock:
            self._all.append(process)
        return process

    def give(self, process: _WorkerProcess) -> None:
        """Return a process to the pool; it is ended if an answer is incomplete or the pool is full."""
        with self._lock:
            is_wanted = not process.questions and process.is_sound and len(self._idle) < _processes()
            if is_wanted:
                self._idle.append(process)
                return
            self._all.remove(process)
        process.close()

    def close(self) -> None:
        """End all processes."""
        for process in self._all:
            process.close()


class _ProcessState(local):
    """State of this process and thread; a forked child does not inherit it."""

    pool: ClassVar[_ProcessPool | None] = None
    writers: ClassVar[_ProcessPool | None] = None

    def __init__(self) -> None:
        self.assigned: dict[str, _WorkerProcess] = {}
        self.limit: int | None = None


_CURRENT = _ProcessState()


def _pool() -> _ProcessPool:
    if _ProcessState.pool is None:
        _ProcessState.pool = _ProcessPool()
        atexit.register(_close, _ProcessState.pool)
    return _ProcessState.pool


def _writers() -> _ProcessPool:
    """Return the pool of processes that may write files, each in a private folder."""
    if _ProcessState.writers is None:
        _ProcessState.writers = _ProcessPool(writes=True)
        atexit.register(_close, _ProcessState.writers)
    return _ProcessState.writers


def _close(pool: _ProcessPool) -> None:
    if pool in (_ProcessState.pool, _ProcessState.writers):
        pool.close()


def _forget() -> None:
    _ProcessState.pool = _ProcessState.writers = None
    _CURRENT.assigned.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class SandboxedFormat:
    """A format whose files are read in worker processes; implements `whorl.corpus.contract.Format`.

    Args:
        module: the format.
        foreign: the name of a reader module outside the corpus formats.
    """

    def __init__(self, module: Format, foreign: str | None = None) -> None:
        self._module = module
        self._foreign = foreign

    def read(self, source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
        """See the contract. A file that exceeds its budget or crashes its parser is rejected as a whole.

        Memory: the rows of a file, until all of it is read.
        """
        question = _question(source, columns, rejects, options, self._foreign)
        batches: list[Frame] = []
        with closing(_answer(question, source)) as answer:
            try:
                for frame in answer:
                    if frame[0]["is"] == "batch":
                        batches.append(frame)
                    elif frame[0]["is"] == "aside":
                        rejects.keep_rows(source, kept_rows(frame[0]), self.write, options)
                    else:
                        _reject(source, rejects, frame[0], answer)
            except _BrokenError as broken:
                rejects.add(source, row=None, line=None, reason=broken.reason, data=_bytes(source, options))
                return
        for header, payload in batches:
            yield unpack(header, payload)

    def write(self, source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
        """See the contract. If the file must be parsed again, it is parsed within its budget.

        Raises:
            InputError: the file exceeds its time or memory, or its parser crashes. No row is kept of a file that was
                not read.
        """
        if source.format not in _PARSED_TO_WRITE:
            return self._module.write(source, target, keep, options)
        if not len(keep):
            return 0
        question = json.dumps(write_request(source, keep, options))
        try:
            with closing(_answer(question, source, target)) as answer:
                return sum(header["rows"] for header, _ in answer)
        except _BrokenError as broken:
            problem = say(
                "{label}: its kept rows cannot be written: {reason}", label=source.label, reason=broken.reason
            )
            raise InputError(problem, hint=say("save it again, or remove it from the input")) from broken


class _BrokenError(Exception):
    """A file was not read completely; the message is one plain sentence with a hint."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


def _answer(question: str, source: Source, target: Path | None = None) -> Generator[Frame, None, None]:
    """Yield the frames of an answer except the last; a written file is copied to ``target``.

    Raises:
        IsolationError: no process can be started to read the file.
        InputError: the file cannot be read.
        UsageError: a requirement for that is missing.
        _BrokenError: the time or memory limit was exceeded, or the parser crashed.
    """
    ahead = _CURRENT.assigned.pop(question, None)
    pool = _pool() if target is None else _writers()
    process = pool.take() if ahead is None else ahead
    process.turn_to(question)
    end = monotonic() + UNTRUSTED.time(source.size) if source.untrusted else None
    is_limited = False
    try:
        frame = _first(process, source, end)
        while frame[0]["is"] not in _ENDS:
            if frame[0]["is"] == "limited":
                is_limited = True
            else:
                yield frame
            frame = _next(process, source, end)
        process.is_sound = True
        _raise(frame[0], source)
        if target is not None:
            process.take_written(target)
    except _StarvedError as broken:
        if is_limited:
            raise _unable(_too_little(source)) from broken
        raise
    finally:
        process.questions.popleft()
        if ahead is None:
            pool.give(process)
        elif not process.is_sound:
            process.renew()
            process.is_sound = True


def _first(process: _WorkerProcess, source: Source, end: float | None) -> Frame:
    """Return the first frame of an answer; a reused process that ends or lacks memory is replaced once."""
    is_used = process.has_answered
    frame: Frame | None = None
    try:
        frame = _next(process, source, end)
    except _CrashedError:
        if not is_used:
            raise
    if frame is None or (frame[0]["is"] == "memory" and is_used):
        process.renew()
        return _next(process, source, end)
    return frame


def _next(process: _WorkerProcess, source: Source, end: float | None) -> Frame:
    """Return the next frame; all frames of a file from another user must arrive before ``end``."""
    budget = BUDGETS[source.format]
    seconds = budget.time(source.size)
    if end is not None:
        seconds = min(seconds, UNTRUSTED.time(source.size))
    remaining = seconds if end is None else min(seconds, max(_MOMENT, end - monotonic()))
    try:
        frame = process.answer(source, remaining, budget.memory(source.size) + _LIBRARY_BYTES)
    except Empty:
        raise _BrokenError(
            say("reading it took longer than {seconds:.0f} s: {hint}", seconds=seconds, hint=_HINT)
        ) from None
    except MemoryError:
        raise _BrokenError(_too_much_memory(source)) from None
    if frame is None:
        raise _CrashedError(say("its parser crashed: {hint}", hint=_HINT))
    return frame


class _StarvedError(_BrokenError):
    """The process ran out of memory; a retry in a new process may succeed."""


class _CrashedError(_StarvedError):
    """The process has ended."""


def _raise(end: dict[str, Any], source: Source) -> None:
    """Raise the error with which an answer ended; return if it is complete."""
    if end["is"] == "refused":
        kind = UsageError if end["usage"] else InputError
        raise kind(end["message"], hint=end["hint"])
    if end["is"] == "unable":
        raise _unable(end["why"])
    if end["is"] == "memory":
        raise _StarvedError(_too_much_memory(source))
    if end["is"] == "failed":
        failure = _StarvedError if end["starved"] else _BrokenError
        raise failure(say("its parser failed ({why}): {hint}", why=end["why"], hint=_HINT))


def _too_much_memory(source: Source) -> Message:
    megabytes = BUDGETS[source.format].memory(source.size) >> 20
    return say("reading it takes more than {most} MB of memory: {hint}", most=megabytes, hint=_HINT)


def _too_little(source: Source) -> Message:
    megabytes = BUDGETS[source.format].memory(source.size) >> 20
    return say("a limit leaves it less than {most} MB of memory to read {label}", most=megabytes, label=source.label)


def _question(
    source: Source, columns: Columns, rejects: Rejects, options: ReadOptions, module: str | None = None
) -> str:
    return json.dumps(read_request(source, columns, options, module=module, keeps=rejects.folder is not None))


def _reject(source: Source, rejects: Rejects, header: dict[str, Any], answer: Iterator[Frame]) -> None:
    row, line, reason = header["row"], header["line"], header["reason"]
    if header["is"] == "note":
        rejects.note(source, row=row, line=line, reason=reason, size=header["size"])
    else:
        rejects.add(source, row=row, line=line, reason=reason, data=_pieces(answer))


def _pieces(answer: Iterator[Frame]) -> Iterator[bytes]:
    for header, payload in answer:
        if header["is"] != "piece":
            return
        yield payload


def _bytes(source: Source, options: ReadOptions) -> Iterator[bytes]:
    """Yield the bytes of a file; of a compressed file at most ``max_row_bytes``."""
    size = 0
    with ByteReader(source) as stream, suppress(TruncatedStream):
        while (source.compression is None or size < options.max_row_bytes) and (piece := stream.read(_PIECE_BYTES)):
            size += len(piece)
            yield piece


def sources_ahead(
    sources: Iterable[Source],
    columns: Columns,
    rejects: Rejects,
    options: ReadOptions,
    module: str | None = None,
) -> Generator[Source, None, None]:
    """Yield files in order, while worker processes already read the following ones.

    Each file must be read with these columns and options, in this order, before the next one is requested. At most
    ``_AHEAD`` files are read ahead, and of large files about ``_AHEAD_BYTES`` or one per process. ``module`` is the
    name of a reader module outside the corpus formats; see ``SandboxedFormat``.
    """
    waiting: deque[tuple[Source, int]] = deque()
    processes: list[_WorkerProcess] = []
    try:
        for source in sources:
            waiting.append((source, source.size))
            if is_isolated(source) and source.path is not None and source.path.is_file():
                question = _question(source, columns.of(source), rejects, options, module)
                process = _least_busy(processes)
                process.ask(question)
                _CURRENT.assigned[question] = process
            while len(waiting) > _AHEAD or (
                len(waiting) > _processes() and sum(size for _, size in waiting) > _AHEAD_BYTES
            ):
                yield waiting.popleft()[0]
        yield from (source for source, _ in waiting)
    finally:
        for process in processes:
            for question in process.questions:
                _CURRENT.assigned.pop(question, None)
            _pool().give(process)


def is_isolated(source: Source) -> bool:
    """True if a file is read by a worker process: by its format, and always if another user sent it."""
    is_bounded = source.format in BUDGETS and (source.untrusted or source.format not in OURS)
    return is_bounded and source.path is not None and is_possible()


def is_possible() -> bool:
    """True if a process can be started: a program that embeds Python is not an interpreter."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


@contextmanager
def processes_bounded(limit: int | None) -> Iterator[None]:
    """Limit the number of processes for files read in this thread; None is one per core, which is also the maximum."""
    before, _CURRENT.limit = _CURRENT.limit, limit
    try:
        yield
    finally:
        _CURRENT.limit = before


def _processes() -> int:
    """Return the number of processes for reading."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if _CURRENT.limit is None else min(cores, _CURRENT.limit)


def _least_busy(processes: list[_WorkerProcess]) -> _WorkerProcess:
    """Return the process with the fewest requests if all allowed processes exist."""
    if len(processes) < _processes():
        processes.append(_pool().take())
        return processes[-1]
    return min(processes, key=lambda process: len(process.questions))


__all__ = ["SandboxedFormat", "is_isolated", "is_possible", "processes_bounded", "sources_ahead"]

"""The processes that parse, as the run sees them: files go in, batches come out."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread, local
from typing import IO, TYPE_CHECKING, Any, ClassVar

from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import Batch, Columns, Format, ReadOptions, Source
from whorl.corpus.isolated.budget import BUDGETS
from whorl.corpus.isolated.frames import asked, asked_to_write, receive, send, unpack
from whorl.errors import InputError, UsageError
from whorl.language import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.corpus.rejected import Rejects

Frame = tuple[dict[str, Any], bytes]

_AHEAD = 32
_AHEAD_BYTES = 32 * 2**20
_WAITING = 8
_PIECE_BYTES = 2**20
_START_SECONDS = 60.0
_MOMENT = 0.01
_PARSED_TO_WRITE = frozenset(("xlsx",))
"""The formats whose files are parsed again where kept rows are written; others are copied."""
_ENDS = ("end", "refused", "memory", "failed")
_CURE = say("save it again, or as text")


class _Process:
    """One process, and what it was asked and has not been listened to yet."""

    def __init__(self) -> None:
        self.questions: deque[str] = deque()
        self.is_sound = True
        self._begin()

    def _begin(self) -> None:
        command = [sys.executable, "-m", "whorl.corpus.isolated.worker"]
        path = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "ARROW_DEFAULT_MEMORY_POOL": "system"},
        )
        self._answers: Queue[Frame | None] = Queue(_WAITING)
        self._listener = Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True)
        self._listener.start()
        self.has_answered = False

    def ask(self, question: str) -> None:
        """Put a question behind those that were asked."""
        self.questions.append(question)
        self._send(question)

    def turn_to(self, question: str) -> None:
        """Pass over what was asked before a question and nobody listened to."""
        if self.questions and self.questions[0] != question:
            while self.questions[0] != question:
                self.questions.popleft()
            self.renew()
        elif not self.questions:
            self.ask(question)
        self.is_sound = False

    def answer(self, seconds: float) -> Frame | None:
        """The next frame; None where the process ended. Raises Empty after so many seconds."""
        frame = self._answers.get(timeout=seconds + (0 if self.has_answered else _START_SECONDS))
        self.has_answered = True
        return frame

    def renew(self) -> None:
        """End it, and ask another one what was not answered."""
        self.end()
        self._begin()
        for question in self.questions:
            self._send(question)

    def end(self) -> None:
        """End it, whatever it does, and let go of what it said."""
        self._process.kill()
        self._process.wait()
        while self._listener.is_alive():
            with suppress(Empty):
                self._answers.get(timeout=_MOMENT)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _send(self, question: str) -> None:
        stream = self._process.stdin
        if stream is not None:
            try:
                send(stream, json.loads(question))
            except OSError:
                return  # it has ended, which its answer will say


def _listen(stream: IO[bytes], answers: Queue[Frame | None]) -> None:
    frame: Frame | None = ({}, b"")
    while frame is not None:
        frame = receive(stream)
        answers.put(frame)


class _Pool:
    """Processes that nobody needs now. Safe from threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._all: list[_Process] = []
        self._idle: list[_Process] = []

    def take(self) -> _Process:
        """A process that was asked nothing."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        process = _Process()
        with self._lock:
            self._all.append(process)
        return process

    def give(self, process: _Process) -> None:
        """Take a process back; one that has not said all is ended, and so is one too many."""
        with self._lock:
            is_wanted = not process.questions and process.is_sound and len(self._idle) < _processes()
            if is_wanted:
                self._idle.append(process)
                return
            self._all.remove(process)
        process.end()

    def close(self) -> None:
        """End all processes."""
        for process in self._all:
            process.end()


class _Current(local):
    """What this process, and this thread, has at hand; a child that was forked has nothing of its parent's."""

    pool: ClassVar[_Pool | None] = None

    def __init__(self) -> None:
        self.asked: dict[str, _Process] = {}
        self.most: int | None = None


_CURRENT = _Current()


def _pool() -> _Pool:
    if _Current.pool is None:
        _Current.pool = _Pool()
        atexit.register(_close, _Current.pool)
    return _Current.pool


def _close(pool: _Pool) -> None:
    if pool is _Current.pool:
        pool.close()


def _forget() -> None:
    _Current.pool = None
    _CURRENT.asked.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class Isolated:
    """A format whose files are read in other processes; fulfils `whorl.corpus.contract.Format`.

    Args:
        module: the format.
    """

    def __init__(self, module: Format) -> None:
        self._module = module

    def read(self, source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
        """See the contract. A file that breaks its budget or its parser is rejected as a whole.

        Memory: the rows of a file, until all of it is read.
        """
        question = json.dumps(asked(source, columns, options, rejects.folder))
        batches: list[Frame] = []
        with closing(_answer(question, source)) as answer:
            try:
                for frame in answer:
                    if frame[0]["is"] == "batch":
                        batches.append(frame)
                    else:
                        _reject(source, rejects, frame[0], answer)
            except _BrokenError as broken:
                rejects.add(source, row=None, line=None, reason=broken.reason, data=_bytes(source, options))
                return
        for header, payload in batches:
            yield unpack(header, payload)

    def write(self, source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
        """See the contract. A file that is parsed again for this is parsed within its budget.

        Raises:
            InputError: it takes too much time or memory, or its parser breaks down. No row is kept of a file that was
                not read.
        """
        if source.format not in _PARSED_TO_WRITE:
            return self._module.write(source, target, keep, options)
        if not len(keep):
            return 0
        question = json.dumps(asked_to_write(source, target, keep, options))
        try:
            with closing(_answer(question, source)) as answer:
                return sum(header["rows"] for header, _ in answer)
        except _BrokenError as broken:
            problem = say(
                "{label}: its kept rows cannot be written: {reason}", label=source.label, reason=broken.reason
            )
            raise InputError(problem, cure=say("save it again, or leave it out")) from broken


class _BrokenError(Exception):
    """Why a file was not read to its end, as one plain sentence with the cure."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


def _answer(question: str, source: Source) -> Generator[Frame, None, None]:
    """What a process says to a question, but for how it ended.

    Raises:
        InputError: the file cannot be read as asked.
        UsageError: something is missing for that.
        _BrokenError: it took too long or too much memory, or its parser broke down.
    """
    ahead = _CURRENT.asked.pop(question, None)
    process = _pool().take() if ahead is None else ahead
    process.turn_to(question)
    try:
        frame = _first(process, source)
        while frame[0]["is"] not in _ENDS:
            yield frame
            frame = _next(process, source)
        process.is_sound = True
        _raise(frame[0], source)
    finally:
        process.questions.popleft()
        if ahead is None:
            _pool().give(process)
        elif not process.is_sound:
            process.renew()
            process.is_sound = True


def _first(process: _Process, source: Source) -> Frame:
    """The first frame of an answer; a process that ends or lacks memory gets another chance, if it is not new."""
    is_used = process.has_answered
    frame: Frame | None = None
    try:
        frame = _next(process, source)
    except _CrashedError:
        if not is_used:
            raise
    if frame is None or (frame[0]["is"] == "memory" and is_used):
        process.renew()
        return _next(process, source)
    return frame


def _next(process: _Process, source: Source) -> Frame:
    seconds = BUDGETS[source.format].time(source.size)
    try:
        frame = process.answer(seconds)
    except Empty:
        raise _BrokenError(
            say("reading it took longer than {seconds:.0f} s: {cure}", seconds=seconds, cure=_CURE)
        ) from None
    if frame is None:
        raise _CrashedError(say("its parser broke down: {cure}", cure=_CURE))
    return frame


class _CrashedError(_BrokenError):
    """The process has ended."""


def _raise(end: dict[str, Any], source: Source) -> None:
    """Tell how an answer ended, unless it is complete."""
    if end["is"] == "refused":
        kind = UsageError if end["usage"] else InputError
        raise kind(end["message"], cure=end["cure"])
    if end["is"] == "memory":
        most = BUDGETS[source.format].memory(source.size) >> 20
        raise _BrokenError(say("reading it takes more than {most} MB of memory: {cure}", most=most, cure=_CURE))
    if end["is"] == "failed":
        raise _BrokenError(say("its parser failed ({why}): {cure}", why=end["why"], cure=_CURE))


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
    """The bytes of a file, of a compressed one no more than a row may have."""
    size = 0
    with ByteReader(source) as stream, suppress(TruncatedStream):
        while (source.compression is None or size < options.max_row_bytes) and (piece := stream.read(_PIECE_BYTES)):
            size += len(piece)
            yield piece


def sources_ahead(
    sources: Iterable[Source], columns: Columns, rejects: Rejects, options: ReadOptions
) -> Generator[Source, None, None]:
    """Yield files in their order, while those that come after them are read by other processes already.

    Each has to be read by these columns and options, in this order, before the next one is asked for. Ahead are no
    more than ``_AHEAD`` files, and of large ones about ``_AHEAD_BYTES`` or one for each process.
    """
    waiting: deque[tuple[Source, int]] = deque()
    processes: list[_Process] = []
    try:
        for source in sources:
            waiting.append((source, source.size))
            if source.format in BUDGETS and is_possible() and source.path is not None and source.path.is_file():
                question = json.dumps(asked(source, columns.of(source), options, rejects.folder))
                process = _least_busy(processes)
                process.ask(question)
                _CURRENT.asked[question] = process
            while len(waiting) > _AHEAD or (
                len(waiting) > _processes() and sum(size for _, size in waiting) > _AHEAD_BYTES
            ):
                yield waiting.popleft()[0]
        yield from (source for source, _ in waiting)
    finally:
        for process in processes:
            for question in process.questions:
                _CURRENT.asked.pop(question, None)
            _pool().give(process)


def is_possible() -> bool:
    """Whether another process can be begun: a program that has Python inside is no interpreter."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


@contextmanager
def processes_bounded(most: int | None) -> Iterator[None]:
    """Read files in this thread with so many processes at most; None is one a core, which are never more."""
    before, _CURRENT.most = _CURRENT.most, most
    try:
        yield
    finally:
        _CURRENT.most = before


def _processes() -> int:
    """How many processes read."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if _CURRENT.most is None else min(cores, _CURRENT.most)


def _least_busy(processes: list[_Process]) -> _Process:
    """The one with the fewest questions, where there are as many as may be."""
    if len(processes) < _processes():
        processes.append(_pool().take())
        return processes[-1]
    return min(processes, key=lambda process: len(process.questions))


__all__ = ["Isolated", "is_possible", "processes_bounded", "sources_ahead"]

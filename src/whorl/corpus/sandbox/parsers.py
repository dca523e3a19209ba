"""Client side of the worker processes: send files, receive batches."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import TYPE_CHECKING, Any

from whorl._internal.page_tracking import page_recognized
from whorl.corpus.compression import ByteReader, TruncatedStream
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.formats.protocol import Format
from whorl.corpus.sandbox.budget import BUDGETS, UNTRUSTED, kind_of
from whorl.corpus.sandbox.frames import kept_rows, read_request, unpack, write_request
from whorl.corpus.sandbox.isolation import is_isolated, process_limit
from whorl.corpus.sandbox.processes import (
    CURRENT,
    Frame,
    WorkerProcess,
    cannot_start,
    least_busy,
    reading_pool,
    writing_pool,
)
from whorl.errors import InputError, UsageError
from whorl.i18n import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whorl.corpus.rejects import Rejects

_AHEAD = 32
_AHEAD_BYTES = 32 * 2**20
_FILES_PER_PROCESS, _BYTES_PER_PROCESS = 8, 2**20
"""Waiting files or bytes for which a process is started: a start takes as long as some ten pages."""
_PIECE_BYTES = 2**20
_MOMENT = 0.01
_PARSED_TO_WRITE = frozenset(("xlsx",))
"""Formats that must be parsed again to write kept rows; other formats are copied."""
_ENDS = ("end", "refused", "memory", "failed", "unable")
_LIBRARY_BYTES = 768 * 2**20
"""Memory allowance of a process before it reads a file."""
_HINT = say("save it again, or as text")


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
        with closing(_answer(question, source, kind=kind_of(source.format, ocr=options.ocr))) as answer:
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
            with closing(_answer(question, source, target, kind=source.format)) as answer:
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


def _answer(question: str, source: Source, target: Path | None = None, *, kind: str) -> Generator[Frame, None, None]:
    """Yield the frames of an answer except the last; a written file is copied to ``target``.

    Args:
        question: the request.
        source: the file.
        target: where a written file goes.
        kind: the key of its budget.

    Raises:
        IsolationError: no process can be started to read the file.
        InputError: the file cannot be read.
        UsageError: a requirement for that is missing.
        _BrokenError: the time or memory limit was exceeded, or the parser crashed.
    """
    ahead = CURRENT.assigned.pop(question, None)
    pool = reading_pool() if target is None else writing_pool()
    process = pool.take() if ahead is None else ahead
    process.turn_to(question)
    end = monotonic() + UNTRUSTED.time(source.size) if source.untrusted else None
    is_limited = False
    try:
        frame = _first(process, source, kind, end)
        while frame[0]["is"] not in _ENDS:
            if frame[0]["is"] == "limited":
                is_limited = True
            elif frame[0]["is"] == "page":
                page_recognized(source.label, frame[0]["done"], frame[0]["total"])
            else:
                yield frame
            frame = _next(process, source, kind, end)
        process.is_sound = True
        _raise(frame[0], source, kind)
        if target is not None:
            process.take_written(target)
    except _StarvedError as broken:
        if is_limited:
            raise cannot_start(_too_little(source, kind)) from broken
        raise
    finally:
        process.questions.popleft()
        if ahead is None:
            pool.give(process)
        elif not process.is_sound:
            process.renew()
            process.is_sound = True


def _first(process: WorkerProcess, source: Source, kind: str, end: float | None) -> Frame:
    """Return the first frame of an answer; a reused process that ends or lacks memory is replaced once."""
    is_used = process.has_answered
    frame: Frame | None = None
    try:
        frame = _next(process, source, kind, end)
    except _CrashedError:
        if not is_used:
            raise
    if frame is None or (frame[0]["is"] == "memory" and is_used):
        process.renew()
        return _next(process, source, kind, end)
    return frame


def _next(process: WorkerProcess, source: Source, kind: str, end: float | None) -> Frame:
    """Return the next frame; all frames of a file from another user must arrive before ``end``."""
    budget = BUDGETS[kind]
    seconds = budget.time(source.size)
    if end is not None:
        seconds = min(seconds, UNTRUSTED.time(source.size))
    remaining = seconds if end is None else min(seconds, max(_MOMENT, end - monotonic()))
    try:
        frame = process.answer(source, kind, remaining, budget.memory(source.size) + _LIBRARY_BYTES)
    except Empty:
        raise _BrokenError(
            say("reading it took longer than {seconds:.0f} s: {hint}", seconds=seconds, hint=_HINT)
        ) from None
    except MemoryError:
        raise _BrokenError(_too_much_memory(source, kind)) from None
    if frame is None:
        raise _CrashedError(say("its parser crashed: {hint}", hint=_HINT))
    return frame


class _StarvedError(_BrokenError):
    """The process ran out of memory; a retry in a new process may succeed."""


class _CrashedError(_StarvedError):
    """The process has ended."""


def _raise(end: dict[str, Any], source: Source, kind: str) -> None:
    """Raise the error with which an answer ended; return if it is complete."""
    if end["is"] == "refused":
        error = UsageError if end["usage"] else InputError
        raise error(end["message"], hint=end["hint"])
    if end["is"] == "unable":
        raise cannot_start(end["why"])
    if end["is"] == "memory":
        raise _StarvedError(_too_much_memory(source, kind))
    if end["is"] == "failed":
        failure = _StarvedError if end["starved"] else _BrokenError
        raise failure(say("its parser failed ({why}): {hint}", why=end["why"], hint=_HINT))


def _too_much_memory(source: Source, kind: str) -> Message:
    megabytes = BUDGETS[kind].memory(source.size) >> 20
    return say("reading it takes more than {most} MB of memory: {hint}", most=megabytes, hint=_HINT)


def _too_little(source: Source, kind: str) -> Message:
    megabytes = BUDGETS[kind].memory(source.size) >> 20
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

    Read each file with ``columns.of(source)`` and these options before requesting the next one: what was read ahead
    for a file that is skipped, or read otherwise, is discarded. At most ``_AHEAD`` files are read ahead, and of large
    files about ``_AHEAD_BYTES`` or one per process. ``module`` is the name of a reader module outside the corpus
    formats; see ``SandboxedFormat``.
    """
    waiting: deque[tuple[Source, int, str]] = deque()
    processes: list[WorkerProcess] = []
    try:
        for source in sources:
            question = _question(source, columns.of(source), rejects, options, module)
            waiting.append((source, source.size, question))
            if is_isolated(source) and source.path is not None and source.path.is_file():
                process = least_busy(processes, _processes_for(waiting))
                process.ask(question)
                CURRENT.assigned[question] = process
            while len(waiting) > _AHEAD or (
                len(waiting) > process_limit() and sum(size for _, size, _ in waiting) > _AHEAD_BYTES
            ):
                yield from _handed_out(waiting.popleft(), ocr=options.ocr)
        while waiting:
            yield from _handed_out(waiting.popleft(), ocr=options.ocr)
    finally:
        for process in processes:
            for question in process.questions:
                CURRENT.assigned.pop(question, None)
            reading_pool().give(process)


def _processes_for(waiting: Collection[tuple[Source, int, str]]) -> int:
    """Return the number of processes that files keep busy longer than a process takes to start."""
    if len(waiting) >= _AHEAD:
        return process_limit()
    size = sum(size for _, size, _ in waiting)
    return 1 + max((len(waiting) - 1) // _FILES_PER_PROCESS, size // _BYTES_PER_PROCESS)


def _handed_out(read_ahead: tuple[Source, int, str], *, ocr: bool) -> Iterator[Source]:
    """Yield the file; discard its answer if nobody took it, or its process could not go on."""
    source, _, question = read_ahead
    yield source
    if question in CURRENT.assigned:
        kind = kind_of(source.format, ocr=ocr)
        with suppress(InputError, UsageError, _BrokenError), closing(_answer(question, source, kind=kind)) as answer:
            deque(answer, maxlen=0)


__all__ = ["SandboxedFormat", "sources_ahead"]

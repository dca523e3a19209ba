"""Rejected rows and files with their reasons: counted and listed, or also kept byte for byte."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, Self

from whorl.corpus.compression import open_writer
from whorl.corpus.contract import ReadOptions, Source
from whorl.errors import InputError
from whorl.i18n import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("whorl.corpus")
_LINE_FORMATS = {"jsonl", "csv"}
_OPEN_FILES = 32
_MOST_NAMED = 10_000


OnError = Literal["auto", "skip", "stop"]


class Rejection(NamedTuple):
    """A rejected row.

    Attributes:
        file: the name of its file.
        row: its number; None if it is not a row, like the break of a compressed file.
        line: the physical line where it starts, or ``Sheet!row``.
        reason: why it cannot be read, as one plain sentence.
        bytes: its size in bytes.
    """

    file: str
    row: int | None
    line: int | str | None
    reason: str
    bytes: int


class Rejects:
    """Rejected rows in memory: all are counted, and the first ten thousand listed. Their bytes are discarded.

    Args:
        on_error: "skip" rejects the row and continues; "stop" raises InputError at the first one; "auto" continues, but
            raises InputError if a named file or all files together have no readable row.
        hint: what to do about the row that stops a run; None names the ways to fix or to skip it.

    Thread-safe.
    """

    def __init__(self, *, on_error: OnError = "auto", hint: Message | None = None) -> None:
        self._on_error = on_error
        self._hint = hint
        self._lock = Lock()
        self._reasons: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()
        self._unreadable: dict[str, tuple[int, InputError]] = {}
        self._named: list[Rejection] = []

    @property
    def folder(self) -> Path | None:
        """The folder where they are kept; None if they are not kept."""
        return None

    @property
    def total(self) -> int:
        """Number of rejected rows."""
        return self._reasons.total()

    @property
    def reasons(self) -> Mapping[str, int]:
        """Number of rejected rows by reason."""
        return dict(self._reasons)

    @property
    def sources(self) -> Mapping[str, int]:
        """Number of rejected rows by file name."""
        return dict(self._sources)

    @property
    def named(self) -> Sequence[Rejection]:
        """The first rejections, in order."""
        return self._named

    def add(
        self, source: Source, *, row: int | None, line: int | str | None, reason: str, data: bytes | Iterable[bytes]
    ) -> None:
        """Record a bad row, and keep it if this object keeps rows.

        Args:
            source: the file of the row.
            row: its number; None if it is not a row, like the break of a compressed file.
            line: the physical line where it starts, or ``Sheet!row``.
            reason: one plain sentence.
            data: the bytes of the row, whole or in pieces. Rows of lines get a newline if they lack it.

        Raises:
            InputError: the run stops at bad rows.
        """
        self._stop_if_asked(source, line or row, reason)
        with self._lock:
            size = self._keep(source, [data] if isinstance(data, bytes) else data)
            self._note(Rejection(source.name, row, line, reason, size))
        _log(source, line or row, reason)

    def note(self, source: Source, *, row: int, line: int | str | None, reason: str, size: int) -> None:
        """Record a bad row that the format itself keeps in ``path_of(source)``; ``size`` is its text's size in bytes.

        Raises:
            InputError: the run stops at bad rows.
        """
        self._stop_if_asked(source, line or row, reason)
        with self._lock:
            self._note(Rejection(source.name, row, line, reason, size))
        _log(source, line or row, reason)

    def set_aside(self, source: Source, error: InputError) -> None:
        """Record an unreadable file as one bad row; the file is not copied.

        Raises:
            InputError: ``error``, if the run stops at bad rows.
        """
        if self._on_error == "stop":
            raise error
        with self._lock:
            self._unreadable[source.name] = (source.size, error)
            self._note(Rejection(source.name, None, None, error.message, 0))
        _log(source, None, error.message)

    @property
    def unreadable(self) -> Mapping[str, InputError]:
        """The errors of files that were rejected as a whole, by name."""
        return {name: error for name, (_, error) in self._unreadable.items()}

    def demand_readable(self) -> None:
        """Refuse inputs without a readable row, unless bad rows are skipped.

        Raises:
            InputError: a file or a row was rejected, and the error is that of the largest file, or of the first row; or
                there was no row.
        """
        if self._on_error == "skip":
            return
        if self._unreadable:
            raise max(self._unreadable.values(), key=itemgetter(0))[1]
        if self._named:
            raise nothing_read(self._named[0].file, self.total, self._named[0].reason)
        raise no_documents()

    def demand_rows(self, source: Source) -> None:
        """Refuse a named file with only bad rows, unless they are skipped.

        Raises:
            InputError: all rows are bad; not raised for a range of a file.
        """
        count = self._sources[source.name]
        if self._on_error != "skip" and source.named and source.span is None and count:
            reason = next((entry.reason for entry in self._named if entry.file == source.name), "")
            raise nothing_read(source.label, count, reason)

    def keep_rows(
        self,
        source: Source,
        rows: NDArray[np.bool_],
        write: Callable[[Source, Path, NDArray[np.bool_], ReadOptions], int],
        options: ReadOptions,
    ) -> None:
        """Keep the bad rows that a format recorded in a file of the same format, if bad rows are kept."""
        target = self.path_of(source)
        if target is not None:
            write(source, target, rows, options)

    def path_of(self, source: Source) -> Path | None:
        """Return the file for the bad rows of ``source`` and create its folder; None if they are not kept."""
        return None if self.folder is None else place_of(source, self.folder)

    def _stop_if_asked(self, source: Source, place: int | str | None, reason: str) -> None:
        if self._on_error == "stop":
            hint = self._hint or say("fix it, or skip bad rows with `on_error=skip`")
            raise InputError(_located(source, place, reason), hint=hint)

    def _keep(self, source: Source, pieces: Iterable[bytes]) -> int:
        del source
        return sum(map(len, pieces))

    def _note(self, rejection: Rejection) -> None:
        self._reasons[rejection.reason] += 1
        self._sources[rejection.file] += 1
        if len(self._named) < _MOST_NAMED:
            self._named.append(rejection)


class KeptRejects(Rejects):
    """Rejected rows of a run, kept below one folder.

    ``<folder>/<source.name>`` has the rows themselves, with the compression of their file, and
    ``<folder>/rejected.jsonl`` one line each: file, row, line, reason, bytes. The list is started anew when the object
    is created, and each file of rows at its first row; the caller provides a folder without old ones.

    Args:
        folder: where to keep them; it is created.
        on_error: as for ``Rejects``.

    Memory: additionally one buffer for each of the few open files.
    """

    def __init__(self, folder: Path, *, on_error: OnError = "auto") -> None:
        super().__init__(on_error=on_error)
        self._folder = folder
        self._started: set[str] = set()
        self._open: dict[str, IO[bytes]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._list = (folder / "rejected.jsonl").open("w", encoding="utf-8", errors="backslashreplace", newline="\n")

    @property
    def folder(self) -> Path:
        """The folder where they are kept."""
        return self._folder

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            self._close_rows()
            self._list.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _keep(self, source: Source, pieces: Iterable[bytes]) -> int:
        file = self._rows_of(source)
        size, last = 0, b""
        for piece in pieces:
            file.write(piece)
            size += len(piece)
            last = piece[-1:] or last
        if size and last != b"\n" and source.format in _LINE_FORMATS:
            file.write(b"\n")
        return size

    def _rows_of(self, source: Source) -> IO[bytes]:
        file = self._open.get(source.name)
        if file is None:
            if len(self._open) >= _OPEN_FILES:
                self._close_rows()
            path = place_of(source, self._folder)
            file = open_writer(path, source.compression, append=source.name in self._started)
            self._open[source.name] = file
            self._started.add(source.name)
        return file

    def _close_rows(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()

    def _note(self, rejection: Rejection) -> None:
        super()._note(rejection)
        entry: dict[str, Any] = rejection._asdict()
        self._list.write(json.dumps(entry, ensure_ascii=False) + "\n")


def no_documents() -> InputError:
    """Return the error for inputs without any row."""
    return InputError(say("no documents found"), hint=say("check the files and the text column, `text`"))


def nothing_read(label: str, count: int, reason: str) -> InputError:
    """Return the error for one or several files without any readable row.

    Args:
        label: the file.
        count: its number of rows.
        reason: why one of them cannot be read.
    """
    if count == 1:
        # The reason of an unreadable document ends with its hint.
        return InputError(say("cannot read {label}: {reason}", label=label, reason=reason))
    problem = say(
        "none of the {count:,} rows of {label} can be read; the first: {reason}",
        count=count,
        label=label,
        reason=reason,
    )
    return InputError(problem, hint=say("check the text column, `text`, or remove the file from the input"))


def place_of(source: Source, folder: Path) -> Path:
    """Return the file for the bad rows of ``source`` below ``folder``, and create its parent folder."""
    path = folder / source.name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _log(source: Source, place: int | str | None, reason: str) -> None:
    where = source.label if place is None else f"{source.label}:{place}"
    _LOG.info("%s: set aside: %s", where, reason)


def _located(source: Source, place: int | str | None, reason: str) -> Message:
    label = source.label
    if place is None:
        return say("{label}: {reason}", label=label, reason=reason)
    if isinstance(place, str):
        return say("{label}, {place}: {reason}", label=label, place=place, reason=reason)
    if source.format in _LINE_FORMATS:
        return say("{label}, line {line}: {reason}", label=label, line=place, reason=reason)
    return say("{label}, row {row}: {reason}", label=label, row=place, reason=reason)


__all__ = ["KeptRejects", "OnError", "Rejection", "Rejects", "no_documents", "nothing_read", "place_of"]

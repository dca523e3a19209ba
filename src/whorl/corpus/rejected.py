"""What cannot be read, with the reason: counted and named, or kept byte for byte too."""

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
from whorl.language import Message, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("whorl.corpus")
_LINE_FORMATS = {"jsonl", "csv"}
_OPEN_FILES = 32
_MOST_NAMED = 10_000


OnError = Literal["auto", "skip", "stop"]


class Rejection(NamedTuple):
    """A bad row.

    Attributes:
        file: the name of its file.
        row: its number, None for something that is not a row, like the break of a compressed file.
        line: the physical line where it starts, or ``Sheet!row``.
        reason: why it cannot be read, as one plain sentence.
        bytes: how many it has.
    """

    file: str
    row: int | None
    line: int | str | None
    reason: str
    bytes: int


class Rejects:
    """The bad rows of a reading, in memory: all are counted, the first ten thousand named. Their bytes are let go.

    Args:
        on_error: "skip" sets the row aside and goes on; "stop" raises InputError at the first one; "auto" goes on, but
            raises InputError where nothing at all can be read, of a file that was named or of all files.

    Safe to share between threads.
    """

    def __init__(self, *, on_error: OnError = "auto") -> None:
        self._on_error = on_error
        self._lock = Lock()
        self._reasons: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()
        self._unreadable: dict[str, tuple[int, InputError]] = {}
        self._named: list[Rejection] = []

    @property
    def folder(self) -> Path | None:
        """Where they are kept; None where they are not."""
        return None

    @property
    def total(self) -> int:
        """How many rows were rejected."""
        return self._reasons.total()

    @property
    def reasons(self) -> Mapping[str, int]:
        """How many rows were rejected, by reason."""
        return dict(self._reasons)

    @property
    def sources(self) -> Mapping[str, int]:
        """How many rows were rejected, by file name."""
        return dict(self._sources)

    @property
    def named(self) -> Sequence[Rejection]:
        """The first of them, in the order in which they were met."""
        return self._named

    def add(
        self, source: Source, *, row: int | None, line: int | str | None, reason: str, data: bytes | Iterable[bytes]
    ) -> None:
        """Note a bad row, and keep it where bad rows are kept.

        Args:
            source: the file that the row comes from.
            row: its number, None for something that is not a row, like the break of a compressed file.
            line: the physical line where it starts, or ``Sheet!row``.
            reason: one plain sentence.
            data: the bytes of the row, at once or in pieces. Rows of lines get a newline if they lack it.

        Raises:
            InputError: the run stops at bad rows.
        """
        self._stop_if_asked(source, line or row, reason)
        with self._lock:
            size = self._keep(source, [data] if isinstance(data, bytes) else data)
            self._note(Rejection(source.name, row, line, reason, size))
        _log(source, line or row, reason)

    def note(self, source: Source, *, row: int, line: int | str | None, reason: str, size: int) -> None:
        """Note a bad row that the format itself keeps in ``path_of(source)``; ``size`` is its text's in bytes.

        Raises:
            InputError: the run stops at bad rows.
        """
        self._stop_if_asked(source, line or row, reason)
        with self._lock:
            self._note(Rejection(source.name, row, line, reason, size))
        _log(source, line or row, reason)

    def set_aside(self, source: Source, error: InputError) -> None:
        """Note a file that cannot be read at all, as one bad row; it stays where it is.

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
        """Why each file that was set aside cannot be read, by its name."""
        return {name: error for name, (_, error) in self._unreadable.items()}

    def demand_readable(self) -> None:
        """Refuse files of which no row can be read, unless they are to be skipped.

        Raises:
            InputError: a file or a row was set aside. The largest file tells why, or the first row.
        """
        if self._on_error == "skip":
            return
        if self._unreadable:
            raise max(self._unreadable.values(), key=itemgetter(0))[1]
        if self._named:
            raise nothing_read(self._named[0].file, self.total, self._named[0].reason)

    def demand_rows(self, source: Source) -> None:
        """Refuse a file that was named and has nothing but bad rows, unless they are to be skipped.

        Raises:
            InputError: it is such a file; a stretch of one is not.
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
        """Keep the bad rows that a format noted, in a file of the same format, if bad rows are kept."""
        target = self.path_of(source)
        if target is not None:
            write(source, target, rows, options)

    def path_of(self, source: Source) -> Path | None:
        """The file for the bad rows of ``source``, whose folder is made; None where they are not kept."""
        return None if self.folder is None else place_of(source, self.folder)

    def _stop_if_asked(self, source: Source, place: int | str | None, reason: str) -> None:
        if self._on_error == "stop":
            cure = say("repair it, or set bad rows aside with `on_error=skip`")
            raise InputError(_located(source, place, reason), cure=cure)

    def _keep(self, source: Source, pieces: Iterable[bytes]) -> int:
        del source
        return sum(map(len, pieces))

    def _note(self, rejection: Rejection) -> None:
        self._reasons[rejection.reason] += 1
        self._sources[rejection.file] += 1
        if len(self._named) < _MOST_NAMED:
            self._named.append(rejection)


class KeptRejects(Rejects):
    """The bad rows of a run, kept below one folder.

    ``<folder>/<source.name>`` holds the rows themselves, in the compression of their file, and
    ``<folder>/rejected.jsonl`` a line for each: file, row, line, reason, bytes. The list is begun anew when the
    object is made, and each file of rows at its first row; the caller provides a folder without old ones.

    Args:
        folder: where to keep them; it is made.
        on_error: as for ``Rejects``.

    Memory: besides, one buffer for each of the few files that are kept open.
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
        """Where they are kept."""
        return self._folder

    def close(self) -> None:
        """Finish all files."""
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


def nothing_read(label: str, count: int, reason: str) -> InputError:
    """Return the error of a file, or of several, of which nothing can be read.

    Args:
        label: the file.
        count: how many rows it has.
        reason: why one of them cannot be read.
    """
    if count == 1:
        # The reason that a document cannot be read ends with its cure.
        return InputError(say("cannot read {label}: {reason}", label=label, reason=reason))
    problem = say(
        "none of the {count:,} rows of {label} can be read; the first: {reason}",
        count=count,
        label=label,
        reason=reason,
    )
    return InputError(problem, cure=say("check the text column, `text`, or leave the file out"))


def place_of(source: Source, folder: Path) -> Path:
    """The file for the bad rows of ``source`` below ``folder``; the folder that it stands in is made."""
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


__all__ = ["KeptRejects", "OnError", "Rejection", "Rejects", "nothing_read", "place_of"]

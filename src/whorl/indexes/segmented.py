"""Common operations of segmented indexes: save, open, remove, merge and verify."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from whorl import _core
from whorl.errors import InputError, ResourceError, UsageError
from whorl.i18n import say
from whorl.indexes.columns import id_column, time_column, time_number
from whorl.indexes.payloads import unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_TIME, _LAST_TIME = -(2**63), 2**63 - 1


class _Core(Protocol):
    def save(self, path: str) -> None: ...
    def snapshot(self) -> _core.Snapshot: ...
    def tidy(self) -> bool: ...
    def payloads(self, ids: NDArray[Any]) -> list[bytes | None]: ...
    def remove(self, ids: NDArray[Any]) -> int: ...
    def expire(self, time: int) -> int: ...
    def merge(self) -> None: ...
    def verify(self) -> None: ...
    @property
    def timed(self) -> bool | None: ...


Core = TypeVar("Core", bound=_Core)


class Snapshot:
    """A consistent snapshot of an index.

    >>> import whorl
    >>> index = whorl.indexes.KeyIndex()
    >>> index.add([[1, 2]])
    >>> snapshot = index.snapshot()
    >>> index.add([[3]])
    >>> snapshot.save("before")
    >>> len(whorl.indexes.KeyIndex.open("before"))
    1
    """

    def __init__(self, core: _core.Snapshot) -> None:
        self._core = core

    def save(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write the snapshot into a folder, as ``save`` of the index does.

        Args:
            path: the folder.
            replace: replace another index in the folder, even a damaged one.

        Raises:
            UsageError: as for ``save`` of the index.
            ResourceError: as for ``save`` of the index.
        """
        with failures(path):
            self._core.save(str(folder_of(path).absolute()), replace)


class SegmentedIndex(Generic[Core]):
    """Rows in immutable segments, in memory or in files.

    Any number of threads may query while one adds; a query sees a consistent snapshot.
    """

    _core: Core

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index into a folder; if it was opened from there or saved to it, only new segments.

        >>> index.save("index")
        >>> index.save("index")  # only new segments

        Files are written and synced under temporary names before any of them takes effect. If that fails, the folder
        keeps its previous content. Processes that have the previous state open keep it. Written segments are read from
        the folder from now on, which frees their memory.

        Raises:
            UsageError: the folder contains other files but no index, or another index, or another process has saved to
                it since this index was opened.
            ResourceError: the folder cannot be written.
        """
        with failures(path):
            self._core.save(str(folder_of(path).absolute()))

    def snapshot(self) -> Snapshot:
        """Return a snapshot that can be saved while more rows are added. Constant cost.

        >>> index.snapshot().save("copy")
        """
        with failures():
            return Snapshot(self._core.snapshot())

    def tidy(self) -> bool:
        """Perform one merge deferred by ``add``; return True if there was one. Others may add and query meanwhile.

        >>> index.tidy()
        False

        Cost: linear in the merged rows, about 0.05 µs per posting of a ``KeyIndex``.

        Raises:
            InputError: a segment to merge is damaged.
        """
        with failures():
            return self._core.tidy()

    def payloads(self, ids: Any) -> list[Any]:
        """Return the payload of each id: bytes, a JSON value, or None without a row or a payload.

        >>> labelled = whorl.indexes.KeyIndex()
        >>> labelled.add([[1, 2], [2, 3]], payloads=[{"url": "https://a.example/1"}, b"raw"])
        >>> labelled.payloads([id for id, shared in labelled.query([2]).hits])
        [{'url': 'https://a.example/1'}, b'raw']

        Of several rows with an id, the payload of the last one. Scans the ids of the index, unless they are ascending.
        """
        with failures():
            stored = self._core.payloads(id_column(ids if np.ndim(ids) or hasattr(ids, "__iter__") else [ids]))
        return [unpacked(payload) for payload in stored]

    def remove(self, ids: Any) -> int:
        """Remove all rows with these ids and return their number. Unknown ids are ignored.

        >>> index.remove([30, 99])
        1

        Scans the ids of the index, unless they are ascending. The space is freed when the segments are merged.
        """
        with failures():
            return self._core.remove(id_column(ids if np.ndim(ids) or hasattr(ids, "__iter__") else [ids]))

    def expire(self, before: Any) -> int:
        """Remove all rows before a time and return their number. Older segments are dropped entirely.

        >>> timed = whorl.indexes.KeyIndex()
        >>> timed.add([[1], [2]], times=[2019, 2024])
        >>> timed.expire(2020)
        1

        Raises:
            UsageError: the rows have no times.
        """
        self._demand_times()
        with failures():
            return self._core.expire(time_number(before))

    def merge(self) -> None:
        """Merge into as few segments as possible, and drop removed rows; queries get faster.

        >>> index.merge()
        """
        with failures():
            self._core.merge()

    def verify(self) -> None:
        """Read and check every byte of the index.

        >>> index.verify()

        Raises:
            InputError: a file of the index is damaged.
        """
        with failures():
            self._core.verify()

    def _labels(self, ids: Any, times: Any, count: int) -> list[NDArray[Any] | None]:
        columns = [None if ids is None else id_column(ids), None if times is None else time_column(times)]
        for name, column in zip(("ids", "times"), columns, strict=True):
            if column is not None and len(column) != count:
                raise UsageError(
                    say("expected {count} {name}, one per row, got {given}", given=len(column), name=name, count=count),
                    hint=say("give one of the {name} for each row", name=name),
                )
        return columns

    def _window(self, since: Any, until: Any) -> tuple[int, int] | None:
        if since is None and until is None:
            return None
        self._demand_times()
        return (
            _FIRST_TIME if since is None else time_number(since),
            _LAST_TIME if until is None else time_number(until),
        )

    def _demand_times(self) -> None:
        if self._core.timed is False:
            raise UsageError(say("the rows of this index have no times"), hint=say("add them with `times`"))


def folder_of(path: object) -> Path:
    """Convert a path to a folder.

    Raises:
        UsageError: it is not a path.
    """
    named = fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(named, str) or not named or "\0" in named:
        raise UsageError(say("expected a path to a folder, got {path!r:.60}", path=path), hint=say("use a path"))
    return Path(named)


def opened(path: str | PathLike[str], open_folder: Callable[[str], Core]) -> Core:
    """Open the index in a folder.

    Raises:
        InputError: the folder contains no index, or a damaged or incompatible one.
        ResourceError: it cannot be read.
    """
    try:
        with failures(path):
            return open_folder(str(folder_of(path).absolute()))
    except ResourceError as error:
        if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
            raise InputError(
                say("there is no index at {path}", path=path), hint=say("use the folder that `save` wrote")
            ) from error
        raise


@contextmanager
def failures(path: str | PathLike[str] | None = None) -> Iterator[None]:
    """Convert failures of the core to errors with a hint."""
    try:
        yield
    except _core.RefusedFile as error:
        raise InputError(str(error), hint=say("rebuild the index from the original data")) from error
    except FileExistsError as error:
        hint = say("open it, add to it and save it again, or choose another folder")
        raise UsageError(say("{path} contains a different index", path=path), hint=hint) from error
    except OSError as error:
        hint = say("free some disk space, or look at the permissions; what was saved before is still there")
        raise ResourceError(
            say("{label}: {reason}", label=error.filename or path, reason=error.strerror or error), hint=hint
        ) from error
    except (ValueError, OverflowError) as error:
        raise UsageError(str(error), hint=say("see the documentation of the index")) from error


__all__ = ["SegmentedIndex", "Snapshot", "failures", "opened"]

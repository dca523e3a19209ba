"""What every index of segments can do: be saved and opened, forget, merge, verify itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from whorl import _core
from whorl.errors import InputError, ResourceError, UsageError
from whorl.indexes.columns import id_column, time_column, time_number
from whorl.language import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_TIME, _LAST_TIME = -(2**63), 2**63 - 1


class _Core(Protocol):
    def save(self, path: str) -> None: ...
    def snapshot(self) -> _core.Snapshot: ...
    def tidy(self) -> bool: ...
    def remove(self, ids: NDArray[Any]) -> int: ...
    def expire(self, time: int) -> int: ...
    def merge(self) -> None: ...
    def verify(self) -> None: ...
    @property
    def timed(self) -> bool | None: ...


Core = TypeVar("Core", bound=_Core)


class Snapshot:
    """What an index held at one moment.

    >>> import whorl
    >>> index = whorl.KeyIndex()
    >>> index.add([[1, 2]])
    >>> snapshot = index.snapshot()
    >>> index.add([[3]])
    >>> snapshot.save("before")
    >>> len(whorl.KeyIndex.open("before"))
    1
    """

    def __init__(self, core: _core.Snapshot) -> None:
        self._core = core

    def save(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write it into a folder, as ``save`` of the index does.

        Args:
            path: the folder.
            replace: whether it takes the place of another index there, whole or damaged.

        Raises:
            UsageError: as for ``save`` of the index.
            ResourceError: as for ``save`` of the index.
        """
        with failures(path):
            self._core.save(str(folder_of(path).absolute()), replace)


class SegmentedIndex(Generic[Core]):
    """Rows in segments that never change, the same in memory and in files.

    Many threads may ask while one adds; an answer is that of the moment in which the question came.
    """

    _core: Core

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index into a folder; into the folder it was opened from or saved to, only what is new.

        >>> index.save("index")
        >>> index.save("index")  # only what is new

        Files are written beside their final names, down to the disk, before any of them counts. If that fails, the
        folder holds what it held before. Processes that have the older state open keep it. What was written is read
        from there from now on, so its memory is free.

        Raises:
            UsageError: the folder holds other files and no index, or another index, or another process saved to it
                since this one was opened.
            ResourceError: the folder cannot be written.
        """
        with failures(path):
            self._core.save(str(folder_of(path).absolute()))

    def snapshot(self) -> Snapshot:
        """Return what the index holds now, to be saved while more is added. Constant cost.

        >>> index.snapshot().save("copy")
        """
        with failures():
            return Snapshot(self._core.snapshot())

    def tidy(self) -> bool:
        """Make one merge that ``add`` left, and return whether there was one; others may add and ask meanwhile.

        >>> index.tidy()
        False

        Cost: linear in the rows that are merged; some 0.05 µs a posting of a ``KeyIndex``.

        Raises:
            InputError: a segment that must be merged is damaged.
        """
        with failures():
            return self._core.tidy()

    def remove(self, ids: Any) -> int:
        """Remove all rows with these ids; return how many there were. Unknown ids are no mistake.

        >>> index.remove([30, 99])
        1

        A pass over the ids of the index, unless they ascend. The rows take room until their segment is merged.
        """
        with failures():
            return self._core.remove(id_column(ids if np.ndim(ids) or hasattr(ids, "__iter__") else [ids]))

    def expire(self, before: Any) -> int:
        """Remove all rows from before a time; return how many there were. Segments that are older drop whole.

        >>> timed = whorl.KeyIndex()
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
        """Make as few segments as possible and forget what was removed; queries get faster.

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
                    say("{given} {name} for {count} rows", given=len(column), name=name, count=count),
                    cure=say("give one of the {name} for each row", name=name),
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
            raise UsageError(say("the rows of this index have no times"), cure=say("add them with `times`"))


def folder_of(path: object) -> Path:
    """Return the folder that was named.

    Raises:
        UsageError: it is no path.
    """
    named = fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(named, str) or not named or "\0" in named:
        raise UsageError(say("{path!r:.60} is no folder", path=path), cure=say("give a path"))
    return Path(named)


def opened(path: str | PathLike[str], open_folder: Callable[[str], Core]) -> Core:
    """Return the index of a folder.

    Raises:
        InputError: the folder holds no index, or one that is damaged or of another version.
        ResourceError: it cannot be read.
    """
    try:
        with failures(path):
            return open_folder(str(folder_of(path).absolute()))
    except ResourceError as error:
        if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
            raise InputError(
                say("there is no index at {path}", path=path), cure=say("give the folder that `save` wrote")
            ) from error
        raise


@contextmanager
def failures(path: str | PathLike[str] | None = None) -> Iterator[None]:
    """Turn the failures of the core into errors with a cure."""
    try:
        yield
    except _core.RefusedFile as error:
        raise InputError(str(error), cure=say("build the index again from what it was built from")) from error
    except FileExistsError as error:
        cure = say("open it, add to it and save it again, or choose another folder")
        raise UsageError(
            say("{path} holds an index that is not the one saved here last", path=path), cure=cure
        ) from error
    except OSError as error:
        cure = say("free some disk space, or look at the permissions; what was saved before is still there")
        raise ResourceError(
            say("{label}: {reason}", label=error.filename or path, reason=error.strerror or error), cure=cure
        ) from error
    except (ValueError, OverflowError) as error:
        raise UsageError(str(error), cure=say("see the documentation of the index")) from error


__all__ = ["SegmentedIndex", "Snapshot", "failures", "opened"]

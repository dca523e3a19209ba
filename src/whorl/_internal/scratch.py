"""Temporary folders that do not outlive their process for long, however it ends.

A process that is killed cannot remove its temporary folders, and pages of other people would stay on the disk until
somebody cleans up. Each folder therefore has a lock that the system releases with its process. The first folder that
a process makes removes the folders of the same user that nobody locks any more; it touches no other folder.

Files without a name would leave nothing behind at all, but the processes that parse pages open them by path. Windows
has no such lock: there a folder is removed only by a process that ends in order.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

if sys.platform != "win32":
    import fcntl

PREFIX = "whorl-scratch-"
_LOCK, _UNLOCKED = ".lock", ".lock.new"
_swept: set[str] = set()


class ScratchFolder:
    """A temporary folder; to be used in a ``with`` statement, at whose end it is removed.

    >>> from whorl._internal.scratch import ScratchFolder
    >>> with ScratchFolder() as folder:
    ...     count = (folder / "page").write_bytes(b"<p>")
    >>> folder.exists()
    False

    Attributes:
        path: of the folder, which its user alone may read.
    """

    def __init__(self, parent: str | None = None) -> None:
        """Create the folder.

        Args:
            parent: the folder that contains it; None is the temporary folder of the system.
        """
        sweep(parent)
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent)
        self.path = Path(self._folder.name)
        self._lock = _lock(self.path)

    def cleanup(self) -> None:
        """Remove the folder with all that is in it."""
        self._folder.cleanup()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.cleanup()


def sweep(parent: str | None = None, *, again: bool = False) -> None:
    """Remove the folders of this user whose processes are gone, once in a process for each temporary folder.

    Args:
        parent: the folder to search; None is the temporary folder of the system.
        again: also where this process has done so before.
    """
    parent = parent or tempfile.gettempdir()
    if sys.platform == "win32" or (parent in _swept and not again):
        return
    _swept.add(parent)
    for folder in _folders(parent):
        with suppress(OSError), _Lock(folder / _LOCK):
            shutil.rmtree(folder, ignore_errors=True)


def _folders(parent: str) -> Iterator[Path]:
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_uid == os.getuid():
                        yield Path(entry.path)


class _Lock:
    """The lock of a folder, which nobody holds; OSError where there is none, or somebody holds it."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        os.close(self._descriptor)


def _lock(folder: Path) -> IO[bytes] | None:
    """Lock a folder. Its lock has its name only once it is held: before, it could be taken for that of a dead one."""
    if sys.platform == "win32":
        return None
    file = (folder / _UNLOCKED).open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a file system without locks
        file.close()
        return None
    (folder / _UNLOCKED).rename(folder / _LOCK)
    return file


__all__ = ["PREFIX", "ScratchFolder", "sweep"]

"""Folders: those whose names, and the names in them, are on the disk, and that of the caches of a user."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_CACHES = {"darwin": "Library/Caches", "win32": "AppData/Local"}


def user_caches() -> Path | None:
    """Return the folder of what can be made again for this user, which need not be there; None without a home.

    It is ``whorl`` below ``XDG_CACHE_HOME``, or below what the platform has for caches: ``~/.cache``,
    ``~/Library/Caches`` or ``~/AppData/Local``.
    """
    told = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        user = told if told.is_absolute() else Path.home() / _CACHES.get(sys.platform, ".cache")
    except RuntimeError:
        return None
    return user / "whorl"


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Make a folder where there is none, and those above it; return when their names are on the disk.

    Args:
        folder: the folder.
        private: only its owner may look into it, if it is made now.

    Raises:
        OSError: it cannot be made.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)


def free_bytes(folder: Path) -> int:
    """Return how many bytes this user may still write to the disk of a folder.

    Raises:
        OSError: the folder does not exist.
    """
    return shutil.disk_usage(folder).free


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk, where a system can tell."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return  # one that may be written to and not be read
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


__all__ = ["free_bytes", "make_folder", "sync_folder", "user_caches"]

"""Folders whose names, and the names in them, are on the disk."""

from __future__ import annotations

import os
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder where there is none, and those above it; return when their names are on the disk.

    Raises:
        OSError: it cannot be made.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)


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


__all__ = ["make_folder", "sync_folder"]

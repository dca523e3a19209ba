"""Durable folders (synced to disk), and the cache folder of the user."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whorl.errors import ResourceError
from whorl.i18n import say

_STATES = {"darwin": "Library/Application Support", "win32": "AppData/Local"}
_CACHES = {"darwin": "Library/Caches", "win32": "AppData/Local"}


def user_caches() -> Path | None:
    """Return the cache folder of the user, which may not exist; None without a home directory.

    It is ``whorl`` below ``XDG_CACHE_HOME``, or below the cache folder of the platform: ``~/.cache``,
    ``~/Library/Caches`` or ``~/AppData/Local``.
    """
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        user = configured if configured.is_absolute() else Path.home() / _CACHES.get(sys.platform, ".cache")
    except RuntimeError:
        return None
    return user / "whorl"


def user_states() -> Path | None:
    """Return the folder of the user for state that outlives caches, which may not exist; None without a home directory.

    It is ``whorl`` below ``XDG_STATE_HOME``, or below the folder of the platform: ``~/.local/state``,
    ``~/Library/Application Support`` or ``~/AppData/Local``.
    """
    configured = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        user = configured if configured.is_absolute() else Path.home() / _STATES.get(sys.platform, ".local/state")
    except RuntimeError:
        return None
    return user / "whorl"


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Create a folder and its parents if needed, and sync their names to disk.

    Args:
        folder: the folder.
        private: make a newly created folder accessible to its owner only.

    Raises:
        OSError: it cannot be created.
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


@contextmanager
def saving_uploads() -> Iterator[None]:
    """Turn an error of the operating system while an upload is saved into a ResourceError.

    Raises:
        ResourceError: the disk is full, or the folder is not writable.
    """
    try:
        yield
    except OSError as error:
        raise ResourceError(
            say("the upload could not be saved: {error}", error=error.strerror),
            hint=say("free disk space, or check the permissions of the service folder"),
        ) from error


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, if the system supports it."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return  # writable but not readable
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


__all__ = ["free_bytes", "make_folder", "saving_uploads", "sync_folder", "user_caches", "user_states"]

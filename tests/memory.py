"""Temporary folders of tests: in memory, if there is room and without ``--basetemp``, which also keeps the files.

Tests sync thousands of small files, which is slow on a disk, and no test depends on a physical disk. A killed run
leaves its files behind, in memory that later runs need: the name of a folder holds the process, and a run first
removes the folders of processes that have ended.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")
_ROOM = 10 * 2**30
_PREFIX = "whorl-tests-"
_folders: list[str] = []


def begin(config: pytest.Config) -> None:
    """Place the folders of a run in memory."""
    if config.option.basetemp is not None or not _MEMORY.is_dir():
        return
    _remove_abandoned()
    if shutil.disk_usage(_MEMORY).free >= _ROOM:
        config.option.basetemp = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_MEMORY)
        _folders.append(config.option.basetemp)


def end() -> None:
    """Remove them."""
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)


def _remove_abandoned() -> None:
    """Remove the folders of runs whose process has ended."""
    for folder in _MEMORY.glob(f"{_PREFIX}*-*"):
        process = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True

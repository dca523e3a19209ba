"""Temporary folders of tests: in memory, if there is room and without ``--basetemp``, which also keeps the files.

Tests sync thousands of small files, which is slow on a disk, and no test depends on a physical disk. The files of a
killed process remain in memory too.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")
_ROOM = 10 * 2**30
_folders: list[str] = []


def begin(config: pytest.Config) -> None:
    """Place the folders of a run in memory."""
    if config.option.basetemp is None and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM:
        config.option.basetemp = tempfile.mkdtemp(prefix="whorl-tests-", dir=_MEMORY)
        _folders.append(config.option.basetemp)


def end() -> None:
    """Remove them."""
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)

"""Where tests write: in memory, if there is room, and not with ``--basetemp``, which also keeps what they wrote.

They sync thousands of small files, each of which a disk takes its time for, and none asks what the disk has made of it:
a process that is killed leaves what it wrote wherever that lies.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")
_ROOM = 10 * 2**30
_made: list[str] = []


def begin(config: pytest.Config) -> None:
    """Let the folders of a run lie in memory."""
    if config.option.basetemp is None and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM:
        config.option.basetemp = tempfile.mkdtemp(prefix="whorl-tests-", dir=_MEMORY)
        _made.append(config.option.basetemp)


def end() -> None:
    """Take them away."""
    while _made:
        shutil.rmtree(_made.pop(), ignore_errors=True)

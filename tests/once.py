"""What one process of a run makes for all of them, such as a website."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that ``make`` fills once per run; other processes wait, and none may change it."""
    base = factory.getbasetemp()
    if base.name.startswith("popen-"):  # the folder of a process of several, below that of the run
        base = base.parent
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        _take(lock.fileno())
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a failure left behind
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def _take(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # on Windows, where tests run in one process
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


__all__ = ["made_once"]

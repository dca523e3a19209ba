"""Kill a process of a test before one of its changes to the file system."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from whorl.errors import WhorlError

_CHANGES = frozenset(("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link"))


def die_before(change: int, run: Callable[..., object], *arguments: Any) -> None:
    """Call a function in this process, which ends before a change to the file system, counted from 0."""
    remaining = [change]

    def watch(event: str, details: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(details[1], str) and set(details[1]) & set("wax+")
        if writes or event in _CHANGES:
            remaining[0] -= 1
            if remaining[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    try:
        run(*arguments)
    except WhorlError as error:
        raise SystemExit(3) from error


__all__ = ["die_before"]

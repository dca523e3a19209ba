"""When a process of the service is to end."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from threading import Event, Thread, current_thread, main_thread
from types import FrameType

from whorl.service.running import Service

_LOG = logging.getLogger(__name__)
_CLOSING = 10.0


def heed_signals(stopping: Event) -> None:
    """Set an event as soon as this process is told to end, and tell it so when the one that started it has ended.

    What the server does at such signals it does as before. In another thread than the main one it changes nothing.
    """
    if current_thread() is not main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        _chain(number, stopping)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_follow, args=(parent,), name="parent", daemon=True).start()


def close_in_time(service: Service) -> None:
    """Close what a service works with; but do not wait for a job that computes in one piece, and is begun again."""
    closing = Thread(target=service.close, name="closing", daemon=True)
    closing.start()
    closing.join(_CLOSING)
    if closing.is_alive():
        _LOG.warning("the process ends while a job is at work, which another one begins again")


def _chain(number: signal.Signals, stopping: Event) -> None:
    before = signal.getsignal(number)

    def handle(given: int, frame: FrameType | None) -> None:
        stopping.set()
        if callable(before):
            before(given, frame)

    signal.signal(number, handle)


def _follow(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


__all__ = ["close_in_time", "heed_signals"]

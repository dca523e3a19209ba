"""Shutdown of a service process."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from threading import Event, Thread, current_thread, main_thread
from types import FrameType, MethodType

import uvicorn

from whorl.service.running import Service

_LOG = logging.getLogger(__name__)
_CLOSING = 10.0


def heed_signals(stopping: Event) -> None:
    """Set an event on SIGINT and SIGTERM, and send SIGTERM to this process when its parent has ended.

    Existing handlers of the server are still called. A signal that the server has received before, for example while
    its application was imported, sets the event too. Outside the main thread, the function does nothing.
    """
    if current_thread() is not main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        _chain(number, stopping)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_follow, args=(parent,), name="parent", daemon=True).start()


def close_in_time(service: Service) -> None:
    """Close the service without waiting for a job that cannot be interrupted; another process restarts it."""
    closing = Thread(target=service.close, name="closing", daemon=True)
    closing.start()
    closing.join(_CLOSING)
    if closing.is_alive():
        _LOG.warning("the process ends during a job, which another process will restart")


def _chain(number: signal.Signals, stopping: Event) -> None:
    before = signal.getsignal(number)

    def handle(received: int, frame: FrameType | None) -> None:
        stopping.set()
        if callable(before):
            before(received, frame)

    signal.signal(number, handle)
    if isinstance(before, MethodType) and isinstance(before.__self__, uvicorn.Server) and before.__self__.should_exit:
        stopping.set()


def _follow(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


__all__ = ["close_in_time", "heed_signals"]

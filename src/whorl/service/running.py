"""Shared objects of a worker process: settings, state and open libraries."""

from __future__ import annotations

import logging
import multiprocessing
from contextlib import ExitStack
from dataclasses import field
from threading import Event, Semaphore
from typing import Self

from whorl._internal.frozen import frozen
from whorl.errors import ResourceError
from whorl.library import open as open_library
from whorl.service.http.fair_queue import FairQueue
from whorl.service.http.readiness import Readiness
from whorl.service.jobs import JobQueue
from whorl.service.metrics import Metrics
from whorl.service.settings import Settings
from whorl.service.shelf import Shelf
from whorl.service.state import State, open_state
from whorl.service.tenancy import TenantPlace

MOST_STREAMS = 100
"""Maximum number of event streams per process."""
_BETWEEN_ATTEMPTS = 1.0
_LOG = logging.getLogger(__name__)


@frozen
class Service:
    """A running service.

    Attributes:
        settings: settings of the service.
        state: keys, users, jobs and other state.
        shelf: open libraries by name, shared by all threads.
        jobs: job queue.
        slow: queue of slow requests, fair between callers.
        streams: semaphore for open event streams.
        stopping: set when the process is stopping.
        metrics: metrics of this process.
        readiness: cached readiness check.
    """

    settings: Settings
    state: State
    shelf: Shelf
    jobs: JobQueue
    slow: FairQueue = field(default_factory=FairQueue)
    streams: Semaphore = field(default_factory=lambda: Semaphore(MOST_STREAMS))
    stopping: Event = field(default_factory=Event)
    metrics: Metrics = field(default_factory=Metrics)
    readiness: Readiness = field(default_factory=Readiness)
    _closing: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def open_worker(cls, settings: Settings, stopping: Event) -> Self:
        """Open the state and the libraries in a worker process. Wait for a server that cannot be reached.

        The first process has opened them before, so a fault of a server or of a disk is expected to pass. A worker
        that failed would end the service, with workers that still respond.

        Args:
            settings: settings of the service.
            stopping: set when the process is stopping.

        Raises:
            InputError: an address has no library, or a library is damaged.
            UsageError: the files of jobs need a folder, or the address of the state is invalid.
            ResourceError: the process is stopping, or has no parent process that would end.
        """
        while True:
            try:
                return cls.open(settings, stopping)
            except ResourceError as error:
                if multiprocessing.parent_process() is None or stopping.is_set():
                    raise
                _LOG.warning("this worker is waiting: %s", error)
            stopping.wait(_BETWEEN_ATTEMPTS)

    @classmethod
    def open(cls, settings: Settings, stopping: Event | None = None) -> Self:
        """Open the state and the libraries.

        Args:
            settings: settings of the service.
            stopping: set when the process is stopping.

        Raises:
            InputError: an address has no library, or a library is damaged.
            UsageError: the files of jobs need a folder, or the address of the state is invalid.
            ResourceError: the state is not writable, or a server cannot be reached.
        """
        files = settings.files_folder
        with ExitStack() as closing:
            state = open_state(settings.state)
            closing.callback(state.close)
            fixed = {
                name: closing.enter_context(open_library(address, create=False))
                for name, address in settings.libraries.items()
            }
            shelf = Shelf(fixed, state, TenantPlace(settings.tenants) if settings.tenants else None)
            closing.callback(shelf.close)
            jobs = JobQueue(state, files)
            return cls(settings, state, shelf, jobs, stopping=stopping or Event(), _closing=closing.pop_all())

    def close(self) -> None:
        """Wait for pending writes and close everything."""
        self._closing.close()


__all__ = ["Service"]

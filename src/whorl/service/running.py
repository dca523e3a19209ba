"""What a worker process works with: its settings, its state, and the libraries that it has opened."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Event, Semaphore
from typing import Self

from whorl.library import Library
from whorl.library import open as open_library
from whorl.service.fair_queue import FairQueue
from whorl.service.jobs import Desk
from whorl.service.metrics import Metrics
from whorl.service.readiness import Readiness
from whorl.service.settings import Settings
from whorl.service.state import State, open_state

MOST_STREAMS = 100
"""Of a process, at a time."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service.

    Attributes:
        settings: how it runs.
        state: keys, users, jobs and what else it keeps.
        shelf: the open libraries by name; all threads share them.
        jobs: where work is handed in that takes longer than a request.
        slow: admits requests that take seconds, fairly between callers.
        streams: how many more answers may go on for as long as their readers stay.
        stopping: is set once the process has been told to end.
        metrics: what this process has done.
        readiness: whether it can answer, found out once a second at most.
    """

    settings: Settings
    state: State
    shelf: Mapping[str, Library]
    jobs: Desk
    slow: FairQueue = field(default_factory=FairQueue)
    streams: Semaphore = field(default_factory=lambda: Semaphore(MOST_STREAMS))
    stopping: Event = field(default_factory=Event)
    metrics: Metrics = field(default_factory=Metrics)
    readiness: Readiness = field(default_factory=Readiness)
    _closing: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Open the state and the libraries.

        Raises:
            InputError: there is no library at an address, or one is damaged.
            ResourceError: the state cannot be written.
        """
        with ExitStack() as closing:
            state = open_state(settings.state)
            closing.callback(state.close)
            shelf = {
                name: closing.enter_context(open_library(address, create=False))
                for name, address in settings.libraries.items()
            }
            return cls(settings, state, shelf, Desk(state), _closing=closing.pop_all())

    def close(self) -> None:
        """Wait for what is being added, and close all."""
        self._closing.close()


__all__ = ["Service"]

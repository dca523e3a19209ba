"""How far a job is, and whether it is to go on."""

from __future__ import annotations

from threading import Event

_MOST_NOTES = 100


class Stopped(BaseException):
    """A job is not to go on. It is no error that a task could take for one of its own."""


class JobProgress:
    """Receives the course of a job, and ends it at its next step once somebody has asked for that.

    Attributes:
        name: of the stage.
        done: units of it that are done.
        total: units that it has; None if nobody knows.
        notes: what whoever asked for the job should know, the first hundred.
        stopping: set it to end the job.
    """

    def __init__(self) -> None:
        self.name = ""
        self.done = 0
        self.total: int | None = None
        self.notes: list[str] = []
        self.stopping = Event()

    def stage(self, name: str, total: int | None, unit: str) -> None:  # noqa: ARG002
        """Begin a stage."""
        self.name, self.done, self.total = name, 0, total
        self.advance(0)

    def advance(self, amount: int) -> None:
        """Go on.

        Raises:
            Stopped: it is not to.
        """
        if self.stopping.is_set():
            raise Stopped
        self.done += amount

    def note(self, message: str) -> None:
        """Keep what somebody should know."""
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(message)


__all__ = ["JobProgress", "Stopped"]

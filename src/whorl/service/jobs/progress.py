"""Progress and cancellation of a job."""

from __future__ import annotations

from threading import Event

_MOST_NOTES = 100


class Stopped(BaseException):
    """A job was cancelled. A BaseException, so that tasks do not handle it as an ordinary error."""


class JobProgress:
    """Receiver of the progress of a job that raises at the next step after cancellation.

    Attributes:
        name: name of the stage.
        done: completed units of the stage.
        total: total units of the stage; None if unknown.
        notes: the first hundred notes to the submitter.
        stopping: set to cancel the job.
    """

    def __init__(self) -> None:
        self.name = ""
        self.done = 0
        self.total: int | None = None
        self.notes: list[str] = []
        self.stopping = Event()

    def stage(self, name: str, total: int | None, unit: str) -> None:  # noqa: ARG002
        """Start a stage."""
        self.name, self.done, self.total = name, 0, total
        self.advance(0)

    def advance(self, amount: int) -> None:
        """Add completed units.

        Raises:
            Stopped: the job was cancelled.
        """
        if self.stopping.is_set():
            raise Stopped
        self.done += amount

    def note(self, message: str) -> None:
        """Record a note."""
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(message)


__all__ = ["JobProgress", "Stopped"]

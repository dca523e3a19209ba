"""How an engine tells what it is doing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the course of a run. The stages come in order: read, rank, group, probe, write."""

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """A stage begins; ``total`` units of work lie ahead, None if nobody knows."""
        ...

    def advance(self, amount: int) -> None:
        """``amount`` more units of the stage are done."""
        ...

    def note(self, message: str) -> None:
        """Something the user should know that is no failure."""
        ...


class Silent:
    """Tells nothing."""

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """Ignore the stage."""

    def advance(self, amount: int) -> None:
        """Ignore the work."""

    def note(self, message: str) -> None:
        """Ignore the message."""


__all__ = ["Progress", "Silent"]

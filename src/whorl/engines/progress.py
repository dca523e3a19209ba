"""Progress reporting of the engines."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receiver of progress reports. The stages come in order: read, rank, group, probe, write."""

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """Begin a stage of ``total`` units of work, None if unknown."""
        ...

    def advance(self, amount: int) -> None:
        """Report ``amount`` more units of the stage as done."""
        ...

    def note(self, message: str) -> None:
        """Show a message to the user that is not an error."""
        ...


class Silent:
    """Progress receiver that ignores everything."""

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """Ignore the stage."""

    def advance(self, amount: int) -> None:
        """Ignore the work."""

    def note(self, message: str) -> None:
        """Ignore the message."""


__all__ = ["Progress", "Silent"]

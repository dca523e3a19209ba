"""Progress of a scan."""

from __future__ import annotations

from typing import Protocol


class ContaminationProgress(Protocol):
    """Receiver of progress reports."""

    def stage(self, name: str, total: int | None, unit: str) -> None:
        """Begin a stage of ``total`` units of work, None if unknown."""
        ...

    def advance(self, amount: int) -> None:
        """Report ``amount`` more units of the stage as done."""
        ...


__all__ = ["ContaminationProgress"]

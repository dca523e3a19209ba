"""What reading a file may cost."""

from __future__ import annotations

from dataclasses import dataclass

_MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one format.

    Attributes:
        seconds: that any file may take until something is read of it, or between two batches.
        seconds_a_megabyte: besides, for each 2²⁰ bytes of the file.
        megabytes: that the process may grow by, of 2²⁰ bytes.
        megabytes_a_megabyte: besides, for each 2²⁰ bytes of the file.
    """

    seconds: float
    seconds_a_megabyte: float
    megabytes: int
    megabytes_a_megabyte: float

    def time(self, size: int) -> float:
        """The seconds for a file of so many bytes."""
        return self.seconds + self.seconds_a_megabyte * size / _MEGABYTE

    def memory(self, size: int) -> int:
        """The bytes for a file of so many bytes."""
        return int(self.megabytes * _MEGABYTE + self.megabytes_a_megabyte * size)


BUDGETS = {
    "html": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=32),
    "docx": Budget(seconds=30, seconds_a_megabyte=10, megabytes=768, megabytes_a_megabyte=8),
    "odt": Budget(seconds=30, seconds_a_megabyte=10, megabytes=768, megabytes_a_megabyte=8),
    "epub": Budget(seconds=30, seconds_a_megabyte=10, megabytes=768, megabytes_a_megabyte=16),
    "mhtml": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=32),
    "markdown": Budget(seconds=15, seconds_a_megabyte=10, megabytes=512, megabytes_a_megabyte=128),
    "latex": Budget(seconds=15, seconds_a_megabyte=10, megabytes=512, megabytes_a_megabyte=32),
    "rtf": Budget(seconds=30, seconds_a_megabyte=10, megabytes=512, megabytes_a_megabyte=32),
    "pdf": Budget(seconds=45, seconds_a_megabyte=2, megabytes=768, megabytes_a_megabyte=8),
    "xlsx": Budget(seconds=45, seconds_a_megabyte=20, megabytes=768, megabytes_a_megabyte=24),
    "jsonl": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "csv": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "text": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "subtitles": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "links": Budget(seconds=5, seconds_a_megabyte=2, megabytes=256, megabytes_a_megabyte=32),
}
"""Several times what the largest real files of each format take; see the tests."""

OURS = frozenset(("jsonl", "csv", "text", "subtitles"))
"""Formats that are read without a foreign library, and in this process unless somebody else sent the file."""

UNTRUSTED = Budget(seconds=15, seconds_a_megabyte=2, megabytes=0, megabytes_a_megabyte=0)
"""The seconds that all of a file takes at most which somebody else sent: others wait for the same processes."""

__all__ = ["BUDGETS", "OURS", "UNTRUSTED", "Budget"]

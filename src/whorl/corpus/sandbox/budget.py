"""Limits of time and memory per file format."""

from __future__ import annotations

from typing import NamedTuple

_MEGABYTE = 2**20


class Budget(NamedTuple):
    """The limits of one format.

    Attributes:
        seconds: maximum time until the first result of a file, or between two batches.
        seconds_a_megabyte: additional time per 2²⁰ bytes of the file.
        megabytes: maximum growth of the process, in units of 2²⁰ bytes.
        megabytes_a_megabyte: additional growth per 2²⁰ bytes of the file.
    """

    seconds: float
    seconds_a_megabyte: float
    megabytes: int
    megabytes_a_megabyte: float

    def time(self, size: int) -> float:
        """Return the time limit in seconds for a file of ``size`` bytes."""
        return self.seconds + self.seconds_a_megabyte * size / _MEGABYTE

    def memory(self, size: int) -> int:
        """Return the memory limit in bytes for a file of ``size`` bytes."""
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
    "picture": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=4),
    "ocr": Budget(seconds=90, seconds_a_megabyte=2, megabytes=1536, megabytes_a_megabyte=16),
    "xlsx": Budget(seconds=45, seconds_a_megabyte=20, megabytes=768, megabytes_a_megabyte=24),
    "jsonl": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "csv": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "text": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "subtitles": Budget(seconds=15, seconds_a_megabyte=2, megabytes=512, megabytes_a_megabyte=16),
    "links": Budget(seconds=5, seconds_a_megabyte=2, megabytes=256, megabytes_a_megabyte=32),
}
"""Several times the needs of the largest real files of each format; see the tests."""

RECOGNIZED = frozenset(("pdf", "picture", "docx", "epub", "html"))
"""Formats with pages or pictures whose text can be recognized; then the budget of "ocr" applies to each page."""


def kind_of(format: str, *, ocr: bool) -> str:
    """Return the key of a format in ``BUDGETS``."""
    return "ocr" if ocr and format in RECOGNIZED else format


OURS = frozenset(("jsonl", "csv", "text", "subtitles"))
"""Formats parsed without a third-party library, and in this process unless another user sent the file."""

UNTRUSTED = Budget(seconds=15, seconds_a_megabyte=2, megabytes=0, megabytes_a_megabyte=0)
"""Time limit for a whole file from another user, since others wait for the same processes."""

__all__ = ["BUDGETS", "OURS", "RECOGNIZED", "UNTRUSTED", "Budget", "kind_of"]

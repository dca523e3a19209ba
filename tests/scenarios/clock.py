"""A simulated wall clock for whole processes: the product, its crawler and its parsers run unchanged on another day."""

from __future__ import annotations

import os
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")
FIRST_DAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
"""The simulated time of the first run."""


class SimulatedClock:
    """The clock of a scenario: one run per day, at noon UTC, each of which takes its real time.

    Args:
        folder: folder for the compiled library.
    """

    def __init__(self, folder: Path) -> None:
        self._library = folder / "clock.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", self._library, SOURCE], check=True)
        self._shift = 0

    def begin(self, day: int) -> None:
        """Set the clock to noon of a day."""
        self._shift = round((noon(day) - datetime.now(UTC)).total_seconds())

    def now(self) -> datetime:
        """Return the simulated time."""
        return datetime.fromtimestamp(time.time() + self._shift, UTC)

    def environment(self) -> dict[str, str]:
        """Return the environment of a process on the simulated clock."""
        return {**os.environ, "LD_PRELOAD": str(self._library), "WHORL_TEST_CLOCK": str(self._shift)}


def noon(day: int) -> datetime:
    """Return the time of the run of a day."""
    return FIRST_DAY + timedelta(days=day)


__all__ = ["FIRST_DAY", "SimulatedClock", "noon"]

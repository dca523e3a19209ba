"""Detection of slowdowns against a recorded answer, across machines of different speed."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.questions import Answer, question

_TURNS = 7
_NUMBERS = 200_000


def yardstick() -> float:
    """Return the processor seconds of a fixed piece of work, which measure the current speed of the machine.

    It counts and sorts words, and packs and copies bytes, by code that is the same on every processor. Code for the
    widest available instructions would measure the instruction set instead of the machine.
    """
    numbers = np.random.default_rng(1).integers(0, 2**63, _NUMBERS)
    words = [str(number) for number in (numbers % 5_000).tolist()]
    return median(_turn(numbers.tobytes(), words) for _ in range(_TURNS))


def slowdowns(name: str, before: Mapping[str, Any] | None, now: Mapping[str, Any], noise: float) -> list[str]:
    """Report the figures that grew by more than the noise, in units of the yardstick of their runs.

    Args:
        name: name of the question.
        before: record of an earlier answer, or None.
        now: record of the new answer.
        noise: share that may be chance.
    """
    if before is None or "yardstick" not in before:
        return []
    guarded = getattr(question(name), "guarded", None)
    if guarded is None:
        return []
    try:
        baseline = guarded(before)
    except KeyError:  # the settings of the question have changed
        return []
    lines = []
    for what, cost in guarded(now).items():
        if baseline.get(what, 0.0) <= 0:
            continue
        times = cost / now["yardstick"] / (baseline[what] / before["yardstick"])
        if times > 1 + noise:
            lines.append(f"{what}: {times:.2f} × what it was on {before['date']}")
    return lines


def read_record(name: str, folder: Path) -> Answer | None:
    """Return the record of an answer, or None."""
    try:
        record: Answer = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except OSError:
        return None
    return record


def _turn(numbers: bytes, words: list[str]) -> float:
    start = time.process_time()
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    sorted(words)
    zlib.compress(numbers, 1)
    bytearray(numbers)
    return time.process_time() - start


__all__ = ["read_record", "slowdowns", "yardstick"]

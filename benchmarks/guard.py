"""What became slower since an answer was recorded, on machines of which none is as fast as the other."""

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
    """Return the seconds that a piece of work takes which never changes: a yardstick of the machine as it is now.

    It counts and sorts words, packs and copies bytes, by code that is the same on every processor: what uses the widest
    instructions there are tells these apart, not machines.
    """
    numbers = np.random.default_rng(1).integers(0, 2**63, _NUMBERS)
    words = [str(number) for number in (numbers % 5_000).tolist()]
    return median(_turn(numbers.tobytes(), words) for _ in range(_TURNS))


def slower(name: str, before: Mapping[str, Any] | None, now: Mapping[str, Any], noise: float) -> list[str]:
    """Say what costs more than it did by more than noise, each time in units of the yardstick of its run.

    Args:
        name: of the question.
        before: the record of an answer, None where there is none.
        now: that of the new one.
        noise: the share that may be chance.
    """
    if before is None or "yardstick" not in before:
        return []
    guarded = getattr(question(name), "guarded", None)
    if guarded is None:
        return []
    try:
        known = guarded(before)
    except KeyError:  # the question was asked otherwise then
        return []
    found = []
    for what, cost in guarded(now).items():
        if known.get(what, 0.0) <= 0:
            continue
        times = cost / now["yardstick"] / (known[what] / before["yardstick"])
        if times > 1 + noise:
            found.append(f"{what}: {times:.2f} × what it was on {before['date']}")
    return found


def recorded(name: str, folder: Path) -> Answer | None:
    """Return the record of an answer, None where there is none."""
    try:
        record: Answer = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except OSError:
        return None
    return record


def _turn(numbers: bytes, words: list[str]) -> float:
    start = time.perf_counter()
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    sorted(words)
    zlib.compress(numbers, 1)
    bytearray(numbers)
    return time.perf_counter() - start


__all__ = ["recorded", "slower", "yardstick"]

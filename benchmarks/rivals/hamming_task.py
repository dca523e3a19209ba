"""What every index of codes is asked: seeded random codes of 64 bits, and queries near some of them.

A script is called with the number of codes, of queries, the distance and the seed, and prints its figures as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 24
_PAGE = 4096

Codes = NDArray[np.uint64]


@dataclass(frozen=True)
class Task:
    """How many codes there are, how many queries, how far they may be apart, and the seed of all."""

    codes: int
    queries: int
    distance: int
    seed: int

    @classmethod
    def from_command_line(cls) -> Task:
        """Read the last four arguments."""
        return cls(*map(int, sys.argv[-4:]))

    def chunk(self, number: int) -> Codes:
        """Return the codes from ``number`` times ``CHUNK`` on, at most that many."""
        count = min(CHUNK, self.codes - number * CHUNK)
        return np.random.default_rng((self.seed, number)).integers(0, 2**64, count, np.uint64)

    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.codes // CHUNK)

    def all(self) -> Codes:
        """Return all codes."""
        return np.concatenate([self.chunk(number) for number in range(self.chunks())])

    def planted(self) -> tuple[Codes, NDArray[np.int64]]:
        """Return the queries and the position of the code from which each was made, by flipping 0 to k bits."""
        generator = np.random.default_rng((self.seed, 2**32))
        sources = np.sort(generator.integers(0, self.codes, self.queries))
        queries = np.empty(self.queries, np.uint64)
        for number in np.unique(sources // CHUNK):
            mine = sources // CHUNK == number
            queries[mine] = self.chunk(int(number))[sources[mine] % CHUNK]
        order = generator.permutation(self.queries)
        queries, sources = queries[order], sources[order]
        for position, flips in enumerate(generator.integers(0, self.distance + 1, self.queries)):
            for bit in generator.choice(64, flips, replace=False):
                queries[position] ^= np.uint64(1) << np.uint64(bit)
        return queries, sources


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median_microseconds(ask: Callable[[int], object], queries: int, at_most: float = 5.0) -> float:
    """Return the median time of a single query; stops after ``at_most`` seconds."""
    times: list[float] = []
    total = 0.0
    for position in range(queries):
        times.append(seconds(lambda position=position: ask(position)))  # type: ignore[misc]
        total += times[-1]
        if total > at_most:
            break
    return median(times) * 1e6


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


def recall(found: Callable[[int], Sequence[int] | NDArray[Any]], sources: NDArray[np.int64], checked: int) -> float:
    """Return the share of queries whose source is among what was found."""
    return float(np.mean([sources[position] in found(position) for position in range(checked)]))


def report(**figures: Any) -> None:
    """Print the figures."""
    print(json.dumps(figures))

"""Task of every code index: seeded random 64-bit codes, and queries near some of them.

The arguments of a script are the number of codes and queries, the distance and the seed. It prints its figures as JSON.
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
    """Number of codes and queries, maximum distance, and the seed."""

    codes: int
    queries: int
    distance: int
    seed: int

    @classmethod
    def from_command_line(cls) -> Task:
        """Read the last four arguments."""
        return cls(*map(int, sys.argv[-4:]))

    def chunk(self, number: int) -> Codes:
        """Return at most ``CHUNK`` codes, from ``number`` times ``CHUNK`` on."""
        count = min(CHUNK, self.codes - number * CHUNK)
        return np.random.default_rng((self.seed, number)).integers(0, 2**64, count, np.uint64)

    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.codes // CHUNK)

    def all(self) -> Codes:
        """Return all codes."""
        return np.concatenate([self.chunk(number) for number in range(self.chunks())])

    def planted(self) -> tuple[Codes, NDArray[np.int64]]:
        """Return the queries, each made by flipping 0 to k bits of a code, and the positions of these codes."""
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
    """Return the seconds that a call takes."""
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
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


def recall(search: Callable[[int], Sequence[int] | NDArray[Any]], sources: NDArray[np.int64], checked: int) -> float:
    """Return the share of queries whose source is among the matches."""
    return float(np.mean([sources[position] in search(position) for position in range(checked)]))


def report(**figures: Any) -> None:
    """Print the figures."""
    print(json.dumps(figures))

"""What an index in memory is asked that stands beside a library: articles in, and who copies whom.

A script is called with a file of articles (those of `strangers`, JSON Lines), how many there are, how many of them are
asked about when all are in, the seed and the number of cores; it prints its figures as JSON.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

_BLOCK = 2_000
_PART = 100


class Copies:
    """How many of the planted copies were found, by their kind."""

    def __init__(self) -> None:
        self._planted: Counter[str] = Counter()
        self._found: Counter[str] = Counter()

    def note(self, row: Mapping[str, Any], found: Collection[str]) -> None:
        """Count an article, and whether the one that it was made from is among those that were found for it."""
        if row["copy_of"] is not None:
            self._planted[row["kind"]] += 1
            self._found[row["kind"]] += row["copy_of"] in found

    def recall(self) -> dict[str, float]:
        """The share that was found of every kind."""
        return {kind: self._found[kind] / planted for kind, planted in sorted(self._planted.items())}


def chosen(articles: int, asked: int, seed: int) -> set[str]:
    """The ids of those that are asked about."""
    return set(map(str, random.Random(seed).sample(range(articles), asked)))


def timed(act: Callable[[Any], Any], value: Any) -> float:
    """How many milliseconds something takes."""
    began = time.perf_counter()
    act(value)
    return (time.perf_counter() - began) * 1e3


def spread(milliseconds: Sequence[float]) -> list[float]:
    """The median, the 99th percentile and the most."""
    ordered = sorted(milliseconds)
    return [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]


def anonymous() -> int:
    """Bytes of memory of this process that no file lies behind."""
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    return 0


def measure(
    sketches_of: Callable[[list[str]], list[Any]],
    add: Callable[[str, Any], Any],
    find: Callable[[Any], Collection[str]],
) -> None:
    """Fill an index and ask it, and print the figures.

    Args:
        sketches_of: the sketches of texts; called in as many processes as there are cores while the index is filled.
        add: puts the sketch of an article into the index, under its id.
        find: the ids of the articles whose sketches are near one.
    """
    articles, asked, seed, cores = map(int, sys.argv[2:])
    asked_about, texts = chosen(articles, asked, seed), []
    copies, sketching, adding = Copies(), 0.0, 0.0
    with get_context("fork").Pool(cores) as processes:
        before = anonymous()
        for rows in _blocks(Path(sys.argv[1]), articles):
            began = time.perf_counter()
            parts = [[row["text"] for row in rows[start : start + _PART]] for start in range(0, len(rows), _PART)]
            sketches = [sketch for part in processes.imap(sketches_of, parts) for sketch in part]
            sketching += time.perf_counter() - began
            for row, sketch in zip(rows, sketches, strict=True):
                copies.note(row, find(sketch) if row["copy_of"] is not None else ())
                adding += timed(lambda sketch, name=row["id"]: add(name, sketch), sketch)  # type: ignore[misc]
            texts += [row["text"] for row in rows if row["id"] in asked_about]
            del rows, parts, sketches
        memory = anonymous() - before
    figures = {
        "rate": articles / (sketching + adding / 1e3),
        "index_rate": articles / (adding / 1e3),
        "check": spread([timed(lambda text: find(sketches_of([text])[0]), text) for text in texts]),
        "look_up": spread([timed(find, sketch) for sketch in sketches_of(texts)]),
        "memory": memory / articles,
        "recall": copies.recall(),
    }
    print(json.dumps(figures))


def _blocks(path: Path, articles: int) -> Iterator[list[dict[str, Any]]]:
    with path.open("rb") as file:
        lines = islice(file, articles)
        while rows := [json.loads(line) for line in islice(lines, _BLOCK)]:
            yield rows
            del rows

"""Task of an in-memory index that is compared with a library: add articles, find copies.

The arguments of a script are a file of articles (those of `strangers`, JSON Lines), their number, the number of queries
after all articles are added, the seed and the number of cores. It prints its figures as JSON.
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
    """Number of planted copies that were found, by kind."""

    def __init__(self) -> None:
        self._planted: Counter[str] = Counter()
        self._hits: Counter[str] = Counter()

    def note(self, row: Mapping[str, Any], matches: Collection[str]) -> None:
        """Count an article, and whether its source is among the matches."""
        if row["copy_of"] is not None:
            self._planted[row["kind"]] += 1
            self._hits[row["kind"]] += row["copy_of"] in matches

    def recall(self) -> dict[str, float]:
        """Return the recall of each kind."""
        return {kind: self._hits[kind] / planted for kind, planted in sorted(self._planted.items())}


def chosen(articles: int, queries: int, seed: int) -> set[str]:
    """Return the ids of the queried articles."""
    return set(map(str, random.Random(seed).sample(range(articles), queries)))


def timed(act: Callable[[Any], Any], value: Any) -> float:
    """Return the milliseconds that a call takes."""
    began = time.perf_counter()
    act(value)
    return (time.perf_counter() - began) * 1e3


def spread(milliseconds: Sequence[float]) -> list[float]:
    """Return the median, the 99th percentile and the maximum."""
    ordered = sorted(milliseconds)
    return [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]


def anonymous() -> int:
    """Return the bytes of anonymous memory of this process."""
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    return 0


def measure(
    sketches_of: Callable[[list[str]], list[Any]],
    add: Callable[[str, Any], Any],
    find: Callable[[Any], Collection[str]],
) -> None:
    """Fill an index, query it and print the figures.

    Args:
        sketches_of: returns the sketches of texts; called in one process per core while the index is filled.
        add: adds the sketch of an article to the index, under its id.
        find: returns the ids of the articles whose sketches are near a sketch.
    """
    articles, queries, seed, cores = map(int, sys.argv[2:])
    asked_about, texts = chosen(articles, queries, seed), []
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

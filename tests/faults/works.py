"""What processes do while calls fail: each function prepares, and returns what is done once the calls are counted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.articles import article, edited

import whorl
from whorl.cli import main
from whorl.cli.failures import guarded

Work = Callable[[], None]


def program(*arguments: str) -> Work:
    """The command line."""
    return lambda: main(arguments)


def batch(first: int, count: int = 12) -> list[dict[str, str]]:
    """Documents, each third of which is a copy of the one before."""
    return [
        {"id": f"{number}", "text": edited(article(number - 1), 2) if number % 3 == 2 else article(number)}
        for number in range(first, first + count)
    ]


BATCHES = [batch(first) for first in (100, 200, 300)]


def add_batches(place: str) -> Work:
    """Add batches to a library, and say what was acknowledged."""

    @guarded
    def work() -> None:
        with whorl.open(place) as library:
            for documents in BATCHES:
                for report in library.add(documents):
                    _say(report.id)
            library.reindex()
            library.remove("100")
            _say("without 100")

    return work


def _say(what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def key_rows(first: int, count: int = 40) -> tuple[list[list[int]], list[int]]:
    """Rows of keys with ids."""
    return [[number // 2, number * 7 + 1] for number in range(first, first + count)], list(range(first, first + count))


def save_key_index(place: str) -> Work:
    """Add the rows from 1000 on to a saved index, and save it again."""
    index = whorl.KeyIndex.open(place)
    index.add(*key_rows(1000))
    index.remove([3, 5])
    index.merge()

    @guarded
    def work() -> None:
        index.save(place)

    return work


def codes(first: int, count: int = 40) -> tuple[np.ndarray, list[int]]:
    """Codes with ids."""
    values = np.random.default_rng(first).integers(0, 2**63, count, dtype=np.uint64)
    return values, list(range(first, first + count))


def save_hamming_index(place: str) -> Work:
    """Add the codes from 1000 on to a saved index, and save it again."""
    index = whorl.HammingIndex.open(place)
    index.add(*codes(1000))
    index.remove([3, 5])
    index.merge()

    @guarded
    def work() -> None:
        index.save(place)

    return work

"""Work of processes with failing calls: each function prepares, and returns the work during which calls are counted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.articles import article, edited

import whorl
from whorl.cli import main
from whorl.cli.ui.failures import guarded

Work = Callable[[], None]


def program(*arguments: str) -> Work:
    """The command line."""
    return lambda: main(arguments)


def shards(command: str, *arguments: str) -> Work:
    """Run all stages of ``dedup`` or ``strip`` in two shards, until one fails."""

    def work() -> None:
        for stage in ("sketch", "group", "decide", "write"):
            for shard in ("1/2", "2/2"):
                try:
                    main([command, *arguments, "--stage", stage, "--shard", shard])
                except SystemExit as ended:
                    if ended.code:
                        raise

    return work


def batch(first: int, count: int = 12) -> list[dict[str, str]]:
    """Return documents; each third is a copy of the one before."""
    return [
        {"id": f"{number}", "text": edited(article(number - 1), 2) if number % 3 == 2 else article(number)}
        for number in range(first, first + count)
    ]


BATCHES = [batch(first) for first in (100, 200, 300)]


def add_batches(place: str) -> Work:
    """Add batches to a library, and report the acknowledged ones."""

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


def keep_beside(place: str) -> Work:
    """Store the records other than articles in a library, and report the acknowledged ones; existing records stay."""

    @guarded
    def work() -> None:
        with whorl.open(place) as library:
            for name, step in BESIDE.items():
                step(library)
                _say(name)

    return work


def _keep_pages(library: whorl.Library) -> None:
    missing = [page for page in PAGES if library.pages.find(page["url"]) is None]
    for snapshot in library.pages.keep_each(missing):
        _say(snapshot.url)


def _note(library: whorl.Library) -> None:
    if all(record.kind != "evidence" for record in library.ledger):
        library.ledger.note("evidence", "ab" * 32)


def _decide(library: whorl.Library) -> None:
    for pair, state in DECISIONS.items():
        if not library.reviews.of(*pair):
            library.review(*pair, state, by="ana", note="seen")


def _alert(library: whorl.Library) -> None:
    library.outbox.put({"rule": "all", "payload": {"id": key}, "key": key} for key in ALERTS)
    library.outbox.sent([alert.number for alert in library.outbox if alert.key == ALERTS[0]])


PAGES: list[dict[str, Any]] = [
    {"url": f"https://a.example/{number}", "body": b"<p>%d" % number * 300, "at": "2026-03-05", "document": f"{number}"}
    for number in range(4)
]
DECISIONS = {("1", "2"): "confirmed", ("4", "5"): "rejected"}
ALERTS = ("first", "second")
SITES = [{"domain": f"{name}.example", "trust": 0.5} for name in "abc"]
PERMISSIONS = [{"domain": f"{name}.example", "path": "/reprints"} for name in "ab"]
ATTESTATIONS = [{"document": f"{number}", "kind": "server-log", "at": "2026-03-01"} for number in range(3)]
BESIDE: dict[str, Callable[[whorl.Library], Any]] = {
    "sites": lambda library: library.sites.put(SITES),
    "permissions": lambda library: library.permissions.put(PERMISSIONS),
    "attestations": lambda library: library.attestations.put(ATTESTATIONS),
    "pages": _keep_pages,
    "ledger": _note,
    "reviews": _decide,
    "outbox": _alert,
    "without a site": lambda library: library.sites.remove(["c.example"]),
    "without a permission": lambda library: library.permissions.remove(PERMISSIONS[1:]),
}
"""These records, in order."""


def _say(what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def key_rows(first: int, count: int = 40) -> tuple[list[list[int]], list[int]]:
    """Return rows of keys with ids."""
    return [[number // 2, number * 7 + 1] for number in range(first, first + count)], list(range(first, first + count))


def save_key_index(place: str) -> Work:
    """Add the rows from 1000 on to a saved index, and save it again."""
    index = whorl.indexes.KeyIndex.open(place)
    index.add(*key_rows(1000))
    index.remove([3, 5])
    index.merge()

    @guarded
    def work() -> None:
        index.save(place)

    return work


def codes(first: int, count: int = 40) -> tuple[np.ndarray, list[int]]:
    """Return codes with ids."""
    values = np.random.default_rng(first).integers(0, 2**63, count, dtype=np.uint64)
    return values, list(range(first, first + count))


def save_hamming_index(place: str) -> Work:
    """Add the codes from 1000 on to a saved index, and save it again."""
    index = whorl.indexes.HammingIndex.open(place)
    index.add(*codes(1000))
    index.remove([3, 5])
    index.merge()

    @guarded
    def work() -> None:
        index.save(place)

    return work

"""Concurrent readers and a writer of one library, each a process that has opened it.

The writer reports how many articles were acknowledged. Every reader must see them from then on; otherwise the
measurement fails.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import Any, TextIO

from benchmarks.rivals.library_task import spread, timed

_PATIENCE = 120.0


class NotSeen(Exception):
    """A reader did not see an acknowledged article."""


@dataclass(frozen=True)
class Files:
    """The library, the articles that it contains, and the articles to add."""

    library: Path
    stored: Path
    arriving: Path


@dataclass(frozen=True)
class _Together:
    begin: Barrier
    end: Event
    acknowledged: Synchronized[int]


_together: _Together


class _Warnings(logging.StreamHandler[TextIO]):
    """Handler that counts and shows the warnings of the library."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        logging.getLogger("whorl.library").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1
        super().emit(record)


def traffic(files: Files, settings: Mapping[str, Any], texts: bool) -> dict[str, Any]:
    """Let ``settings["readers"]`` processes check articles while one process adds articles.

    Args:
        files: JSON Lines of ``id`` and ``text``; the arriving ones are not in the library yet.
        settings: ``readers``, ``seconds``, and per turn of the writer ``batch``, the articles of one bulk add, and
            ``singles``, the articles then added one by one.
        texts: whether the library stores texts.

    Returns:
        Number of articles ``added`` and the ``seconds``; ``adds`` and ``checks`` per second; milliseconds of a single
        ``add`` and of a ``check``: median, 99%, maximum; how often an acknowledged article was checked and ``seen``;
            and
        the ``warnings`` of the library, which repairs its index by itself.

    Raises:
        NotSeen: a reader did not find an article that is in the library, or found another text.
        WhorlError: any error of the library.
    """
    context = get_context("spawn")
    shared = (context.Barrier(settings["readers"] + 1), context.Event(), context.Value("q", 0))
    with ProcessPoolExecutor(settings["readers"] + 1, context, _share, shared) as processes:
        writer = processes.submit(_write, files, dict(settings))
        readers = [processes.submit(_read, files, number, texts) for number in range(settings["readers"])]
        written = writer.result()
        read = [reader.result() for reader in readers]
    return written | {
        "checks": sum(len(reader["times"]) for reader in read) / written["seconds"],
        "check": spread([sample for reader in read for sample in reader["times"]]),
        "seen": sum(reader["seen"] for reader in read),
        "warnings": sum(figures["warnings"] for figures in [written, *read]),
    }


def _share(begin: Barrier, end: Event, acknowledged: Synchronized[int]) -> None:
    global _together  # noqa: PLW0603 - what processes share reaches them only when they begin
    _together = _Together(begin, end, acknowledged)


def _write(files: Files, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add articles until the time is over or the input ends; return the rate."""
    import whorl

    arriving = _articles(files.arriving)
    alone, added, warnings = [], 0, _Warnings()
    with whorl.open(files.library, create=False) as library:
        _together.begin.wait(_PATIENCE)
        began = time.perf_counter()
        try:
            for count in _turns(settings):
                if added >= len(arriving) or time.perf_counter() - began > settings["seconds"]:
                    break
                documents = arriving[added : added + count]
                milliseconds = timed(library.add, documents if count > 1 else documents[0])
                alone += [milliseconds] if count == 1 else []
                added += len(documents)
                _together.acknowledged.value = added
        finally:
            _together.end.set()
        seconds = time.perf_counter() - began
    figures = {"seconds": seconds, "added": added, "adds": added / seconds, "add": spread(alone)}
    return figures | {"warnings": warnings.count}


def _turns(settings: Mapping[str, Any]) -> Iterator[int]:
    """Yield the sizes of the writer's batches endlessly."""
    while True:
        yield settings["batch"]
        yield from [1] * settings["singles"]


def _read(files: Files, number: int, texts: bool) -> dict[str, Any]:
    """Check articles until the writer ends: an initial one, the last acknowledged one, an earlier one."""
    import whorl

    rng = random.Random(number)
    stored, arriving = _articles(files.stored), _articles(files.arriving)
    times, seen_count, warnings = [], 0, _Warnings()
    with whorl.open(files.library, create=False) as library:
        _together.begin.wait(_PATIENCE)
        while not _together.end.is_set():
            times.append(_check(library, rng.choice(stored)))
            acknowledged = _together.acknowledged.value
            for place in {acknowledged - 1, rng.randrange(acknowledged)} if acknowledged else ():
                _get(library, arriving[place], texts)
                times.append(_check(library, arriving[place]))
                seen_count += 1
    return {"times": times, "seen": seen_count, "warnings": warnings.count}


def _check(library: Any, article: Mapping[str, Any]) -> float:
    """Return the milliseconds of a check, which must find the article itself."""
    began = time.perf_counter()
    report = library.check(article["text"])
    milliseconds = (time.perf_counter() - began) * 1e3
    if article["id"] not in {match.id for match in report.matches}:
        raise NotSeen(f"a check of the text of {article['id']} does not find it")
    return milliseconds


def _get(library: Any, article: Mapping[str, Any], texts: bool) -> None:
    document = library.get(article["id"])
    if document is None or (texts and document.text != article["text"]):
        raise NotSeen(f"{article['id']} was acknowledged, and is {'not there' if document is None else 'another text'}")


def _articles(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as file:
        return [json.loads(line) for line in file]

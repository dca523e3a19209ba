"""Measurement of one library from its first article on, in a separate process; prints its figures as JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import chain, islice, pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.library.bare import FILE, batch_beside_bare, beside_bare
from benchmarks.library.traffic import Files, NotSeen, traffic
from benchmarks.measure import size_on_disk
from benchmarks.rivals.library_task import Copies, anonymous, chosen, spread, timed
from benchmarks.strangers import BATCH, strangers

_TENTHS = 10

Row = dict[str, Any]


def measure(task: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Measure one library.

    Args:
        task: ``articles``, whether ``texts`` are stored, and the settings ``seed``, ``asked``, ``bulk`` and
            ``traffic``.
        folder: an empty folder.
    """
    import whorl

    arriving = task["traffic"]["articles"]
    stored = _stored_before_traffic(task)
    articles = chain.from_iterable(strangers(stored + arriving, task["seed"]))
    library = whorl.open(folder / "library", texts=task["texts"])
    figures, sample = _fill(library, articles, task)
    figures["check"] = spread([timed(library.check, row["text"]) for row in sample])
    figures |= beside_bare(library, folder, [_document(row) for row in islice(articles, task["asked"])])
    figures["bulk"] = batch_beside_bare(library, folder, [_document(row) for row in islice(articles, task["bulk"])])
    library.close()
    figures["disk"] = size_on_disk(folder / "library") / stored
    figures["text_bytes"] = _text_bytes(folder / "library" / FILE) / stored
    began = perf_counter()
    library = whorl.open(folder / "library", create=False)
    figures["open"] = (perf_counter() - began) * 1e3
    began = perf_counter()
    library.reindex()
    figures["rebuild"] = perf_counter() - began
    library.close()
    figures["traffic"] = _traffic(folder, sample, list(articles), task)
    return figures


def _fill(library: Any, articles: Iterator[Row], task: Mapping[str, Any]) -> tuple[dict[str, Any], list[Row]]:
    """Add the articles in batches; return the figures and the articles to check."""
    asked_about = chosen(task["articles"], task["asked"], task["seed"])
    sample, seconds, counts, copies = [], [], [], Copies()
    library.check("what is loaded on first use is no article's")
    library.check("What is loaded on first use is the memory of no article.")
    before = None
    for rows in _batches(articles, task["articles"]):
        documents = [_document(row) for row in rows]
        before = anonymous() if before is None else before
        began = perf_counter()
        reports = library.add(documents)
        seconds.append(perf_counter() - began)
        counts.append(len(rows))
        for row, report in zip(rows, reports, strict=True):
            copies.note(row, {match.id for match in report.matches})
        sample += [row for row in rows if row["id"] in asked_about]
        del rows, documents, reports
    figures = {
        "rate": sum(counts) / sum(seconds),
        "tenths": _tenths(counts, seconds),
        "recall": copies.recall(),
        "memory": (anonymous() - (before or 0)) / sum(counts),
    }
    return figures, sample


def _batches(articles: Iterator[Row], count: int) -> Iterator[list[Row]]:
    """Yield the next ``count`` articles in batches of at most a tenth of them."""
    batch_size = min(BATCH, -(-count // _TENTHS))
    remaining = count
    while remaining:
        yield list(islice(articles, min(batch_size, remaining)))
        remaining -= min(batch_size, remaining)


def _tenths(counts: list[int], seconds: list[float]) -> list[float]:
    """Return articles per second in each tenth of the batches."""
    bounds = [len(counts) * tenth // _TENTHS for tenth in range(_TENTHS + 1)]
    return [sum(counts[start:end]) / sum(seconds[start:end]) for start, end in pairwise(bounds)]


def _stored_before_traffic(task: Mapping[str, Any]) -> int:
    return int(task["articles"] + task["asked"] + task["bulk"])


def _document(row: Row) -> dict[str, Any]:
    return {"id": row["id"], "text": row["text"]}


def _text_bytes(path: Path) -> int:
    """Return the bytes of all stored texts."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT total(length(body)) FROM text").fetchone()[0])


def _traffic(folder: Path, stored: list[Row], arriving: list[Row], task: Mapping[str, Any]) -> dict[str, Any]:
    """Measure concurrent readers and a writer, and check that no article is lost.

    Raises:
        NotSeen: an article is lost.
    """
    import whorl

    files = Files(folder / "library", folder / "stored.jsonl", folder / "arriving.jsonl")
    for path, rows in ((files.stored, stored), (files.arriving, arriving)):
        path.write_text("".join(f"{json.dumps(_document(row))}\n" for row in rows), encoding="ascii")
    figures = traffic(files, task["traffic"], task["texts"])
    began = perf_counter()
    with whorl.open(files.library, create=False) as library:
        opened = (perf_counter() - began) * 1e3
        missing = _stored_before_traffic(task) + figures["added"] - len(library)
    if missing:
        raise NotSeen(f"{missing:,} acknowledged articles are not there")
    return figures | {"open": opened}


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]), Path(sys.argv[2]))))

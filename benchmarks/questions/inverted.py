"""The inverted index on winnowed keys of unrelated articles with planted copies."""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.questions import Answer, Settings, say
from benchmarks.strangers import BATCH, strangers

_UNIT_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


def ask(settings: Settings) -> Answer:
    """Build, save and open an index of each size, and query it with some of its articles."""
    rows = []
    for size in settings["sizes"]:
        say(f"inverted: {size:,} articles")
        folder = Path(tempfile.mkdtemp(prefix="whorl-inverted-"))
        try:
            rows.append({"articles": size} | _measure(size, settings, folder))
        finally:
            shutil.rmtree(folder)
    data = "Chinese articles of 700 to 1,300 characters, a fifth of them copies of one other; keys of `winnowing`"
    return {"data": [data], "rows": rows}


def _measure(size: int, settings: Settings, folder: Path) -> dict[str, Any]:
    from whorl.indexes import KeyIndex

    index = KeyIndex()
    sample: list[tuple[Any, int, int | None]] = []
    build = fingerprints = 0.0
    generator = np.random.default_rng(settings["seed"])
    for number, (batch, fingerprinted, seconds) in enumerate(_batches(size, settings["seed"])):
        fingerprints += seconds
        started = time.perf_counter()
        index.add(fingerprinted)
        build += time.perf_counter() - started
        sample += _sample(number, batch, fingerprinted, settings["queries"] * BATCH // size + 1, generator)
    generator.shuffle(sample)  # type: ignore[arg-type]
    sample = sample[: settings["queries"]]
    save = _seconds(lambda: index.save(folder / "index"))
    stats = index.stats()
    del index
    on_disk = sum(path.stat().st_size for path in (folder / "index").iterdir())
    started = time.perf_counter()
    index = KeyIndex.open(folder / "index")
    opened = time.perf_counter() - started
    first = _query(index, sample)
    again = _query(index, sample)
    many = _seconds(lambda: index.query_many([keys for keys, _, _ in sample]))
    return {
        "build": build,
        "fingerprint": fingerprints,
        "save": save,
        "postings": stats["postings"],
        "segments": stats["segments"],
        "bytes": on_disk,
        "opened": opened,
        "first": first["times"],
        "again": again["times"],
        "batch": many / len(sample),
        "own": first["own"],
        "copies": first["copies"],
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_OF_MAXRSS,
    }


def _batches(size: int, seed: int) -> Iterator[tuple[list[dict[str, Any]], Any, float]]:
    """Yield batches of articles, their keys, and the seconds of sketching."""
    from whorl.fingerprints import family

    winnowing = family("winnowing")
    for batch in strangers(size, seed):
        started = time.perf_counter()
        fingerprinted = winnowing.fingerprint([document["text"] for document in batch])
        yield batch, fingerprinted, time.perf_counter() - started


def _sample(
    number: int, batch: list[dict[str, Any]], fingerprinted: Any, count: int, generator: np.random.Generator
) -> list[tuple[Any, int, int | None]]:
    """Return a sample of a batch: keys, id, and the id of the source."""
    ends = np.cumsum(fingerprinted.counts)
    rows = []
    for place in generator.choice(len(batch), min(count, len(batch)), replace=False).tolist():
        source = batch[place]["copy_of"]
        keys = fingerprinted.keys[ends[place] - fingerprinted.counts[place] : ends[place]].copy()
        rows.append((keys, number * BATCH + place, None if source is None else int(source)))
    return rows


def _query(index: Any, sample: list[tuple[Any, int, int | None]]) -> dict[str, Any]:
    """Query one by one: the time of each, and whether the article and its source were found."""
    times, self_hits, copies, source_hits = [], 0, 0, 0
    for keys, id_, source in sample:
        started = time.perf_counter()
        answer = index.query(keys)
        times.append(time.perf_counter() - started)
        ids = {hit for hit, _ in answer.hits}
        self_hits += id_ in ids or not len(keys)
        copies += source is not None
        source_hits += source in ids
    quantiles = np.quantile(np.array(times) * 1e6, [0.5, 0.99]).tolist()
    return {"times": quantiles, "own": self_hits / len(sample), "copies": source_hits / max(1, copies)}


def _seconds(act: Any) -> float:
    started = time.perf_counter()
    act()
    os.sync()
    return time.perf_counter() - started


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {f"{row['articles']:,} articles, {name}": row[name] for row in answer["rows"] for name in ("build", "batch")}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = [_HEAD, "|--:|" + "--:|" * 12]
    lines += [_line(row) for row in answer["rows"]]
    return "\n".join(lines)


_HEAD = (
    "| articles | build, articles/s | keys of them, articles/s | postings | segments | bytes a posting, on disk "
    "| save s | open ms | look-up µs p50, p99 | the first ones | in batches µs | finds itself | finds its source |"
)


def _line(row: dict[str, Any]) -> str:
    size = row["articles"]
    times = [" ".join(f"{value:,.0f}" for value in row[name]) for name in ("again", "first")]
    cells = [f"{size:,}", f"{size / row['build']:,.0f}", f"{size / row['fingerprint']:,.0f}", f"{row['postings']:,.0f}"]
    cells += [f"{row['segments']}", f"{row['bytes'] / row['postings']:.2f}", f"{row['save']:.2f}"]
    cells += [f"{row['opened'] * 1e3:.1f}", *times, f"{row['batch'] * 1e6:,.0f}"]
    cells += [f"{row['own']:.4f}", f"{row['copies']:.4f}"]
    return f"| {' | '.join(cells)} |"

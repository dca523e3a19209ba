"""The durable library: adding, checking, opening and rebuilding among many articles, and what they take."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.measure import size_on_disk
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.strangers import strangers

_TENTHS = 10


def ask(settings: Settings) -> Answer:
    """Measure libraries of every size, each in a process of its own."""
    rows = []
    for size in settings["sizes"]:
        for texts in (True, False):
            say(f"library: {size:,} articles, {'with' if texts else 'without'} texts")
            with scratch() as folder:
                task = [str(size), str(settings["asked"]), str(settings["seed"]), str(int(texts)), str(folder)]
                done = subprocess.run([sys.executable, "-m", __name__, *task], check=True, stdout=subprocess.PIPE)
            rows.append({"articles": size, "texts": texts} | json.loads(done.stdout))
    return {"data": ["real news made strangers, a fifth of them copies (benchmarks/strangers.py)"], "rows": rows}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = ["| | " + " | ".join(_name(row) for row in answer["rows"]) + " |", "|---|" + "--:|" * len(answer["rows"])]
    for title, show in _FIGURES.items():
        lines.append(f"| {title} | {' | '.join(show(row) for row in answer['rows'])} |")
    return "\n".join(lines)


def _name(row: dict[str, Any]) -> str:
    return f"{row['articles']:,} articles{'' if row['texts'] else ', keys only'}"


_FIGURES: dict[str, Callable[[dict[str, Any]], str]] = {
    "added in batches, articles/s": lambda row: f"{row['rate']:,.0f}",
    "the first and the last tenth of them": lambda row: f"{row['tenths'][0]:,.0f}, {row['tenths'][-1]:,.0f}",
    "planted copies found": lambda row: f"{row['found']:.4f}",
    "one durable add, ms: median, 99 %": lambda row: f"{row['add'][0]:.2f}, {row['add'][1]:.2f}",
    "the same bytes into bare SQLite, ms: median, 99 %": lambda row: f"{row['bare'][0]:.2f}, {row['bare'][1]:.2f}",
    "one check, ms: median, 99 %": lambda row: f"{row['check'][0]:.2f}, {row['check'][1]:.2f}",
    "opening, ms": lambda row: f"{row['open']:.1f}",
    "building the index again, s": lambda row: f"{row['rebuild']:.1f}",
    "compressed text, bytes an article": lambda row: f"{row['text_bytes']:,.0f}",
    "disk, bytes an article": lambda row: f"{row['disk']:,.0f}",
    "anonymous memory after adding, bytes an article": lambda row: f"{row['memory']:,.0f}",
}


def measure(size: int, asked: int, seed: int, texts: bool, folder: Path) -> dict[str, Any]:
    """Measure one library."""
    import whorl
    from whorl.stores.packing import pack_many

    rng = random.Random(seed)
    library = whorl.open(folder / "library", texts=texts)
    before = 0
    seconds, counts, sample, found, planted, packed = [], [], [], 0, 0, 0
    for batch in strangers(size, seed):
        documents = [{"id": row["id"], "text": row["text"]} for row in batch]
        before = before or _anonymous()
        began = perf_counter()
        reports = library.add(documents)
        seconds.append(perf_counter() - began)
        counts.append(len(batch))
        for row, report in zip(batch, reports, strict=True):
            planted += row["copy_of"] is not None
            found += row["copy_of"] in {match.id for match in report.matches}
        sample += rng.sample([row["text"] for row in batch], min(len(batch), 1 + asked * len(batch) // size))
        packed += sum(map(len, pack_many([row["text"] for row in batch])))
        del batch, documents, reports
    memory = _anonymous() - before
    checks = _times(library.check, sample[:asked])
    adds = [{"id": f"new {number}", "text": text[::-1]} for number, text in enumerate(sample[:asked])]
    singles = _times(library.add, adds)
    library.close()
    began = perf_counter()
    library = whorl.open(folder / "library")
    opened = perf_counter() - began
    disk = size_on_disk(folder / "library")
    began = perf_counter()
    library.reindex()
    rebuilt = perf_counter() - began
    library.close()
    return {
        "rate": sum(counts) / sum(seconds),
        "tenths": list(_tenths(counts, seconds)),
        "found": found / planted,
        "add": singles,
        "bare": _bare(folder / "bare.sqlite", pack_many([row["text"] for row in adds]), library.rules.texts),
        "check": checks,
        "open": opened * 1e3,
        "rebuild": rebuilt,
        "text_bytes": packed / size,
        "disk": disk / (size + len(adds)),
        "memory": memory / size,
    }


def _tenths(counts: list[int], seconds: list[float]) -> Iterator[float]:
    """Articles a second in each tenth of the batches."""
    step = max(1, len(counts) // _TENTHS)
    for start in range(0, len(counts), step):
        yield sum(counts[start : start + step]) / sum(seconds[start : start + step])


def _times(act: Callable[[Any], Any], values: list[Any]) -> tuple[float, float]:
    """The median and the 99th percentile of the milliseconds that each takes."""
    taken = []
    for value in values:
        began = perf_counter()
        act(value)
        taken.append((perf_counter() - began) * 1e3)
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 99 // 100]


def _bare(path: Path, texts: list[bytes], keeps: bool) -> tuple[float, float]:
    """What commits of the same bytes take without a library."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE text (number INTEGER PRIMARY KEY, body BLOB)")
    times = _times(
        lambda text: connection.execute("INSERT INTO text (body) VALUES (?)", (text if keeps else b"",)), texts
    )
    connection.close()
    return times


def _anonymous() -> int:
    """Bytes of memory of this process that no file lies behind."""
    for line in Path(f"/proc/{os.getpid()}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    size, asked, seed, texts = map(int, sys.argv[1:5])
    json.dump(measure(size, asked, seed, bool(texts), Path(sys.argv[5])), sys.stdout)

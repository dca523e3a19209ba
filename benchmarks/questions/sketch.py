"""Sketching speed on one core, from an Arrow column to sketches and keys, compared with copying the same bytes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.corpora import corpus
from benchmarks.questions import Answer, Settings, on_one_core, say


def ask(settings: Settings) -> Answer:
    """Measure every language in a separate process with one thread."""
    rows = []
    origins = []
    for language in settings["languages"]:
        articles = corpus(language, settings["documents"], settings["seed"])
        say(f"sketch: {language}, {articles.documents:,} articles")
        arguments = [articles.path, str(settings["threshold"]), str(settings["runs"])]
        measured = on_one_core(sys.executable, "-m", __name__, *arguments)
        rows.append({"language": language, "documents": articles.documents} | measured)
        origins.append(articles.origin)
    return {"data": origins, "rows": rows}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {row["language"]: row["sketch_seconds"] / row["documents"] for row in answer["rows"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = ["| articles | documents/s | MB/s | µs/document | of the speed of memcpy |", "|---|--:|--:|--:|--:|"]
    for row in answer["rows"]:
        rate = row["documents"] / row["sketch_seconds"]
        megabytes = row["bytes"] / row["sketch_seconds"] / 1e6
        share = f"1/{row['sketch_seconds'] / row['memcpy_seconds']:.0f}"
        lines.append(f"| {row['language']} | {rate:,.0f} | {megabytes:,.0f} | {1e6 / rate:.2f} | {share} |")
    return "\n".join(lines)


def measure(path: Path, threshold: float, runs: int) -> dict[str, Any]:
    """Return the median seconds of sketching the texts of a file, and of copying their bytes."""
    import pyarrow as pa

    from whorl.fingerprints import family

    with path.open("rb") as file:
        texts = pa.array([json.loads(line)["text"] for line in file])
    source = np.frombuffer(texts.buffers()[2], np.uint8)
    target = source.copy()
    minhash = family("minhash", threshold=threshold)
    sketch_seconds, memcpy_seconds = [], []
    for _ in range(runs):
        sketch_seconds.append(_seconds(lambda: minhash.fingerprint(texts)))
        memcpy_seconds.append(_seconds(lambda: np.copyto(target, source)))
    return {
        "bytes": len(source),
        "sketch_seconds": median(sketch_seconds),
        "memcpy_seconds": median(memcpy_seconds),
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))))

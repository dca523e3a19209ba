"""Winnowing speed on one core, from an Arrow column to winnowed keys, compared with copying the same bytes."""

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
from benchmarks.questions import Answer, Settings, kernel, on_one_core, say


def ask(settings: Settings) -> Answer:
    """Measure every language in a separate process, by processor time."""
    say("winnowing: code points")
    rows, origins = [], []
    nanoseconds = kernel("winnow_code_points")["nanoseconds_per_code_point"]
    for language in settings["languages"]:
        articles = corpus(language, settings["documents"], settings["seed"])
        say(f"winnowing: {language}, {articles.documents:,} articles")
        measured = on_one_core(sys.executable, "-m", __name__, articles.path, str(settings["runs"]))
        rows.append({"language": language, "documents": articles.documents} | measured)
        origins.append(articles.origin)
    return {"data": origins, "rows": rows, "bound": settings["bound"], "nanoseconds_per_code_point": nanoseconds}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {row["language"]: row["seconds"] / row["code_points"] for row in answer["rows"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    head = "| articles | ns/code point | of memcpy | times memcpy | documents/s | keys/document |"
    lines = [head, "|---|--:|--:|--:|--:|--:|"]
    for row in answer["rows"]:
        point_ns, copied = (1e9 * row[name] / row["code_points"] for name in ("seconds", "memcpy_seconds"))
        rate, keys = row["documents"] / row["seconds"], row["keys"] / row["documents"]
        cells = [f"{point_ns:.2f}", f"{copied:.2f}", f"{point_ns / copied:.0f}", f"{rate:,.0f}", f"{keys:.0f}"]
        lines.append(f"| {row['language']} | {' | '.join(cells)} |")
    point_ns = answer["nanoseconds_per_code_point"]
    summary = f"{point_ns:.2f} ns for a code point that is already folded (at most {answer['bound']})."
    return "\n".join(
        [*lines, "", f"{summary} The table is the whole way: folding, the digest of the text, and the keys."]
    )


def measure(path: Path, runs: int) -> dict[str, Any]:
    """Return the median seconds of winnowing the texts of a file, and of copying their bytes."""
    import pyarrow as pa

    from whorl.fingerprints import family

    with path.open("rb") as file:
        texts = pa.array([json.loads(line)["text"] for line in file])
    source = np.frombuffer(texts.buffers()[2], np.uint8)
    target = source.copy()
    winnowing = family("winnowing")
    return {
        "code_points": sum(map(len, texts.to_pylist())),
        "keys": len(winnowing.fingerprint(texts).keys),
        "seconds": median(_seconds(lambda: winnowing.fingerprint(texts)) for _ in range(runs)),
        "memcpy_seconds": median(_seconds(lambda: np.copyto(target, source)) for _ in range(runs)),
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]))))

"""SimHash: cost per feature and per article, and the noun-verb recipe compared with Python.

The kernel is timed by an example of the Rust crate, from hashes in memory. Recipes are timed on one core by processor
time, with dictionaries loaded, from texts in memory to codes. The table also has the distances of the codes of planted
copies and of random pairs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import rivals
from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import RunFailed
from benchmarks.questions import Answer, Settings, kernel, on_one_core, say
from benchmarks.score import Truth


def ask(settings: Settings) -> Answer:
    """Time the kernel, then every recipe in turns."""
    say("simhash: features")
    measured = kernel("simhash_features")
    corpora = [corpus("zh", settings.get("documents", r["documents"]), settings["seed"]) for r in settings["recipes"]]
    codes: list[list[Any]] = [[] for _ in corpora]
    for turn in range(settings["runs"]):
        for recipe, articles, runs in zip(settings["recipes"], corpora, codes, strict=True):
            say(f"simhash: run {turn + 1} of {settings['runs']}: {recipe['name']}")
            runs.append(_run(recipe, articles))
    rows = [
        _row(recipe, articles, runs, settings)
        for recipe, articles, runs in zip(settings["recipes"], corpora, codes, strict=True)
    ]
    return {
        "data": sorted({articles.origin for articles in corpora}),
        "kernel": measured,
        "rows": rows,
        "within": settings["within"],
        "bounds": settings["bounds"],
        "rivals": rivals.versions("jieba", "simhash"),
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    within, bounds = answer["within"], answer["bounds"]
    labels = [f"{what} within {bits} bits" for what in ("copies", "strangers") for bits in within]
    head = f"| | articles | documents/s | µs/document | times as fast | {' | '.join(labels)} |"
    lines = [head, f"|---|--:|--:|--:|--:|{'--:|' * len(labels)}"]
    seconds = {row["name"]: row.get("seconds", 0) / row["documents"] for row in answer["rows"]}
    for row in answer["rows"]:
        if "failure" in row:
            lines.append(f"| {row['name']} | {row['failure']} |{' |' * (3 + len(labels))}")
            continue
        feature_ns, other = seconds[row["name"]], seconds.get(row["against"], 0)
        times = f"{other / feature_ns:.1f} ×" if other else ""
        shares = [f"{row[what][str(bits)]:.4f}" for what in ("copies", "strangers") for bits in within]
        cells = [f"{row['documents']:,}", f"{1 / feature_ns:,.0f}", f"{1e6 * feature_ns:,.1f}", times, *shares]
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    feature, target = answer["kernel"]["nanoseconds_per_feature"], f"{bounds['documents_per_second']:,} documents/s"
    summary = f"{feature:.2f} ns for a feature that is already a hash (at most {bounds['nanoseconds_per_feature']})"
    lines += ["", f"{summary}. Asked for: {target} of 5-grams, {bounds['times_python']} × the recipe in Python."]
    return "\n".join(lines)


def _run(recipe: Mapping[str, Any], articles: Corpus) -> dict[str, Any]:
    try:
        if "script" in recipe:
            return dict(on_one_core(*rivals.command(recipe["script"], articles.path)))
        parameters = json.dumps(recipe["parameters"])
        return dict(on_one_core(sys.executable, "-m", __name__, articles.path, parameters))
    except RunFailed as failure:
        return {"failure": str(failure).strip().splitlines()[-1]}


def _row(recipe: Mapping[str, Any], articles: Corpus, runs: list[Any], settings: Settings) -> dict[str, Any]:
    head = {"name": recipe["name"], "documents": articles.documents, "against": recipe.get("against")}
    if "failure" in runs[0]:
        return head | runs[0]
    codes = np.array([int(code, 16) for code in runs[0]["codes"]], np.uint64)
    copies = Truth.of(articles).pairs
    strangers = np.random.default_rng(settings["seed"]).integers(0, len(codes), (settings["strangers"], 2))
    return head | {
        "seconds": median(run["seconds"] for run in runs),
        "copies": _near(codes, copies, settings["within"]),
        "strangers": _near(codes, strangers[strangers[:, 0] != strangers[:, 1]], settings["within"]),
    }


def _near(codes: Any, pairs: Any, within: list[int]) -> dict[str, float]:
    """Return the share of pairs within each Hamming distance."""
    differing = np.bitwise_xor(codes[pairs[:, 0]], codes[pairs[:, 1]]).view(np.uint8).reshape(-1, 8)
    distances = np.unpackbits(differing, axis=1).sum(axis=1)
    return {str(bits): float((distances <= bits).mean()) for bits in within}


def measure(path: Path, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the time to code the texts of a file, and the codes."""
    import pyarrow as pa

    from whorl.fingerprints import family

    with path.open("rb") as file:
        texts = pa.array([json.loads(line)["text"] for line in file])
    simhash = family("simhash", **parameters)
    simhash.fingerprint(texts.slice(0, 1))
    start = time.process_time()
    codes = simhash.fingerprint(texts).codes
    seconds = time.process_time() - start
    return {"seconds": seconds, "codes": [f"{int.from_bytes(code.tobytes(), 'little'):x}" for code in codes]}


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), json.loads(sys.argv[2]))))

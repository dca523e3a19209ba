"""Text repeated inside documents: what it costs to remove, and what is left of it.

Whole programs, JSON Lines in and out. The bound is a program that parses the same file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks import rivals
from benchmarks.measure import Cost, RunFailed, run
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.repeats import lost, occurrences, write_repeats

WHORL, PARSER = "whorl", "orjson, parsing alone"
_MEGA = 1_000_000


def ask(settings: Settings) -> Answer:
    """Strip corpora of every language and size."""
    rows: list[dict[str, Any]] = []
    origins = []
    for language in settings["languages"]:
        for size in settings["megabytes"]:
            with scratch() as folder:
                say(f"inside: {language}, {size} MB")
                path = folder / "corpus.jsonl"
                corpus = write_repeats(path, language, size * _MEGA, settings["share"], settings["seed"])
                origins.append(f"{language}, {size} MB: {corpus.origin}")
                counts = occurrences([path], corpus.sentences)
                planted = [sentence for sentence, count in zip(corpus.sentences, counts, strict=True) if count > 1]
                for name, largest in ((PARSER, None), (WHORL, None), *_rivals(settings)):
                    if largest is None or size <= largest:
                        row = {"language": language, "megabytes": size, "name": name, "text_bytes": corpus.text_bytes}
                        rows.append(row | {"documents": corpus.documents} | _run(name, path, planted, settings))
    return {"data": origins, "rows": rows, "rivals": rivals.versions("datatrove")}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    figures = {}
    for row in answer["rows"]:
        if row["name"] == WHORL:
            corpus = f"{row['language']}, {row['megabytes']} MB"
            figures |= {f"{corpus}, {figure}": row[figure] for figure in ("cpu", "memory")}
    return figures


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = [
        "| corpus | program | wall s | CPU s | MB/s a core | memory/byte | disk/byte | still repeated | lost |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    return "\n".join([*lines, *(_line(row) for row in answer["rows"])])


def _line(row: dict[str, Any]) -> str:
    corpus = f"{row['language']}, {row['text_bytes'] / _MEGA:,.0f} MB, {row['documents']:,} documents"
    if "failure" in row:
        return f"| {corpus} | {row['name']} | {row['failure'].splitlines()[-1][:80]} |"
    size = row["text_bytes"]
    costs = [
        f"{row['wall']:.1f}",
        f"{row['cpu']:.1f}",
        f"{size / _MEGA / row['cpu']:.1f}",
        f"{row['memory'] / size:.2f}",
        f"{row['disk'] / size:.2f}",
    ]
    scores = [f"{row[figure] / row['planted']:.4f}" if "planted" in row else "" for figure in ("repeated", "lost")]
    return f"| {corpus} | {row['name']} | {' | '.join([*costs, *scores])} |"


def _rivals(settings: Settings) -> list[tuple[str, int | None]]:
    return [(rival["name"], rival["largest"]) for rival in settings["rivals"]]


def _run(name: str, path: Path, planted: list[str], settings: Settings) -> dict[str, Any]:
    """Run a program and count how many planted sentences are still repeated, and how many are lost."""
    with scratch() as out:
        try:
            cost: Cost = run(_command(name, path, out, settings), watch=out)
        except RunFailed as failure:
            return {"failure": str(failure)}
        figures = {"wall": cost.wall, "cpu": cost.cpu, "memory": cost.memory, "disk": cost.disk}
        kept = sorted((out / "stripped" / "kept").rglob("*.jsonl"))
        if not kept:
            return figures
        remaining = dict(zip(planted, occurrences(kept, planted), strict=True))
        return figures | {
            "planted": len(planted),
            "lost": len(lost(kept, [sentence for sentence, count in remaining.items() if not count])),
            "repeated": sum(count > 1 for count in remaining.values()),
        }


def _command(name: str, path: Path, out: Path, settings: Settings) -> list[str | Path]:
    if name == WHORL:
        whorl = Path(sys.executable).with_name("whorl")
        options = ("--inside", "passages", "--workers", str(settings["cores"]), "--quiet")
        return [whorl, "strip", path, "-o", out / "stripped", *options]
    script = next((rival["script"] for rival in settings["rivals"] if rival["name"] == name), "parse_only")
    return rivals.command(script, path, out, str(settings["threshold"]), str(settings["cores"]))

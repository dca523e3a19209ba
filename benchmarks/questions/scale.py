"""What a document costs whorl as the corpus grows a thousandfold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import Cost, run
from benchmarks.plot import Series, line_chart
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup


def ask(settings: Settings) -> Answer:
    """Clean every size once, and a single article to know what starting costs."""
    say("scale: one article")
    start = _start(settings)
    rows = []
    articles = None
    for size in settings["sizes"]:
        articles = corpus(settings["language"], size, settings["seed"])
        say(f"scale: {size:,} articles")
        with scratch() as out:
            command = whorl_dedup(articles.path, out, settings["threshold"], settings["cores"])
            cost = run(command, watch=out)
            rows.append(_row(articles, cost, start, settings["bounds"]) | {"timings": _timings(out)})
    return {
        "data": [articles.origin] if articles else [],
        "start": {"wall": start.wall, "cpu": start.cpu, "memory": start.memory},
        "rows": rows,
    }


def guarded(answer: Answer) -> dict[str, float]:
    """Return what is to stay low."""
    return {f"{row['documents']:,} articles": row["cpu"] for row in answer["rows"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    head = (
        "| articles | text MB | wall s | documents/s | CPU µs/document, start apart | peak memory MB (bound) "
        "| memory bytes/document, start apart | peak disk MB (bound) | × the text |"
    )
    lines = [head, "|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in answer["rows"]:
        documents = row["documents"]
        cells = [
            f"{documents:,}",
            f"{row['text_bytes'] / 1e6:,.0f}",
            f"{row['wall']:.2f}",
            f"{documents / row['wall']:,.0f}",
            f"{row['cpu_per_document'] * 1e6:.1f}",
            f"{row['memory'] / 1e6:,.0f} ({row['memory_bound'] / 1e6:,.0f})",
            f"{max(0, row['memory'] - answer['start']['memory']) / documents:,.0f}",
            f"{row['disk'] / 1e6:,.0f} ({row['disk_bound'] / 1e6:,.0f})",
            f"{row['disk'] / row['text_bytes']:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", "![cost per document](scale.svg)"])


def figure(answer: Answer) -> str:
    """Return an SVG of the cost per document against the number of documents."""
    sizes = [row["documents"] for row in answer["rows"]]
    series = [
        Series("CPU", [row["cpu_per_document"] * 1e6 for row in answer["rows"]]),
        Series("wall", [row["wall_per_document"] * 1e6 for row in answer["rows"]]),
    ]
    return line_chart("µs a document, start apart", "articles", sizes, series)


def _start(settings: Settings) -> Cost:
    with scratch() as folder:
        single = folder / "single.jsonl"
        single.write_text('{"id": "0", "text": "whorl"}\n', encoding="utf-8")
        return run(whorl_dedup(single, folder / "out", settings["threshold"], settings["cores"]))


def _row(articles: Corpus, cost: Cost, start: Cost, bounds: Mapping[str, float]) -> dict[str, Any]:
    documents = articles.documents
    return {
        "documents": documents,
        "text_bytes": articles.text_bytes,
        "wall": cost.wall,
        "cpu": cost.cpu,
        "wall_per_document": max(0.0, cost.wall - start.wall) / documents,
        "cpu_per_document": max(0.0, cost.cpu - start.cpu) / documents,
        "memory": cost.memory,
        "memory_bound": bounds["memory_base"] + bounds["memory_per_document"] * documents,
        "disk": cost.disk,
        "disk_bound": bounds["disk_per_text_byte"] * articles.text_bytes + bounds["disk_per_document"] * documents,
    }


def _timings(out: Path) -> dict[str, float]:
    timings: dict[str, float] = json.loads((out / "run.json").read_text(encoding="utf-8")).get("timings", {})
    return timings

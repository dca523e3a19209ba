"""Cost of a document for each main method, as the corpus grows a thousandfold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import rivals
from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import Cost, run
from benchmarks.plot import Series, line_chart
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup

_STAGES = ("read", "group", "probe", "write")
_SHORTEST = 1
"""Lower end of the chart, in microseconds."""
_PAGES: Mapping[str, Mapping[str, str]] = {
    "docs/FIGURES.md": {"head": "articles/s of", "zh": "Chinese", "en": "English", "memory": "peak MB, the largest"},
    "docs/FIGURES.zh-CN.md": {"head": "每秒篇数，共", "zh": "中文", "en": "英文", "memory": "峰值 MB，最大一次"},
}


def ask(settings: Settings) -> Answer:
    """Deduplicate every size by every method once, and a single article to measure the startup cost."""
    starts = {method: _start(method, settings) for method in settings["methods"]}
    rows, limits, origins = [], [], []
    for language in settings["languages"]:
        for size in settings["sizes"][language]:
            articles = corpus(language, size, settings["seed"])
            origins.append(articles.origin)
            limits.append({"language": language, "documents": size, "wall": _limit(articles, settings).wall})
            for method in settings["methods"]:
                say(f"scale: {size:,} articles, {method}, {language}")
                with scratch() as out:
                    cost = run(whorl_dedup(articles.path, out, None, settings["cores"], method), watch=out)
                    row = _row(articles, cost, starts[method], _bounds_of(method, settings["bounds"]))
                    rows.append({"language": language, "method": method} | row | {"timings": _timings(out)})
    return {"data": list(dict.fromkeys(origins)), "starts": starts, "rows": rows, "limits": limits}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {f"{row['documents']:,} articles, {_named(row)}": row["cpu"] for row in answer["rows"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown, one table per language and method."""
    parts = []
    for name, rows in _curves(answer):
        start = answer["starts"][rows[0]["method"]]["memory"]
        parts.append("\n".join([f"**{name}**", "", *_lines(rows, start)]))
    sentences = [_against_limit(answer), _against_minhash(answer["rows"]), _against_bounds(answer["rows"])]
    return "\n\n".join([*parts, *sentences, "![time per document](scale.svg)"])


def _against_limit(answer: Answer) -> str:
    """Compare the largest runs with copying and parsing the file."""
    limits = {(row["language"], row["documents"]): row["wall"] for row in answer["limits"]}
    largest = [rows[-1] for _, rows in _curves(answer)]
    times = (
        f"{row['documents']:,} articles, {_named(row)}: {row['wall'] / limits[row['language'], row['documents']]:.1f} ×"
        for row in largest
    )
    return f"Wall time against copying the file and parsing it with orjson on two cores: {'; '.join(times)}."


def _against_minhash(rows: list[dict[str, Any]]) -> str:
    """Compare the processor time of `news` with that of `minhash`, by size."""
    cpu = {(row["method"], row["language"], row["documents"]): row["cpu"] for row in rows}
    times = (
        f"{documents:,} articles, {language}: {seconds / cpu['minhash', language, documents]:.1f} ×"
        for (method, language, documents), seconds in cpu.items()
        if method == "news"
    )
    return f"Processor time of `news` against that of `minhash`: {'; '.join(times)}."


def _against_bounds(rows: list[dict[str, Any]]) -> str:
    """Return a sentence about the runs that took more memory or disk than their method is permitted."""
    kinds = ("memory", "disk")
    above = [(row, kind) for row in rows for kind in kinds if row[kind] > row[f"{kind}_bound"]]
    if not above:
        return "Memory and disk of every run are within the bounds of its method."
    named = (
        f"{row['documents']:,} articles, {_named(row)}: {kind} {row[kind] / row[f'{kind}_bound']:.2f} × the bound"
        for row, kind in above
    )
    return f"**Above the bounds**: {'; '.join(named)}."


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the table of the pages about the cost of a corpus."""
    return {page: "\n".join(_rates(answer, words)) for page, words in _PAGES.items()}


def _rates(answer: Answer, words: Mapping[str, str]) -> Iterator[str]:
    sizes = sorted({row["documents"] for row in answer["rows"]})
    yield f"| {words['head']} | {' | '.join(f'{size:,}' for size in sizes)} | {words['memory']} |"
    yield f"|---|{'--:|' * (len(sizes) + 1)}"
    for _, rows in _curves(answer):
        rates = [f"{row['documents'] / row['wall']:,.0f}" for row in rows] + [""] * (len(sizes) - len(rows))
        named = f"`{rows[0]['method']}`, {words[rows[0]['language']]}"
        yield f"| {named} | {' | '.join(rates)} | {rows[-1]['memory'] / 1e6:,.0f} |"


def figure(answer: Answer) -> str:
    """Return an SVG of the time per document against the number of documents."""
    sizes = sorted({row["documents"] for row in answer["rows"]})

    def value(row: Mapping[str, Any]) -> float:
        # A run of few documents may end before one of a single document, since startup times vary by more.
        return max(_SHORTEST, row["wall_per_document"] * 1e6)

    series = [Series(name, [value(row) for row in rows]) for name, rows in _curves(answer)]
    return line_chart("µs a document, start apart", "articles", sizes, series, is_logarithmic_up=True)


def _curves(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The rows of each language and method, by size."""
    for name in dict.fromkeys(map(_named, answer["rows"])):
        yield name, [row for row in answer["rows"] if _named(row) == name]


def _named(row: Mapping[str, Any]) -> str:
    return f"{row['method']}, {row['language']}"


def _lines(rows: list[dict[str, Any]], start: float) -> Iterator[str]:
    head = (
        "| articles | text MB | wall s | documents/s | CPU µs/document, start apart | peak memory MB (bound) "
        f"| memory bytes/document, start apart | peak disk MB (bound) | × the text | {' | '.join(_STAGES)} s |"
    )
    yield head
    yield f"|{'--:|' * (head.count('|') - 1)}"
    for row in rows:
        documents = row["documents"]
        cells = [
            f"{documents:,}",
            f"{row['text_bytes'] / 1e6:,.0f}",
            f"{row['wall']:.2f}",
            f"{documents / row['wall']:,.0f}",
            f"{row['cpu_per_document'] * 1e6:.1f}",
            f"{row['memory'] / 1e6:,.0f} ({row['memory_bound'] / 1e6:,.0f})",
            f"{max(0, row['memory'] - start) / documents:,.0f}",
            f"{row['disk'] / 1e6:,.0f} ({row['disk_bound'] / 1e6:,.0f})",
            f"{row['disk'] / row['text_bytes']:.2f}",
            *(f"{row['timings'].get(stage, 0):.2f}" for stage in _STAGES),
        ]
        yield f"| {' | '.join(cells)} |"


def _limit(articles: Corpus, settings: Settings) -> Cost:
    """Return the cost of copying a corpus and parsing it on every core."""
    say(f"scale: {articles.documents:,} articles, copying and parsing")
    with scratch() as out:
        arguments = (articles.path, out, str(settings["threshold"]), str(settings["cores"]))
        return run(rivals.command("copy_and_parse", *arguments))


def _start(method: str, settings: Settings) -> dict[str, float]:
    """Return the startup cost of a method: the median of each figure of an empty run."""
    say(f"scale: one article, {method}")
    with scratch() as folder:
        single = folder / "single.jsonl"
        single.write_text('{"id": "0", "text": "whorl"}\n', encoding="utf-8")
        outs = [folder / f"out-{turn}" for turn in range(settings["starts"])]
        costs = [run(whorl_dedup(single, out, None, settings["cores"], method)) for out in outs]
    return {name: median(getattr(cost, name) for cost in costs) for name in ("wall", "cpu", "memory")}


def _bounds_of(method: str, bounds: Mapping[str, Any]) -> dict[str, float]:
    """Return the bounds of a method."""
    return {**bounds, "memory_per_document": bounds["memory_per_document"][method]}


def _row(articles: Corpus, cost: Cost, start: Mapping[str, float], bounds: Mapping[str, float]) -> dict[str, Any]:
    documents = articles.documents
    return {
        "documents": documents,
        "text_bytes": articles.text_bytes,
        "wall": cost.wall,
        "cpu": cost.cpu,
        "wall_per_document": max(0.0, cost.wall - start["wall"]) / documents,
        "cpu_per_document": max(0.0, cost.cpu - start["cpu"]) / documents,
        "memory": cost.memory,
        "memory_bound": bounds["memory_base"] + bounds["memory_per_document"] * documents,
        "disk": cost.disk,
        "disk_bound": bounds["disk_per_text_byte"] * articles.text_bytes + bounds["disk_per_document"] * documents,
    }


def _timings(out: Path) -> dict[str, float]:
    timings: dict[str, float] = json.loads((out / "run.json").read_text(encoding="utf-8")).get("timings", {})
    return timings

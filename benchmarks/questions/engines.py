"""Deduplication of one corpus on one machine, in shards and on Spark, with predictions for many machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.corpora import Corpus, corpus
from benchmarks.engines.running import ENGINES, run_engine, task_seconds
from benchmarks.engines.simulation import LIMIT, Costs, Kind, predict
from benchmarks.measure import RunFailed
from benchmarks.plot import Series, line_chart
from benchmarks.questions import Answer, Settings, say, scratch

Row = Mapping[str, Any]
_STRANGERS, _TEMPLATE = "strangers", "with a template"


def ask(settings: Settings) -> Answer:
    """Run all engines on both corpora of every size, then the simulator."""
    starts = {engine: _start(engine, settings) for engine in ENGINES}
    rows = []
    for size in settings["sizes"]:
        for kind, share in ((_STRANGERS, 0.0), (_TEMPLATE, settings["template"])):
            articles = corpus(settings["language"], size, settings["seed"], share)
            rows += _runs(kind, articles, settings)
    return {
        "data": [articles.origin],
        "bounds": settings["bounds"],
        "starts": starts,
        "rows": rows,
        **_simulated(starts["spark"], task_seconds(settings), rows, settings),
        "published": settings["published"],
        "template": settings["template"],
    }


def _start(engine: str, settings: Settings) -> Row:
    say(f"engines: one article, {engine}")
    with scratch() as folder:
        single = folder / "single.jsonl"
        single.write_text('{"id": "0", "text": "whorl"}\n', encoding="utf-8")
        return run_engine(engine, single, folder, settings)


def _runs(kind: str, articles: Corpus, settings: Settings) -> list[Row]:
    """Run all engines on a corpus of several files.

    Raises:
        RunFailed: the results differ.
    """
    rows = []
    with scratch() as corpus:
        _divide(articles.path, corpus, settings["file_bytes"])
        for engine in ENGINES:
            say(f"engines: {articles.documents:,} articles, {kind}, {engine}")
            with scratch() as folder:
                about = {"engine": engine, "kind": kind, "documents": articles.documents, "bytes": articles.text_bytes}
                rows.append(about | run_engine(engine, corpus, folder, settings))
    if len({row["result"] for row in rows}) > 1:
        raise RunFailed(f"the engines do not agree on {articles.documents:,} articles, {kind}")
    return rows


def _divide(corpus: Path, folder: Path, size: int) -> None:
    """Copy lines into files of about the same size."""
    with corpus.open("rb") as rows:
        for number in count():
            lines = rows.readlines(size)
            if not lines:
                return
            (folder / f"{number:05d}.jsonl").write_bytes(b"".join(lines))


def _simulated(start: Row, task: float, rows: Sequence[Row], settings: Settings) -> dict[str, Any]:
    """Return the runs excluded from fitting, next to their predictions, and predictions of larger runs."""
    slots, measured_sizes = settings["slots"], settings["measured_at"]
    rows = [row for row in rows if row["engine"] == "spark"]
    measured = [row for row in rows if row["documents"] in measured_sizes]
    costs = Costs.of(start, task, measured, slots)
    kinds = {row["kind"]: Kind.of(row) for row in measured if row["documents"] == max(measured_sizes)}
    checks = [
        {"kind": row["kind"], "documents": row["documents"], "wall": row["wall"]}
        | {"foretold": predict(costs, kinds[row["kind"]], row["documents"], slots)["wall"]}
        for row in rows
        if row["documents"] not in measured_sizes
    ]
    future = settings["foretold"]
    return {
        "measured_at": measured_sizes,
        "costs": asdict(costs),
        "checks": checks,
        "foretold": [
            {"kind": name, "documents": documents, "slots": executors, "terabytes": documents * kind.bytes / 1e12}
            | _priced(predict(costs, kind, documents, executors), settings["dollars_per_core_hour"])
            for name, kind in kinds.items()
            for documents in future["documents"]
            for executors in future["slots"]
        ],
    }


def _priced(run: dict[str, float], dollars: float) -> dict[str, float]:
    return run | {"dollars": run["core_hours"] * dollars}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {f"{row['documents']:,}, {row['kind']}, {row['engine']}": row["cpu"] for row in answer["rows"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    bounds = answer["bounds"]
    sources = (
        f"Predicted from the runs on Spark with {', '.join(f'{size:,}' for size in answer['measured_at'])} articles. "
        "The first table has measured runs that the predictions do not use; an error of "
        f"{bounds['off']:.0%} is permitted. Document numbers are below 2³²: the predictions for more documents are "
        "those of several runs together."
    )
    beside = (
        "Core-hours for each terabyte of text in published runs, with other texts, machines and definitions of a copy:"
    )
    parts = (_runs_table(answer), sources, _checks_table(answer), _future_table(answer), beside, _published(answer))
    return "\n\n".join([*parts, "![wall seconds on Spark](engines.svg)"])


def _lines(head: str, rows: Iterable[Sequence[str]]) -> str:
    columns = head.count("|") + 1
    return "\n".join([f"| {head} |", f"|{'--:|' * columns}", *(f"| {' | '.join(row)} |" for row in rows)])


def _runs_table(answer: Answer) -> str:
    bounds, starts = answer["bounds"], answer["starts"]
    head = (
        "articles | corpus | engine | wall s, start apart | × local (at most) | × strangers (at most) "
        f"| CPU s, start apart | peak MB | shuffle bytes/article (at most {bounds['shuffle_bytes_per_document']}) "
        "| largest part"
    )
    walls = {
        (row["documents"], row["kind"], row["engine"]): max(0.0, row["wall"] - starts[row["engine"]]["wall"])
        for row in answer["rows"]
    }
    rows = []
    for row in answer["rows"]:
        size, kind, engine = row["documents"], row["kind"], row["engine"]
        wall, bound = walls[size, kind, engine], bounds["times_local"].get(engine)
        strangers = None if kind == _STRANGERS else bounds["times_strangers"]
        shuffle = sum(stage["shuffle_bytes"] for stage in row["stages"].values()) / size
        rows.append((
            f"{size:,}",
            kind,
            engine,
            f"{wall:.1f}",
            _times(wall, walls[size, kind, "local"], bound),
            _times(wall, walls[size, _STRANGERS, engine], strangers),
            f"{max(0.0, row['cpu'] - starts[engine]['cpu']):.1f}",
            f"{row['memory'] / 1e6:,.0f}",
            f"{shuffle:.0f}" if row["stages"] else "",
            f"{row['largest']:,}" if row["largest"] else "",
        ))  # fmt: skip
    starting = ", ".join(f"{engine} {starts[engine]['wall']:.1f}" for engine in ENGINES)
    return f"{_lines(head, rows)}\n\nSeconds of a run of one article: {starting}. {_keys(answer)}"


def _times(wall: float, other: float, bound: float | None) -> str:
    """Format a ratio to the prediction; empty if the seconds are too few to compare."""
    return "" if bound is None or min(wall, other) < 1 else f"{wall / other:.2f} ({bound})"


def _keys(answer: Answer) -> str:
    """Describe the document frequencies of keys in words."""
    parts = []
    for row in answer["rows"]:
        if row["keys"] and row["documents"] == max(answer["measured_at"]):
            shares = ", ".join(f"{name} {value:.3g}" for name, value in row["keys"].items())
            parts.append(f"{row['kind']}: {shares}")
    return f"Share of the keys by the documents that have them. {'; '.join(parts)}."


def _checks_table(answer: Answer) -> str:
    rows = [
        (
            f"{row['documents']:,}",
            row["kind"],
            f"{row['wall']:.1f}",
            f"{row['foretold']:.1f}",
            f"{row['foretold'] / row['wall'] - 1:+.0%}",
        )
        for row in answer["checks"]
    ]
    return _lines("articles | corpus | wall s | predicted s | error", rows)


def _future_table(answer: Answer) -> str:
    rows = [
        (
            f"{row['documents']:.0e}" + (" (2³² at most)" if row["documents"] >= LIMIT else ""),
            row["kind"],
            f"{row['slots']:,}",
            f"{row['wall'] / 3600:.1f}",
            f"{row['core_hours']:,.0f}",
            f"{row['dollars']:,.0f}",
            f"{row['core_hours'] / row['terabytes']:,.0f}",
            f"{row['shuffle'] / 1e9:,.0f}",
            f"{row['memory'] / 1e9:,.0f}",
            f"{row['largest']:,.0f}",
        )
        for row in answer["foretold"]
    ]
    head = "articles | corpus | cores | hours | core-hours | $ | core-hours/TB | shuffle GB | driver GB | largest part"
    return _lines(head, rows)


def _published(answer: Answer) -> str:
    rows = [
        (
            row["name"],
            f"{row['terabytes']:g}",
            f"{row['cores'] * row['hours'] / row['terabytes']:,.0f}",
            row["comparable"],
        )
        for row in answer["published"]
    ]
    return _lines("run | TB | hours/TB | what differs", rows)


_PAGES = {
    "docs/SPARK.md": {
        "head": "run | terabytes of text | cores | hours | core-hours a terabyte",
        _STRANGERS: "whorl on Spark, predicted: {documents} articles",
        _TEMPLATE: "the same, {template:.0%} of them one template",
        "gpus": "of GPUs, not cores",
    },
    "docs/SPARK.zh-CN.md": {
        "head": "运行 | 文本，TB | 核 | 小时 | 每 TB 核时",
        _STRANGERS: "whorl 在 Spark 上，推算：{documents} 篇",
        _TEMPLATE: "同上，其中 {template:.0%} 出自一个模板",
        "gpus": "是 GPU 而非核",
    },
}


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the table of the pages about Spark: the predictions, next to published figures of others."""
    return {page: _lines(words["head"], _beside(answer, words)) for page, words in _PAGES.items()}


def _beside(answer: Answer, words: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    cores = min(row["slots"] for row in answer["foretold"])
    for row in sorted(answer["foretold"], key=lambda row: row["documents"]):
        if row["slots"] == cores and row["documents"] < LIMIT:
            name = words[row["kind"]].format(documents=f"{row['documents']:,}", template=answer["template"])
            yield _compared(name, row["terabytes"], f"{row['slots']:,}", row["wall"] / 3600, row["core_hours"])
    for row in answer["published"]:
        hardware = f"{row['cores']:,}" + (f" ({words['gpus']})" if row.get("gpus") else "")
        yield _compared(row["name"], row["terabytes"], hardware, row["hours"], row["cores"] * row["hours"])


def _compared(name: str, terabytes: float, cores: str, hours: float, core_hours: float) -> tuple[str, ...]:
    return name, f"{terabytes:.2g}", cores, f"{hours:.2g}", f"{core_hours / terabytes:,.0f}"


def figure(answer: Answer) -> str:
    """Return an SVG of measured and predicted times on Spark."""
    rows = [row for row in answer["rows"] if row["engine"] == "spark" and row["kind"] == _STRANGERS]
    predictions = {row["documents"]: row["foretold"] for row in answer["checks"] if row["kind"] == _STRANGERS}
    series = [
        Series("measured", [row["wall"] for row in rows]),
        Series("predicted", [predictions.get(row["documents"], row["wall"]) for row in rows]),
    ]
    return line_chart("seconds on Spark", "articles", [row["documents"] for row in rows], series)

"""The service under load: checks, durable adds and bulk adds, compared with the library alone and an empty response."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchmarks.articles import load_articles
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.rivals.library_task import chosen
from benchmarks.serving.server import LIBRARY, Server, serving
from benchmarks.stores.servers import places
from benchmarks.strangers import strangers

Row = Mapping[str, Any]

_CHECK, _ADD, _BULK = (f"/v1/libraries/{LIBRARY}/{path}" for path in ("check", "documents", "documents/bulk"))
_LINES = "application/x-ndjson"
_WARM, _LONGEST = 5.0, 600.0
_SOAK_PARTS = 5


def ask(settings: Settings) -> Answer:
    """Measure the service with every number of worker processes over one library, and the library alone."""
    rows = []
    with scratch() as folder, places(settings["server"], folder) as stores:
        library, state = stores.fresh(), stores.fresh()
        say(f"serve: making a library of {settings['articles']:,} articles")
        arriving = _fill(library, settings, folder / "checked.jsonl")
        for workers in settings["workers"]:
            say(f"serve: {workers} worker processes")
            with serving(library, state, folder, workers) as server:
                rows.append({"workers": workers} | _measure_service(server, settings, folder, arriving))
            say(f"serve: {workers} processes without the service")
            rows[-1]["direct"] = _measure_direct(library, settings, folder, arriving, workers)
    origin = load_articles("zh", settings["seed"]).origin
    return {
        "data": [f"{origin}, made strangers of 700 to 1,300 characters, a fifth of them copies of another"],
        "bounds": settings["bounds"],
        "articles": settings["articles"],
        "connections": settings["connections"],
        "rows": rows,
    }


def _fill(library: str, settings: Settings, checked: Path) -> Iterator[dict[str, Any]]:
    """Create the library and the requests that check some of its articles; return articles that it does not contain."""
    import whorl

    arrivals = settings["singles"] + settings["bulk"]
    count = settings["articles"] + 2 * len(settings["workers"]) * arrivals
    articles = chain.from_iterable(strangers(count, settings["seed"]))
    asked_about = chosen(settings["articles"], settings["asked"], settings["seed"])
    requests: list[Row] = []
    with whorl.open(library) as opened:
        remaining = settings["articles"]
        while remaining:
            batch = list(islice(articles, min(remaining, 10_000)))
            opened.add([_document(row) for row in batch])
            requests += [_request({"text": row["text"]}, row["id"]) for row in batch if row["id"] in asked_about]
            remaining -= len(batch)
    _write(checked, requests)
    return articles


def _measure_service(
    server: Server, settings: Settings, folder: Path, arriving: Iterator[dict[str, Any]]
) -> dict[str, Any]:
    """Return the figures of a running service."""
    checked, added, bulk = folder / "checked.jsonl", folder / "added.jsonl", folder / "bulk.jsonl"
    _arrivals(settings, added, bulk, arriving)
    often = {"connections": settings["connections"], "seconds": settings["seconds"]}
    server.load(_CHECK, checked, connections=settings["connections"], seconds=min(_WARM, settings["seconds"]))
    before = server.memory()
    figures = {
        "empty": server.load("/healthz", **often),
        "check": server.load(_CHECK, checked, **often),
        "alone": server.load(_CHECK, checked, **often | {"connections": 1}),
        "add": server.load(_ADD, added, **often, once=True),
    }
    batches = server.load(_BULK, bulk, connections=1, seconds=_LONGEST, once=True, type=_LINES)
    figures["bulk"] = batches | {"rate": batches["rate"] * settings["batch"]}
    run_figures = {"figures": figures, "memory": [before, server.memory()]}
    if settings["soak_seconds"]:
        say(f"serve: {settings['soak_seconds']:,} s at {settings['soak_share']:.0%} of that")
        run_figures["soak"] = list(_soak(server, checked, settings, figures["check"]["rate"] * settings["soak_share"]))
    return run_figures


def _soak(server: Server, checked: Path, settings: Settings, rate: float) -> Iterator[dict[str, Any]]:
    """Return the figures of each part of a long run of checks at a fixed rate, and the memory after each."""
    seconds = settings["soak_seconds"] / _SOAK_PARTS
    for _ in range(_SOAK_PARTS):
        load = server.load(_CHECK, checked, connections=settings["connections"], seconds=seconds, rate=rate)
        yield load | {"memory": server.memory()}


def _measure_direct(
    library: str, settings: Settings, folder: Path, arriving: Iterator[dict[str, Any]], workers: int
) -> dict[str, Any]:
    """Return the figures of the same number of processes and callers that open the library themselves."""
    added, bulk = folder / "added.jsonl", folder / "bulk.jsonl"
    _arrivals(settings, added, bulk, arriving)
    files = {"library": library, "checked": folder / "checked.jsonl", "added": added, "bulk": bulk}
    task = {name: str(path) for name, path in files.items()} | {"workers": workers}
    task |= {name: settings[name] for name in ("connections", "seconds", "batch")}
    command = (sys.executable, "-m", "benchmarks.serving.direct", json.dumps(task))
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def _arrivals(settings: Settings, added: Path, bulk: Path, arriving: Iterator[dict[str, Any]]) -> None:
    """Write the requests that add single articles, and those that add many."""
    singles = [_document(row) for row in islice(arriving, settings["singles"])]
    many = [_document(row) for row in islice(arriving, settings["bulk"])]
    _write(added, [_request(document, f'"id":"{document["id"]}"') for document in singles])
    batches = [many[start : start + settings["batch"]] for start in range(0, len(many), settings["batch"])]
    lines = ("".join(f"{json.dumps(article, ensure_ascii=False)}\n" for article in batch) for batch in batches)
    ends = (f'"line":{len(batch)},"state":"new"' for batch in batches)
    _write(bulk, ({"body": body, "has": end} for body, end in zip(lines, ends, strict=True)))


def _request(body: Row, has: str) -> Row:
    return {"body": json.dumps(body, ensure_ascii=False), "has": has}


def _write(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)


def _document(row: Row) -> dict[str, Any]:
    return {"id": row["id"], "text": row["text"]}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {
        f"{row['workers']} workers, {act}": 1 / row["figures"][act]["rate"]
        for row in answer["rows"]
        for act in ("check", "add", "bulk")
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    rows, bounds = answer["rows"], answer["bounds"]
    names = [f"{row['workers']} worker {'process' if row['workers'] == 1 else 'processes'}" for row in rows]
    lines = [f"| | asked for | {' | '.join(names)} |", f"|---|--:|{'--:|' * len(rows)}"]
    for title, figure_name, show in _FIGURES + (_SOAKED if all("soak" in row for row in rows) else []):
        lines.append(f"| {' | '.join([title, figure_name(bounds), *map(show, rows)])} |")
    about = (
        f"A library of {answer['articles']:,} articles, {answer['connections']} connections that stay open; clients, "
        "service and library share two cores. A check sends an article that is there, and its answer has its matches "
        "with their passages; an add is answered once it is on the disk. Beside it the same calls from as many "
        "processes and threads that open the library themselves, without HTTP and JSON."
    )
    return "\n".join([*lines, "", about])


def _nothing(_: Row) -> str:
    return ""


def _setting(name: str) -> Callable[[Row], str]:
    return lambda bounds: f"{bounds[name]:,}"


def _rate(act: str) -> Callable[[Row], str]:
    return lambda row: f"{row['figures'][act]['rate']:,.0f}"


def _spread(figures: Row) -> str:
    return ", ".join(f"{value:,.1f}" for value in figures["milliseconds"])


def _times(act: str) -> Callable[[Row], str]:
    return lambda row: _spread(row["figures"][act])


def _direct_rate(act: str) -> Callable[[Row], str]:
    return lambda row: (
        f"{row['direct'][act]['rate']:,.0f} ({row['figures'][act]['rate'] / row['direct'][act]['rate']:.0%})"
    )


def _failed(figures: Iterable[Row]) -> str:
    errors, requests = zip(*((run["errors"], run["requests"]) for run in figures), strict=True)
    return f"{sum(errors):,} of {sum(requests):,}"


def _memory(*sizes: int) -> str:
    return ", ".join(f"{size / 2**20:,.0f}" for size in sizes)


Figure = tuple[str, Callable[[Row], str], Callable[[Row], str]]

_FIGURES: list[Figure] = [
    ("checks/s, with their evidence", _setting("checks_per_second"), _rate("check")),
    ("one check then, ms: median, 99%, most", lambda bounds: f", {bounds['check_milliseconds']}", _times("check")),
    ("one check over one connection alone, ms", _nothing, _times("alone")),
    ("durable adds/s, of one article each", _setting("adds_per_second"), _rate("add")),
    ("one durable add then, ms: median, 99%, most", _nothing, _times("add")),
    ("articles/s in bulk", _setting("bulk_per_second"), _rate("bulk")),
    ("answers that were wrong", lambda _: "0", lambda row: _failed(row["figures"].values())),
    ("empty answers/s: `/healthz`", _nothing, _rate("empty")),
    ("without the service: checks/s (of which it reaches)", _nothing, _direct_rate("check")),
    ("without the service: durable adds/s", _nothing, _direct_rate("add")),
    ("without the service: articles/s in bulk", _nothing, _direct_rate("bulk")),
    ("memory when warm and after all that, MiB", _nothing, lambda row: _memory(*row["memory"])),
]
_SOAKED: list[Figure] = [
    (
        "ten minutes at 80% of these checks, the slowest fifth: ms, median, 99%, most",
        _nothing,
        lambda row: _spread(max(row["soak"], key=lambda part: float(part["milliseconds"][1]))),
    ),
    ("answers that were wrong then", lambda _: "0", lambda row: _failed(row["soak"])),
    (
        "memory before that and after each fifth, MiB",
        _nothing,
        lambda row: _memory(row["memory"][1], *(part["memory"] for part in row["soak"])),
    ),
]


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the table of the manual, in both languages."""
    return {name: _short(answer, *words) for name, words in _EXCERPT_WORDS.items()}


def _short(answer: Answer, workers: str, *titles: str) -> str:
    rows = answer["rows"]
    lines = [f"| | {' | '.join(workers.format(row['workers']) for row in rows)} |", f"|---|{'--:|' * len(rows)}"]
    lines += [
        f"| {title} | {' | '.join(show(row) for row in rows)} |" for title, show in zip(titles, _SHORT, strict=True)
    ]
    return "\n".join(lines)


_SHORT: list[Callable[[Row], str]] = [
    _rate("check"),
    _times("check"),
    _times("alone"),
    _rate("add"),
    _rate("bulk"),
    _direct_rate("check"),
    lambda row: _memory(*row["memory"]),
]
_EXCERPT_WORDS = {
    "docs/DEPLOY.md": (
        "worker processes: {}",
        "checks/s, with their evidence",
        "one of these, ms: median, 99%, most",
        "one over a single connection, ms",
        "durable adds/s, of one article each",
        "articles/s in bulk",
        "checks/s of the library without the service (of which it reaches)",
        "memory when warm and after all that, MiB",
    ),
    "docs/DEPLOY.zh-CN.md": (
        "工作进程：{}",
        "每秒查重次数，附证据",
        "其中一次，毫秒：中位、99%、最长",
        "只有一个连接时一次，毫秒",
        "每秒落盘入库次数，每次一篇",
        "批量入库，篇/秒",
        "不经服务直接用库，每秒查重次数（服务达到其中）",
        "预热后与全部做完后的内存，MiB",
    ),
}

"""Libraries in stores other than SQLite: adding, checking, several workers, and crash recovery."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchmarks.articles import load_articles
from benchmarks.measure import RunFailed
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.stores.crew import rate_of
from benchmarks.stores.servers import Places, places
from benchmarks.stores.survival import survive
from benchmarks.strangers import strangers

Row = Mapping[str, Any]


def ask(settings: Settings) -> Answer:
    """Measure every store in turn; a store that is not available on this machine is reported as such."""
    rows: list[dict[str, Any]] = []
    for store in settings["stores"]:
        with scratch() as folder:
            file = _write_articles(folder / "articles.jsonl", settings)
            say(f"stores: {store['name']}")
            try:
                with places(store["server"], folder) as lent:
                    rows.append({"name": store["name"]} | _measure(lent, file, settings))
            except RunFailed as failure:
                rows.append({"name": store["name"], "failure": str(failure).strip().splitlines()[-1]})
    origin = load_articles("zh", settings["seed"]).origin
    return {
        "data": [f"{origin}, made strangers of 700 to 1,300 characters, a fifth of them copies of another"],
        "bounds": settings["bounds"],
        "articles": settings["articles"],
        "arriving": settings["arriving"],
        "workers": settings["workers"],
        "rows": rows,
    }


def _write_articles(path: Path, settings: Settings) -> Path:
    """Write the articles of a library, those that one worker adds and those that several add, as JSON Lines."""
    count = settings["articles"] + 2 * settings["arriving"]
    articles = islice(chain.from_iterable(strangers(count, settings["seed"])), count)
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"{json.dumps({'id': row['id'], 'text': row['text']})}\n" for row in articles)
    return path


def _measure(store: Places, file: Path, settings: Settings) -> dict[str, Any]:
    """Return the figures of one store.

    Raises:
        RunFailed: a part of the measurement failed.
    """
    task = {"address": store.fresh(), "file": str(file)}
    arguments = task | {name: settings[name] for name in ("articles", "asked", "seed")}
    command = (sys.executable, "-m", "benchmarks.stores.measuring", json.dumps(arguments))
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RunFailed(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout)
    middle = settings["articles"] + settings["arriving"]
    share = {"start": settings["articles"], "stop": middle, "batch": settings["worker_batch"]}
    figures["one"] = rate_of(1, task | share)
    figures["several"] = rate_of(
        settings["workers"], task | share | {"start": middle, "stop": middle + settings["arriving"]}
    )
    if settings["killed_workers"]:
        say(f"stores: {settings['killed_workers']:,} workers and {settings['killed_servers']:,} servers are killed")
        share = {"file": str(file), "start": 0, "stop": settings["articles"]}
        figures["survival"] = survive(store, share, settings, file.parent)
    return figures


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {f"{row['name']}, batch": 1 / row["rate"] for row in answer["rows"]} | {
        f"{row['name']}, check": row["check"][0] for row in answer["rows"]
    }


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    return _table(answer, [title for title, _, _ in _FIGURES], "asked for") + f"\n\n{_about(answer)}"


def _table(answer: Answer, titles: list[str], asked_for: str) -> str:
    rows, bounds = answer["rows"], answer["bounds"]
    names = [row["name"] for row in rows]
    has_survived = any("survival" in row for row in rows)
    lines = [f"| | {asked_for} | {' | '.join(names)} |", f"|---|--:|{'--:|' * len(rows)}"]
    for title, (_, figure_name, show) in zip(titles, _FIGURES, strict=False):
        if show not in _OF_SURVIVAL or has_survived:
            cells = [row["failure"] if "failure" in row else show(row, answer) for row in rows]
            lines.append(f"| {' | '.join([title, figure_name(bounds), *cells])} |")
    return "\n".join(lines)


def _about(answer: Answer) -> str:
    return (
        f"Each library is filled with {answer['articles']:,} articles; then one worker adds {answer['arriving']:,} "
        f"more, and {answer['workers']} workers as many again. Workers and server share two cores; a server commits as "
        "it does by default, and is reached over loopback."
    )


def _sqlite(answer: Row) -> Row:
    row: Row = answer["rows"][0]
    return row


def _rate(row: Row, answer: Row) -> str:
    base = _sqlite(answer)
    beside = "" if row is base or "rate" not in base else f" ({row['rate'] / base['rate']:.2f} ×)"
    return f"{row['rate']:,.0f}{beside}"


def _check(row: Row, _: Row) -> str:
    return ", ".join(f"{value:,.2f}" for value in row["check"])


def _several(row: Row, _: Row) -> str:
    return f"{row['several']:,.0f} ({row['several'] / row['one']:.2f} ×)"


def _killed(row: Row, _: Row) -> str:
    survival = row.get("survival", {})
    return "{workers}, {servers}".format(**survival["killed"]) if survival else ""


def _lost(row: Row, _: Row) -> str:
    survival = row.get("survival", {})
    return f"{survival['lost']:,} of {survival['acknowledged']:,}" if survival else ""


def _half(row: Row, _: Row) -> str:
    survival = row.get("survival", {})
    return f"{survival['half']:,}, {len(survival['faults']):,}, {survival['differing']:,}" if survival else ""


def _nothing(_: Row) -> str:
    return ""


_FIGURES: list[tuple[str, Callable[[Row], str], Callable[[Row, Row], str]]] = [
    (
        "added in batches with evidence, articles/s (of SQLite)",
        lambda bounds: ", ".join(f"{name} {share} ×" for name, share in bounds["times_sqlite"].items()),
        _rate,
    ),
    ("one check with its evidence, ms: median, 99%, most", lambda bounds: f"{bounds['check_milliseconds']}", _check),
    ("then one worker adds, articles/s", _nothing, lambda row, _: f"{row['one']:,.0f}"),
    ("then several workers add, articles/s (of one)", lambda bounds: f"{bounds['times_one']} ×", _several),
    ("workers and servers that were killed", _nothing, _killed),
    ("acknowledged articles lost", lambda _: "0", _lost),
    ("batches half written, faults, clusters other than of one worker", lambda _: "0, 0, 0", _half),
]
_OF_SURVIVAL = (_killed, _lost, _half)


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the table of the manual, in both languages."""
    return {
        "docs/STORES.md": _table(answer, [title for title, _, _ in _FIGURES], "asked for"),
        "docs/STORES.zh-CN.md": _table(answer, _CHINESE, "目标"),
    }


_CHINESE = [
    "成批入库，附证据，篇/秒（与 SQLite 之比）",
    "一次查重，附证据，毫秒：中位、99%、最长",
    "此后一个工作进程入库，篇/秒",
    "此后几个工作进程同时入库，篇/秒（与一个之比）",
    "被杀死的工作进程与服务器",
    "已确认而丢失的文章",
    "只写了一半的批次、错误、与单个工作进程不同的簇",
]

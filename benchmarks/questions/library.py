"""The durable library: adding, checking, opening and rebuilding at many sizes, and the cost.

It is compared with commits of bare SQLite, and with two popular in-memory indexes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import rivals
from benchmarks.articles import load_articles
from benchmarks.measure import RunFailed
from benchmarks.plot import Series, line_chart
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.strangers import strangers

Row = Mapping[str, Any]


def ask(settings: Settings) -> Answer:
    """Measure libraries of every size, and the rivals that can hold the same number, each in a separate process."""
    rows: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for size in settings["sizes"]:
        for texts in (True, False):
            say(f"library: {size:,} articles{'' if texts else ', keys only'}")
            task = json.dumps(dict(settings) | {"articles": size, "texts": texts})
            with scratch() as folder:
                command = (sys.executable, "-m", "benchmarks.library.measuring", task, folder)
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            rows.append({"articles": size, "texts": texts} | json.loads(done.stdout))
        others += _rivals(settings, size)
    origin = load_articles("zh", settings["seed"]).origin
    return {
        "data": [f"{origin}, made strangers of 700 to 1,300 characters, a fifth of them copies of another"],
        "rivals": rivals.versions("datasketch", "simhash"),
        "bounds": settings["bounds"],
        "rows": rows,
        "others": others,
    }


def _rivals(settings: Settings, size: int) -> Iterator[dict[str, Any]]:
    """Return the figures of the rivals for the same number of articles."""
    within = [rival for rival in settings["rivals"] if size <= rival["largest"]]
    if not within:
        return
    with scratch() as folder:
        corpus = _write_articles(folder / "articles.jsonl", size, settings)
        numbers = (size, settings["asked"], settings["seed"], settings["cores"])
        for rival in within:
            say(f"library: {size:,} articles, {rival['name']}")
            try:
                measured = _output_of(rivals.command(rival["script"], corpus, *map(str, numbers)))
            except RunFailed as failure:
                measured = {"failure": str(failure).strip().splitlines()[-1]}
            yield {"name": rival["name"], "articles": size} | measured


def _write_articles(path: Path, size: int, settings: Settings) -> Path:
    """Write the articles of a library of this size as JSON Lines."""
    count = size + settings["asked"] + settings["bulk"] + settings["traffic"]["articles"]
    rows = (row for batch in strangers(count, settings["seed"]) for row in batch)
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in islice(rows, size))
    return path


def _output_of(command: Sequence[str | Path]) -> dict[str, Any]:
    """Return the output of a program as JSON.

    Raises:
        RunFailed: the program ended with another code than 0.
    """
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RunFailed(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    figures = {}
    for row in answer["rows"]:
        about = f"{row['articles']:,} articles{'' if row['texts'] else ', keys only'}"
        figures |= {f"{about}, batch": 1 / row["rate"], f"{about}, rebuild": row["rebuild"]}
        figures |= {f"{about}, {name}": row[name][0] for name in ("check", "add")}
    return figures


def table(answer: Answer) -> str:
    """Return the answer as Markdown: the libraries, and the in-memory indexes."""
    rows, bounds = answer["rows"], answer["bounds"]
    names = [f"{row['articles']:,} articles{'' if row['texts'] else ', keys only'}" for row in rows]
    lines = [f"| | asked for | {' | '.join(names)} |", f"|---|--:|{'--:|' * len(rows)}"]
    for title, figure_name, show in _FIGURES:
        cells = [title, figure_name(bounds), *(show(row, bounds) for row in rows)]
        lines.append(f"| {' | '.join(cells)} |")
    chart = "![articles added in a second as the library grows](library.svg)"
    return "\n".join([*lines, "", _ABOUT_TRAFFIC, "", chart, "", *_beside(answer)])


def figure(answer: Answer) -> str:
    """Return an SVG of the add rate in each tenth of the largest libraries."""
    size = max(row["articles"] for row in answer["rows"])
    series = [
        Series("evidence" if row["texts"] else "keys only", row["tenths"])
        for row in answer["rows"]
        if row["articles"] == size
    ]
    ends = [size * tenth // 10_000 for tenth in range(1, 11)]
    return line_chart("articles/s, in each tenth", "articles added, thousands", ends, series, is_logarithmic=False)


_ABOUT_TRAFFIC = (
    "Readers and the writer are processes of their own, more than there are cores. A reader checks articles, and gets "
    "and checks what the writer has had acknowledged; what it does not see, and any error, ends the run."
)


def _several(values: Sequence[float], digits: int = 2) -> str:
    return ", ".join(f"{value:,.{digits}f}" for value in values)


def _recall(row: Row) -> str:
    return _several([row["recall"]["edited"], row["recall"]["excerpt"]], 4)


def _nothing(_: Row) -> str:
    return ""


def _bare(row: Row, name: str) -> str:
    return f"{_several(row[name])} ({row['add'][0] / row[name][0]:.1f} ×)"


def _disk(row: Row, bounds: Row) -> str:
    """Format the bytes, and the bound if texts are stored."""
    bound = bounds["disk_per_text_byte"] * row["text_bytes"] + bounds["disk_per_article"]
    return f"{row['disk']:,.0f} ({bound:,.0f})" if row["texts"] else f"{row['disk']:,.0f}"


_FIGURES: list[tuple[str, Callable[[Row], str], Callable[[Row, Row], str]]] = [
    (
        "added in batches, articles/s",
        lambda bounds: f"{bounds['articles_per_second']:,}; {bounds['articles_per_second_keys_only']:,} of keys",
        lambda row, _: f"{row['rate']:,.0f}",
    ),
    (
        "its first and last tenth, and the slowest",
        _nothing,
        lambda row, _: _several([row["tenths"][0], row["tenths"][-1], min(row["tenths"])], 0),
    ),
    ("planted copies found: edited, excerpts", _nothing, lambda row, _: _recall(row)),
    (
        "one durable add, ms: median, 99%, most",
        lambda bounds: _several(bounds["add_milliseconds"], 0),
        lambda row, _: _several(row["add"]),
    ),
    (
        "bare SQLite: its rows into the same tables, as large (of it the median add takes)",
        lambda bounds: f"{bounds['add_times_bare']} ×",
        lambda row, _: _bare(row, "bare"),
    ),
    (
        "bare SQLite: its packed text or keys alone, into one table",
        _nothing,
        lambda row, _: _bare(row, "blob"),
    ),
    (
        "a batch, CPU against fingerprints and writing its rows in bulk",
        lambda bounds: f"{bounds['batch_times_bare']} ×",
        lambda row, _: f"{row['bulk'][0] / sum(row['bulk'][1:]):.1f} ×",
    ),
    (
        "one check with its evidence, ms: median, 99%, most",
        lambda bounds: _several(bounds["check_milliseconds"], 0),
        lambda row, _: _several(row["check"]),
    ),
    ("opening, ms", lambda bounds: f"{bounds['open_milliseconds']}", lambda row, _: f"{row['open']:.1f}"),
    (
        "building the index again, s",
        lambda bounds: f"{bounds['rebuild_seconds']}",
        lambda row, _: f"{row['rebuild']:.1f}",
    ),
    ("texts as they are kept, bytes an article", _nothing, lambda row, _: f"{row['text_bytes']:,.0f}"),
    (
        "disk, bytes an article",
        lambda bounds: f"{bounds['disk_per_text_byte']} × texts + {bounds['disk_per_article']:,}",
        _disk,
    ),
    (
        "anonymous memory after adding, bytes an article",
        lambda bounds: f"{bounds['memory_per_article']}",
        lambda row, _: f"{row['memory']:,.0f}",
    ),
    (
        "readers and a writer at once: checks/s",
        _nothing,
        lambda row, _: f"{row['traffic']['checks']:,.0f}",
    ),
    ("one check then, ms: median, 99%, most", _nothing, lambda row, _: _several(row["traffic"]["check"])),
    ("articles added/s then", _nothing, lambda row, _: f"{row['traffic']['adds']:,.0f}"),
    ("one durable add then, ms: median, 99%, most", _nothing, lambda row, _: _several(row["traffic"]["add"])),
    (
        "acknowledged articles that a reader looked for; not seen; warnings of the index",
        lambda _: "0 not seen",
        lambda row, _: f"{row['traffic']['seen']:,}; 0; {row['traffic']['warnings']:,}",
    ),
    ("opening after that, ms", _nothing, lambda row, _: f"{row['traffic']['open']:.1f}"),
]


def _beside(answer: Answer) -> Iterator[str]:
    """Return one table per size of the in-memory indexes next to the library."""
    for size in dict.fromkeys(row["articles"] for row in answer["others"]):
        yield from (f"**{size:,} articles, beside indexes in memory**", "", _HEAD, "|---|--:|--:|--:|--:|--:|--:|--:|")
        for row in (row for row in answer["rows"] if row["articles"] == size):
            yield _line({"name": "whorl" if row["texts"] else "whorl, keys only"} | row)
        yield from (_line(row) for row in answer["others"] if row["articles"] == size)
        yield from ("", _ABOUT_RIVALS)


_HEAD = (
    "| | added/s, from texts | of sketches | one look-up ms, from its text: median, 99% | from its sketch "
    "| anonymous memory, bytes an article | edited copies found | excerpts found |"
)
_ABOUT_RIVALS = (
    "Two cores each. whorl's figures are those of a library on disk: adding finds, compares and commits, and a look-up "
    "has its evidence. Adding to the others only fills an index that ends with the process; a look-up names candidates."
)


def _line(row: Row) -> str:
    if "failure" in row:
        return f"| {row['name']} | {row['failure']} |{' |' * 6}"
    cells = [row["name"], f"{row['rate']:,.0f}", f"{row['index_rate']:,.0f}" if "index_rate" in row else ""]
    cells += [_several(row["check"][:2]), _several(row["look_up"][:2], 3) if "look_up" in row else ""]
    cells += [f"{row['memory']:,.0f}", f"{row['recall']['edited']:.4f}", f"{row['recall']['excerpt']:.4f}"]
    return f"| {' | '.join(cells)} |"

"""whorl and its rivals clean the same corpora: time, memory, and how much of the truth they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import rivals
from benchmarks.corpora import Corpus, corpus
from benchmarks.measure import Cost, RunFailed, run
from benchmarks.questions import Answer, Settings, say, scratch, whorl_dedup
from benchmarks.score import Removals, Score, Truth, removals_of_rival, removals_of_whorl, score

WHORL, PARSER = "whorl", "orjson, parsing alone"

_GOOD = 0.9


@dataclass(frozen=True, slots=True)
class Contender:
    """A program that may clean a corpus.

    Attributes:
        name: what the table calls it.
        largest: the largest corpus it is given.
        command: makes its command from corpus and output folder.
        removals: reads what it removed; None if it removes nothing.
    """

    name: str
    largest: int
    command: Callable[[Path, Path], list[str | Path]]
    removals: Callable[[Path], Removals] | None


def ask(settings: Settings) -> Answer:
    """Give every corpus to every contender, in turns; and judge what each removed."""
    contenders = _contenders(settings)
    rows: list[dict[str, Any]] = []
    articles = None
    for size in settings["sizes"]:
        articles = corpus(settings["language"], size, settings["seed"])
        runs = 1 if size >= settings["once_from"] else settings["runs"]
        invited = [contender for contender in contenders if size <= contender.largest]
        rows += _compare(articles, invited, runs, settings["threshold"])
        rows += [_absent(contender, size) for contender in contenders if size > contender.largest]
    return {"data": [articles.origin] if articles else [], "rows": rows, "rivals": rivals.versions()}


def table(answer: Answer) -> str:
    """Return the answer as Markdown, a table for each size."""
    sizes = dict.fromkeys(row["documents"] for row in answer["rows"])
    parts = []
    for size in sizes:
        rows = [row for row in answer["rows"] if row["documents"] == size]
        parts.append("\n".join([f"**{size:,} articles**", "", *_lines(rows), "", _verdict(rows)]))
    return "\n\n".join(parts)


def _contenders(settings: Settings) -> list[Contender]:
    threshold, cores = settings["threshold"], settings["cores"]

    def of_rival(script: str) -> Callable[[Path, Path], list[str | Path]]:
        return lambda path, out: rivals.command(script, path, out, str(threshold), str(cores))

    everything = max(settings["sizes"])
    chosen = [
        Contender(WHORL, everything, lambda path, out: whorl_dedup(path, out, threshold, cores), removals_of_whorl),
        Contender(PARSER, everything, of_rival("parse_only"), None),
    ]
    return chosen + [
        Contender(rival["name"], rival["largest"], of_rival(rival["script"]), removals_of_rival)
        for rival in settings["rivals"]
    ]


def _compare(articles: Corpus, contenders: list[Contender], runs: int, threshold: float) -> list[dict[str, Any]]:
    truth = Truth.of(articles)
    costs: dict[str, list[Cost]] = {contender.name: [] for contender in contenders}
    scores: dict[str, Score | None] = {}
    failures: dict[str, str] = {}
    for turn in range(runs):
        for contender in (contender for contender in contenders if contender.name not in failures):
            say(f"dedup: {articles.documents:,} articles, run {turn + 1} of {runs}: {contender.name}")
            with scratch() as out:
                try:
                    costs[contender.name].append(run(contender.command(articles.path, out)))
                except RunFailed as failure:
                    failures[contender.name] = str(failure)
                    continue
                if contender.name not in scores:
                    removals = contender.removals
                    scores[contender.name] = removals and score(articles, truth, removals(out), threshold)
    return [
        {"documents": articles.documents, "name": name, "failure": failures[name]}
        if name in failures
        else {"documents": articles.documents, "name": name} | _summary(costs[name]) | _judgement(scores[name])
        for name in costs
    ]


def _summary(costs: list[Cost]) -> dict[str, Any]:
    return {
        "runs": len(costs),
        "wall": median(cost.wall for cost in costs),
        "cpu": median(cost.cpu for cost in costs),
        "memory": max(cost.memory for cost in costs),
    }


def _judgement(found: Score | None) -> dict[str, Any]:
    return asdict(found) | {"f1": found.f1} if found else {}


def _absent(contender: Contender, size: int) -> dict[str, Any]:
    return {"documents": size, "name": contender.name, "failure": f"not asked above {contender.largest:,}"}


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    head = "| | documents/s | wall s | CPU s | peak MB | recall | precision | F1 | removed below the threshold |"
    lines = [head, "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in rows:
        if "failure" in row:
            lines.append(f"| {row['name']} | {row['failure'].splitlines()[-1]} | | | | | | | |")
        else:
            lines.append(f"| {row['name']} | {' | '.join(_cells(row))} |")
    return lines


def _cells(row: Mapping[str, Any]) -> list[str]:
    rate = f"{row['documents'] / row['wall']:,.0f}"
    cost = [rate, f"{row['wall']:.2f}", f"{row['cpu']:.2f}", f"{row['memory'] / 1e6:,.0f}"]
    if "recall" not in row:
        return [*cost, "", "", "", ""]
    return [*cost, *(f"{row[name]:.3f}" for name in ("recall", "precision", "f1")), f"{row['below']:,}"]


def _verdict(rows: list[dict[str, Any]]) -> str:
    """Say how whorl stands to the fastest rival that is good enough, and to parsing alone."""
    ran = {row["name"]: row for row in rows if "failure" not in row}
    if WHORL not in ran:
        return ""
    whorl = ran[WHORL]
    good = [row for row in ran.values() if row["name"] != WHORL and row.get("f1", 0) >= _GOOD]
    sentences = []
    if good:
        fastest = min(good, key=lambda row: float(row["wall"]))
        times = fastest["wall"] / whorl["wall"]
        sentences.append(f"{times:.1f} × the fastest rival with F1 ≥ {_GOOD}, {fastest['name']}.")
    if PARSER in ran:
        sentences.append(
            f"{whorl['cpu'] / ran[PARSER]['cpu']:.1f} × the CPU time of parsing the same file with orjson."
        )
    return " ".join(sentences)

"""Deduplication of the same corpora by whorl and its rivals: time, memory and recall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
_FIGURES = ("recall", "at_most_one_kept", "precision", "f1")


@dataclass(frozen=True, slots=True)
class Contender:
    """A program under test.

    Attributes:
        name: its name in the table.
        command: builds its command from corpus and output folder.
        removals: reads its removals; None if it removes nothing.
        largest: size of the largest corpus that it is run on; None for any.
        takes_threshold: whether it has a similarity threshold.
    """

    name: str
    command: Callable[[Path, Path], list[str | Path]]
    removals: Callable[[Path], Removals] | None
    largest: int | None = None
    takes_threshold: bool = True


@dataclass(slots=True)
class Trial:
    """The runs of a contender on one corpus."""

    contender: Contender
    costs: list[Cost] = field(default_factory=list)
    score: Score | None = None
    failure: str = ""

    @property
    def wall(self) -> float:
        """Seconds of its slowest run; 0 before the first run."""
        return max((cost.wall for cost in self.costs), default=0)

    def turn(self, articles: Corpus, truth: Truth, threshold: float) -> None:
        """Deduplicate the corpus again; the first result is scored."""
        with scratch() as out:
            try:
                self.costs.append(run(self.contender.command(articles.path, out)))
            except RunFailed as failure:
                self.failure = str(failure)
                return
            if self.score is None and self.contender.removals:
                self.score = score(articles, truth, self.contender.removals(out), threshold)

    def row(self, documents: int) -> dict[str, Any]:
        """Return all figures as plain data."""
        head = {
            "documents": documents,
            "name": self.contender.name,
            "takes_threshold": self.contender.takes_threshold,
        }
        if self.failure:
            return head | {"failure": self.failure}
        cost = {
            "runs": len(self.costs),
            "wall": median(cost.wall for cost in self.costs),
            "cpu": median(cost.cpu for cost in self.costs),
            "memory": max(cost.memory for cost in self.costs),
        }
        return head | cost | (asdict(self.score) | {"f1": self.score.f1} if self.score else {})


def ask(settings: Settings) -> Answer:
    """Run every contender on every corpus, in turns, and score the removals."""
    contenders = _contenders(settings)
    rows: list[dict[str, Any]] = []
    origins: list[str] = []
    for size in settings["sizes"]:
        articles = corpus(settings["language"], size, settings["seed"])
        origins.append(f"{size:,}: {articles.origin}")
        rows += _compare(articles, contenders, settings)
    return {"data": origins, "rows": rows, "rivals": rivals.versions()}


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    rows = [row for row in answer["rows"] if row["name"] == WHORL and "failure" not in row]
    return {f"{row['documents']:,} articles, {name}": row[name] for row in rows for name in ("wall", "cpu")}


def table(answer: Answer) -> str:
    """Return the answer as Markdown, one table per size."""
    sizes = dict.fromkeys(row["documents"] for row in answer["rows"])
    parts = []
    for size in sizes:
        rows = [row for row in answer["rows"] if row["documents"] == size]
        parts.append("\n".join([f"**{size:,} articles**", "", *_lines(rows), "", _verdict(rows)]))
    return "\n\n".join(parts)


_WORDS: Mapping[str, Mapping[str, str]] = {
    ".md": {
        "head": "articles/s | wall s | CPU s | peak MB | at most one of a pair kept | in one cluster | precision"
        " | removed below the threshold",
        PARSER: "parsing the same file with orjson",
        "no threshold": " (no threshold)",
    },
    ".zh-CN.md": {
        "head": "篇/秒 | 用时 秒 | CPU 秒 | 峰值 MB | 一对至多留一篇 | 归入同一重复组 | 精确率 | 低于阈值而误删",
        PARSER: "用 orjson 只解析同一文件",
        "nshash's recipe": "nshash 的做法",
        "no threshold": "（没有阈值）",
    },
}
_PAGES = {f"{page}{ending}": words for page in ("README", "docs/ALTERNATIVES") for ending, words in _WORDS.items()}
_SCORE_COLUMNS = ("at_most_one_kept", "recall", "precision")


def excerpts(answer: Answer) -> dict[str, str]:
    """Return the tables of the READMEs, of the largest corpus, and of the pages on alternatives, of all contenders."""
    rows = [row for row in answer["rows"] if "failure" not in row]
    sizes = Counter(row["documents"] for row in rows)
    largest, shared = max(sizes), max(sizes, key=lambda size: (sizes[size], size))
    size_of = {page: largest if page.startswith("README") else shared for page in _PAGES}
    return {
        page: "\n".join(_front([row for row in rows if row["documents"] == size_of[page]], words))
        for page, words in _PAGES.items()
    }


def _front(rows: list[dict[str, Any]], words: Mapping[str, str]) -> Iterator[str]:
    yield f"| | {words['head']} |"
    yield f"|---|{'--:|' * (words['head'].count('|') + 1)}"
    for row in rows:
        name = words.get(row["name"], row["name"]) + ("" if row["takes_threshold"] else words["no threshold"])
        yield f"| {name} | {' | '.join(_cells(row, _SCORE_COLUMNS))} |"


def _contenders(settings: Settings) -> list[Contender]:
    threshold, cores = settings["threshold"], settings["cores"]

    def of_rival(script: str) -> Callable[[Path, Path], list[str | Path]]:
        return lambda path, out: rivals.command(script, path, out, str(threshold), str(cores))

    def of_whorl(path: Path, out: Path) -> list[str | Path]:
        return whorl_dedup(path, out, threshold, cores)

    contenders = [Contender(WHORL, of_whorl, removals_of_whorl), Contender(PARSER, of_rival("parse_only"), None)]
    for rival in settings["rivals"]:
        takes_threshold = rival.get("takes_threshold", True)
        command = of_rival(rival["script"])
        contenders.append(Contender(rival["name"], command, removals_of_rival, rival["largest"], takes_threshold))
    return contenders


def _compare(articles: Corpus, contenders: list[Contender], settings: Settings) -> list[dict[str, Any]]:
    truth = Truth.of(articles)
    trials = [Trial(contender) for contender in contenders]
    for trial in trials:
        largest = trial.contender.largest
        if largest is not None and largest < articles.documents:
            trial.failure = f"not asked above {largest:,} articles"
    for turn in range(settings["runs"]):
        for trial in (trial for trial in trials if not trial.failure and trial.wall <= settings["once_above"]):
            say(f"dedup: {articles.documents:,} articles, run {turn + 1}: {trial.contender.name}")
            trial.turn(articles, truth, settings["threshold"])
    return [trial.row(articles.documents) for trial in trials]


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    heads = ("documents/s", "wall s", "CPU s", "peak MB", *map(_worded, _FIGURES), "removed below the threshold")
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
    for row in rows:
        if "failure" in row:
            lines.append(f"| {row['name']} | {row['failure'].splitlines()[-1]} {'| ' * (len(heads) - 1)}|")
        else:
            name = row["name"] if row["takes_threshold"] else f"{row['name']} (no threshold)"
            lines.append(f"| {name} | {' | '.join(_cells(row))} |")
    return lines


def _worded(figure: str) -> str:
    return "F1" if figure == "f1" else figure.replace("_", " ")


def _cells(row: Mapping[str, Any], figures: Sequence[str] = _FIGURES) -> list[str]:
    rate = f"{row['documents'] / row['wall']:,.0f}"
    cost = [rate, f"{row['wall']:.2f}", f"{row['cpu']:.2f}", f"{row['memory'] / 1e6:,.0f}"]
    if "recall" not in row:
        return [*cost, *[""] * (len(figures) + 1)]
    return [*cost, *(f"{row[name]:.3f}" for name in figures), f"{row['below']:,}"]


def _verdict(rows: list[dict[str, Any]]) -> str:
    """Compare whorl with the fastest rival of sufficient accuracy, and with parsing alone."""
    completed = {row["name"]: row for row in rows if "failure" not in row}
    if WHORL not in completed:
        return ""
    whorl = completed.pop(WHORL)
    sentences = []
    good = [row for row in completed.values() if row["takes_threshold"] and row.get("f1", 0) >= _GOOD]
    if good:
        fastest = min(good, key=lambda row: float(row["wall"]))
        times, name = fastest["wall"] / whorl["wall"], fastest["name"]
        sentences.append(f"whorl is {times:.1f} × as fast as {name}, the fastest with a threshold and F1 ≥ {_GOOD}.")
    if PARSER in completed:
        share = whorl["cpu"] / completed[PARSER]["cpu"]
        sentences.append(f"It takes {share:.1f} × the processor time of parsing the same file with orjson.")
    return " ".join(sentences)

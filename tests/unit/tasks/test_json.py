"""`--json` prints the return value of the task, `to_dict()`, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, write_jsonl
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app
from whorl.tasks.library import maintenance as library

CHECKED = {
    "explain": (["explain", "a.txt", "b.txt"], lambda: whorl.explain_files("a.txt", "b.txt")),
    "explain, fields": (
        ["explain", "a.txt", "b.txt", "--recipe", "fields.toml"],
        lambda: whorl.explain_files("a.txt", "b.txt", recipe="fields.toml"),
    ),
    "compare": (["compare", "a.txt", "b.txt"], lambda: whorl.compare_files("a.txt", "b.txt")),
    "compare --against": (
        ["compare", "b.txt", "--against", "news.jsonl", "--quiet"],
        lambda: whorl.compare_against("news.jsonl", "b.txt"),
    ),
    "show": (["show", "clean", "bridge"], lambda: whorl.runs.show("clean", "bridge")),
    "show, library": (["show", "newsroom", "bridge"], lambda: whorl.runs.show("newsroom", "bridge")),
    "hot": (["hot", "news.jsonl", "--quiet"], lambda: whorl.runs.hot("news.jsonl")),
    "hot, library": (["hot", "newsroom"], lambda: whorl.runs.hot("newsroom")),
    "library stats": (["library", "stats", "newsroom"], lambda: library.stats("newsroom")),
    "library verify": (["library", "verify", "newsroom"], lambda: library.verify("newsroom")),
    "library reindex": (["library", "reindex", "newsroom"], lambda: library.reindex("newsroom")),
    "eval": (
        ["eval", "news.jsonl", "truth.csv", "--method", "bag", "--no-sweep", "--quiet"],
        lambda: whorl.lab.evaluate("news.jsonl", "truth.csv", methods="bag", sweep=False),
    ),
}
VARIES = {"cost"}
"""Fields measured in each run."""


@pytest.fixture
def places(corpus: Path, workplace: Path) -> Path:
    """Return files, a library and a finished run."""
    (workplace / "a.txt").write_text(BRIDGE, encoding="utf-8")
    (workplace / "b.txt").write_text(f"{HARBOUR}\n{BRIDGE[:120]}", encoding="utf-8")
    (workplace / "truth.csv").write_text("a,b,label\nbridge,bridge-shouted,1\n", encoding="utf-8")
    fields = '[fields.title]\nmethod = "exact"\n[fields.text]\nmethod = "minhash"\n'
    (workplace / "fields.toml").write_text(f'combine = "or"\n{fields}', encoding="utf-8")
    whorl.dedup_files(corpus, "clean")
    whorl.library.add_files("newsroom", corpus)
    return workplace


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(build_app(arguments[0]), [*arguments, "--json"])
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def constant(value: Any) -> Any:
    """Return a JSON value without measured fields."""
    if isinstance(value, dict):
        return {name: constant(item) for name, item in value.items() if name not in VARIES}
    return [constant(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", CHECKED)
def test_json_is_what_the_task_returns(name: str, places: Path) -> None:
    arguments, task = CHECKED[name]
    returned: Callable[[], Any] = task
    assert constant(json.loads(printed(*arguments))) == constant(json.loads(json.dumps(returned().to_dict())))


def test_dedup_prints_the_run(corpus: Path, workplace: Path) -> None:
    run = json.loads(printed("dedup", str(corpus), "-o", "clean", "--quiet"))
    again = whorl.dedup_files(corpus, "again").to_dict()
    assert run.keys() == again.keys()
    assert (run["counts"], run["recipe"]) == (again["counts"], json.loads(json.dumps(again["recipe"])))
    assert json.loads((workplace / "clean" / "run.json").read_text(encoding="utf-8")) == run


def test_a_line_of_json_is_a_report(places: Path) -> None:
    new = write_jsonl(
        places / "new.jsonl", {"id": "again", "text": BRIDGE}, {"id": "other", "text": "渔港今天没有风。"}
    )
    reports: list[dict[str, Any]] = []
    whorl.library.check_files("newsroom", new, on_report=lambda report: reports.append(report.to_dict()))
    lines = printed("check", "newsroom", str(new), "--quiet").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(reports))
    assert [report["id"] for report in reports] == ["again", "other"]


def test_lists_print_each_of_their_members(places: Path) -> None:
    clusters = library.clusters("newsroom")
    assert json.loads(printed("library", "clusters", "newsroom")) == json.loads(
        json.dumps([cluster.to_dict() for cluster in clusters])
    )
    trace = library.trace("newsroom", clusters[0].id)
    output = json.loads(printed("library", "trace", "newsroom", str(clusters[0].id)))
    assert output == json.loads(json.dumps([step.to_dict() for step in trace]))

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.articles import small_corpus
from tests.unit.reports.page import Page

from whorl.errors import UsageError
from whorl.evaluation.documents import Documents
from whorl.evaluation.evaluate import Plan, evaluate, recipes_of
from whorl.evaluation.scoring import Copy, Truth
from whorl.recipe import Recipe
from whorl.reports.drawing.plots import write_plots
from whorl.reports.evaluation.page import charts, render_evaluation
from whorl.reports.evaluation.tables import merit, share

ROWS = small_corpus(6, 3)
EVIL = "<script>alert(1)</script>\u202e"


@pytest.fixture(scope="module")
def evaluation() -> dict[str, Any]:
    documents = Documents(tuple(row["id"] for row in ROWS), tuple(row["text"] for row in ROWS))
    copies = [Copy(row["id"], EVIL, (row["id"][:4],)) for row in ROWS if "-" in row["id"]]
    plan = Plan(recipes_of(["minhash", "simhash", "exact"], Recipe()) | {EVIL: Recipe(threshold=0.5)}, (0.3, 0.9))
    return evaluate(documents, Truth(tuple(copies)), plan)


def test_page_loads_no_resources_and_runs_no_script(evaluation: dict[str, Any]) -> None:
    html = render_evaluation(evaluation)
    page = Page(html)
    assert "script" not in page.tags
    addresses = [value for name, value in page.attributes if name in ("href", "src")]
    assert [address for address in addresses if not address.startswith(("#", "data:"))] == []
    assert EVIL not in html
    assert "&lt;script&gt;" in html
    assert "⟨RLO⟩" in html


def test_the_page_has_every_figure(evaluation: dict[str, Any]) -> None:
    html = render_evaluation(evaluation)
    text = " ".join(Page(html).text.split())
    for method in evaluation["methods"]:
        assert share(method["recall"]) in text
    assert html.count("<polyline") == sum(len(chart.lines) for chart in charts(evaluation))


def test_a_truth_that_is_not_complete_has_a_page_without_precision(evaluation: dict[str, Any]) -> None:
    methods = [{**method, "precision": None, "f1": None} for method in evaluation["methods"]]
    for method in methods:
        method["sweep"] = [{**point, "precision": None, "f1": None} for point in method["sweep"]]
    html = render_evaluation({**evaluation, "methods": methods, "truth": {**evaluation["truth"], "complete": False}})
    assert "precision is not claimed" in html
    assert "precision-by-threshold" not in html


def test_charts_show_sweeps_and_distances(evaluation: dict[str, Any]) -> None:
    charts_by_name = {chart.name: chart for chart in charts(evaluation)}
    names = {
        f"{figure}-by-{parameter}" for figure in ("recall", "precision") for parameter in ("threshold", "distance")
    }
    assert charts_by_name.keys() == names | {"distances-141-500"}
    (simhash,) = charts_by_name["recall-by-distance"].lines
    assert [x for x, _ in simhash.points] == list(range(12))
    values = [y for _, y in charts_by_name["distances-141-500"].lines[0].points]
    assert values == sorted(values)


def test_charts_are_written_as_png(evaluation: dict[str, Any], tmp_path: Path) -> None:
    files = write_plots(evaluation, tmp_path / "plots")
    assert {file.name for file in files} == {f"{chart.name}.png" for chart in charts(evaluation)}
    assert all(file.read_bytes().startswith(b"\x89PNG\r\n") for file in files)


def test_missing_matplotlib_has_a_hint(
    evaluation: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError) as refusal:
        write_plots(evaluation, tmp_path)
    assert refusal.value.hint == "pip install 'matplotlib>=3.9'"


def test_the_best_comes_first(evaluation: dict[str, Any]) -> None:
    ordered = sorted(evaluation["methods"], key=merit, reverse=True)
    assert [method["f1"]["value"] for method in ordered] == sorted(
        (method["f1"]["value"] for method in evaluation["methods"]), reverse=True
    )

import json
from pathlib import Path
from typing import Any

import pytest
from tests.articles import NEWSROOM
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl

ARTICLES, TRUTH = NEWSROOM / "articles.jsonl", NEWSROOM / "truth.jsonl"


def evaluation_of(invoke: Invoke, *arguments: Any) -> dict[str, Any]:
    result = invoke("eval", *arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_documents_and_truth_are_enough(invoke: Invoke) -> None:
    evaluation = evaluation_of(invoke, ARTICLES, TRUTH, "--method", "news", "--method", "exact", "--no-sweep")
    assert (evaluation["documents"], evaluation["truth"]["copies"]) == (91, 61)
    news, exact = evaluation["methods"]
    assert news["recall"]["value"] > exact["recall"]["value"]
    assert news["kinds"]["homophone10"]["hits"] == 2


def test_the_command_may_be_named(invoke: Invoke) -> None:
    arguments = (ARTICLES, TRUTH, "--method", "exact", "--no-sweep")
    named, short = (evaluation_of(invoke, *command, *arguments) for command in (("truth",), ()))
    for evaluation in (named, short):
        del evaluation["methods"][0]["cost"]
    assert named == short


def test_options_may_come_first_and_documents_may_be_several(invoke: Invoke, tmp_path: Path) -> None:
    a = write_jsonl(tmp_path / "a.jsonl", {"name": "x", "body": BRIDGE}, {"name": "y", "body": HARBOUR})
    b = write_jsonl(tmp_path / "b.jsonl", {"name": "z", "body": BRIDGE})
    truth = tmp_path / "truth.csv"
    truth.write_text("a,b\nx,z\n", encoding="utf-8")
    evaluation = evaluation_of(invoke, "--method", "exact", "--text", "body", "--id", "name", a, b, truth)
    assert evaluation["methods"][0]["recall"]["value"] == 1.0


def test_recipes_are_tried_beside_methods(invoke: Invoke, tmp_path: Path) -> None:
    recipe = tmp_path / "loose.toml"
    recipe.write_text("threshold = 0.3\n", encoding="utf-8")
    evaluation = evaluation_of(invoke, ARTICLES, TRUTH, "--recipe", recipe, "--no-sweep")
    (method,) = evaluation["methods"]
    assert (method["name"], method["recipe"]["threshold"]) == (str(recipe), 0.3)


def test_people_see_tables(invoke: Invoke) -> None:
    result = invoke("eval", ARTICLES, TRUTH, "--method", "news", "--method", "simhash")
    assert result.exit_code == 0
    for item in ("news", "threshold 0.5", "distance 7", "homophone10", "501-1000", "SimHash"):
        assert item in result.stdout


def test_labelled_passages_are_scored(invoke: Invoke, tmp_path: Path) -> None:
    copy = f"{HARBOUR}\n{BRIDGE}"
    articles = write_jsonl(tmp_path / "a.jsonl", {"id": "b", "text": BRIDGE}, {"id": "both", "text": copy})
    row = {"source": "b", "s0": 0, "s1": len(BRIDGE), "c0": len(copy) - len(BRIDGE), "c1": len(copy)}
    truth = write_jsonl(tmp_path / "t.jsonl", {"copy_id": "both", "kind": "k", "sources": ["b"], "passages": [row]})
    page = tmp_path / "page.html"
    request = (articles, truth, "--method", "exact", "--no-sweep")
    passages = evaluation_of(invoke, *request, "--html", page)["passages"]
    assert passages["kinds"]["k"]["pairs"] == 1
    assert passages["overall"] == passages["kinds"]["k"]["plagdet"] > 0.95
    assert "plagdet" in page.read_text(encoding="utf-8")
    assert "plagdet" in invoke("eval", *request).stdout
    pairs = write_jsonl(tmp_path / "p.jsonl", {"a": "b", "b": "both"})
    assert evaluation_of(invoke, articles, pairs, "--method", "exact", "--no-sweep")["passages"] == {}


def test_an_incomplete_truth_claims_no_precision(invoke: Invoke) -> None:
    arguments = (ARTICLES, TRUTH, "--method", "news", "--no-sweep", "--incomplete")
    (method,) = evaluation_of(invoke, *arguments)["methods"]
    assert (method["precision"], method["f1"]) == (None, None)
    assert "truth is incomplete" in invoke("eval", *arguments).stdout


def test_pairs_can_be_ignored(invoke: Invoke, tmp_path: Path) -> None:
    docs = write_jsonl(tmp_path / "a.jsonl", *({"id": item, "text": BRIDGE} for item in "abc"))
    truth, aside = tmp_path / "truth.csv", tmp_path / "aside.csv"
    truth.write_text("a,b\na,b\n", encoding="utf-8")
    aside.write_text("a,b\na,c\n", encoding="utf-8")
    arguments = (docs, truth, "--method", "exact")
    counts = [evaluation_of(invoke, *arguments, *more)["methods"][0] for more in ((), ("--ignore", aside))]
    assert [(method["wrong"], method["aside"]) for method in counts] == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--method", "guess"], 2, "guess"),
        (["--id", "number"], 3, "has no column 'number'"),
        (["--ignore", "nowhere.csv"], 3, "nowhere.csv"),
    ],
)
def test_user_mistakes_have_a_hint(invoke: Invoke, arguments: list[str], code: int, message: str) -> None:
    result = invoke("eval", ARTICLES, TRUTH, *arguments, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_document_ids_must_be_unique(invoke: Invoke, tmp_path: Path) -> None:
    docs = write_jsonl(tmp_path / "a.jsonl", {"id": "x", "text": BRIDGE}, {"id": "x", "text": HARBOUR})
    result = invoke("eval", docs, TRUTH)
    assert result.exit_code == 3
    assert "two documents have the id 'x'" in result.stderr


def test_rows_that_cannot_be_read_are_counted(invoke: Invoke, tmp_path: Path) -> None:
    rows = ({"id": value, "text": text} for value, text in zip("abc", (BRIDGE, None, BRIDGE), strict=True))
    docs, truth = write_jsonl(tmp_path / "a.jsonl", *rows), tmp_path / "truth.csv"
    truth.write_text("a,b\na,c\n", encoding="utf-8")
    result = invoke("eval", docs, truth, "--method", "exact", "--json")
    assert json.loads(result.stdout)["rejected"] == 1
    assert "1 rows cannot be read" in result.stderr


def test_standard_input_is_refused(invoke: Invoke) -> None:
    result = invoke("eval", "-", TRUTH, stdin=b"")
    assert result.exit_code == 2
    assert "save them to a file" in result.stderr


def test_help_is_shown_without_arguments(invoke: Invoke) -> None:
    assert "DOCS... TRUTH" in invoke("eval").output


def test_a_page_and_plots_are_written(invoke: Invoke, tmp_path: Path) -> None:
    html, plots = tmp_path / "report.html", tmp_path / "plots"
    result = invoke("eval", ARTICLES, TRUTH, "--method", "minhash", "--html", html, "--plots", plots, "--quiet")
    assert result.exit_code == 0, result.stderr
    assert "minhash" in html.read_text(encoding="utf-8")
    assert (plots / "recall-by-threshold.png").exists()

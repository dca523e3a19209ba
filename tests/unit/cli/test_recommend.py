import json
from pathlib import Path

import pytest
from tests.articles import article, write_jsonl
from tests.quality.forms import forms
from tests.unit.cli.articles import Invoke


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "a.jsonl", [{"body": article(number), "n": number} for number in range(60)])


def test_the_recipe_is_written_and_runs(invoke: Invoke, articles: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "ours.toml"
    result = invoke(
        "recommend", articles, "--text", "body", "--id", "n", "--method", "exact", "--method", "web", "--kind",
        "drop20", "--out", recipe, "--json", "--quiet",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    output = json.loads(result.stdout)
    assert (output["documents"], output["kinds"]) == (60, {"drop20": 40})
    assert output["recommended"]["recipe"]["method"] == "winnowing"
    done = invoke("dedup", articles, "-o", tmp_path / "clean", "--recipe", recipe, "--json", "--quiet")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["recipe"]["threshold"] == output["recommended"]["recipe"]["threshold"]


def test_people_see_the_figures_and_what_they_are_worth(invoke: Invoke, articles: Path) -> None:
    result = invoke("recommend", articles, "--text", "body", "--method", "web", "--copies", "1")
    assert result.exit_code == 0, result.stderr
    for words in ("web", "too small for a recommendation", "homophone10", "recall"):
        assert words in result.stdout


def test_corpus_evidence_is_shown_and_written(invoke: Invoke, articles: Path, tmp_path: Path) -> None:
    page = tmp_path / "recommendation.html"
    result = invoke("recommend", articles, "--text", "body", "--method", "exact", "--html", page)
    assert result.exit_code == 0, result.stderr
    html = page.read_text(encoding="utf-8")
    for item in (
        "exact",
        "Left out of the sample as related to others: 0 / 60",
        "pairs that are right",
        "[0.000, 0.060]",
    ):
        assert item in html
    for item in ("Left out of the sample", "On the corpus itself", ".000–.060"):
        assert item in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [(["--kind", "typo7"], 2, "typo7"), (["--method", "guess"], 2, "guess"), (["--size", "0"], 2, "--size")],
)
def test_user_mistakes_have_a_hint(
    invoke: Invoke, articles: Path, arguments: list[str], code: int, message: str
) -> None:
    result = invoke("recommend", articles, "--text", "body", *arguments, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_documents_may_have_one_id(invoke: Invoke, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"id": "same", "text": article(number)} for number in range(60)])
    result = invoke("recommend", path, "--method", "exact", "--kind", "verbatim", "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["recommended"]["recall"]["value"] == 1.0


@pytest.mark.parametrize("output", [[], ["--json"]])
def test_forms_are_refused_with_a_message_and_an_exit_code(invoke: Invoke, tmp_path: Path, output: list[str]) -> None:
    path, recipe, page = write_jsonl(tmp_path / "a.jsonl", forms()), tmp_path / "ours.toml", tmp_path / "page.html"
    result = invoke("recommend", path, "--out", recipe, "--html", page, *output, "--quiet")
    assert result.exit_code == 1, result.stderr
    assert not recipe.exists()
    text = "forms filled in with other facts"
    assert text in page.read_text(encoding="utf-8")
    if output:
        figures = json.loads(result.stdout)
        assert (figures["recommended"], figures["refused"]["kind"]) == (None, "templates")
        assert text in figures["refused"]["message"]
        assert figures["sample"]["documents"] == figures["refused"]["of"]
        assert text in result.stderr
    else:
        assert text in " ".join(result.stdout.split())
        assert "Sampled:" in result.stdout


@pytest.mark.parametrize(
    ("purpose", "method"), [("corpus", "minhash"), ("news", "news"), ("theses", "library"), ("archive", "exact")]
)
def test_a_purpose_chooses_methods_and_what_may_go(
    invoke: Invoke, articles: Path, tmp_path: Path, purpose: str, method: str
) -> None:
    recipe = tmp_path / "ours.toml"
    result = invoke(
        "recommend", articles, "--text", "body", "--for", purpose, "--method", method, "--copies", "1", "--json",
        "--quiet", "--out", recipe,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    figures = json.loads(result.stdout)
    assert figures["required_precision"] == (0.99 if purpose == "archive" else 0.97)
    removed = {"archive": '"exact", "near_duplicate"', "theses": '"exact"'}.get(purpose)
    assert (f"remove = [{removed}]" in recipe.read_text(encoding="utf-8")) == (removed is not None)

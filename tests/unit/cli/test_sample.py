import json
from pathlib import Path

import openpyxl
import pytest
from tests.articles import NEWSROOM
from tests.unit.cli.articles import Invoke

from whorl.evaluation.labelling.workbook import SHEETS

ARTICLES = NEWSROOM / "articles.jsonl"


@pytest.fixture
def book(invoke: Invoke, tmp_path: Path) -> Path:
    path = tmp_path / "book.xlsx"
    result = invoke("eval", "sample", ARTICLES, "--out", path, "--json", "--quiet", "--url", "source")
    assert result.exit_code == 0, result.stderr
    output = json.loads(result.stdout)
    assert output["strata"]["judged"] == {"pairs": 14, "asked": 14}
    assert output["wider"]["threshold"] == 0.4
    return path


def label(path: Path, judged: str, wider: str) -> None:
    book = openpyxl.load_workbook(path)
    for title, value in zip(SHEETS.values(), (judged, wider), strict=True):
        for row in range(2, book[title].max_row + 1):
            book[title].cell(row, 2).value = value
    book.save(path)


def test_a_sample_is_labelled_and_scored(invoke: Invoke, book: Path) -> None:
    label(book, "是", "否")
    result = invoke("eval", "score", book, "--json")
    assert result.exit_code == 0, result.stderr
    output = json.loads(result.stdout)
    assert (output["precision"]["value"], output["recall"]["value"], output["unmet"]) == (1.0, 1.0, [])
    rendered = invoke("eval", "score", book)
    assert "1.000" in rendered.stdout


def test_requirement_sets_the_exit_code(invoke: Invoke, book: Path) -> None:
    label(book, "y", "y")
    met = invoke("eval", "score", book, "--require", "precision=0.97")
    assert met.exit_code == 0
    unmet = invoke("eval", "score", book, "--require", "precision=0.97, recall=0.75", "--json")
    assert unmet.exit_code == 1
    assert json.loads(unmet.stdout)["unmet"] == ["recall"]
    assert "expected at least 0.75" in unmet.stderr


@pytest.mark.parametrize("value", ["precision", "f1=0.5", "recall=2", "precision=high"])
def test_invalid_requirement_is_refused(invoke: Invoke, book: Path, value: str) -> None:
    label(book, "1", "1")
    result = invoke("eval", "score", book, "--require", value)
    assert result.exit_code == 2
    assert "precision=0.97,recall=0.75" in result.stderr


def test_the_wider_recipe_can_be_chosen(invoke: Invoke, tmp_path: Path) -> None:
    more = ("--wider-method", "news", "--wider-threshold", "0.3", "--json", "--quiet")
    result = invoke("eval", "sample", ARTICLES, "--out", tmp_path / "a.xlsx", "--method", "segment", *more)
    assert result.exit_code == 0, result.stderr
    output = json.loads(result.stdout)
    assert (output["wider"]["method"], output["wider"]["threshold"]) == ("winnowing", 0.3)
    assert output["wider"]["parameters"]["hits"] == 2


def test_a_column_that_is_named_must_be_there(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("eval", "sample", ARTICLES, "--out", tmp_path / "a.xlsx", "--title", "headline", "--quiet")
    assert result.exit_code == 3
    assert "headline" in result.stderr


def test_questions_are_shown_to_people(invoke: Invoke, tmp_path: Path) -> None:
    result = invoke("eval", "sample", ARTICLES, "--out", tmp_path / "a.xlsx", "--size", "3")
    assert "3 of 14 pairs" in result.stdout

"""The hints of a run, as readable cases: an observation, and its hint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, write_jsonl
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app
from whorl.i18n import as_message, translated
from whorl.recipe import Recipe, recipe_of
from whorl.reports.hints import (
    hint_of_addition,
    hint_of_check,
    hint_of_comparison,
    hint_of_evaluation,
    hint_of_groups,
    hint_of_run,
)


def near_misses(**hundredths: int) -> dict[str, list[int]]:
    counts = [0] * 101
    for name, number in hundredths.items():
        counts[int(name.removeprefix("at_"))] = number
    return {"near_misses": counts}


def run(**observed: Any) -> dict[str, Any]:
    counts = {"rows": 100, "kept": 90, "exact": 5, "near": 5} | observed.pop("counts", {})
    return {"counts": counts, **observed}


NOTHING = run()
HALF = (
    "articles that stay have about half of the shorter text or more in common with another one: "
    "`method=news` finds excerpts and mixtures"
)
RUNS = [
    (NOTHING, None),
    (
        run(counts={"rejected": 5}, similarity=near_misses(at_60=9)),
        "5.0% of all rows were rejected: rejected/rejected.jsonl gives the reason for each",
    ),
    (run(counts={"rejected": 2}), None),
    (
        run(counts={"guessed_encodings": 1}),
        "1 file does not say in which encoding it is; if its text looks wrong, name it with `encoding`",
    ),
    (
        run(similarity=near_misses(at_34=2, at_60=9, at_33=50)),
        f"11 {HALF}",
    ),
    (run(similarity=near_misses(at_33=50, at_60=2)), None),
    (
        run(hot_keys={"count": 2, "unlisted": 40}),
        "2 keys are shared by so many articles that not all were compared by them: report.html shows their texts",
    ),
]


@pytest.mark.parametrize(("observed", "hint"), RUNS)
def test_run_has_at_most_the_most_important_hint(observed: dict[str, Any], hint: str | None) -> None:
    assert hint_of_run(observed, Recipe(), 800) == hint


def test_passage_methods_get_a_threshold_hint() -> None:
    news = recipe_of("news")
    assert hint_of_run(run(similarity=near_misses(at_41=2, at_44=2, at_39=9)), news, 800) == (
        "4 articles that stay come within 0.05 of the threshold: `threshold=0.4` takes such too"
    )
    assert hint_of_run(run(similarity=near_misses(at_39=9)), news, 800) is None


def test_short_articles_are_no_matter_for_long_shingles() -> None:
    short = hint_of_run(NOTHING, Recipe(), 40)
    assert short == "half of the articles have fewer than 60 characters: `method=news` tolerates changes in short texts"
    assert hint_of_run(NOTHING, recipe_of("news"), 40) is None


def test_in_memory_run_has_the_hint_in_both_languages() -> None:
    whole = [article(number) for number in range(4)]
    excerpts = [text[: len(text) * 3 // 4] for text in whole]
    hint = whorl.dedup([*whole, *excerpts]).run["hint"]
    assert hint == f"4 {HALF}"
    assert "`method=news` 能找出摘录和拼凑稿" in translated(as_message(hint), "zh")
    assert whorl.dedup([*whole, *excerpts], method="news").run["hint"] is None


def test_comparison_hints_about_exclusions() -> None:
    comparison = whorl.compare(article(1), article(1)[:200] + article(2))
    assert hint_of_comparison(comparison, 0, 1, {}) is None
    assert hint_of_comparison(comparison, 12, 1000, {}) == (
        "12 further sources share less with the text and were not compared: `most=1012` compares them too"
    )
    quoting = "他写道：“" + article(1)[:150] + "”" + article(2)
    quoted = whorl.compare(article(1), quoting)
    report = hint_of_comparison(quoted, 0, 1, {})
    assert report is not None
    assert report.endswith("`exclude=quotations,references` leaves them out")
    assert hint_of_comparison(quoted, 0, 1, {"exclude": ("quotations",)}) is None


def test_library_hints_at_the_next_step() -> None:
    assert hint_of_addition(5, 0, 0, 0) is None
    report = hint_of_addition(5, 0, 0, 2)
    assert report == (
        "2 of these share text with others: `whorl show LIB ID` lists the matches of an article, "
        "`whorl library clusters LIB` the clusters of copies"
    )
    assert "`id`" in str(hint_of_addition(1, 0, 9, 3))
    assert hint_of_check(3, 3) is None
    assert str(hint_of_check(1, 2)).startswith("1 article is related to others and not a copy")


def test_groups_that_are_not_shown_are_named_by_what_shows_them() -> None:
    assert hint_of_groups(91, 20, 2, "nshash") == "18 further groups are not shown: `top=20` shows them too"
    assert hint_of_groups(91, 20, 20, "nshash") is None
    assert hint_of_groups(91, 0, 0, "nshash") == (
        "`nshash` finds no copies: `method=news` finds excerpts and mixtures too"
    )
    assert hint_of_groups(91, 0, 0, "news") is None
    assert hint_of_groups(91, 0, 0, None) is None


def test_an_evaluation_names_the_threshold_that_gains_most() -> None:
    def method(name: str, item: float, **swept: float) -> dict[str, Any]:
        points = [{"threshold": float(at.replace("_", ".")), "f1": {"value": value}} for at, value in swept.items()]
        return {"name": name, "f1": {"value": item}, "sweep": points}

    methods = [method("minhash", 0.33, **{"0_3": 0.7, "0_8": 0.33}), method("news", 0.9, **{"0_4": 0.93})]
    assert hint_of_evaluation(methods) == "minhash reaches F1 0.70 with threshold 0.3 instead of 0.33"
    assert hint_of_evaluation(methods[1:]) is None
    assert hint_of_evaluation([]) is None


def test_command_line_hints_name_options_and_can_be_silenced(tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": article(number)} for number in range(4)]
    rows += [{"id": f"part {number}", "text": article(number)[: len(article(number)) * 3 // 4]} for number in range(4)]
    write_jsonl(tmp_path / "a.jsonl", rows)

    def output(*options: str) -> str:
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        done = CliRunner().invoke(build_app("dedup"), ["dedup", str(tmp_path / "a.jsonl"), "-o", str(out), *options])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    hints = [line for line in output("--lang", "en").splitlines() if line.startswith("hint: ")]
    assert len(hints) == 1
    assert "--method news" in " ".join(output("--lang", "en").split())
    assert "提示：" in output("--lang", "zh")
    assert "hint:" not in output("--method", "news")
    assert output("-q") == ""
    assert json.loads(output("--json", "--lang", "zh"))["hint"] == f"4 {HALF}"

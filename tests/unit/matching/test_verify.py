"""Exact scores equal those of the slow twin, and name their measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.runs import dedup, duplicates
from tests.unit.matching.slow_twin import similarity

import whorl
from whorl.errors import InputError, UsageError
from whorl.fingerprints import family
from whorl.matching.verify import MEASURES, TEXT_MEASURES, Verification, judge
from whorl.recipe import Recipe, load_recipe
from whorl.text.words import MODES

PIECES = [
    "我们",
    "在北京",
    "看京剧",
    "看景据",
    "天气",
    "很好",
    "，",
    "。",
    "paypal",
    "рayрal",
    "エ作",
    "工作",
    "ABC 12",
    " ",
]

texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
verifications = st.builds(
    Verification,
    measure=st.sampled_from([measure for measure in TEXT_MEASURES if measure not in ("copied", "content")]),
    threshold=st.sampled_from([0.3, 0.6, 0.9, 1.0]),
    over=st.sampled_from(["shingles", *MODES]),
    width=st.integers(1, 4),
    fold=st.sampled_from(["none", "pinyin", "look_alikes"]),
    hmm=st.booleans(),
)


@settings(max_examples=300)
@given(a=texts, b=texts, verification=verifications)
def test_every_measure_equals_the_slow_twin(a: str, b: str, verification: Verification) -> None:
    chosen = family("bag")
    figure, _ = judge(a, b, chosen, chosen.verdict(0.8), verification)
    assert figure.similarity == pytest.approx(similarity(a, b, verification), abs=1e-12)
    assert 0.0 <= figure.similarity <= 1.0


@pytest.mark.parametrize("measure", TEXT_MEASURES)
def test_identical_texts_are_exactly_one(measure: str) -> None:
    chosen = family("exact")
    for over in ("shingles", *MODES):
        for number in range(5):
            text = article(number, 300)
            assert Verification(measure, over=over).spelled_out(0.8).demand().figure(text, text)[2] == 1.0
            figure, alike = judge(text, f"{text}。", chosen, chosen.verdict(1.0), Verification(measure, 1.0, over=over))
            assert (figure.similarity, alike) == (1.0, True)


def test_the_edit_distance_of_long_texts() -> None:
    demanded = Verification("edit", 0.1, width=1)
    for edits in (1, 5, 50, 250):
        a = article(1, 700)
        b = edited(a, edits, seed=edits)
        assert demanded.demand().figure(a, b)[2] == similarity(a, b, demanded)


def test_all_measures_are_in_the_table() -> None:
    assert set(MEASURES) == {"exact", "keys", "hamming", *TEXT_MEASURES}


def test_the_width_follows_from_what_is_compared() -> None:
    def width(measure: str, **fields: Any) -> int | None:
        return Verification(measure, **fields).spelled_out(0.8).width

    assert (width("jaccard"), width("edit"), width("cosine", over="precise")) == (5, 1, 1)
    assert width("edit", width=3) == 3
    assert Verification("edit", 0.3).spelled_out(0.8).threshold == 0.3
    assert Verification("edit").spelled_out(0.8).threshold == 0.8


@pytest.mark.parametrize(
    "fields",
    [
        {"measure": "hamming"},
        {"measure": "edit", "threshold": 0},
        {"measure": "edit", "threshold": 1.01},
        {"measure": "edit", "threshold": True},
        {"measure": "edit", "over": "letters"},
        {"measure": "edit", "width": 0},
        {"measure": "edit", "width": 1025},
        {"measure": "edit", "fold": "tone"},
        {"measure": "edit", "hmm": 1},
        {"measure": "edit", "colour": "red"},
        {"threshold": 0.5},
    ],
)
def test_out_of_range_values_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        Recipe(verify=fields)  # type: ignore[arg-type]
    assert refused.value.hint


def test_missing_dictionary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Verification("edit", over="precise", user_dictionary=str(tmp_path / "none.txt"))


def test_runs_that_any_long_text_contains_are_refused() -> None:
    with pytest.raises(UsageError, match="in any long text"):
        Verification("containment", over="code_points", width=6)
    with pytest.raises(UsageError, match="in any long text"):
        family("winnowing", measure="containment", over="code_points", shingle=6)
    assert Verification("containment", over="code_points").spelled_out(0.8).width == 12


def test_a_recipe_file_names_a_verification(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('method = "simhash"\n[verify]\nmeasure = "edit"\nthreshold = 0.6\nfold = "pinyin"\n', "utf-8")
    assert load_recipe(file).verify == Verification("edit", 0.6, fold="pinyin")
    changed = load_recipe(file, verify={"measure": "cosine", "over": "search"})
    assert changed.verify == Verification("cosine", 0.6, "search", fold="pinyin")
    assert load_recipe(file).changed(verify={"threshold": 0.9}).verify == Verification("edit", 0.9, fold="pinyin")


def test_verification_records_its_parameters(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("京剧院团 9 n\n", encoding="utf-8")
    plain, value = (
        Recipe(verify={"measure": "cosine", "over": "precise", "user_dictionary": file}).as_dict()["verify"]  # type: ignore[arg-type]
        for file in (None, str(words))
    )
    assert (plain["threshold"], plain["width"], plain["measure"]) == (0.8, 1, "cosine")
    assert plain["vocabulary"] != value["vocabulary"]
    assert Recipe().as_dict()["verify"] is None


def test_verification_can_reject_a_candidate() -> None:
    others = [article(4, 400), edited(article(4, 400), 30, seed=1)]
    recipe = Recipe(method="winnowing", threshold=0.2, parameters={"k": 4, "window": 4})
    assert whorl.dedup(others, recipe=recipe).run["counts"]["kept"] == 1
    strict = whorl.dedup(others, recipe=recipe, verify={"measure": "edit", "threshold": 0.95})
    assert strict.run["counts"]["kept"] == 2
    passed = whorl.dedup(others, recipe=recipe, verify={"measure": "edit", "threshold": 0.9}).duplicates.to_pylist()[0]
    demanded = Verification("edit", 0.9, width=1)
    assert (passed["measure"], passed["similarity"]) == ("edit", similarity(others[1], others[0], demanded))


def test_files_and_memory_agree(tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": edited(article(n % 7, 300), n, seed=n)} for n in range(40)]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    recipe = {"method": "simhash", "verify": {"measure": "cosine", "threshold": 0.7, "over": "precise"}}
    run = dedup(file, tmp_path / "out", **recipe)
    assert run["recipe"]["verify"]["measure"] == "cosine"
    result = {row["id"]: (row["duplicate_of"], row["similarity"]) for row in duplicates(tmp_path / "out")}
    in_memory = whorl.dedup(rows, recipe=Recipe(**recipe)).duplicates.to_pylist()  # type: ignore[arg-type]
    assert result == {row["id"]: (row["duplicate_of"], row["similarity"]) for row in in_memory}
    assert result
    assert "cosine" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")

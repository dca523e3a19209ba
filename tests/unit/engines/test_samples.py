"""The samples of a run: the list of clusters, borderline removals, texts of hot keys."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.articles import article, edited, write_jsonl
from tests.runs import clusters, dedup, duplicates

import whorl
from whorl.engines.key_texts import text_of_key
from whorl.recipe import PRESETS, Recipe, recipe_of

NOTICE = "未经本报书面许可，任何单位和个人不得转载、摘编或以其他方式使用上述文章的全部内容。"


def listed(out: Path) -> list[dict[str, str]]:
    with (out / "clusters.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_the_list_has_every_article_of_every_cluster_the_largest_first(tmp_path: Path) -> None:
    texts = {"pair": 1, "trio": 2, "alone": 0}
    rows = [
        {"id": f"{name}-{copy}", "text": edited(article(number), copy)}
        for number, (name, copies) in enumerate(texts.items())
        for copy in range(copies + 1)
    ]
    dedup(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / "out")
    result = listed(tmp_path / "out")
    assert [(row["size"], row["role"]) for row in result] == [
        ("3", "kept"),
        ("3", "duplicate"),
        ("3", "duplicate"),
        ("2", "kept"),
        ("2", "duplicate"),
    ]
    cluster_of = {row["id"]: row["cluster_id"] for row in clusters(tmp_path / "out")}
    assert {row["id"]: row["cluster_id"] for row in result} == {
        id: item for id, item in cluster_of.items() if id != "alone-0"
    }
    figures = {row["id"]: f"{row['similarity']:.4f}" for row in duplicates(tmp_path / "out")}
    assert {row["id"]: row["similarity"] for row in result if row["role"] == "duplicate"} == figures


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_no_table_program_takes_an_id_for_a_formula(tmp_path: Path, name: str) -> None:
    rows = [{"id": name, "text": article(1)}, {"id": "b", "text": article(1)}]
    dedup(write_jsonl(tmp_path / "a.jsonl", rows), tmp_path / "out")
    assert {row["id"] for row in listed(tmp_path / "out")} == {f"'{name}", "b"}


def test_the_report_shows_the_removals_nearest_to_the_threshold() -> None:
    texts = [edited(article(number), number) for number in range(3)] + [article(number) for number in range(3)]
    result = whorl.dedup(texts, threshold=0.5)
    nearest = min(result.duplicates["similarity"].to_pylist())
    borderline = result.report().partition('id="borderline"')[2]
    assert borderline.index(f"<b>{nearest:.3f}</b>") < borderline.index('id="similarity"')


def test_passage_key_is_shown_as_its_text() -> None:
    family = recipe_of("news").fingerprinter()
    text = article(1) + NOTICE + article(2)
    shared = set(family.fingerprint([text]).keys) & set(family.fingerprint([NOTICE]).keys)
    assert shared
    for key in shared:
        stretch = text_of_key(family, key, text)
        assert len(stretch) < 60
        assert key in family.fingerprint([stretch]).keys
        assert stretch in text


def test_whole_text_key_has_no_stretch() -> None:
    family = recipe_of("minhash").fingerprinter()
    text = article(1, 2000)
    assert {text_of_key(family, key, text) for key in family.fingerprint([text]).keys} == {""}


def test_hot_keys_are_shown_with_their_text() -> None:
    texts = [article(number, 60) + NOTICE for number in range(90)]
    top = whorl.dedup(texts, method="longest_sentence").run["hot_keys"]["top"]
    assert top
    assert all(key["text"].strip("。，") in NOTICE for key in top)


@pytest.mark.parametrize("name", PRESETS)
def test_preset_is_named_in_the_run(name: str) -> None:
    assert recipe_of(name).preset == name
    assert recipe_of(name, threshold=0.65).preset == name


@pytest.mark.parametrize("method", ["minhash", "winnowing", "exact"])
def test_a_method_is_no_preset(method: str) -> None:
    assert recipe_of(method).preset is None


def test_parameters_of_ones_own_are_no_preset() -> None:
    assert Recipe(method="winnowing", parameters={"k": 15, "window": 6}).preset is None
    assert whorl.dedup([article(1)], method="news").run["recipe"]["preset"] == "news"

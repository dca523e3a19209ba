"""Title and text compared separately, in files and in memory, and against an earlier output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.articles import article, edited
from tests.runs import dedup, duplicates, rows

import whorl
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.errors import UsageError
from whorl.fingerprints import Fingerprints
from whorl.matching.fields import Fields, split
from whorl.recipe import Recipe, load_recipe
from whorl.reports.drawing.charts import Similarity

APART: dict[str, Any] = {
    "text": ("title", "text"),
    "fields": {"title": {"method": "exact"}, "text": {"threshold": 0.6}},
}


def document(id: str, title: str | None, text: str) -> dict[str, Any]:
    return {"id": id, "title": title, "text": text}


ROWS = [
    document("original", "桥梁周一封闭", article(1)),
    document("same title", "桥梁周一封闭！", article(2)),
    document("same text", "大桥将要检修", edited(article(1), 3)),
    document("same both", "桥梁，周一封闭", edited(article(1), 5)),
    document("no title", None, edited(article(1), 4)),
    document("no title either", None, article(3)),
]


def dropped(actual: list[dict[str, Any]]) -> dict[str, str]:
    return {row["id"]: row["duplicate_of"] for row in actual}


@pytest.mark.parametrize(
    ("combine", "copies"),
    [
        ("and", {"same both": "original"}),
        (
            "or",
            {"same text": "original", "same both": "original", "no title": "original"},
        ),
    ],
)
def test_both_fields_or_one(tmp_path: Path, combine: str, copies: dict[str, str]) -> None:
    recipe = {**APART, "combine": combine, "keep": "first"}
    result = whorl.dedup(ROWS, recipe=Recipe(**recipe)).duplicates.to_pylist()
    assert dropped(result) == copies
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")
    run = dedup(file, tmp_path / "out", **{**recipe, "keep": "longest"})
    assert run["counts"]["rows"] == len(ROWS)
    assert len(duplicates(tmp_path / "out")) == len(copies)
    assert run["recipe"]["combine"] == combine
    assert run["recipe"]["fields"]["text"]["parameters"]["threshold"] == 0.6


def test_field_scores_are_reported() -> None:
    recipe = Recipe(**APART, combine="or", keep="first")
    result = {row["id"]: row for row in whorl.dedup(ROWS, recipe=recipe).duplicates.to_pylist()}
    text = result["same text"]
    assert "same title" not in result, "the whole documents are unrelated"
    assert text["similarity_title"] is None
    assert 0.6 <= text["similarity"] == text["similarity_text"] < 1
    assert text["measure"] == "title or text"
    both = whorl.dedup(ROWS, recipe=Recipe(**APART, keep="first")).duplicates.to_pylist()[0]
    assert both["similarity"] == min(both["similarity_title"], both["similarity_text"]) < 1
    plain = whorl.dedup(ROWS, text=["title", "text"]).duplicates
    assert not [name for name in plain.column_names if name.startswith("similarity_")]


def test_formats_and_memory_agree(tmp_path: Path) -> None:
    recipe = {**APART, "combine": "or"}
    expected = dropped(whorl.dedup(ROWS, recipe=Recipe(**recipe)).duplicates.to_pylist())
    table = pa.Table.from_pylist(ROWS)
    assert dropped(whorl.dedup(table, recipe=Recipe(**recipe)).duplicates.to_pylist()) == expected
    pa.parquet.write_table(table, tmp_path / "rows.parquet")
    dedup(tmp_path / "rows.parquet", tmp_path / "out", **recipe)
    assert dropped(duplicates(tmp_path / "out")) == expected


def test_an_earlier_output_is_reused_only_with_the_same_fields(tmp_path: Path) -> None:
    file, later = tmp_path / "rows.jsonl", tmp_path / "later.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS[:1]), encoding="utf-8")
    later.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS[1:]), encoding="utf-8")
    recipe = {**APART, "combine": "or"}
    dedup(file, tmp_path / "out", **recipe)
    for name, fields in (("same", APART["fields"]), ("other", {**APART["fields"], "title": {"method": "bag"}})):
        notes: list[str] = []

        class Listener:
            def stage(self, *_: object) -> None: ...
            def advance(self, amount: int) -> None: ...
            def note(self, message: str) -> None:
                notes.append(message)  # noqa: B023

        job = DedupJob((str(later),), tmp_path / name, Recipe(**{**recipe, "fields": fields}), (str(tmp_path / "out"),))
        dedup_files(job, Listener())
        assert bool(notes) == (name == "other")
        assert set(dropped(duplicates(tmp_path / name)).values()) == {"original"}
        assert any(row["role"] == "reference" for row in rows(tmp_path / name / "clusters.parquet"))


def test_lists_and_arrow_split_alike() -> None:
    texts = ["题\n文\n文", "题", "\n文", "", None, "a\r\nb\u2028c"]
    titles, rest = split(texts)
    assert (titles, rest) == (["题", "题", "", "", "", "a\r"], ["文\n文", "", "文", "", "", "b\u2028c"])
    for kind in (pa.string(), pa.large_string()):
        assert [part.to_pylist() for part in split(pa.array(texts, kind))] == [titles, rest]


def test_fields_never_meet_and_are_unpacked_as_they_were() -> None:
    maker = Recipe(**{**APART, "fields": {"title": {"method": "exact"}, "text": {"method": "exact"}}}).fingerprinter()
    assert isinstance(maker, Fields)
    crossed = maker.fingerprint(["天气很好\n会议召开", "会议召开\n天气很好", "", "只有题"])
    assert crossed.counts.tolist() == [2, 2, 0, 1]
    assert len(set(crossed.keys.tolist())) == 5
    assert (crossed.keys & 1).tolist() == [0, 1, 0, 1, 0]
    parts = list(maker.unpacked(crossed.codes))
    for part, half in zip(parts, split(["天气很好\n会议召开", "会议召开\n天气很好", "", "只有题"]), strict=True):
        alone: Fingerprints = maker.judgements[0].family.fingerprint(half)
        assert (part.digests == alone.digests).all()
        assert (part.lengths == alone.lengths).all()
        assert (part.counts == alone.counts).all()
    assert maker.fingerprint([]).codes.shape[0] == 0


@pytest.mark.parametrize(
    "recipe",
    [
        {"fields": {"title": {"method": "exact"}}},
        {"fields": {"title": {}, "text": {}, "body": {}}},
        {"fields": {"title": {}, "text": {"keep": "first"}}},
        {"fields": {"title": {}, "text": {"threshold": 2}}},
        {"fields": {"title": {}, "text": {"method": "none such"}}},
        {"fields": {"title": {}, "text": {}}, "combine": "xor"},
        {"fields": {"title": {}, "text": {}}, "method": "simhash"},
        {"fields": {"title": {}, "text": {}}, "verify": "edit"},
    ],
)
def test_contradictory_fields_are_refused(recipe: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        Recipe(**recipe)
    assert refused.value.hint


def test_a_recipe_file_names_fields(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text(
        'text = ["title", "text"]\nthreshold = 0.7\ncombine = "or"\n[fields.title]\nmethod = "nshash"\n'
        '[fields.text]\nthreshold = 0.5\n[fields.text.verify]\nmeasure = "edit"\n',
        encoding="utf-8",
    )
    title, text = load_recipe(file).judgements()
    assert (title.part, title.family.name, title.threshold) == ("title", "longest_sentence", 0.7)
    assert text.verification is not None
    assert (text.threshold, text.verification.measure, text.verification.threshold) == (0.5, "edit", 0.5)


def test_the_report_draws_the_lowest_threshold() -> None:
    run = whorl.dedup(ROWS, recipe=Recipe(**APART, combine="or")).run
    chart = Similarity.of(run)
    assert chart is not None
    assert chart.threshold == 0.6

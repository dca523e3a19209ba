"""Deduplicated Hugging Face datasets."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from tests.articles import article, edited

import whorl.compat.datasets
from whorl.compat.datasets import CleanedStream, DecontaminatedStream, StrippedStream, decontaminate, dedup, strip
from whorl.errors import InputError, UsageError

FEATURES = datasets.Features(
    {
        "text": datasets.Value("string"),
        "kind": datasets.ClassLabel(names=["news", "web"]),
        "tags": datasets.List(datasets.Value("string")),
        "article": {"day": datasets.Value("int16")},
    }
)
TEXTS = [article(1), article(2), edited(article(1), 3), article(3), article(2)]
ROWS = [{"text": text, "kind": row % 2, "tags": [str(row)], "article": {"day": row}} for row, text in enumerate(TEXTS)]
WHOLE = datasets.Dataset.from_list(ROWS, features=FEATURES)
KEPT = [ROWS[row] for row in (0, 1, 3)]


def stream(rows: list[dict[str, Any]] = ROWS, features: Any = FEATURES) -> datasets.IterableDataset:
    def generate() -> Iterator[dict[str, Any]]:
        yield from rows

    return datasets.IterableDataset.from_generator(generate, features=features)


def test_deduplicated_dataset_keeps_features() -> None:
    kept = dedup(WHOLE).kept
    assert isinstance(kept, datasets.Dataset)
    assert (kept.features, kept.to_list()) == (FEATURES, KEPT)


def test_deduplicated_stream_keeps_features_and_order(tmp_path: Path) -> None:
    cleaned = dedup(stream(), tmp_path / "work")
    assert isinstance(cleaned, CleanedStream)
    assert isinstance(cleaned.kept, datasets.IterableDataset)
    assert cleaned.kept.features == FEATURES
    assert list(cleaned.kept) == KEPT == list(cleaned.kept)
    assert cleaned.duplicates.num_rows == 2
    assert cleaned.run["counts"]["rows"] == len(ROWS)
    assert "<!doctype html>" in cleaned.report().lower()


def test_a_stream_and_a_dataset_lose_the_same(tmp_path: Path) -> None:
    options = {"method": "news", "keep": "article.day"}
    columns = ["similarity", "measure"]
    whole, streamed = dedup(WHOLE, **options), dedup(stream(), tmp_path / "work", **options)
    assert whole.kept.to_list() == list(streamed.kept)
    assert whole.duplicates.select(columns) == streamed.duplicates.select(columns)


def test_stream_without_features_is_read(tmp_path: Path) -> None:
    assert list(dedup(stream(features=None), tmp_path / "work").kept) == KEPT


def test_a_long_stream_becomes_several_files_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whorl.compat.datasets, "_FILE_BYTES", 200_000)
    rows = [{"text": article(number % 1500, 50), "number": number} for number in range(4000)]
    cleaned = dedup(stream(rows, features=None), tmp_path / "work")
    assert len(list((tmp_path / "work/input").iterdir())) > 1
    assert [row["number"] for row in cleaned.kept] == list(range(1500))


def test_other_split_is_unchanged() -> None:
    train, test = WHOLE.select([0, 3]), WHOLE.select([2])
    assert dedup(train, against=test).kept["tags"] == [["3"]]


def test_only_needed_columns_are_read() -> None:
    broken = WHOLE.add_column("picture", [b"not a picture"] * len(WHOLE)).cast_column("picture", datasets.Image())
    assert dedup(broken).kept.num_rows == 3


SCHEMAS = [{"text": "a", "n": None}] * 1000 + [{"text": "b", "n": "late"}]
REFUSED: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "a stream without a folder": (stream(), {}, UsageError, "streaming dataset needs an output folder.*out="),
    "a dataset with a folder": (WHOLE, {"out": "work"}, UsageError, "in memory.*omit `out`"),
    "splits": (
        datasets.DatasetDict(train=WHOLE, test=WHOLE),
        {},
        UsageError,
        "expected one split, got train, test.*pass one",
    ),
    "a list": (TEXTS, {}, UsageError, "expected a dataset, got list.*functions of `whorl`"),
    "an empty stream": (stream([]), {"out": "work"}, InputError, "no rows"),
    "no text": (stream().rename_column("text", "main"), {"out": "work"}, InputError, "no column 'text'.*text=main"),
    "several schemas": (stream(SCHEMAS, None), {"out": "work"}, InputError, "different schemas.*features"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_unsupported_dataset_is_refused_with_a_hint(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dataset, options, error, problem = REFUSED[kind]
    with pytest.raises(error, match=f"(?s){problem}"):
        dedup(dataset, **options)


NOTICE = "本网站所有内容未经书面授权，不得以任何形式转载、复制或者建立镜像，违者必究。"
ITEM = {"question": "Which river flows through the old town of Vesterholm in the north?", "answer": "the Aln"}


def test_repeated_text_is_stripped_from_datasets_and_streams(tmp_path: Path) -> None:
    rows = [{**row, "text": f"{row['text']}\n{NOTICE}"} for row in ROWS[:4]]
    whole = strip(datasets.Dataset.from_list(rows, features=FEATURES), inside="lines", keep="none")
    streamed = strip(stream(rows), tmp_path / "work", inside="lines", keep="none")
    assert isinstance(streamed, StrippedStream)
    assert (streamed.kept.features, list(streamed.kept)) == (FEATURES, ROWS[:4])
    assert whole.kept.to_list() == ROWS[:4]
    assert streamed.cuts.num_rows == len(rows)
    assert streamed.dropped.num_rows == 0
    assert "<!doctype html>" in streamed.report().lower()


@pytest.mark.parametrize("action", ["drop", "cut", "tag"])
def test_items_are_removed_from_datasets_and_streams(tmp_path: Path, action: Any) -> None:
    quiz = {**ROWS[4], "text": f"A quiz. {ITEM['question']} It is the Aln. Rain follows tomorrow."}
    rows, bench = [*ROWS[:2], quiz], tmp_path / "quiz.jsonl"
    bench.write_text(json.dumps(ITEM), encoding="utf-8")
    streamed = decontaminate(stream(rows), tmp_path / "work", against=bench, action=action)
    assert isinstance(streamed, DecontaminatedStream)
    kept = list(streamed.kept)
    assert streamed.hits["reason"].to_pylist() == ["verbatim"]
    assert [row["text"] for row in kept[:2]] == [row["text"] for row in rows[:2]]
    assert [ITEM["question"] in row["text"] for row in kept[2:]] == {"drop": [], "cut": [False], "tag": [True]}[action]
    if action != "tag":
        whole = datasets.Dataset.from_list(rows, features=FEATURES)
        assert decontaminate(whole, against=bench, action=action).documents.to_list() == kept


def test_a_report_leaves_no_stream(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="changes documents"):
        decontaminate(stream(), tmp_path / "work", against=[], action="report")


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    pq.write_table(WHOLE.data.table, tmp_path / "mine.parquet")
    with pytest.raises(UsageError, match="not empty"):
        dedup(stream(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.parquet"]


def test_the_example_runs() -> None:
    assert doctest.testmod(whorl.compat.datasets).failed == 0

"""Sketches made with another dictionary or idf table are never mixed with new ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, write_jsonl
from tests.runs import RecordedProgress, dedup, duplicates

from whorl.engines.idf import IdfJob, train_idf
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.recipe import Recipe


def idf_table(path: Path, numbers: range) -> Path:
    corpus = write_jsonl(path.with_suffix(".jsonl"), [{"text": article(number)} for number in numbers])
    path.unlink(missing_ok=True)
    train_idf(IdfJob((str(corpus),), path))
    return path


def against(earlier: Path, news: Path, out: Path, parameters: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    progress = RecordedProgress()
    dedup_files(DedupJob((str(news),), out, Recipe(method="info", parameters=parameters), (str(earlier),)), progress)
    return duplicates(out), progress.notes


@pytest.mark.parametrize("changed", ["idf", "user_dictionary"])
def test_another_file_under_the_same_name_is_noticed(tmp_path: Path, changed: str) -> None:
    words = tmp_path / "words.txt"
    words.write_text("青石渔港\n", encoding="utf-8")
    table = idf_table(tmp_path / "idf.parquet", range(5))
    parameters = {"idf": str(table)} if changed == "idf" else {"user_dictionary": str(words)}
    old = write_jsonl(tmp_path / "old.jsonl", [{"id": f"o{n}", "text": article(n)} for n in range(8)])
    news = write_jsonl(tmp_path / "news.jsonl", [{"id": f"n{n}", "text": edited(article(n), 2, n)} for n in range(8)])
    earlier = tmp_path / "earlier"
    dedup(old, earlier, method="info", parameters=parameters)
    _, notes = against(earlier, news, tmp_path / "same", parameters)
    assert notes == []

    words.write_text("青石渔港\n雾角镇\n", encoding="utf-8")
    idf_table(table, range(20, 40))
    result, notes = against(earlier, news, tmp_path / "other", parameters)
    assert "fingerprinting its kept documents again" in notes[0]
    shutil.rmtree(earlier / "sketches")
    assert against(earlier, news, tmp_path / "fresh", parameters)[0] == result

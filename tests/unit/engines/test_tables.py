"""The tables of a run."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.articles import article, write_jsonl

import whorl
from whorl.engines import tables

TEXTS = [{"id": f"{row % 7}-{row}", "text": article(row % 5)} for row in range(12)]
NAMES = ("duplicates", "clusters")


def test_a_table_in_blocks_is_the_table_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "texts.jsonl"
    write_jsonl(source, TEXTS)
    result = whorl.dedup(TEXTS)
    assert (len(result.duplicates), len(result.clusters)) == (7, 12)
    whorl.dedup_files(source, tmp_path / "whole")
    monkeypatch.setattr(tables, "_AT_ONCE", 5)
    in_blocks = whorl.dedup(TEXTS)
    whorl.dedup_files(source, tmp_path / "blocks")
    for name in NAMES:
        assert getattr(in_blocks, name) == getattr(result, name)
        file = pq.ParquetFile(tmp_path / "blocks" / f"{name}.parquet")
        assert file.num_row_groups > 1
        assert file.read() == pq.read_table(tmp_path / "whole" / f"{name}.parquet")

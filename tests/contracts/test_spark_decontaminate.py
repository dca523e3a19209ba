"""Decontamination on Spark writes the files of a run on one machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.articles import article, write_jsonl

import whorl
from whorl.engines.spark import sizes
from whorl.errors import UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the script that sees to Java is of POSIX")
ITEM = "Which river flows through the old town of Vesterholm in the north of the country?"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return files that are read by several tasks; the benchmark is next to them."""
    monkeypatch.setattr(sizes, "_SEGMENT_BYTES", range(5_000, 5_001))
    write_jsonl(tmp_path / "quiz.jsonl", [{"id": "q1", "question": ITEM, "answer": "the Aln"}])
    texts = [f"{article(number, 200)}\n{ITEM if number % 4 == 0 else ''}" for number in range(40)]
    for part in range(4):
        rows = [{"id": f"{number:02}", "text": text} for number, text in enumerate(texts)][part::4]
        write_jsonl(tmp_path / "corpus" / f"{part}.jsonl", rows)
    return tmp_path / "corpus"


def test_the_result_is_that_of_one_machine(spark: Any, corpus: Path) -> None:
    out = {engine: corpus.parent / engine for engine in ("local", "spark")}
    for engine, folder in out.items():
        whorl.decontaminate_files(corpus, folder, against=corpus.parent / "quiz.jsonl", action="cut", engine=engine)  # type: ignore[arg-type]
    local, remote = (pq.read_table(folder / "hits.parquet") for folder in out.values())
    assert remote.equals(local)
    assert len(local) == 10
    for path in (out["local"] / "kept").iterdir():
        assert (out["spark"] / "kept" / path.name).read_bytes() == path.read_bytes()
    runs = [json.loads((folder / "run.json").read_text(encoding="utf-8")) for folder in out.values()]
    assert runs[0]["counts"] == runs[1]["counts"]
    assert runs[1]["shards"]["count"] > 1
    assert {path.name for path in corpus.parent.iterdir()} == {"corpus", "quiz.jsonl", "local", "spark"}
    with pytest.raises(UsageError, match="contains an earlier run"):
        whorl.decontaminate_files(corpus, out["spark"], against=corpus.parent / "quiz.jsonl", engine="spark")


def test_what_executors_cannot_do_is_refused(spark: Any, corpus: Path) -> None:
    out, quiz = corpus.parent / "out", corpus.parent / "quiz.jsonl"
    with pytest.raises(UsageError, match="standard input cannot be read in shards"):
        whorl.decontaminate_files("-", out, against=quiz, engine="spark")
    with pytest.raises(UsageError, match="needs an output folder"):
        whorl.decontaminate_files(corpus, against=quiz, engine="spark")
    with pytest.raises(UsageError, match="`save_index` does not apply"):
        whorl.decontaminate_files(corpus, out, against=quiz, engine="spark", save_index=corpus.parent / "index")
    with pytest.raises(UsageError, match="`master` requires the engine spark"):
        whorl.decontaminate_files(corpus, against=quiz, master="local[2]")
    assert {path.name for path in corpus.parent.iterdir()} == {"corpus", "quiz.jsonl"}

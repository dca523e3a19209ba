"""Stripping on Spark gives the result of a run on one machine, row for row."""

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
from whorl.errors import InputError, UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the script that sees to Java is of POSIX")
NOTICE = "本网站所有内容未经书面授权，不得以任何形式转载、复制或者建立镜像，违者必究，本网站保留追究其法律责任的权利。"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return files that are read by several tasks."""
    monkeypatch.setattr(sizes, "_SEGMENT_BYTES", range(10_000, 10_001))
    texts = [article(number, 200) for number in range(30)]
    texts += [f"{article(number + 100, 200)}\n{texts[number][50:150]}\n{NOTICE}" for number in range(30)]
    for part in range(3):
        rows = [{"id": f"{number:02}", "text": text} for number, text in enumerate(texts)][part::3]
        write_jsonl(tmp_path / "corpus" / f"{part}.jsonl", rows)
    return tmp_path / "corpus"


@pytest.mark.parametrize("inside", ["lines", "passages"])
def test_the_result_is_that_of_one_machine(spark: Any, corpus: Path, inside: str) -> None:
    out = {engine: corpus.parent / engine for engine in ("local", "spark")}
    for engine, folder in out.items():
        whorl.strip_files(corpus, folder, inside=inside, engine=engine)
    local, remote = (pq.read_table(folder / "cuts.parquet").to_pylist() for folder in out.values())
    assert remote == local
    assert len(local) > 20
    names = [path.name for path in (out["local"] / "kept").iterdir()]
    for name in names:
        assert (out["spark"] / "kept" / name).read_bytes() == (out["local"] / "kept" / name).read_bytes()
    runs = [json.loads((folder / "run.json").read_text(encoding="utf-8")) for folder in out.values()]
    assert runs[0]["counts"] == runs[1]["counts"]
    assert runs[0]["removed"] == runs[1]["removed"]
    assert runs[1]["shards"]["count"] > 1
    assert {path.name for path in corpus.parent.iterdir()} == {"corpus", "local", "spark"}
    with pytest.raises(UsageError, match="contains an earlier run"):
        whorl.strip_files(corpus, out["spark"], inside=inside, engine="spark")


def test_an_error_of_a_task_is_that_of_one_machine(spark: Any, corpus: Path) -> None:
    (corpus / "1.jsonl").write_text('{"text": "今天"}\n{"text": ', encoding="utf-8")
    with pytest.raises(InputError, match=r"1\.jsonl") as error:
        whorl.strip_files(corpus, corpus.parent / "local", on_error="stop")
    with pytest.raises(InputError) as remote:
        whorl.strip_files(corpus, corpus.parent / "spark", on_error="stop", engine="spark")
    assert str(remote.value) == str(error.value)


def test_inputs_that_executors_cannot_read_are_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="standard input cannot be read in shards"):
        whorl.strip_files("-", tmp_path / "out", engine="spark")

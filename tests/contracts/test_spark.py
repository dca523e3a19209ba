"""A run on Spark gives the result of a run on one machine, row for row and byte for byte."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.articles import article, edited, jsonl, large_file, mixed_dates, newsroom_articles, small_corpus, write_jsonl
from tests.contracts.test_engines import documents, made_corpus
from tests.quality.corpora import available, load
from tests.runs import RecordedProgress, comparable, files, rejected, rows
from tests.spark import executors

import whorl
from whorl.corpus import cutting
from whorl.engines.job import DedupJob
from whorl.engines.local.run import dedup_files
from whorl.engines.spark import run as on_spark
from whorl.engines.spark import sizes
from whorl.engines.spark.cluster import SparkCluster
from whorl.errors import InputError
from whorl.fingerprints import families
from whorl.recipe import Recipe

REAL = [name for name in available() if name in ("zh-news", "mutated-en")] or available()
"""One corpus of each language; other corpora are those of other engines."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the script that sees to Java is of POSIX")


def assert_same(
    spark: Any, source: Path, folder: Path, *, against: Sequence[Path] = (), output: Any = "rows", **recipe: Any
) -> None:
    """Run both engines, and compare all output except times, the timing report, and sketches."""
    arguments = {"recipe": Recipe().changed(**recipe), "against": tuple(map(str, against)), "output": output}
    dedup_files(DedupJob((str(source),), folder / "local", **arguments))
    on_spark.dedup_on(SparkCluster(spark), DedupJob((str(source),), folder / "spark", **arguments))
    local, remote = (comparable(folder / name) for name in ("local", "spark"))
    engine = remote["run"].pop("engine")
    assert engine["name"] == "spark"
    assert remote == local


def two_files(rows: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    half = len(rows) // 2
    write_jsonl(folder / "a.jsonl", rows[:half])
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(jsonl(rows[half:])))
    return folder


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every file a segment, and parts small."""
    monkeypatch.setattr(sizes, "_SEGMENT_BYTES", range(1, 2))
    monkeypatch.setattr(sizes, "_DOCUMENTS_A_PART", 20)


@pytest.mark.parametrize("name", sorted(families()))
def test_every_family(name: str, spark: Any, tmp_path: Path) -> None:
    rng = random.Random(name)
    texts = made_corpus(rng, 60)
    reference = write_jsonl(tmp_path / "known.jsonl", documents(made_corpus(rng, 10)))
    source = two_files(documents(texts), tmp_path / "in")
    assert_same(spark, source, tmp_path, against=(reference,), method=name, keep="best", changes=True)


@pytest.mark.parametrize("recipe", [{"method": "news"}, {"keep": "earliest", "date": "date"}, {"method": "simhash"}])
def test_a_newsroom(recipe: dict[str, Any], spark: Any, tmp_path: Path) -> None:
    assert_same(spark, two_files(newsroom_articles(), tmp_path / "in"), tmp_path, **recipe)


@pytest.mark.parametrize("dated", [0, 20])
def test_dates_choose_the_same_rule(dated: int, spark: Any, tmp_path: Path) -> None:
    rows = mixed_dates(random.Random(1), 60)
    rows += [row | {"id": f"{row['id']}d", "date": "2024-02-01"} for row in rows[:dated]]
    assert_same(spark, two_files(rows, tmp_path / "in"), tmp_path)
    keeping = json.loads((tmp_path / "spark" / "run.json").read_text(encoding="utf-8"))["keeping"]
    assert keeping["rule"] == ("earliest" if 2 * keeping["dated"] >= keeping["documents"] else "longest")


@pytest.mark.parametrize("name", REAL)
def test_real_corpora(name: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "_DOCUMENTS_A_PART", 1000)
    rows = [{"id": id_, "text": text} for id_, text in sorted(load(name).texts.items())]
    assert_same(spark, two_files(rows, tmp_path / "in"), tmp_path, method="news")


def test_no_kept_rows(spark: Any, tmp_path: Path) -> None:
    assert_same(spark, two_files(newsroom_articles(), tmp_path / "in"), tmp_path, output="ids")
    assert not (tmp_path / "spark" / "kept").exists()


def test_an_earlier_output_as_reference(spark: Any, tmp_path: Path) -> None:
    corpus = small_corpus()
    write_jsonl(tmp_path / "first.jsonl", corpus[::2])
    dedup_files(DedupJob((str(tmp_path / "first.jsonl"),), tmp_path / "first"))
    source = two_files(corpus[1::2], tmp_path / "in")
    assert_same(spark, source, tmp_path, against=(tmp_path / "first",))


def test_a_library_as_reference(spark: Any, tmp_path: Path) -> None:
    texts = {"copy": edited(article(3), 4), "own": article(100), "own-too": article(100)}
    source = write_jsonl(tmp_path / "new.jsonl", ({"id": name, "text": text} for name, text in texts.items()))
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": f"kept-{number}", "text": article(number)} for number in range(50))
        cleaned = whorl.dedup_files(source, tmp_path / "out", against=library, engine="spark")
    assert {row["id"]: row["duplicate_of"] for row in cleaned.duplicates.to_pylist()} == {
        "copy": "kept-3",
        "own-too": "own",
    }


def test_formats_and_rows_that_cannot_be_read(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    corpus = small_corpus(12)
    (folder / "deep").mkdir(parents=True)
    (folder / "bad.jsonl").write_bytes(b'{"text": \r\n' + jsonl(corpus[:9]) + b'{"text": 7}\n[]\n\xff\n')
    (folder / "deep" / "rows.jsonl.zst").write_bytes(pa.Codec("zstd").compress(jsonl(corpus[9:18]), asbytes=True))
    table = pa.Table.from_pylist([*corpus[18:30], {"id": "null", "text": None}])
    pq.write_table(table, folder / "rows.parquet", row_group_size=4)
    pyarrow.csv.write_csv(pa.Table.from_pylist(corpus[30:]), folder / "rows.csv")
    (folder / "plain.txt").write_text(article(1), encoding="utf-8")
    (folder / "broken.parquet").write_bytes(b"PAR1 no more")
    assert_same(spark, folder, tmp_path)
    assert files(tmp_path / "spark" / "rejected") == files(tmp_path / "local" / "rejected")
    reasons = {(row["file"], row["line"]) for row in rejected(tmp_path / "spark")}
    assert {("bad.jsonl", 1), ("bad.jsonl", 11), ("broken.parquet", None)} <= reasons


def test_a_large_file_is_read_by_several_tasks(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_LEAST_BYTES", 8_000)
    source = large_file(tmp_path / "in")
    reference = large_file(tmp_path / "known")
    assert_same(spark, source, tmp_path / "alone")
    assert_same(spark, source, tmp_path, against=(reference,))
    assert files(tmp_path / "spark" / "rejected") == files(tmp_path / "local" / "rejected")
    local, remote = (json.loads((tmp_path / name / "run.json").read_bytes()) for name in ("local", "spark"))
    assert remote["inputs"] == local["inputs"]
    assert remote["engine"]["stages"]["read"]["tasks"] > 10
    assert remote["engine"]["stages"]["join"]["tasks"] == 1  # the small ones are read completely
    later = write_jsonl(tmp_path / "later.jsonl", small_corpus(60)[::3])
    progress = RecordedProgress()
    for name in ("spark", "local"):
        whorl.dedup_files(later, tmp_path / f"after-{name}", against=tmp_path / name, progress=progress)
    assert not progress.notes  # their sketches were reused
    after = [rows(tmp_path / f"after-{name}" / "duplicates.parquet") for name in ("spark", "local")]
    assert after[0] == after[1]


def test_one_template_in_a_third_of_all(spark: Any, tmp_path: Path) -> None:
    template = article(0, 400)
    filled = [edited(template, 1 + number % 90, seed=number) for number in range(150)]
    texts = [*filled, *(article(1000 + number) for number in range(300))]
    assert_same(spark, two_files(documents(texts), tmp_path / "in"), tmp_path, threshold=0.6)


def test_a_corrupt_file_is_named_and_nothing_is_half_written(spark: Any, tmp_path: Path) -> None:
    two_files(small_corpus(), tmp_path / "in")
    damaged = tmp_path / "in" / "c.jsonl"
    damaged.write_bytes(b'{"text": "one"}\n{"text": \n')
    job = DedupJob((str(tmp_path / "in"),), tmp_path / "out", on_error="stop")
    with pytest.raises(InputError, match=r"c\.jsonl, line 2"):
        on_spark.dedup_on(SparkCluster(spark), job)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".whorl"]


def many_files(folder: Path, count: int = 16) -> Path:
    corpus = small_corpus(4 * count)
    for number in range(count):
        write_jsonl(folder / f"{number:03}.jsonl", corpus[number::count])
    return folder


def test_an_executor_that_is_killed_is_done_without(spark: Any, tmp_path: Path) -> None:
    source = many_files(tmp_path / "in")
    dedup_files(DedupJob((str(source),), tmp_path / "local"))
    messages: list[Any] = []
    job = DedupJob((str(source),), tmp_path / "spark")
    thread = threading.Thread(target=lambda: messages.append(on_spark.dedup_on(SparkCluster(spark), job)))
    thread.start()
    segments = tmp_path / "spark" / ".whorl" / "segments"
    while not (segments.exists() and any(segments.iterdir())):
        time.sleep(0.01)
    killed = executors(spark)[0]
    os.kill(killed, signal.SIGKILL)
    thread.join()
    assert killed not in executors(spark)
    assert messages
    for name in ("duplicates.parquet", "related.parquet", "clusters.parquet"):
        assert rows(tmp_path / "spark" / name) == rows(tmp_path / "local" / name)
    assert files(tmp_path / "spark" / "kept") == files(tmp_path / "local" / "kept")


def test_what_was_done_is_not_done_again(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver fails when half of the work is done, here by an error in the driver."""
    source = many_files(tmp_path / "in", 12)
    dedup_files(DedupJob((str(source),), tmp_path / "local"))
    job = DedupJob((str(source),), tmp_path / "spark")
    with monkeypatch.context() as patched:
        patched.setattr(on_spark, "join_decided", lambda *_: os.strerror("lost"))
        with pytest.raises(TypeError):
            on_spark.dedup_on(SparkCluster(spark), job)
    cluster = SparkCluster(spark)
    run = on_spark.dedup_on(cluster, job)
    assert {stage: stage_info["tasks"] for stage, stage_info in run["engine"]["stages"].items()} == {"write": 12}
    assert rows(tmp_path / "spark" / "duplicates.parquet") == rows(tmp_path / "local" / "duplicates.parquet")


def test_a_frame_stays_on_its_cluster(spark: Any) -> None:
    corpus = [row | {"tags": ["a", row["id"]]} for row in small_corpus(10)]
    frame = spark.createDataFrame(corpus).repartition(3)
    result = whorl.dedup(frame)
    expected = whorl.dedup(corpus)
    assert sorted(row.id for row in result.kept.collect()) == sorted(row["id"] for row in expected.kept)
    assert result.kept.schema == frame.schema
    pairs = ("id", "duplicate_of", "similarity")
    assert result.duplicates.select(pairs).to_pylist() == expected.duplicates.select(pairs).to_pylist()
    assert result.run["counts"]["kept"] == len(expected.kept)
    assert "</html>" in result.report()


def test_frames_as_references(spark: Any) -> None:
    frame = spark.createDataFrame([{"id": "copy", "text": article(1)}, {"id": "own", "text": article(2)}])
    reference = spark.createDataFrame([{"id": "known", "text": article(1)}])
    result = whorl.dedup(frame, against=reference)
    assert [(row["id"], row["duplicate_of"]) for row in result.duplicates.to_pylist()] == [("copy", "known")]

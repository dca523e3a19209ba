"""Errors in a task are reported as in local runs, and errors of Spark in one sentence."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import whorl
from whorl.engines.spark.cluster import SparkCluster, cluster_at
from whorl.errors import InputError, ResourceError, UsageError
from whorl.i18n import say

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the script that sees to Java is of POSIX")

PLACE = "/a/place"


def halved(number: int) -> int:
    if number == 13:
        raise InputError(say("{path} is empty", path=PLACE), hint=say("delete it, and run again"))
    if number == 28:
        raise OSError(errno.ENOSPC, "No space left on device", PLACE)
    if number == 99:
        raise ZeroDivisionError("ninety-nine")
    return number // 2


def emitted(number: int) -> Iterator[tuple[int, bytes]]:
    yield number % 3, bytes([number])
    yield 7, bytes([number])


def gathered(partition: int, pieces: list[bytes]) -> list[int]:
    return [partition, *sorted(b"".join(pieces))]


def test_answers_come_in_the_order_of_their_payloads(spark: Any) -> None:
    cluster = SparkCluster(spark)
    assert cluster.run("halve", halved, [8, 6, 4]) == [4, 3, 2]
    assert cluster.run("halve", halved, [2]) == [1]
    assert cluster.run("halve", halved, []) == []
    assert cluster.describe()["stages"]["halve"]["tasks"] == 4


def test_emitted_rows_are_grouped_by_partition(spark: Any) -> None:
    cluster = SparkCluster(spark)
    result = cluster.exchange("exchange", emitted, [1, 2, 3, 4], gathered)
    assert result == [[0, 3], [1, 1, 4], [2, 2], [7, 1, 2, 3, 4]]
    assert cluster.describe()["stages"]["exchange"]["shuffle_bytes"] == 8


def test_first_failing_task_gives_the_reason(spark: Any) -> None:
    cluster = SparkCluster(spark)
    with pytest.raises(InputError, match="/a/place is empty") as refused:
        cluster.run("halve", halved, [2, 13, 28])
    assert refused.value.hint == "delete it, and run again"
    with pytest.raises(OSError, match="No space left on device") as full:
        cluster.run("halve", halved, [28, 13])
    assert full.value.errno == errno.ENOSPC
    assert full.value.filename == PLACE


def test_defect_is_reported_in_one_sentence(spark: Any) -> None:
    with pytest.raises(ResourceError) as error:
        SparkCluster(spark).run("halve", halved, [99])
    assert error.value.message == "Spark failed in stage halve: ZeroDivisionError: ninety-nine"


def test_invalid_master_is_refused(tmp_path: Path) -> None:
    """In a separate process without an active session."""
    program = "import sys, whorl; whorl.dedup_files(*sys.argv[1:], engine='spark', master='nowhere://')"
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n', encoding="utf-8")
    arguments = [sys.executable, "-c", program, tmp_path / "a.jsonl", tmp_path / "out"]
    ended = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False)
    assert "whorl.errors.ResourceError: Spark cannot be started" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(UsageError, match="needs PySpark") as refused, cluster_at(None):
        pass
    assert refused.value.hint == "pip install 'pyspark[sql]>=4'"


@pytest.mark.parametrize(
    ("out", "chosen", "problem"),
    [
        ("out", {"engine": "flink"}, "unknown engine 'flink'"),
        ("out", {"master": "yarn"}, "`master` requires the engine spark"),
        ("s3://bucket/out", {"engine": "spark"}, "executors cannot work in s3://bucket/out"),
    ],
)
def test_contradictory_options_are_refused(out: str, chosen: dict[str, Any], problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=problem):
        whorl.dedup_files(tmp_path / "a.jsonl", out if ":" in out else tmp_path / out, **chosen)

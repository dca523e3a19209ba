"""Results have the type of their source. `make check` checks this file with mypy; nothing runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, assert_type

import duckdb
import polars as pl
from pyspark.sql import DataFrame as SparkDataFrame

import whorl
from whorl.results import DedupResult, FrameResult, StripResult


def deduplicated(frame: pl.DataFrame, lazy: pl.LazyFrame, series: pl.Series, spark: SparkDataFrame) -> None:
    assert_type(whorl.dedup(frame), DedupResult[pl.DataFrame])
    assert_type(whorl.dedup(frame, text="body", keep="earliest", threshold=0.9).kept, pl.DataFrame)
    assert_type(whorl.dedup(frame).rejected, pl.DataFrame)
    assert_type(whorl.dedup(lazy).kept, pl.DataFrame)
    assert_type(whorl.dedup(series).kept, pl.Series)
    assert_type(whorl.dedup(spark), FrameResult)


def deduplicated_items(
    texts: list[str], stream: Iterator[str], rows: tuple[dict[str, int], ...], gaps: list[str | None]
) -> None:
    assert_type(whorl.dedup(texts).kept, list[str])
    assert_type(whorl.dedup(["a", "b"]).kept, list[str])
    assert_type(whorl.dedup(stream).kept, list[str])
    assert_type(whorl.dedup(rows).kept, list[dict[str, int]])
    assert_type(whorl.dedup(gaps).kept, list[str | None])


def stripped(frame: pl.DataFrame, lazy: pl.LazyFrame, texts: list[str], rows: list[Mapping[str, object]]) -> None:
    assert_type(whorl.strip(frame), StripResult[pl.DataFrame])
    assert_type(whorl.strip(frame, inside="lines", repeats=3).kept, pl.DataFrame)
    assert_type(whorl.strip(lazy).kept, pl.DataFrame)
    assert_type(whorl.strip(texts).kept, list[str])
    assert_type(whorl.strip(rows).kept, list[Mapping[str, object]])


def decontaminated(frame: pl.DataFrame, lazy: pl.LazyFrame, texts: list[str]) -> None:
    assert_type(whorl.decontaminate(frame, against="quiz.jsonl").documents, pl.DataFrame)
    assert_type(whorl.decontaminate(lazy, against="quiz.jsonl", action="drop").documents, pl.DataFrame)
    assert_type(whorl.decontaminate(texts, against={"quiz": "quiz.jsonl"}).documents, list[Any])


def of_other_libraries(relation: duckdb.DuckDBPyRelation, unknown: Any) -> None:
    assert_type(whorl.dedup(relation).kept, Any)
    assert_type(whorl.strip(unknown).kept, Any)


def compared(a: str, b: str) -> None:
    assert_type(whorl.compare(a, b, exclude=["quotations"], least=20), whorl.results.Comparison)
    assert_type(whorl.compare_many([(a, b)], language="zh"), list[whorl.results.Comparison])
    whorl.compare(a, b, exlude=["quotations"])  # type: ignore[call-arg]
    whorl.compare(a, b, least="20")  # type: ignore[arg-type]


def requested(client: whorl.Client) -> None:
    assert_type(client.compare("a", ["b"], least=20), dict[str, Any])
    client.compare("a", ["b"], lest=20)  # type: ignore[call-arg]
    client.copy_statistics(by="month", period="year", listed=True)
    client.copy_statistics(by="week")  # type: ignore[arg-type]


def annotated(result: DedupResult, stripped: StripResult) -> Any:
    """Results without a type argument are allowed."""
    return result.kept, stripped.kept


def refused(frame: pl.DataFrame) -> None:
    whorl.dedup(frame, treshold=0.9)  # type: ignore[call-overload]
    whorl.dedup(frame, threshold="0.9")  # type: ignore[call-overload]
    whorl.decontaminate(frame)  # type: ignore[call-overload]


def documented() -> None:
    assert_type(whorl.lab.methods(), tuple[whorl.results.Method, ...])
    assert_type(whorl.library.add_files("news", "a.jsonl"), whorl.results.AddRun)
    assert_type(whorl.read("a.jsonl")[0].text, str)

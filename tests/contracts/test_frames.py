"""Frames and other things in memory, whatever is in their columns: cleaned, or refused with a cure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import whorl
from whorl.errors import InputError, UsageError

TEXTS = ["今天天气很好，适合出门散步。", "今天天气很好，适合出门散步。", "明天有雨，记得带伞。"]


def columns(**others: Any) -> dict[str, Any]:
    return {"text": TEXTS, **others}


def categories(**others: Any) -> pd.DataFrame:
    return pd.DataFrame(columns(**others)).astype("category")


def ranked(kind: pa.DataType) -> pa.Table:
    ranks = pa.array([30, 20, 10], pa.int32() if kind.bit_width == 32 else pa.int64())
    return pa.table(columns(at=ranks.cast(kind)))


UNITS = [
    *(pa.duration("ns"), pa.time32("ms"), pa.time64("us"), pa.date32(), pa.date64(), pa.bool_(), pa.decimal128(20)),
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
]
CLEANED: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "pandas categories": (categories, {}),
    "pandas categories as ids": (lambda: categories(id=["a", "b", "c"]), {}),
    "pandas categories that rank": (lambda: categories(rank=[3, 2, 1]), {"keep": "rank"}),
    "pandas series": (lambda: pd.Series(TEXTS), {}),
    "polars categories": (lambda: pl.DataFrame(columns()).cast(pl.Categorical), {}),
    "polars enumeration": (lambda: pl.DataFrame(columns()).cast(pl.Enum(sorted({*TEXTS}))), {}),
    "polars series": (lambda: pl.Series(TEXTS), {}),
    "polars lists beside": (lambda: pl.DataFrame(columns(tags=[["a"], ["b"], ["c"]], of=[{"x": "y"}] * 3)), {}),
    "Arrow array": (lambda: pa.array(TEXTS), {}),
    "Arrow chunks": (lambda: pa.chunked_array([TEXTS[:1], TEXTS[1:]]), {}),
    "Arrow views": (lambda: pa.table({"text": pa.array(TEXTS, pa.string_view())}), {}),
    "Arrow views of bytes beside": (lambda: pa.table(columns(raw=pa.array([b"a"] * 3, pa.binary_view()))), {}),
    "ids that are times": (lambda: pa.table(columns(id=pa.array([1, 2, 3], pa.timestamp("ns")))), {}),
    "times beyond every calendar": (
        lambda: pa.table(columns(at=pa.array([2**62, 1, 0], pa.timestamp("s")))),
        {"keep": "latest", "date": "at"},
    ),
    "NumPy strings": (lambda: np.array(TEXTS), {}),
    **{f"order by {kind}": (lambda kind=kind: ranked(kind), {"keep": "at"}) for kind in UNITS},
}


@pytest.mark.parametrize("kind", CLEANED)
def test_it_is_cleaned(kind: str) -> None:
    make, options = CLEANED[kind]
    result = whorl.dedup(make(), **options)
    assert result.run["counts"]["kept"] == result.kept.num_rows == 2
    assert len(result.duplicates) == 1
    assert result.report()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_every_unit_rank_alike(unit: str) -> None:
    times = pa.array([3600, 1800, 7200], pa.timestamp("s")).cast(pa.timestamp(unit))
    result = whorl.dedup(pa.table(columns(at=times)), keep="earliest", date="at")
    assert result.duplicates["id"].to_pylist() == ["0"]


REFUSED: dict[str, tuple[Callable[[], Any], dict[str, Any], str]] = {
    "strings and numbers in one column": (lambda: pd.DataFrame({"text": ["a", 1, None]}), {}, "no table.*text"),
    "ids of several types": (lambda: pd.DataFrame(columns(id=["a", 1, 2.5])), {}, "no table.*id"),
    "pandas columns of one name": (lambda: pd.DataFrame([["a", "b"]], columns=["text", "text"]), {}, "no table.*text"),
    "Arrow columns of one name": (lambda: pa.table([TEXTS, TEXTS], ["text", "text"]), {}, "several columns.*text"),
    "ids that are no text": (lambda: pa.table(columns(id=[b"\xff", b"a", b"b"])), {}, "'id' is binary"),
    "ids that are lists": (lambda: pa.table(columns(id=[[1], [2], [3]])), {}, "'id' is list"),
    "ids that are records": (lambda: pa.table(columns(id=[{"a": 1}] * 3)), {}, "'id' is struct"),
    "texts that are lists": (lambda: pa.table({"text": [TEXTS]}), {}, "'text' is list"),
    "texts that are bytes of something": (lambda: pa.table({"text": [b"\xff\xfe"]}), {}, "'text' is binary"),
    "lists that rank": (lambda: pa.table(columns(at=[[1], [2], [3]])), {"keep": "at"}, "'at' is list.*cannot rank"),
    "no columns": (lambda: pa.table({}), {}, "no column 'text'"),
    "a number among dicts": (lambda: [{"text": "a"}, 3], {}, "item 1 is int"),
    "a dict among strings": (lambda: ["a", {"text": "a"}], {}, "item 1 is dict"),
    "half a character in an id": (lambda: [{"text": "a", "id": "\ud800"}], {}, "item 0.*half a character"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_it_is_refused_with_a_cure(kind: str) -> None:
    make, options, problem = REFUSED[kind]
    with pytest.raises(InputError, match=rf"(?s){problem}.*cure: "):
        whorl.dedup(make(), **options)


@pytest.mark.parametrize("source", [None, 5, b"text", {"text": TEXTS}])
def test_what_is_no_collection_of_documents_is_refused(source: Any) -> None:
    with pytest.raises(UsageError, match="cannot read documents"):
        whorl.dedup(source)


def test_paths_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n', encoding="utf-8")
    for source in (path, str(path), [path], [str(path)]):
        with pytest.raises(UsageError, match=r"(?s)cure: .*dedup_files"):
            whorl.dedup(source)


@pytest.mark.parametrize("source", [["\ud800 text"], [{"text": "a", "count": 10**20}]])
def test_what_fits_no_table_is_told_when_a_table_is_asked_for(source: Any) -> None:
    result = whorl.dedup(source)
    assert result.run["counts"]["kept"] == 1
    with pytest.raises(InputError, match=r"(?s)fit no table.*cure"):
        _ = result.kept


KINDS: dict[str, Callable[[], Any]] = {
    "frame": lambda: pl.DataFrame(columns()),
    "strings": lambda: TEXTS,
    "dicts": lambda: [{"text": text} for text in TEXTS],
}


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("reference", KINDS)
def test_a_source_of_one_kind_is_held_against_one_of_another(source: str, reference: str) -> None:
    assert whorl.dedup(KINDS[source](), against=KINDS[reference]()).run["counts"]["kept"] == 0


@pytest.mark.parametrize("workers", [0, -1, 1025, 10**20, 2.0, "2", True])
def test_the_number_of_threads_is_bounded(workers: Any) -> None:
    with pytest.raises(UsageError, match=r"workers is .* not a whole number from 1 to 1024"):
        whorl.dedup(TEXTS, workers=workers)


@pytest.mark.parametrize("options", [{"text": 5}, {"text": [5]}, {"recipe": "web"}, {"recipe": 5}], ids=str)
def test_what_is_no_option_is_refused_with_a_cure(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"(?s)is .*, no .*cure"):
        whorl.dedup(TEXTS, **options)

"""Frames and other in-memory inputs with any columns: deduplicated, or rejected with a hint."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
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
    assert result.run["counts"]["kept"] == len(result.kept) == 2
    assert len(result.duplicates) == 1
    assert result.report()


def test_ids_of_bytes_that_are_no_text_are_their_hexadecimal_digits() -> None:
    result = whorl.dedup(pa.table(columns(id=[b"a", b"\xff\x01", b"b"])))
    assert result.duplicates.select(["id", "duplicate_of"]).to_pylist() == [{"id": "ff01", "duplicate_of": "a"}]
    assert result.kept["id"].to_pylist() == [b"a", b"b"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_every_unit_rank_alike(unit: str) -> None:
    times = pa.array([3600, 1800, 7200], pa.timestamp("s")).cast(pa.timestamp(unit))
    result = whorl.dedup(pa.table(columns(at=times)), keep="earliest", date="at")
    assert result.duplicates["id"].to_pylist() == ["0"]


REFUSED: dict[str, tuple[Callable[[], Any], dict[str, Any], str]] = {
    "strings and numbers in one column": (lambda: pd.DataFrame({"text": ["a", 1, None]}), {}, "cannot convert.*text"),
    "ids of several types": (lambda: pd.DataFrame(columns(id=["a", 1, 2.5])), {}, "cannot convert.*id"),
    "pandas columns of one name": (
        lambda: pd.DataFrame([["a", "b"]], columns=["text", "text"]),
        {},
        "cannot convert.*text",
    ),
    "Arrow columns of one name": (lambda: pa.table([TEXTS, TEXTS], ["text", "text"]), {}, "several columns.*text"),
    "ids that are lists": (lambda: pa.table(columns(id=[[1], [2], [3]])), {}, "'id' is list"),
    "ids that are records": (lambda: pa.table(columns(id=[{"a": 1}] * 3)), {}, "'id' is struct"),
    "texts that are lists": (lambda: pa.table({"text": [TEXTS]}), {}, "'text' is list"),
    "texts that are bytes of something": (lambda: pa.table({"text": [b"\xff\xfe"]}), {}, "'text' is binary"),
    "lists that rank": (
        lambda: pa.table(columns(at=[[1], [2], [3]])),
        {"keep": "at"},
        "'at' is list.*numbers or dates",
    ),
    "no columns": (lambda: pa.table({}), {}, "expected a column 'text'"),
    "a number among dicts": (lambda: [{"text": "a"}, 3], {}, "item 1: expected .*got int"),
    "batches of several schemas": (lambda: [ARROW, ARROW.select(["text"])], {}, "cannot convert"),
    "a stream of numbers": (lambda: Exporting(pa.chunked_array([[1, 2]])), {"id": "id"}, "expected a column 'id'"),
    "a dict among strings": (lambda: ["a", {"text": "a"}], {}, "item 1: expected str, got dict"),
    "half a character in an id": (lambda: [{"text": "a", "id": "\ud800"}], {}, "item 0.*lone surrogate"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_it_is_refused_with_a_hint(kind: str) -> None:
    make, options, problem = REFUSED[kind]
    with pytest.raises(InputError, match=rf"(?s){problem}.*hint: "):
        whorl.dedup(make(), **options)


@pytest.mark.parametrize("source", [None, 5, b"text", {"text": TEXTS}])
def test_what_is_no_collection_of_documents_is_refused(source: Any) -> None:
    with pytest.raises(UsageError, match="expected documents"):
        whorl.dedup(source)


def test_paths_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n', encoding="utf-8")
    for source in (path, str(path), [path], [str(path)]):
        with pytest.raises(UsageError, match=r"(?s)hint: .*dedup_files"):
            whorl.dedup(source)


class Streaming:
    """Dicts that can be iterated again, but not counted or indexed, like a streaming dataset."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(documents())

    def with_format(self, kind: str) -> Streaming:
        raise AssertionError(kind)


def documents() -> list[dict[str, Any]]:
    return [{"id": number, "text": text} for number, text in enumerate(TEXTS)]


def relation() -> duckdb.DuckDBPyRelation:
    frame = pl.DataFrame(documents()).to_arrow()  # noqa: F841 - the query names it
    return duckdb.sql("SELECT * FROM frame")


def reader() -> pa.RecordBatchReader:
    return pa.Table.from_pylist(documents()).to_reader(max_chunksize=1)


class Exporting:
    """An object with an Arrow export that whorl does not know by type."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._data.__arrow_c_stream__(requested_schema)


class ExportingArray:
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return pa.array(TEXTS).__arrow_c_array__(requested_schema)


FRAME = pl.DataFrame(documents())
PANDAS = pd.DataFrame(documents(), index=["x", "y", "z"])
ARROW = FRAME.to_arrow().cast(pa.schema([("id", pa.int64()), ("text", pa.string())]))
DATASET = datasets.Dataset.from_list(documents())
HUGE = FRAME.with_columns(huge=pl.col("id").cast(pl.Int128))
OWN_KIND: dict[str, tuple[Callable[[], Any], Any]] = {
    "polars frame": (lambda: FRAME, FRAME[[0, 2]]),
    "polars lazy frame": (lambda: FRAME.lazy().filter(pl.col("id") >= 0), FRAME[[0, 2]]),
    "polars series": (lambda: FRAME["text"], FRAME["text"][[0, 2]]),
    "polars types that Arrow has not": (lambda: HUGE, HUGE[[0, 2]]),
    "pandas frame": (lambda: PANDAS, PANDAS.iloc[[0, 2]]),
    "pandas series": (lambda: PANDAS["text"], PANDAS["text"].iloc[[0, 2]]),
    "Arrow table": (lambda: ARROW, ARROW.take([0, 2])),
    "Arrow batch": (lambda: ARROW.to_batches()[0], ARROW.take([0, 2])),
    "Arrow stream": (reader, ARROW.take([0, 2])),
    "Arrow array": (lambda: pa.array(TEXTS), pa.array([TEXTS[0], TEXTS[2]])),
    "Arrow chunks": (lambda: ARROW["text"], ARROW["text"].take([0, 2])),
    "Arrow dataset": (lambda: pyarrow.dataset.dataset(ARROW), ARROW.take([0, 2])),
    "Arrow scanner": (lambda: pyarrow.dataset.dataset(ARROW).scanner(), ARROW.take([0, 2])),
    "Arrow batches": (lambda: iter(ARROW.to_batches(max_chunksize=1)), ARROW.take([0, 2])),
    "exported stream": (lambda: Exporting(ARROW), ARROW.take([0, 2])),
    "exported column": (lambda: Exporting(ARROW["text"]), ARROW.select(["text"]).take([0, 2])),
    "exported array": (ExportingArray, ARROW.select(["text"]).take([0, 2])),
    "DuckDB relation": (relation, ARROW.take([0, 2])),
    "dataset": (lambda: DATASET, DATASET.select([0, 2])),
    "dataset that was filtered": (lambda: DATASET.select([2, 1]), DATASET.select([2, 1])),
    "dataset of another format": (lambda: DATASET.with_format("numpy"), DATASET.select([0, 2])),
    "column of a dataset": (lambda: DATASET["text"], [TEXTS[0], TEXTS[2]]),
    "dataset that streams": (DATASET.to_iterable_dataset, documents()[::2]),
    "dataset that streams tables": (lambda: DATASET.to_iterable_dataset().with_format("arrow"), ARROW.take([0, 2])),
    "strings": (lambda: TEXTS, [TEXTS[0], TEXTS[2]]),
    "strings with half a character": (lambda: ["\ud800 text"], ["\ud800 text"]),
    "dicts": (documents, documents()[::2]),
    "dicts that fit cannot convert": (lambda: [{"text": "a", "count": 10**20}], [{"text": "a", "count": 10**20}]),
    "dicts of a generator": (lambda: (document for document in documents()), documents()[::2]),
    "dicts of a stream": (Streaming, documents()[::2]),
    "nothing": (list, []),
}


@pytest.mark.parametrize("kind", OWN_KIND)
def test_what_stays_is_of_the_kind_that_was_given(kind: str) -> None:
    make, expected = OWN_KIND[kind]
    kept = whorl.dedup(make()).kept
    assert type(kept) is type(expected)
    if isinstance(expected, datasets.Dataset):
        assert kept.features == expected.features
        assert kept.with_format(None)[:] == expected[:]
    else:
        assert kept.equals(expected) if hasattr(expected, "equals") else kept == expected


def test_columns_that_are_not_read_may_be_of_any_type_in_a_frame_of_pandas() -> None:
    frame = pd.DataFrame(columns(tags=[["a"], 5, "c"]), index=[1, 1, 2])
    assert whorl.dedup(frame).kept["tags"].to_list() == [["a"], "c"]


def test_a_lazy_frame_that_cannot_be_collected_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match=r"(?s)LazyFrame cannot be collected: .*nothing.*hint: "):
        whorl.dedup(FRAME.lazy().select("nothing"))


def test_nothing_is_imported_that_the_caller_does_not_hold() -> None:
    program = (
        f"import sys, whorl; whorl.dedup({TEXTS}).kept; print({{'polars', 'pandas', 'duckdb'}} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


ARTICLES = [{"article": {"body": text, "about": {"id": str(10 - row), "day": row}}} for row, text in enumerate(TEXTS)]
NESTED: dict[str, Callable[[], Any]] = {
    "dicts": lambda: ARTICLES,
    "polars": lambda: pl.DataFrame(ARTICLES),
    "Arrow": lambda: pa.Table.from_pylist(ARTICLES),
    "pandas": lambda: pd.DataFrame({"article": [row["article"] for row in ARTICLES]}),
}


@pytest.mark.parametrize("kind", NESTED)
def test_fields_of_structs_are_columns(kind: str) -> None:
    by = {"text": "article.body", "id": "article.about.id", "keep": "article.about.day"}
    result = whorl.dedup(NESTED[kind](), **by)
    assert result.duplicates.select(["id", "duplicate_of"]).to_pylist() == [{"id": "10", "duplicate_of": "9"}]


def test_a_column_with_a_dot_in_its_name_comes_before_a_field() -> None:
    rows = [{"a.b": text, "a": {"b": "the same"}} for text in TEXTS]
    for source in (rows, pa.Table.from_pylist(rows)):
        assert whorl.dedup(source, text="a.b").run["counts"]["kept"] == 2


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("path", ["article.title", "article.body.first", "articles.body"])
def test_a_field_that_is_not_there_is_refused_with_a_hint(kind: str, path: str) -> None:
    with pytest.raises(InputError, match=r"(?s)hint: "):
        whorl.dedup(NESTED[kind](), text=path)


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
    with pytest.raises(UsageError, match=r"workers is .* expected an integer from 1 to 1024"):
        whorl.dedup(TEXTS, workers=workers)


@pytest.mark.parametrize("options", [{"text": 5}, {"text": [5]}, {"recipe": "web"}, {"recipe": 5}], ids=str)
def test_what_is_no_option_is_refused_with_a_hint(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"(?s)is .*, expected .*hint"):
        whorl.dedup(TEXTS, **options)

"""Publication dates: their columns and values, the same in every format."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import format_datetime
from math import isnan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.corpus import Columns, ReadOptions, Rejects, discover, format_of
from whorl.corpus.dates import DATE_NAMES, date_columns, date_values, first_dates
from whorl.errors import InputError
from whorl.library.ingest.columns import USUAL
from whorl.library.provenance.times import time_of

DATED = Columns(dated=True)
PAGE = """<html><head><title>Harbour</title><meta property="article:published_time" content="{date}"></head>
<body><article><h1>Harbour</h1><p>{text}</p></article></body></html>"""


def by_python(value: Any) -> float | None:
    """Return the date of a value as parsed by a library."""
    try:
        time = time_of(value, "date")
    except InputError:
        return None
    return None if time is None else time.timestamp()


def by_core(value: Any) -> float | None:
    (seconds,) = date_values([value]).tolist()
    return None if isnan(seconds) else seconds


ZONES = st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(-timedelta(hours=3, minutes=30))])
FORMS: Sequence[Callable[[datetime], Any]] = (
    datetime.isoformat,
    lambda time: time.isoformat(" ", "minutes"),
    lambda time: f"{time:%Y-%m-%d}",
    lambda time: f"{time:%Y/%m/%d %H:%M}",
    lambda time: f"{time.year}年{time.month}月{time.day}日 {time:%H:%M}",
    lambda time: f"{time.year}年{time.month}月",
    lambda time: f"{time:%Y-%m}",
    lambda time: f"{time:%Y%m%d}",
    lambda time: f"{time:%Y%m%d%H%M%S}",
    lambda time: f"{time:%Y}",
    format_datetime,
    lambda time: int(time.timestamp()),
    lambda time: str(int(time.timestamp() * 1000)),
    lambda time: int(time.timestamp()) * 1_000_000,
    lambda time: time,
    datetime.date,
)


@given(st.datetimes(datetime(1950, 1, 1), datetime(2099, 12, 31), timezones=ZONES), st.sampled_from(FORMS))
def test_dates_are_those_that_a_library_reads(time: datetime, form: Callable[[datetime], Any]) -> None:
    value = form(time.replace(microsecond=0))
    assert by_core(value) == by_python(value)


@given(st.text(alphabet="0123456789-/:. TZ+年月日", max_size=12) | st.integers(-(10**21), 10**21) | st.booleans())
def test_whatever_else_it_is_no_date_or_the_same_one(value: Any) -> None:
    expected, result = by_python(value), by_core(value)
    assert result is None or result == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("value", [None, "", "soon", 7, "12:30", True, [2024, 1, 1], {"a": 1}, float("nan"), "\ud800"])
def test_what_is_no_date_is_none(value: Any) -> None:
    assert by_core(value) is None


def test_names_are_those_of_a_library_and_the_most_telling_comes_first() -> None:
    assert USUAL["published_at"] == DATE_NAMES
    names = ["text", "time", "Publish-Date", "DATE", "date", "发布时间", "dated"]
    assert date_columns(names) == ["Publish-Date", "发布时间", "date", "time"]
    assert date_columns(names, ("time", None)) == ["Publish-Date", "发布时间", "date"]


def test_arrow_types() -> None:
    day = date(2024, 3, 1)
    seconds = 1709251200.0
    for column in (
        pa.array([day], pa.date32()),
        pa.array([day], pa.date64()),
        pa.array([datetime(2024, 3, 1)], pa.timestamp("ns")),
        pa.array([datetime(2024, 3, 1, tzinfo=UTC)], pa.timestamp("ms", "Asia/Shanghai")),
        pa.array(["2024-03-01"]).dictionary_encode(),
        pa.array([b"2024-03-01"], pa.binary()),
        pa.array([20240301], pa.int32()),
        pa.array([seconds], pa.float64()),
    ):
        assert date_values(column).tolist() == [seconds], column.type
    for column in (
        pa.array([1], pa.time32("s")),
        pa.array([True]),
        pa.nulls(1),
        pa.array([[1]]),
        pa.array([{"a": 1}]),
        pa.array([b"\xff"], pa.binary()),
        pa.array([10**9 * 86_400_000], pa.date64()),
    ):
        assert isnan(date_values(column)[0]), column.type


def test_the_first_column_with_a_date_counts() -> None:
    result = first_dates({"a": ["soon", "1970-01-02", None], "b": ["1970-01-03", "1970-01-04", ""]}, 3)
    assert result.values[:2].tolist() == [172800.0, 86400.0]
    assert isnan(result.values[2])
    assert result.rows_by_column() == {"a": 1, "b": 1}
    assert first_dates({}, 2).rows_by_column() == {}


ROWS: list[dict[str, Any]] = [
    {"text": "one", "Date": "2024-03-02", "pubdate": ""},
    {"text": "two", "Date": "unknown", "pubdate": ""},
    {"text": "three", "Date": "2024-03-01T08:00:00+08:00", "pubdate": "2024-03-05"},
    {"text": "four", "Date": "", "pubdate": "1709596800"},
]
EXPECTED = [1709337600.0, None, 1709596800.0, 1709596800.0]


def _jsonl(path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def _csv(path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    return path


def _parquet(path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(ROWS), path)
    return path


def _xlsx(path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    workbook.active.append(list(ROWS[0]))
    for row in ROWS:
        workbook.active.append(list(row.values()))
    workbook.save(path)
    return path


def read_dates(path: Path, columns: Columns = DATED) -> tuple[list[float | None], Mapping[str, int]]:
    (source,) = discover([path])
    values: list[float | None] = []
    counts: Counter[str] = Counter()
    for batch in format_of(source).read(source, columns, Rejects(), ReadOptions()):
        assert batch.order is not None
        values += [None if value is None or isnan(value) else value for value in pa.array(batch.order).to_pylist()]
        counts.update(batch.dates)
    return values, counts


WRITERS = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet, "xlsx": _xlsx}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_gives_the_same_dates(tmp_path: Path, kind: str) -> None:
    path = WRITERS[kind](tmp_path / f"a.{kind}")
    assert read_dates(path) == (EXPECTED, {"Date": 1, "pubdate": 2})
    assert read_dates(path, Columns(("text", "pubdate"), dated=True))[1] == {"Date": 2}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_may_lack_the_column_where_it_is_not_required(tmp_path: Path, kind: str) -> None:
    path = WRITERS[kind](tmp_path / f"a.{kind}")
    assert read_dates(path, Columns(order="day", order_required=False)) == ([None] * 4, {})
    with pytest.raises(InputError, match="has no column 'day'"):
        read_dates(path, Columns(order="day"))


def test_columns_within_columns_are_read_beside_dates(tmp_path: Path) -> None:
    rows = [{"article": {"body": row["text"], "date": "2001-01-01"}, "Date": row["Date"]} for row in ROWS]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    values, counts = read_dates(path, Columns(("article.body",), dated=True))
    assert (values[0], counts) == (EXPECTED[0], {"Date": 2})


def test_damaged_dates_of_parquet_reject_no_row(tmp_path: Path) -> None:
    broken = pa.array([b"\xff\xfe", b"2024-03-02"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": ["one", "two"], "date": broken}), tmp_path / "a.parquet")
    assert read_dates(tmp_path / "a.parquet") == ([None, EXPECTED[0]], {"date": 1})


def test_pages_have_the_date_that_they_state(tmp_path: Path) -> None:
    text = "The harbour master closed the pier at noon, and the ferries waited outside until the fog had lifted. " * 4
    page = tmp_path / "a.html"
    page.write_text(PAGE.format(date="2024-03-02T00:00:00Z", text=text), encoding="utf-8")
    assert read_dates(page) == ([EXPECTED[0]], {"date": 1})
    plain = tmp_path / "a.txt"
    plain.write_text(text, encoding="utf-8")
    assert read_dates(plain) == ([None], {})

"""Columns of a row other than its text, id and rank, as Python values."""

import json
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whorl.corpus import Columns

ALL = Columns(others=True)
NOON = datetime(2020, 1, 2, 12, 30)


def workbook(path: Path, *sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"s{number}")
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(path)
    return path


def not_utf_8(*values: bytes) -> pa.Array:
    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(ends), pa.py_buffer(b"".join(values)))


def lines(path: Path, *rows: bytes) -> Path:
    path.write_bytes(b"\n".join(rows))
    return path


def test_they_are_not_read_unless_asked_for(tmp_path: Path, read) -> None:
    (tmp_path / "a.csv").write_text("text,more\n一,1\n", encoding="utf-8")
    assert read(tmp_path / "a.csv").others == []


# JSON Lines


def test_nothing_is_lost_of_an_object_that_python_cannot_hold(tmp_path: Path, read) -> None:
    many, deep = "7" * 5000, "[" * 100_000 + "]" * 100_000
    rows = f'{{"text": "一", "n": {many}, "m": 1}}', f'{{"text": "二", "n": {deep}}}'
    extracted = read(lines(tmp_path / "a.jsonl", *(row.encode() for row in rows)), ALL)
    assert extracted.others == [{"text": "一", "n": many, "m": 1}, {"row": rows[1]}]


def test_an_object_is_as_it_is(tmp_path: Path, read) -> None:
    row = {
        "text": "一",
        "n": None,
        "deep": {"list": [1, {"a": None}]},
        "x": 1.5,
        "big": 2**70,
        "yes": True,
        "": "blank",
    }
    reading = read(lines(tmp_path / "a.jsonl", json.dumps(row).encode()), ALL)
    assert reading.others == [row]
    assert list(reading.others[0]) == list(row)


def test_of_a_key_that_stands_twice_the_last_value_is_taken(tmp_path: Path, read) -> None:
    reading = read(lines(tmp_path / "a.jsonl", b'{"text": "x", "a": 1, "a": 2}'), ALL)
    assert reading.others == [{"text": "x", "a": 2}]


def test_lines_that_are_rejected_or_blank_shift_no_other(tmp_path: Path, read) -> None:
    rows = [
        b'{"text": "one", "n": 1}',
        b"{",
        b"",
        b'{"n": 2}',
        b'  {"text": "two", "n": 3}  ',
        b'{"text": "' + b"x" * 200,
    ]
    reading = read(lines(tmp_path / "a.jsonl", *rows, b'{"text": "three", "n": 4}'), ALL, max_row_bytes=100)
    assert reading.rows == [1, 5, 7]
    assert reading.others == [{"text": text, "n": n} for text, n in (("one", 1), ("two", 3), ("three", 4))]


def test_lines_of_many_blocks_and_another_encoding(tmp_path: Path, read) -> None:
    rows = [{"text": f"第{number}篇正文", "题": f"题{number}"} for number in range(200)]
    data = [json.dumps(row, ensure_ascii=False).encode("gb18030") for row in rows]
    reading = read(lines(tmp_path / "a.jsonl", *data), ALL, encoding="gb18030", block_bytes=1000)
    assert reading.batches > 1
    assert reading.others == rows


# CSV


def test_an_empty_field_is_none_and_all_others_are_strings(tmp_path: Path, read) -> None:
    (tmp_path / "a.csv").write_text('text,n,when,deep\n一,1.50,2020-01-02,"{""a"": 1}"\n二,,,\n', encoding="utf-8")
    assert read(tmp_path / "a.csv", ALL).others == [
        {"text": "一", "n": "1.50", "when": "2020-01-02", "deep": '{"a": 1}'},
        {"text": "二", "n": None, "when": None, "deep": None},
    ]


def test_columns_of_a_csv_file_without_a_name_of_their_own_are_called_by_their_places(tmp_path: Path, read) -> None:
    (tmp_path / "a.csv").write_text("text, a ,,a,,a 4\n一,1,2,3,4,5\n", encoding="utf-8")
    (row,) = read(tmp_path / "a.csv", ALL).others
    assert row == {"text": "一", "a": "1", "column 3": "2", "a 4": "3", "column 5": "4", "a 4 6": "5"}


def test_records_that_are_rejected_shift_no_other(tmp_path: Path, read) -> None:
    data = b'text,n\none,1\ntoo,many,fields\n\xff,2\n\n"two\nlines",3\n' + b"x" * 200 + b",4\nthree,5\n"
    (tmp_path / "a.csv").write_bytes(data)
    reading = read(tmp_path / "a.csv", ALL, encoding="utf-8", max_row_bytes=100, block_bytes=60)
    assert reading.rows == [1, 4, 6]
    assert reading.others == [
        {"text": "one", "n": "1"}, {"text": "two\nlines", "n": "3"}, {"text": "three", "n": "5"}
    ]  # fmt: skip


# Parquet


def table(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table({"text": ["一", "二"], **columns}), path)
    return path


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (pa.array([None, 7]), [None, 7]),
        (pa.nulls(2), [None, None]),
        (pa.array([1.5, float("inf")]), [1.5, float("inf")]),
        (pa.array([Decimal("1.10"), None]), [Decimal("1.10"), None]),
        (pa.array([True, None]), [True, None]),
        (pa.array(["a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([b"\xff", b"a"]), [b"\xff", b"a"]),
        (pa.array([{"a": [1, None]}, None]), [{"a": [1, None]}, None]),
        (pa.array([[{"a": NOON}], []]), [[{"a": NOON}], []]),
        (pa.array([date(2020, 1, 2), None]), [date(2020, 1, 2), None]),
        (pa.array([time(12, 30), None]), [time(12, 30), None]),
        (pa.array([timedelta(seconds=1), None]), [timedelta(seconds=1), None]),
        (pa.array([NOON, None], pa.timestamp("ns")), [NOON, None]),
        (pa.array([NOON.replace(tzinfo=UTC), None]), [NOON.replace(tzinfo=UTC), None]),
        (pa.array([[NOON], None], pa.list_(pa.timestamp("ns"))), [[NOON], None]),
        (pa.array([253402300800000, 0], pa.timestamp("ms")), ["10000-01-01 00:00:00.000", "1970-01-01 00:00:00.000"]),
        (
            pa.array([{"at": 253402300800000}, None], pa.struct([("at", pa.timestamp("ms"))])),
            [{"at": "10000-01-01 00:00:00.000"}, None],
        ),
        (not_utf_8(b"\xff\xfe", b"good"), [b"\xff\xfe", "good"]),
        (pa.StructArray.from_arrays([not_utf_8(b"\xff", b"good")], ["a"]), [{"a": b"\xff"}, {"a": "good"}]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_values_of_a_parquet_file_are_those_of_python(
    tmp_path: Path, read, column: pa.Array, values: list[Any]
) -> None:
    reading = read(table(tmp_path / "a.parquet", {"more": column}), ALL)
    assert reading.others == [{"text": "一", "more": values[0]}, {"text": "二", "more": values[1]}]


def test_columns_of_a_parquet_file_without_a_name_of_their_own_are_called_by_their_places(tmp_path: Path, read) -> None:
    columns = [pa.array([value]) for value in ("一", 1, 2, 3)]
    pq.write_table(pa.Table.from_arrays(columns, ["text", "a", "", "a"]), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet", ALL).others == [{"text": "一", "a": 1, "column 3": 2, "a 4": 3}]


def test_rows_of_a_parquet_file_that_are_rejected_shift_no_other(tmp_path: Path, read) -> None:
    texts = not_utf_8(b"one", b"\xff", b"x" * 200, b"two", b"three")
    pq.write_table(pa.table({"text": texts, "n": [1, 2, 3, None, 5]}), tmp_path / "a.parquet")
    reading = read(tmp_path / "a.parquet", ALL, max_row_bytes=100, block_bytes=5)
    assert (reading.rows, len(reading.rejected)) == ([1, 4, 5], 2)
    assert reading.others == [{"text": text, "n": n} for text, n in (("one", 1), ("two", None), ("three", 5))]


# Workbooks


@pytest.mark.parametrize("isolated", [True, False])
def test_cells_are_what_they_hold(tmp_path: Path, read, isolated: bool) -> None:
    cells = [None, 7, 1.5, True, NOON, date(2020, 1, 2), time(12, 30), "题"]
    header = ["text", *(f"c{number}" for number in range(len(cells)))]
    (row,) = read(workbook(tmp_path / "a.xlsx", [header, ["一", *cells]]), ALL, isolated=isolated).others
    assert list(row.values()) == ["一", *cells]
    assert list(row) == header


@pytest.mark.parametrize("isolated", [True, False])
def test_cells_without_a_name_of_their_own_are_called_by_their_places(tmp_path: Path, read, isolated: bool) -> None:
    sheet = [["text", "a", None, "a", 2020], ["一", 1, 2, 3, 4, "beyond"]]
    (row,) = read(workbook(tmp_path / "a.xlsx", sheet), ALL, isolated=isolated).others
    assert row == {"text": "一", "a": 1, "column 3": 2, "a 4": 3, "2020": 4, "column 6": "beyond"}


@pytest.mark.parametrize("isolated", [True, False])
def test_rows_of_sheets_have_the_names_of_their_own(tmp_path: Path, read, isolated: bool) -> None:
    first = [["text", "n"], ["one", 1], [None, 2], [None, None], ["two", 3]]
    book = workbook(tmp_path / "a.xlsx", first, [["other"], ["none"]], [["m", "text"], [5, "three"]])
    reading = read(book, ALL, isolated=isolated, block_bytes=1)
    assert (reading.rows, len(reading.rejected), reading.batches) == ([1, 3, 5], 2, 3)
    assert reading.others == [{"text": "one", "n": 1}, {"text": "two", "n": 3}, {"m": 5, "text": "three"}]


def test_a_workbook_with_much_besides_its_texts_is_cut_by_all_of_it(tmp_path: Path, read) -> None:
    rows = [[f"{number}", "注" * 1000] for number in range(50)]
    assert read(workbook(tmp_path / "a.xlsx", [["text", "n"], *rows]), ALL, block_bytes=10_000).batches > 4


# Files with one document


PAGE = """<html><head><title>题</title><meta name="author" content="某甲"><link rel="canonical" href="https://e.org/a">
<meta property="article:published_time" content="2020-01-02"></head><body><p>正文在此。</p></body></html>"""


@pytest.mark.parametrize("isolated", [True, False])
def test_a_page_tells_its_date_too(tmp_path: Path, read, isolated: bool) -> None:
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (extracted,) = read(tmp_path / "a.html", ALL, isolated=isolated).others
    assert extracted == {
        "title": "题",
        "url": "https://e.org/a",
        "date": "2020-01-02",
        "author": "某甲",
        "author_from": "page",
        "published_original": "2020-01-02",
        "published_precision": "day",
        "published_zone": "+08:00",
    }


def _page(path: Path) -> None:
    path.write_text("<html><body><p>正文。</p></body></html>", encoding="utf-8")


def _letter(path: Path) -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "<w:p><w:r><w:t>正文</w:t></w:r></w:p>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')


def _text(path: Path) -> None:
    path.write_text("正文", encoding="utf-8")


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize(("name", "make"), [("a.html", _page), ("a.docx", _letter), ("a.txt", _text)])
def test_what_a_file_does_not_say_is_none(
    tmp_path: Path, read, name: str, make: Callable[[Path], None], isolated: bool
) -> None:
    make(tmp_path / name)
    reading = read(tmp_path / name, ALL, isolated=isolated)
    assert reading.others == [{"title": None, "url": None, "date": None, "author": None}]


@pytest.mark.parametrize("name", ["a.html", "a.docx", "a.pdf", "a.txt"])
def test_a_file_that_cannot_be_read_has_no_columns_either(tmp_path: Path, read, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x00\xff\x00\xff")
    reading = read(tmp_path / name, ALL, encoding="utf-8")
    assert (reading.others, len(reading.rejected)) == ([], 1)

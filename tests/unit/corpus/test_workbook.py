from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from whorl.corpus import Columns
from whorl.errors import InputError


def save(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
    workbook.save(path)
    return path


def load(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    workbook = openpyxl.load_workbook(path)
    return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in workbook.worksheets}


def test_the_rows_of_all_sheets_are_read_whatever_their_type(tmp_path: Path, read) -> None:
    path = save(
        tmp_path / "a.xlsx",
        {
            "一月": [
                ["标题", "内容", "时间"],
                ["A", "新建公园", datetime.fromisoformat("2024-01-02T03:00")],
                [],
                ["B", 42, None],
            ],
            "二月": [["内容", "标题"], ["地铁延长", "C"]],
        },
    )
    reading = read(path, Columns(text=("内容",), id="标题"))
    assert (reading.texts, reading.ids) == (["新建公园", "42", "地铁延长"], ["A", "B", "C"])
    assert reading.rows == [1, 2, 3]


def test_dates_rank_as_text(tmp_path: Path, read) -> None:
    path = save(
        tmp_path / "a.xlsx", {"s": [["text", "time"], ["a", datetime.fromisoformat("2024-01-02T03:00")], ["b", "soon"]]}
    )
    assert read(path, Columns(order="time")).order == ["2024-01-02 03:00:00", "soon"]


def test_kept_rows_keep_their_sheets_and_values(tmp_path: Path, keep_rows) -> None:
    when = datetime.fromisoformat("2024-01-02")
    path = save(
        tmp_path / "a.xlsx",
        {"one": [["text", "n", "t"], ["a", 1, when], ["b", 2.5, when]], "two": [["text"], ["c"], ["d"]]},
    )
    assert load(keep_rows(path, [2, 4], 4)) == {
        "one": [("text", "n", "t"), ("b", 2.5, when)],
        "two": [("text",), ("d",)],
    }


def test_text_that_looks_like_a_formula_stays_text(tmp_path: Path, keep_rows) -> None:
    path = tmp_path / "a.xlsx"
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = "text"
    workbook.active["A2"] = "=1+1"
    workbook.active["A2"].data_type = "s"
    workbook.save(path)
    assert openpyxl.load_workbook(keep_rows(path, [1], 1)).active["A2"].data_type == "s"


def test_the_same_rows_give_the_same_bytes(tmp_path: Path, keep_rows, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text"], ["a"], ["b"]]})
    first = keep_rows(path, [1], 2).read_bytes()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert keep_rows(path, [1], 2).read_bytes() == first


def test_rows_without_text_are_rejected_into_a_workbook(tmp_path: Path, read) -> None:
    path = save(
        tmp_path / "a.xlsx",
        {"one": [["text", "id"], ["a", 1], [None, 2], ["x" * 200, 3]], "two": [["other"], ["c"]]},
    )
    reading = read(path, max_row_bytes=100)
    assert reading.texts == ["a"]
    assert [(entry["row"], entry["line"], entry["reason"]) for entry in reading.rejected] == [
        (2, "one!3", "column 'text' is empty"),
        (3, "one!4", "the text is longer than a row may be"),
        (4, "two!2", "sheet 'two' has no column 'text'"),
    ]
    assert load(reading.rejected_path)["one"] == [("text", "id"), (None, 2), ("x" * 200, 3)]


def test_a_workbook_without_the_text_column_is_an_error(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["标题", "内容"], ["a", "b"]]})
    with pytest.raises(InputError, match=r"(?s)its columns are 标题, 内容.*--text 内容"):
        read(path)


def test_an_empty_workbook_has_no_rows(tmp_path: Path, read) -> None:
    reading = read(save(tmp_path / "a.xlsx", {"s": []}))
    assert (reading.texts, reading.rejected) == ([], [])


def test_a_file_that_is_no_workbook_is_an_error(tmp_path: Path, read) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"not at all")
    with pytest.raises(InputError, match="as a workbook"):
        read(path)

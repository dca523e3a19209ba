import zipfile
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


def test_a_cell_longer_than_spreadsheets_allow_is_kept_whole(tmp_path: Path, read, keep_rows) -> None:
    long = "长" * 40_000
    path = rewritten(
        save(tmp_path / "a.xlsx", {"s": [["text"], ["LONG"], ["b"]]}),
        "xl/worksheets/sheet1.xml",
        b"LONG",
        long.encode(),
    )
    assert read(path).texts == [long, "b"]
    assert load(keep_rows(path, [1], 2)) == {"s": [("text",), (long,)]}


@pytest.mark.parametrize("place", [0, 1])
def test_a_row_with_a_formula_that_has_no_result_is_set_aside(tmp_path: Path, read, place: int) -> None:
    row: list[Any] = ["a", 1]
    row[place] = "=1+1"
    path = save(tmp_path / "a.xlsx", {"s": [["text", "n"], row, ["b", 2]], "t": [["text"], ["c"]]})
    reading = read(path)
    assert reading.texts == ["b", "c"]
    assert reading.rows == [2, 3]
    [entry] = reading.rejected
    assert (entry["row"], entry["line"]) == (1, "s!2")
    assert "formula" in entry["reason"]
    assert load(reading.rejected_path)["s"] == [("text", "n"), tuple(row)]


def test_a_formula_with_a_result_is_that(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text"], ["=1+1"], ["b"]]})
    assert read(rewritten(path, "xl/worksheets/sheet1.xml", b"<v></v>", b"<v>2</v>")).texts == ["2", "b"]


DEFECTS = {
    "a number that is none": ("xl/worksheets/sheet1.xml", b"<v>7</v>", b"<v>seven</v>"),
    "a string that is not there": ("xl/worksheets/sheet1.xml", b't="inlineStr"><is><t>a</t></is>', b't="s"><v>99</v>'),
    "a place that is none": ("xl/worksheets/sheet1.xml", b'r="B2"', b'r="?"'),
    "an encoding that is none": ("xl/worksheets/sheet1.xml", b"<worksheet", b'<?xml encoding="x"?><worksheet'),
    "XML that breaks off": ("xl/worksheets/sheet1.xml", b"</sheetData>", b""),
    "a list of sheets that breaks off": ("xl/workbook.xml", b"</workbook>", b""),
    "a title that no sheet may have": ("xl/workbook.xml", b'name="s"', b'name="s?"'),
    "a date that is none": ("xl/worksheets/sheet1.xml", b't="n"><v>7</v>', b't="d"><v>soon</v>'),
}


@pytest.mark.parametrize("kind", DEFECTS)
def test_a_workbook_that_is_broken_inside_is_an_error(tmp_path: Path, read, kind: str) -> None:
    path = rewritten(save(tmp_path / "a.xlsx", {"s": [["text", "n"], ["a", 7]]}), *DEFECTS[kind])
    with pytest.raises(InputError, match=r"(?s)a\.xlsx.*hint: save it again"):
        read(path)


def rewritten(path: Path, part: str, before: bytes, after: bytes) -> Path:
    """Replace a text in one part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert before in parts[part]
    parts[part] = parts[part].replace(before, after)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


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
        (3, "one!4", "the text exceeds the maximum size of a row"),
        (4, "two!2", "sheet 'two' has no column 'text'"),
    ]
    assert load(reading.rejected_path)["one"] == [("text", "id"), (None, 2), ("x" * 200, 3)]


def test_a_workbook_without_the_text_column_is_an_error(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["标题", "说明"], ["a", "b"]]})
    with pytest.raises(InputError, match=r"(?s)its columns are 标题, 说明.*`text=标题`"):
        read(path)


def test_a_usual_column_below_a_title_is_the_text(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["新闻汇总"], ["标题", "内容"], ["a", "b"]], "t": [["正文"], ["c"]]})
    assert read(path).texts == ["b", "c"]


def test_a_page_without_a_table_is_no_workbook(tmp_path: Path, read) -> None:
    path = tmp_path / "a.xlsx"
    path.write_text("<html><p>404 Not Found</p></html>", encoding="utf-8")
    with pytest.raises(InputError, match=r"(?s)as a workbook: expected an XLSX file, an HTML table.*save it again"):
        read(path)


def test_an_empty_workbook_has_no_rows(tmp_path: Path, read) -> None:
    reading = read(save(tmp_path / "a.xlsx", {"s": []}))
    assert (reading.texts, reading.rejected) == ([], [])


def test_a_file_that_is_no_workbook_is_an_error(tmp_path: Path, read) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"not at all")
    with pytest.raises(InputError, match="as a workbook"):
        read(path)

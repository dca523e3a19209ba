"""Workbooks of several generators: the declarations of a file are often wrong."""

import re
import zipfile
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.corpus.test_workbook import load, save

from whorl.corpus import Columns, discover
from whorl.corpus.sandbox import BUDGETS, Budget
from whorl.errors import InputError

Change = Callable[[bytes], bytes]


def changed(path: Path, changes: Mapping[str, Change], names: Callable[[str], str] = str) -> Path:
    """Return the workbook with changed parts, whose names match a pattern, or with renamed parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            matching = [change for pattern, change in changes.items() if re.search(pattern, name)]
            archive.writestr(names(name), reduce(lambda data, change: change(data), matching, part))
    return path


def replaced(*pairs: tuple[bytes, bytes]) -> Change:
    def change(data: bytes) -> bytes:
        for before, after in pairs:
            data = re.sub(before, after, data)
        return data

    return change


def table(rows: int = 5) -> dict[str, list[list[Any]]]:
    return {"s": [["id", "text"], *([f"n{row}", f"文{row}"] for row in range(rows))]}


SHEET = "worksheets/sheet"


@pytest.mark.parametrize("dimension", [b'ref="A1"', b'ref="A1:B3"', b'ref="A1:XFD1048576"', b'ref="?"', b""])
def test_rows_are_read_to_their_end_whatever_range_is_noted(tmp_path: Path, read, keep_rows, dimension: bytes) -> None:
    path = changed(save(tmp_path / "a.xlsx", table()), {SHEET: replaced((rb'(?<=<dimension )ref="[^"]*"', dimension))})
    assert read(path).texts == [f"文{row}" for row in range(5)]
    assert len(load(keep_rows(path, [1, 5], 5))["s"]) == 3


@pytest.mark.parametrize("number", [b"99999999999", b"1048577", b"7"])
def test_a_row_with_a_high_number_is_one_row(tmp_path: Path, read, keep_rows, number: bytes) -> None:
    change = replaced((rb'r="6"', b'r="%b"' % number), (rb'r="([AB])6"', rb'r="\g<1>%b"' % number))
    path = changed(save(tmp_path / "a.xlsx", table()), {SHEET: change})
    assert read(path, Columns(others=True)).rows == [1, 2, 3, 4, 5]
    assert load(keep_rows(path, [5], 5))["s"] == [("id", "text"), ("n4", "文4")]


def test_a_column_beyond_the_last_is_damage(tmp_path: Path, read) -> None:
    path = changed(save(tmp_path / "a.xlsx", table()), {SHEET: replaced((rb'r="B6"', b'r="ZZZZZZ6"'))})
    with pytest.raises(InputError, match="ZZZZZZ"):
        read(path)


def test_rows_and_cells_without_numbers_follow_each_other(tmp_path: Path, read) -> None:
    path = changed(save(tmp_path / "a.xlsx", table()), {SHEET: replaced((rb' r="[A-Z]*\d+"', b""))})
    assert read(path).ids == [f"n{row}" for row in range(5)]


STRICT = replaced(
    (rb"http://schemas.openxmlformats.org/spreadsheetml/2006/main", b"http://purl.oclc.org/ooxml/spreadsheetml/main"),
    (
        rb"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
    ),
)


def test_a_strict_workbook_is_read_as_any_other(tmp_path: Path, read, keep_rows) -> None:
    rows = [["text", "date"], ["甲", date(2024, 1, 2)], ["乙", datetime(2024, 1, 2, 3, 4)]]
    path = changed(save(tmp_path / "a.xlsx", {"s": rows}), {"": STRICT})
    iso = replaced(
        (rb' t="n"><v>45293\.\d+', b' t="d"><v>2024-01-02T03:04:00'), (rb' t="n"><v>45293<', b' t="d"><v>2024-01-02<')
    )
    assert read(path, Columns(order="date")).order == ["2024-01-02", "2024-01-02 03:04:00"]
    assert read(changed(path, {SHEET: iso}), Columns(order="date")).order == ["2024-01-02", "2024-01-02 03:04:00"]
    assert load(keep_rows(path, [2], 2))["s"][1] == ("乙", datetime(2024, 1, 2, 3, 4))


NAMES: dict[str, Callable[[str], str]] = {
    "backslashes": lambda name: name.replace("/", "\\"),
    "another case": str.upper,
    "a leading slash": lambda name: f"/{name}",
}


@pytest.mark.parametrize("kind", NAMES)
def test_parts_are_found_however_they_are_named(tmp_path: Path, read, kind: str) -> None:
    assert read(changed(save(tmp_path / "a.xlsx", table()), {}, NAMES[kind])).ids == [f"n{row}" for row in range(5)]


MISSING = ("_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/styles.xml", "docProps/core.xml", "[Content_Types].xml")


@pytest.mark.parametrize("part", MISSING)
def test_a_part_that_is_missing_or_broken_loses_no_row(tmp_path: Path, read, keep_rows, part: str) -> None:
    path = save(tmp_path / "a.xlsx", {"一": [["text"], ["甲"]], "二": [["text"], ["乙"]]})
    path = changed(path, {}, lambda name: "elsewhere" if name == part else name)
    assert read(path).texts == ["甲", "乙"]
    assert load(keep_rows(path, [2], 2)) == {"一": [("text",)], "二": [("text",), ("乙",)]}


HEADED: dict[str, list[list[Any]]] = {
    "the first row": [["编号", "正文"]],
    "a title above": [["二〇二四年来稿汇总"], ["编号", "正文"]],
    "a title and a note above": [["来稿汇总"], [], ["制表：何秀兰", None, "2024年"], ["编号", "正文", "日期", "备注"]],
    "blanks and line breaks in names": [["编号 ", " 正\n文"]],
}


@pytest.mark.parametrize("kind", HEADED)
def test_the_header_is_the_row_with_the_text_column(tmp_path: Path, read, keep_rows, kind: str) -> None:
    rows = [[number, text] for number, text in enumerate(["甲", "正文", "丙"], 1)]
    path = save(tmp_path / "a.xlsx", {"s": [*HEADED[kind], *rows]})
    reading = read(path, Columns(("正文",), "编号"))
    assert (reading.ids, reading.texts, reading.rows) == (["1", "2", "3"], ["甲", "正文", "丙"], [1, 2, 3])
    above = [row for row in HEADED[kind] if row]
    kept = load(keep_rows(path, [3], 3, text=("正文",)))["s"]
    assert [tuple(value for value in row if value is not None) for row in kept] == [
        *(tuple(value for value in row if value is not None) for row in above),
        (3, "丙"),
    ]


def test_a_value_that_is_called_like_the_column_makes_no_header(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["id", "kind"], [1, "text"], [2, "text"]]})
    with pytest.raises(InputError, match="its columns are id, kind"):
        read(path)


@pytest.mark.parametrize("text_in", [1, 2])
def test_a_header_of_two_rows_is_one_through_merged_cells(tmp_path: Path, read, keep_rows, text_in: int) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(["编号", "文章", None, "时间"] if text_in == 2 else ["编号", "正文", "发布", None])
    sheet.append([None, "标题", "正文", None] if text_in == 2 else [None, None, "时间", "来源"])
    for merged in ("A1:A2", "B1:C1", "D1:D2") if text_in == 2 else ("A1:A2", "B1:B2", "C1:D1"):
        sheet.merge_cells(merged)
    sheet.append(["x1", "题", "甲", "2024-01-02"] if text_in == 2 else ["x1", "甲", "2024-01-02", "社"])
    path = tmp_path / "a.xlsx"
    workbook.save(path)
    reading = read(path, Columns(("正文",), "编号", "时间"))
    assert (reading.ids, reading.texts, reading.order) == (["x1"], ["甲"], ["2024-01-02"])
    again = read(keep_rows(path, [1], 1, text=("正文",)), Columns(("正文",), "编号", "时间"))
    assert (again.ids, again.texts, again.order) == (["x1"], ["甲"], ["2024-01-02"])


def test_hidden_rows_columns_and_sheets_are_read(tmp_path: Path, read) -> None:
    workbook = openpyxl.load_workbook(save(tmp_path / "a.xlsx", {"s": table()["s"], "t": [["text"], ["乙"]]}))
    workbook["s"].row_dimensions[3].hidden = True
    workbook["s"].column_dimensions["A"].hidden = True
    workbook["t"].sheet_state = "veryHidden"
    workbook.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx").texts == ["文0", "文1", "文2", "文3", "文4", "乙"]


STRINGS: dict[str, tuple[bytes, str]] = {
    "rich text": (b"<r><t>foot</t></r><r><rPr><b/></rPr><t>print</t></r>", "footprint"),
    "a phonetic guide": ("<t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr/>".encode(), "東京"),
    "a guide over a part": ("<r><t>望</t></r><rPh sb='0' eb='1'><t>wàng</t></rPh><r><t>江</t></r>".encode(), "望江"),
    "escaped signs": (b"<t>a_x000D__x000A_b_x005F_x0041_</t>", "a\r\nb_x0041_"),
    "a pair of halves": (b"<t>_xD83D__xDE00_</t>", "😀"),
    "blanks": (b"<t xml:space='preserve'> a </t>", " a "),
}


@pytest.mark.parametrize("kind", STRINGS)
@pytest.mark.parametrize("shared", [False, True])
def test_the_text_of_a_cell_is_what_is_read_in_it(tmp_path: Path, read, keep_rows, kind: str, shared: bool) -> None:
    written, text = STRINGS[kind]
    path = save(tmp_path / "a.xlsx", {"s": [["text"], ["HERE"]]})
    if shared:
        strings = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si>%b</si></sst>' % written
        change = {SHEET: replaced((rb't="inlineStr"><is><t>HERE</t></is>', b't="s"><v>0</v>'))}
        path = changed(path, change)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("xl/sharedStrings.xml", strings)
    else:
        path = changed(path, {SHEET: lambda data: data.replace(b"<t>HERE</t>", written)})
    assert read(path).texts == [text]
    assert read(keep_rows(path, [1], 1)).texts == [text]


def test_shared_formulas_have_their_last_results(tmp_path: Path, read) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text"], ["A"], ["B"], ["C"], ["D"]]})
    formula = b'<f t="shared" si="0"/>'
    change = replaced(
        (rb't="inlineStr"><is><t>A</t></is>', b't="str"><f t="shared" ref="A2:A4" si="0">B2&amp;"!"</f><v>one</v>'),
        (rb't="inlineStr"><is><t>B</t></is>', b't="str">' + formula + b"<v>two</v>"),
        (rb't="inlineStr"><is><t>C</t></is>', b't="str">' + formula + b"<v></v>"),
        (rb't="inlineStr"><is><t>D</t></is>', b">" + formula),
    )
    reading = read(changed(path, {SHEET: change}))
    assert reading.texts == ["one", "two", ""]
    assert [entry["line"] for entry in reading.rejected] == ["s!5"]


def test_an_error_is_no_text(tmp_path: Path, read, keep_rows) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text", "n"], ["A", 1], ["b", 2]]})
    change = {SHEET: replaced((rb't="inlineStr"><is><t>A</t></is>', b't="e"><v>#N/A</v>'))}
    reading = read(changed(path, change))
    assert (reading.texts, reading.reasons) == (["b"], ["column 'text' is empty"])
    assert load(reading.rejected_path)["s"][1] == ("#N/A", 1)


IDS = {
    "18446744073709551615": "18446744073709551615",
    "7.0": "7",
    "7.50": "7.5",
    "1.1000000000000001": "1.1",
    "-0": "0",
    "1E3": "1000",
    "9007199254740993": "9007199254740993",
}


@pytest.mark.parametrize("written", IDS)
def test_a_number_as_id_is_what_the_cell_shows(tmp_path: Path, read, written: str) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text", "id"], ["a", 5]]})
    path = changed(path, {SHEET: lambda data: data.replace(b"<v>5</v>", b"<v>%b</v>" % written.encode())})
    assert read(path).ids == [IDS[written]]


def test_dates_and_truth_as_ids_are_what_the_cell_shows(tmp_path: Path, read) -> None:
    ids = [date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5), True, False]
    path = save(tmp_path / "a.xlsx", {"s": [["text", "id"], *(["a", id_] for id_ in ids)]})
    assert read(path).ids == ["2024-01-02", "2024-01-02 03:04:05", "TRUE", "FALSE"]


@pytest.mark.parametrize("number", [14, 31, 57])
def test_the_built_in_dates_of_east_asia_are_dates(tmp_path: Path, read, number: int) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text", "id"], ["a", date(2024, 1, 2)]]})
    styles = replaced((rb'(<cellXfs.*?<xf [^>]*numFmtId=")0(".*?numFmtId=")\d+', rb"\g<1>0\g<2>%d" % number))
    assert read(changed(path, {"styles": styles})).ids == ["2024-01-02"]


HTML = """<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="{0}">
<style>td {{ color: red }}</style>
</head><body><table border=1><tr><td colspan=3>来稿汇总</td></tr>
<tr><th rowspan=2>编号</th><th rowspan=2>正文</th><th>发布</th></tr><tr><th>时间</th></tr>
<tr><td>00123<td>第一段&nbsp;&amp;<br>第二段<td>2024-01-02</tr>
<tr><td>00124</td><td><p>乙</p></td><td>2024-01-03</td></tr><tr><td></td></tr>
</table></body></html>"""
XML_2003 = """<?xml version="1.0"?>
<?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="来稿"><Table><Row><Cell ss:MergeAcross="2"><Data ss:Type="String">汇总</Data></Cell></Row>
<Row ss:Index="3"><Cell><Data ss:Type="String">编号</Data></Cell><Cell><Data ss:Type="String">正文</Data></Cell>
<Cell><Data ss:Type="String">时间</Data></Cell></Row>
<Row><Cell><Data ss:Type="Number">123</Data></Cell><Cell><ss:Data ss:Type="String"
 xmlns="http://www.w3.org/TR/REC-html40"><B>第一</B>段 &amp;</ss:Data></Cell>
<Cell><Data ss:Type="DateTime">2024-01-02T00:00:00.000</Data></Cell></Row>
<Row><Cell><Data ss:Type="Number">124</Data></Cell><Cell ss:Index="2"><Data ss:Type="String">乙</Data></Cell>
<Cell><Data ss:Type="DateTime">2024-01-03T00:00:00.000</Data></Cell></Row></Table></Worksheet></Workbook>"""
TSV = "编号\t正文\t时间\r\n00123\t甲\t2024-01-02\r\n00124\t乙\t2024-01-03\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@pytest.mark.parametrize("name", ["a.xls", "a.xlsx"])
def test_a_page_that_is_called_a_workbook_is_read_as_its_table(
    tmp_path: Path, read, keep_rows, encoding: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(HTML.format(encoding).encode(encoding))
    columns = Columns(("正文",), "编号", "时间")
    reading = read(path, columns)
    assert (reading.ids, reading.texts) == (["00123", "00124"], ["第一段 &\n第二段", "乙"])
    assert reading.order == ["2024-01-02", "2024-01-03"]
    kept = read(keep_rows(path, [1], 2, text=("正文",)), columns)
    assert (kept.ids, kept.texts, kept.order) == (["00123"], ["第一段 &\n第二段"], ["2024-01-02"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_xml_spreadsheet_is_read_as_its_sheets(tmp_path: Path, read, keep_rows, encoding: str) -> None:
    path = tmp_path / "a.xls"
    path.write_bytes(XML_2003.replace('"1.0"', f'"1.0" encoding="{encoding}"').encode(encoding))
    columns = Columns(("正文",), "编号", "时间")
    reading = read(path, columns)
    assert (reading.ids, reading.texts) == (["123", "124"], ["第一段 &", "乙"])
    assert reading.order == ["2024-01-02", "2024-01-03"]
    kept = read(keep_rows(path, [2], 2, text=("正文",)), columns)
    assert (kept.ids, kept.texts, kept.order) == (["124"], ["乙"], ["2024-01-03"])


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_tab_separated_text_that_is_called_a_workbook_keeps_its_bytes(
    tmp_path: Path, read, keep_rows, encoding: str
) -> None:
    path = tmp_path / "a.xls"
    path.write_bytes(TSV.encode(encoding))
    assert read(path, Columns(("正文",), "编号")).ids == ["00123", "00124"]
    assert keep_rows(path, [2], 2).read_bytes().decode(encoding).split("\r\n")[1:] == ["00124\t乙\t2024-01-03", ""]


def test_a_workbook_that_is_called_csv_is_read_as_one(tmp_path: Path, read) -> None:
    assert read(save(tmp_path / "a.xlsx", table()).rename(tmp_path / "a.csv")).ids == [f"n{row}" for row in range(5)]


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
REFUSED: dict[str, tuple[bytes, str]] = {
    "before 2007": (OLE + "Workbook".encode("utf-16-le"), r"97-2003.*hint: save it as \.xlsx"),
    "without a container": (b"\x09\x08\x10\x00\x00\x06\x05\x00" + bytes(50), r"97-2003.*hint: save it as \.xlsx"),
    "encrypted": (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted.*hint: save it without a password"),
    "one file page": (b"MIME-Version: 1.0\r\nX-Document-Type: Workbook\r\n", r"web page.*hint: save it as \.xlsx"),
    "no workbook": (b"PK\x03\x04 not at all", r"as a workbook.*hint: save it again as \.xlsx"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_other_workbooks_are_refused_with_how_to_save_them(tmp_path: Path, read, kind: str) -> None:
    data, message = REFUSED[kind]
    (tmp_path / "a.xls").write_bytes(data)
    with pytest.raises(InputError, match=f"(?s)a.xls.*{message}"):
        read(tmp_path / "a.xls")


@pytest.mark.parametrize(
    ("part", "data", "message"),
    [
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet", "OpenDocument"),
        ("xl/workbook.bin", b"", "binary"),
    ],
)
def test_archives_of_other_programs_are_refused_by_their_kind(
    tmp_path: Path, read, part: str, data: bytes, message: str
) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(part, data)
    with pytest.raises(InputError, match=f"(?s){message}.*hint: save it as .xlsx"):
        read(path)


def bomb(path: Path) -> Path:
    """Return a workbook whose strings unpack to more than the limit."""
    change = replaced((rb't="inlineStr"><is><t>HERE</t></is>', b't="s"><v>0</v>'))
    changed(save(path, {"s": [["text"], ["HERE"]]}), {SHEET: change})
    string = "<si><t>😀".encode() + b"ab" * 500_000 + b"</t></si>"  # four bytes per character, for the first one
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as part,
    ):
        part.write(b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">')
        for _ in range(250):
            part.write(string)
        part.write(b"</sst>")
    return path


def test_strings_that_unpack_to_more_than_a_workbook_may_take_are_set_aside(tmp_path: Path, read, keep_rows) -> None:
    path = bomb(tmp_path / "a.xlsx")
    reading = read(path)
    assert reading.texts == []
    assert "memory" in reading.reasons[0]
    assert not keep_rows(path, [], 0).exists()


def test_kept_rows_are_written_within_the_budget(
    tmp_path: Path, read, keep_rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(tmp_path / "a.xlsx", {"s": [["text"], *([f"文{row}"] for row in range(3000))]})
    assert len(read(path).texts) == 3000
    monkeypatch.setitem(BUDGETS, "xlsx", Budget(0.001, 0, 768, 24))
    with pytest.raises(InputError, match=r"a.xlsx: its kept rows cannot be written: reading it took longer"):
        keep_rows(path, [1], 3000)


CELLS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.integers() | st.booleans()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=8), data=st.data())
def test_rows_written_are_the_rows_read(
    rows: list[tuple[Any, Any]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import numpy as np

    from whorl.corpus import ReadOptions, Rejects
    from whorl.corpus.formats.sheets import workbook as module
    from whorl.corpus.formats.sheets.ooxml import escaped

    path = tmp_path_factory.mktemp("book") / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    for row in rows:
        cells = [openpyxl.cell.WriteOnlyCell(book.active) for _ in row]
        for cell, value in zip(cells, row, strict=True):
            cell._value, cell.data_type = value, "b" if isinstance(value, bool) else "n"
            if isinstance(value, str):
                cell._value, cell.data_type = escaped(value), "s"
            elif value is not None and not isinstance(value, bool):
                cell._value = repr(value)
        book.active.append(cells)
    book.save(path)
    [source] = discover([path])
    output = [[None if cell is None else shown_as(cell) for cell in row] for row in rows if row != (None, None)]
    rejects = Rejects()
    batches = list(module.read(source, Columns(), rejects, ReadOptions()))
    read = [row for batch in batches for row in zip(batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True)]
    assert read == [tuple(row) for row in output if row[1] is not None]
    assert rejects.total == len(output) - len(read)
    keep = np.array([data.draw(st.booleans()) for _ in output], np.bool_)
    target = path.with_name("kept.xlsx")
    assert module.write(source, target, keep, ReadOptions()) == keep.sum()
    [again] = discover([target])
    kept = [
        (id_, text)
        for batch in module.read(again, Columns(), Rejects(), ReadOptions())
        for id_, text in zip(batch.ids.to_pylist(), batch.texts.to_pylist(), strict=True)
    ]
    assert kept == [tuple(row) for row, stays in zip(output, keep, strict=True) if stays and row[1] is not None]


def shown_as(cell: Any) -> str:
    return str(cell).upper() if isinstance(cell, bool) else str(cell)

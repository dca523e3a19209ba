"""The tables of a comparison, opened by common programs."""

import csv
from dataclasses import replace
from io import BytesIO, StringIO
from typing import Any

import docx
import openpyxl
import pytest
from tests.unit.cli.articles import BRIDGE
from tests.unit.reports.page import HOSTILE
from tests.unit.reports.test_comparison import compose

import whorl
from whorl.reports.comparison.summary import Article
from whorl.reports.comparison.tables import csv_table, docx_table, xlsx_table

FORMULA = '=HYPERLINK("https://example.org","x")'


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(data.decode("utf-8-sig"))))


def sheets(data: bytes) -> dict[str, list[list[Any]]]:
    book = openpyxl.load_workbook(BytesIO(data))
    return {sheet.title: [[cell.value for cell in row] for row in sheet.iter_rows()] for sheet in book.worksheets}


def hostile() -> tuple[Any, list[Article], Article]:
    """Return texts that begin with a formula, under names that are formulas, with characters that XML forbids."""
    text = f"{FORMULA} {BRIDGE}\x00\x0b\ud800{HOSTILE}"
    comparison = whorl.compare(text, text)
    passages = (replace(comparison.passages[0], a_start=0, b_start=0),)
    return replace(comparison, passages=passages), [Article("+cmd|calc!A0", text)], Article("@SUM(A1)", text)


def test_csv_has_a_row_for_each_passage_with_its_source() -> None:
    composition, text, sources = compose()
    table = rows(csv_table(composition, sources, text))
    assert [row["source"] for row in table] == ["bridge.txt", "harbour.txt"]
    for row, passage in zip(table, composition.passages, strict=True):
        assert row["text_words"] == text.text[passage.b_start : passage.b_end]
        assert int(row["text_start"]) == passage.b_start
        assert float(row["source_share"]) == pytest.approx(composition.shares[passage.source], abs=1e-6)
        assert row["source_sha256"] == sources[passage.source].digest
    assert csv_table(composition, sources, text).startswith(b"\xef\xbb\xbf")


def test_a_workbook_has_a_sheet_of_sources_and_one_of_passages() -> None:
    composition, text, sources = compose()
    table = sheets(xlsx_table(composition, sources, text, "zh"))
    assert list(table) == ["来源", "段落"]
    assert [row[:2] for row in table["来源"]] == [["序号", "来源"], [1, "bridge.txt"], [2, "harbour.txt"]]
    assert len(table["段落"]) == len(composition.passages) + 1
    assert table["段落"][1][-1] == text.text[composition.passages[0].b_start : composition.passages[0].b_end]
    assert list(sheets(xlsx_table(composition, sources, text, "en"))) == ["Sources", "Passages"]


def test_a_document_has_both_tables() -> None:
    composition, text, sources = compose()
    document = docx.Document(BytesIO(docx_table(composition, sources, text, "en")))
    first, second = document.tables
    assert [cell.text for cell in first.rows[1].cells][:2] == ["1", "bridge.txt"]
    assert first.rows[1].cells[3].text.endswith("%")
    assert len(second.rows) == len(composition.passages) + 1


def test_no_text_becomes_a_formula() -> None:
    result, sources, text = hostile()
    [row] = rows(csv_table(result, sources, text))
    assert row["text_words"].startswith("'=HYPERLINK")
    assert row["source"].startswith("'+cmd")
    book = openpyxl.load_workbook(BytesIO(xlsx_table(result, sources, text)))
    cells = [cell for sheet in book.worksheets for line in sheet.iter_rows() for cell in line]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert any(str(cell.value).startswith("=HYPERLINK") for cell in cells)


def test_forbidden_characters_are_named() -> None:
    result, sources, text = hostile()
    document = docx.Document(BytesIO(docx_table(result, sources, text)))
    assert "=HYPERLINK" in document.tables[1].rows[1].cells[-1].text
    assert "⟨NUL⟩" in rows(csv_table(result, sources, text))[0]["text_words"]


def test_no_passages_give_an_empty_table() -> None:
    comparison = whorl.compare("甲", "乙")
    articles = [Article("a", "甲")]
    assert rows(csv_table(comparison, articles, Article("b", "乙"))) == []
    assert len(docx.Document(BytesIO(docx_table(comparison, articles, Article("b", "乙")))).tables[1].rows) == 1

"""``whorl cohort`` on the command line."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.articles import Invoke

SENTENCE = "码头上的木桩每隔七年要换一次，换桩的那个月全镇的人绕路走。"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a class with three essays, two of them with a common sentence, and a broken file."""
    place = tmp_path / "class"
    place.mkdir()
    texts = ["渔港的冰厂\n今年夏天添了两台新机器。", "夏夜的海水为什么会发光，老人们说法不一。", "修表匠只修齿轮。"]
    for number, text in enumerate(texts):
        (place / f"{number}.txt").write_text(f"{text}\n{SENTENCE if number < 2 else ''}", encoding="utf-8")
    (place / "broken.docx").write_bytes(b"PK\x03\x04")
    return place


def test_a_class_is_summed_up(invoke: Invoke, folder: Path, tmp_path: Path) -> None:
    result = invoke("cohort", folder, "-o", tmp_path / "out", "--lang", "zh", "--title", "渔港班")
    assert "渔港的冰厂" in result.stdout
    assert "3 篇稿件" in result.stdout
    assert "1 个文件读取失败" in result.stdout
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "渔港班" in page
    assert "总文字复制比" in page
    assert "total copied share" in page
    assert "broken.docx" in page
    assert (tmp_path / "out" / "reports" / "0.txt.html").is_file()


def test_json_has_pairs_and_ratios(invoke: Invoke, folder: Path, tmp_path: Path) -> None:
    data = json.loads(invoke("cohort", folder, "-o", tmp_path / "out", "--json", "--quiet", "--no-reports").stdout)
    [pair] = data["pairs"]
    assert {pair["text"], pair["source"]} == {"0.txt", "1.txt"}
    assert data["examinations"][0]["ratios"]["copied"] > 0.5
    assert not (tmp_path / "out" / "reports").exists()


def test_a_longer_passage_can_be_required(invoke: Invoke, folder: Path, tmp_path: Path) -> None:
    data = json.loads(invoke("cohort", folder, "-o", tmp_path / "out", "--json", "--least", "40").stdout)
    assert not data["pairs"]


def test_the_workbook_has_three_sheets(invoke: Invoke, folder: Path, tmp_path: Path) -> None:
    from openpyxl import load_workbook

    invoke("cohort", folder, "-o", tmp_path / "out", "--lang", "en", "--no-reports")
    book = load_workbook(tmp_path / "out" / "class.xlsx")
    assert book.sheetnames == ["Class", "Pairs", "Boilerplate"]
    rows = list(book["Class"].iter_rows(values_only=True))
    assert rows[0][4:8] == (
        "total copied share",
        "copied share without quotations",
        "copied share without own work",
        "largest share from a single source",
    )
    assert len(rows) == 5
    assert rows[4][2] == "broken.docx"
    assert rows[4][-1]

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    """Return a workbook of news on two sheets, with the columns that the original required."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    rows = {
        "一月": [("新冰厂", HARBOUR), ("石桥封闭", BRIDGE), ("冰厂增产", f"{HARBOUR}（完）")],
        "二月": [("新冰厂", HARBOUR), ("石桥", BRIDGE), ("梨", "今年的梨熟得早，合作社已经订好冷库。")],
    }
    for name, news in rows.items():
        sheet = book.create_sheet(name)
        for row in [("標題", "內容"), *news]:
            sheet.append(row)
    book.save(tmp_path / "news.xlsx")
    return tmp_path / "news.xlsx"


def hot_of(invoke: Invoke, *arguments: Any) -> dict[str, Any]:
    result = invoke("hot", *arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_the_largest_groups_of_a_workbook_come_first(invoke: Invoke, workbook: Path) -> None:
    hot = hot_of(invoke, workbook, "--text", "內容", "--title", "標題")
    assert (hot["articles"], hot["groups"]) == (6, 2)
    titles = [sorted(article["title"] for article in group) for group in hot["largest"]]
    assert titles == [["冰厂增产", "新冰厂", "新冰厂"], ["石桥", "石桥封闭"]]
    assert {(article["file"], article["row"]) for article in hot["largest"][1]} == {("news.xlsx", 2), ("news.xlsx", 5)}


def test_people_see_counts_and_titles(invoke: Invoke, workbook: Path) -> None:
    result = invoke("hot", workbook, "--text", "內容", "--title", "標題")
    assert result.exit_code == 0
    assert " ".join(result.stdout.split()).startswith("6 articles, 2 groups of duplicates")
    assert "新冰厂 ×2" in result.stdout
    assert result.stdout.index("新冰厂") < result.stdout.index("石桥封闭")
    assert "梨" not in result.stdout


def test_top_bounds_the_groups(invoke: Invoke, workbook: Path) -> None:
    hot = hot_of(invoke, workbook, "--text", "內容", "--title", "標題", "--top", "1")
    assert ([len(group) for group in hot["largest"]], hot["groups"]) == ([3], 2)


def test_titles_are_found_in_the_usual_column(invoke: Invoke, corpus: Path) -> None:
    (group,) = hot_of(invoke, corpus)["largest"]
    assert {article["title"] for article in group} == {"Bridge to close", "BRIDGE", "Bridge"}


def test_without_titles_the_text_begins(invoke: Invoke, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", {"text": f"\n{BRIDGE}"}, {"text": BRIDGE}, {"text": HARBOUR, "title": "x"})
    (group,) = hot_of(invoke, path)["largest"]
    assert [article["title"] for article in group] == [f"{BRIDGE[:60]}…"] * 2


def test_files_of_many_formats_make_one_list(invoke: Invoke, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", {"text": BRIDGE, "title": "of a row"})
    (tmp_path / "b.txt").write_text(f"The bridge\n{BRIDGE}", encoding="utf-8")
    (tmp_path / "c.csv").write_text(f'text,title\n"{BRIDGE}",of a record\n', encoding="utf-8")
    (group,) = hot_of(invoke, tmp_path)["largest"]
    assert sorted(article["title"] for article in group) == ["The bridge", "of a record", "of a row"]


def test_any_method_groups(invoke: Invoke, corpus: Path) -> None:
    (group,) = hot_of(invoke, corpus, "--method", "exact")["largest"]
    assert {article["row"] for article in group} == {1, 2}


def test_a_corpus_without_copies_has_no_hot_news(invoke: Invoke, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", {"text": BRIDGE}, {"text": HARBOUR})
    hint = "`nshash` finds no copies: `method=news` finds excerpts and mixtures too"
    assert hot_of(invoke, path) == {"articles": 2, "groups": 0, "largest": [], "hint": hint}
    assert invoke("hot", path).exit_code == 0


def test_rows_that_cannot_be_read_are_not_counted(invoke: Invoke, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", {"text": BRIDGE}, {"text": None}, {"text": BRIDGE})
    hot = hot_of(invoke, path)
    assert (hot["articles"], [len(group) for group in hot["largest"]]) == (2, [2])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--title", "headline"], 3, "--title"),
        (["--text", "body"], 3, "--text"),
        (["--method", "guess"], 2, "guess"),
        (["--top", "0"], 2, "--top"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_user_mistakes_have_a_hint(invoke: Invoke, corpus: Path, arguments: list[str], code: int, message: str) -> None:
    result = invoke("hot", corpus, *arguments, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_stdin_cannot_be_read_twice(invoke: Invoke, corpus: Path) -> None:
    result = invoke("hot", "-", stdin=corpus.read_bytes())
    assert result.exit_code == 2
    assert "save it to a file" in result.stderr


def test_a_title_cannot_steer_the_terminal(invoke: Invoke, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", *({"text": BRIDGE, "title": "evil\x1b[2J[bold]"} for _ in range(2)))
    assert "evil⟨ESC⟩[2J[bold] ×2" in invoke("hot", path).stdout

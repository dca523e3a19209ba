"""Who copies us on the command line: a table, a report and JSON with the same figures."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from openpyxl import load_workbook
from tests.unit.cli.articles import HARBOUR, Invoke

import whorl


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a library with a protected article, a copy, a copy in March of Shanghai, and hostile names."""
    path = tmp_path / "ours"
    with whorl.open(path) as library:
        library.add({"id": "ours", "text": HARBOUR, "collection": "protected", "author": '=HYPERLINK("x")'})
        for number, day in enumerate(("2026-02-10T00:00:00Z", "2026-02-28T16:30:00Z")):
            url = f"https://copies{number}.example/<b>"
            library.add({"id": url, "url": url, "text": HARBOUR, "first_seen_at": day})
    return path


def test_json_table_and_report_say_the_same(place: Path, tmp_path: Path, invoke: Invoke) -> None:
    table, report = tmp_path / "march.xlsx", tmp_path / "march.html"
    options = ("--of", "protected", "--by", "site", "--period", "month", "--zone", "Asia/Shanghai")
    result = invoke("library", "statistics", place, *options, "--table", table, "--html", report, "--json")
    assert result.exit_code == 0, result.stderr
    rows = [(row["period"], row["name"], row["unpermitted"]) for row in json.loads(result.stdout)["rows"]]
    assert rows == [("2026-02", "copies0.example", 1), ("2026-03", "copies1.example", 1)]
    book = load_workbook(table)
    figures = [[cell.value for cell in row] for row in book.worksheets[0].iter_rows()]
    assert [row[:2] for row in figures[1:]] == [["2026-02", "copies0.example"], ["2026-03", "copies1.example"]]
    copies = [[cell.value for cell in row] for row in book.worksheets[1].iter_rows()]
    assert copies[2][11] == "2026-03-01 00:30 +0800"
    assert "Asia/Shanghai" in [cell.value for row in book.worksheets[2].iter_rows() for cell in row]
    page = report.read_text(encoding="utf-8")
    assert "copies1.example" in page
    assert "2026-03-01 00:30 +0800" in page
    assert "/<b>" not in page


def test_csv_has_no_formulas(place: Path, tmp_path: Path, invoke: Invoke) -> None:
    table = tmp_path / "authors.csv"
    for _ in range(2):
        result = invoke("library", "statistics", place, "--of", "protected", "--by", "author", "--table", table)
        assert result.exit_code == 0, result.stderr
    (row,) = csv.DictReader(StringIO(table.read_text(encoding="utf-8-sig")))
    assert (row["name"], row["copies"], row["zone"]) == ('\'=HYPERLINK("x")', "2", "UTC")


def test_terminal_shows_the_zone(place: Path, invoke: Invoke) -> None:
    result = invoke("library", "statistics", place, "--of", "protected", "--zone", "Asia/Shanghai")
    assert "Asia/Shanghai" in result.stdout
    assert "copies0.example" in result.stdout


def test_months_of_all_articles_are_counted_without_a_collection(place: Path, invoke: Invoke) -> None:
    result = invoke("library", "statistics", place, "--by", "month", "--until", "2026-03-01", "--json")
    assert [(row["name"], row["articles"]) for row in json.loads(result.stdout)["rows"]] == [("2026-02", 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--zone", "UTC"), "--zone needs a collection"),
        (("--by", "work"), "unknown grouping 'work'"),
        (("--of", "mine"), "no articles in the collection 'mine'"),
        (("--of", "protected", "--zone", "Mars"), "unknown time zone 'Mars'"),
        (("--of", "protected", "--table", "march.doc"), "expected a table file name"),
    ],
)
def test_mistakes_are_reported(place: Path, invoke: Invoke, options: tuple[str, ...], message: str) -> None:
    result = invoke("library", "statistics", place, *options)
    assert result.exit_code == 2
    assert message in result.stderr

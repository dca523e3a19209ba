"""The pages on evaluation run, in both languages alike."""

from pathlib import Path

import openpyxl
import pytest
from tests.docs.test_readme import ROOT, assert_same_code, blocks, language_of, run, transcripts, words

PAGES = ("docs/EVALUATION.md", "docs/EVALUATION.zh-CN.md")


@pytest.fixture(scope="module", params=PAGES)
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the commands of the page were run."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "examples").symlink_to(ROOT / "examples")
    for command, expected in transcripts(request.param):
        printed = run(command, folder, language_of(request.param))
        missing = [line for line in expected if words(line) not in words(printed)]
        assert not missing, f"{command} does not print {missing}:\n{printed}"
    return folder


def test_the_commands_leave_what_they_say(desk: Path) -> None:
    for name in (
        "evaluation.html",
        "plots/recall-by-threshold.png",
        "eval.json",
        "book.xlsx",
        "ours.toml",
        "ours/kept",
    ):
        assert (desk / name).exists(), name


def test_the_labelled_workbook_is_scored(desk: Path) -> None:
    book = openpyxl.load_workbook(desk / "book.xlsx")
    for sheet in book.worksheets[:2]:
        for row in range(2, sheet.max_row + 1):
            sheet.cell(row, 2).value = "是" if sheet == book.worksheets[0] else "否"
    book.save(desk / "book.xlsx")
    (command,) = (block for block in blocks(PAGES[0], "text") if block.startswith("whorl "))
    assert "1.000" in run(command.strip(), desk)


def test_both_languages_have_the_same_code() -> None:
    assert_same_code(*PAGES)

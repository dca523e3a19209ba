from pathlib import Path

import pytest
from tests.unit.cli.articles import Invoke

import whorl

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，比去年这个时候多了一半。"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "library") as opened:
        opened.add({"id": name, "text": TEXT} for name in "ab")
        opened.review("a", "b", "confirmed", by="editor")
    return tmp_path / "library"


def test_decisions_are_counted_anew_after_the_number_of_reviewers_was_changed(invoke: Invoke, library: Path) -> None:
    report = invoke("review", library, "--recount", "--reviewers", 2)
    assert (report.exit_code, report.stdout.strip()) == (0, "1 match changed state")
    assert "1 match waits" in invoke("review", library, "--list").stdout
    assert invoke("review", library, "--recount", "--json").stdout.split() == ["{", '"changed":', "1", "}"]
    assert "0 matches wait" in invoke("review", library, "--list").stdout


def test_all_are_counted_and_none_is_named(invoke: Invoke, library: Path) -> None:
    report = invoke("review", library, "a", "b", "--recount")
    assert report.exit_code == 2
    assert "omit it" in report.stderr

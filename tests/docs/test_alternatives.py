"""The page on alternatives: its tests exist, its figures are recorded, and both languages state the same facts."""

import re

import pytest
from tests.docs.test_readme import ROOT

PAGES = ("docs/ALTERNATIVES.md", "docs/ALTERNATIVES.zh-CN.md")
RECORD = (ROOT / "benchmarks" / "results" / "README.md").read_text(encoding="utf-8")
each_page = pytest.mark.parametrize("name", PAGES)


@each_page
def test_every_test_exists(name: str) -> None:
    tests = re.findall(r"`(tests/[\w/.]+)::(\w+)`", (ROOT / name).read_text(encoding="utf-8"))
    assert tests
    for file, function in tests:
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {function}"


@each_page
def test_figures_with_a_link_to_a_record_are_in_it(name: str) -> None:
    paragraphs = re.split(r"\n(?=[-|\n])", (ROOT / name).read_text(encoding="utf-8"))
    checked = 0
    for paragraph in paragraphs:
        section = re.search(r"\.\./benchmarks/results/README\.md#(\w+)", paragraph)
        if section and not paragraph.startswith("|"):
            recorded = RECORD.split(f"\n## {section[1]}\n")[1].split("\n## ")[0]
            for figure in re.findall(r"\d+(?:,\d{3})+", paragraph):
                assert figure in recorded, f"{name} states {figure}"
                checked += 1
    assert checked == 3


def test_both_languages_state_the_same_facts() -> None:
    english, chinese = ((ROOT / name).read_text(encoding="utf-8").splitlines() for name in PAGES)
    facts = [re.findall(r"`[^`]+`", line) for line in english if line.startswith("|")]
    assert facts == [re.findall(r"`[^`]+`", line) for line in chinese if line.startswith("|")]

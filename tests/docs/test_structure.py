"""The structure of the documentation: pages are short, and both languages have the same pages and sections."""

import re

import pytest
from tests.docs.test_readme import ROOT

MAX_LINES = 300
LONG = {
    "docs/API.md": "generated reference",
    "docs/SPECIFICATION.md": "specification",
    "benchmarks/results/README.md": "generated record",
    "CHANGELOG.md": "grows with every release",
}
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for place in ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md", "benchmarks/results/*.md")
    for path in ROOT.glob(place)
)
ENGLISH_ONLY = {
    "docs/API.md",  # the Chinese page lists the same operations without their fields
    "docs/DEPENDENCIES.md",
    "docs/DESIGN.md",
    "docs/SPECIFICATION.md",
    "examples/decontamination/README.md",
    "examples/newsroom/README.md",
}
TRANSLATED = [
    page
    for page in PAGES
    if page.startswith(("docs/", "examples/", "README")) and not page.endswith(".zh-CN.md") and page not in ENGLISH_ONLY
]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in LONG])
def test_a_page_is_short(page: str) -> None:
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MAX_LINES


@pytest.mark.parametrize("page", TRANSLATED)
def test_both_languages_have_the_same_sections(page: str) -> None:
    english, chinese = levels(page), levels(f"{page.removesuffix('.md')}.zh-CN.md")
    assert english == chinese


def levels(page: str) -> list[int]:
    """Return the level of each heading of a page."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]


def test_every_chinese_page_has_an_english_one() -> None:
    chinese = {page.replace(".zh-CN.md", ".md") for page in PAGES if page.endswith(".zh-CN.md")}
    assert chinese <= set(PAGES)

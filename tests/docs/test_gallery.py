"""The gallery: every program runs, prints the output in both chapters, and leaves the examples unchanged."""

import re
import sys
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, run

CHAPTERS = ("docs/GALLERY.md", "docs/GALLERY.zh-CN.md")
FOLDER = ROOT / "examples" / "gallery"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*.py"))
WRITES = {"thesis.py": {"thesis.html"}}


def documented_output(name: str) -> dict[str, str]:
    """Return the output of each program according to a chapter."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(
        re.findall(r"\]\(\.\./examples/gallery/(\w+\.py)\).*?^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_prints_what_the_chapters_show(program: str, tmp_path: Path) -> None:
    printed = run([sys.executable, str(FOLDER / program)], tmp_path)
    assert [documented_output(name).get(program) for name in CHAPTERS] == [printed, printed]
    assert {path.name for path in tmp_path.iterdir()} == WRITES.get(program, set())


def test_the_chapters_show_no_other_program() -> None:
    assert [sorted(documented_output(name)) for name in CHAPTERS] == [PROGRAMS, PROGRAMS]

"""The example programs: each runs, prints what its guide shows in both languages, and leaves the examples unchanged."""

import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from tests.docs.test_readme import DOCUMENTS, ROOT, run

FOLDER = ROOT / "examples" / "programs"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*.py"))
WRITES = {"thesis.py": {"thesis.html"}}


def documented_outputs() -> dict[str, dict[str, str]]:
    """Return the output of each program in each guide: the block of text after the first link to the program."""
    outputs: dict[str, dict[str, str]] = defaultdict(dict)
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        for program, output in re.findall(
            r"\]\((?:\.\./)+examples/programs/(\w+\.py)\).*?^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL
        ):
            outputs[program][name] = output
    return outputs


OUTPUTS = documented_outputs()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_prints_what_its_guide_shows(program: str, tmp_path: Path) -> None:
    printed = run([sys.executable, str(FOLDER / program)], tmp_path)
    assert list(OUTPUTS[program].values()) == [printed, printed]
    assert {path.name for path in tmp_path.iterdir()} == WRITES.get(program, set())


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_in_a_guide_in_both_languages_and_in_the_list(program: str) -> None:
    chinese, english = sorted(OUTPUTS[program])
    assert chinese.replace(".zh-CN", "") in english or english.replace(".zh-CN", "") in chinese
    for name in ("examples/README.md", "examples/README.zh-CN.md"):
        assert f"](programs/{program})" in (ROOT / name).read_text(encoding="utf-8")


def test_no_guide_shows_another_program() -> None:
    assert sorted(OUTPUTS) == PROGRAMS

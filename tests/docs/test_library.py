"""The chapters on the library: their examples run, and both languages have the same ones."""

import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, blocks, run, transcripts, workplace

from whorl import Library
from whorl.library.ingest.columns import USUAL
from whorl.library.rules import Rules

CHAPTERS = ("docs/LIBRARY", "docs/LIBRARY_ADMIN")
ENDINGS = (".md", ".zh-CN.md")
each_language = pytest.mark.parametrize("ending", ENDINGS)

__all__ = ["workplace"]


@each_language
def test_python_and_commands_run(ending: str, workplace: Path) -> None:
    names = [f"{chapter}{ending}" for chapter in CHAPTERS]
    run([sys.executable, "-c", "\n".join(block for name in names for block in blocks(name, "python"))], workplace)
    for name in names:
        for command, _ in transcripts(name):
            run(command, workplace)


def test_both_languages_show_the_same() -> None:
    for chapter in CHAPTERS:
        english, chinese = (blocks(f"{chapter}{ending}") for ending in ENDINGS)
        assert english == chinese


@each_language
def test_every_rule_and_method_is_named(ending: str) -> None:
    text = "\n".join((ROOT / f"{chapter}{ending}").read_text(encoding="utf-8") for chapter in CHAPTERS)
    methods = {method for method in vars(Library) if not method.startswith("_")} - {"close", "recipe", "rules"}
    assert {field.name for field in fields(Rules)} | methods <= set(re.findall(r"\w+", text))


@each_language
def test_every_usual_column_is_named_in_its_order(ending: str) -> None:
    text = (ROOT / f"docs/LIBRARY{ending}").read_text(encoding="utf-8")
    for field, columns in USUAL.items():
        (row,) = re.findall(rf"^\| `{field}` \| (`.*) \|$", text, re.MULTILINE)
        named = [column.replace("_", "") for column in re.findall(r"`(\w+)`", row)]
        assert named == [column for column in columns if column in named]
        assert {column for column in columns if column.isascii()} <= set(named)

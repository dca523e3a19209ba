"""The library chapter: its examples run, and both languages have the same ones."""

import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, blocks, run, transcripts, workplace

from whorl import Library
from whorl.library.ingest.columns import USUAL
from whorl.library.rules import Rules

CHAPTERS = ("docs/LIBRARY.md", "docs/LIBRARY.zh-CN.md")
each_chapter = pytest.mark.parametrize("name", CHAPTERS)

__all__ = ["workplace"]


@each_chapter
def test_python_and_commands_run(name: str, workplace: Path) -> None:
    run([sys.executable, "-c", "\n".join(blocks(name, "python"))], workplace)
    for command, _ in transcripts(name):
        run(command, workplace)


def test_both_languages_show_the_same() -> None:
    english, chinese = map(blocks, CHAPTERS)
    assert english == chinese


@each_chapter
def test_every_rule_and_method_is_named(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    methods = {method for method in vars(Library) if not method.startswith("_")} - {"close", "recipe", "rules"}
    assert {field.name for field in fields(Rules)} | methods <= set(re.findall(r"\w+", text))


@each_chapter
def test_every_usual_column_is_named_in_its_order(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for field, columns in USUAL.items():
        (row,) = re.findall(rf"^\| `{field}` \| (`.*) \|$", text, re.MULTILINE)
        named = [column.replace("_", "") for column in re.findall(r"`(\w+)`", row)]
        assert named == [column for column in columns if column in named]
        assert {column for column in columns if column.isascii()} <= set(named)

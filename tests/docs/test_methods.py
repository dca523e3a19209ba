"""The chapter on methods in the literature: every name in it exists, and both languages have the same names."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from tests.docs.test_readme import ROOT

from whorl.cli import build_app
from whorl.fingerprints import families
from whorl.recipe import PRESETS
from whorl.text.words import MODES

CHAPTERS = ("docs/METHODS.md", "docs/METHODS.zh-CN.md")
each_chapter = pytest.mark.parametrize("name", CHAPTERS)


def code(name: str) -> list[str]:
    """Return all code spans of a chapter."""
    return re.findall(r"`([^`]+)`", (ROOT / name).read_text(encoding="utf-8"))


def rows(name: str) -> list[list[str]]:
    """Return the code of each row of each table of a chapter."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [re.findall(r"`([^`]+)`", line) for line in lines if line.startswith("|")]


@each_chapter
def test_every_test_exists(name: str) -> None:
    named = [span.split("::") for span in code(name) if "::" in span]
    assert named
    for file, function in named:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"\b(def|fn) {function}\(", text), f"{file} has no {function}"


@each_chapter
def test_every_command_exists(name: str) -> None:
    commands = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]
    values = {"--method": {*families(), *PRESETS}, "--mode": set(MODES)}
    for span in (span for span in code(name) if span.startswith("whorl ")):
        _, command, *words = span.split()
        assert command in commands, span
        options = {option for parameter in commands[command].params for option in parameter.opts}
        for option, value in pairwise([*words, ""]):
            if option.startswith("-"):
                assert option in options, span
                assert value in values.get(option, {value}), span


@each_chapter
def test_every_python_name_exists(name: str) -> None:
    named = [span for span in code(name) if re.fullmatch(r"whorl(\.\w+)+", span)]
    assert named
    for span in named:
        module, _, member = span.rpartition(".")
        assert hasattr(import_module(module), member), span


@each_chapter
def test_every_method_is_described(name: str) -> None:
    described = {span.split()[-1] for span in code(name) if "--method" in span}
    assert {*families(), *PRESETS} == described


def test_both_languages_name_the_same() -> None:
    english, chinese = map(rows, CHAPTERS)
    assert english == chinese


def test_the_readmes_lead_here() -> None:
    for readme, chapter in zip(("README.md", "README.zh-CN.md"), CHAPTERS, strict=True):
        assert f"]({chapter})" in (ROOT / Path(readme)).read_text(encoding="utf-8")

"""The methods of the literature: each has a command and a test, and the page on methods names its source."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
import typer
from tests.docs.test_readme import ROOT, both_languages

from whorl.cli import build_app
from whorl.fingerprints import families
from whorl.recipe import PRESETS
from whorl.text.words import MODES

LITERATURE: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (ROOT / "tests" / "cases" / "literature.toml").read_text(encoding="utf-8")
)
METHODS = LITERATURE["method"]
COMMANDS = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]


def _label(entry: dict[str, Any]) -> str:
    return str(entry.get("what") or entry.get("original") or entry.get("says"))


@pytest.mark.parametrize("entry", [entry for entries in LITERATURE.values() for entry in entries], ids=_label)
def test_every_test_exists(entry: dict[str, Any]) -> None:
    for test in entry["tests"]:
        file, function = test.split("::")
        assert re.search(rf"\b(def|fn) {function}\(", (ROOT / file).read_text(encoding="utf-8")), test


@pytest.mark.parametrize("entry", METHODS, ids=_label)
def test_a_method_has_a_test_and_runs(entry: dict[str, Any]) -> None:
    assert entry["tests"]
    assert entry["run"]
    for name in entry["run"]:
        if name.startswith("whorl "):
            assert_is_a_command(name)
        else:
            module, _, member = name.rpartition(".")
            assert hasattr(import_module(module), member), name


def assert_is_a_command(line: str) -> None:
    """Assert that a command line names a command, options and values that exist."""
    values = {"--method": {*families(), *PRESETS}, "--mode": set(MODES)}
    _, command, *words = line.split()
    assert command in COMMANDS, line
    options = {option for parameter in COMMANDS[command].params for option in parameter.opts}
    for option, value in pairwise([*words, ""]):
        if option.startswith("-"):
            assert option in options, line
            assert value in values.get(option, {value}), line


def test_every_method_is_in_the_literature() -> None:
    described = {name.split()[-1] for entry in METHODS for name in entry["run"] if "--method" in name}
    assert {*families(), *PRESETS} == described


@both_languages("docs/DECIDING")
def test_every_parameter_is_documented(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    keys = {key for entry in METHODS for key in entry.get("keys", [])} - {"run"}
    assert sorted(key for key in keys if f"`{key}`" not in text) == []


def test_both_languages_have_the_same_code_in_tables() -> None:
    english, chinese = (
        [
            set(re.findall(r"`([^`]+)`", line))
            for line in (ROOT / page).read_text("utf-8").splitlines()
            if line[:1] == "|"
        ]
        for page in ("docs/DECIDING.md", "docs/DECIDING.zh-CN.md")
    )
    assert english == chinese

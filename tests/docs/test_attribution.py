"""The attribution chapter: its examples run in both languages, and its figures are the recorded ones."""

import json
import re
import sys
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, blocks, run, transcripts, workplace

from whorl.attribution.verdict import ROLES
from whorl.attribution.weights import ORIGIN
from whorl.recipe import load_recipe

CHAPTERS = ("docs/ATTRIBUTION.md", "docs/ATTRIBUTION.zh-CN.md")
each_chapter = pytest.mark.parametrize("name", CHAPTERS)

__all__ = ["workplace"]


@each_chapter
def test_python_and_commands_run(name: str, workplace: Path) -> None:
    run([sys.executable, "-c", "\n".join(blocks(name, "python"))], workplace)
    for command, _ in transcripts(name):
        run(command, workplace)


@each_chapter
def test_the_recipe_is_one(name: str, tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("".join(blocks(name, "toml")), encoding="utf-8")
    assert load_recipe(tmp_path / "ours.toml").attribution["confidence"] == 0.9


def test_both_languages_show_the_same() -> None:
    english, chinese = map(blocks, CHAPTERS)
    assert english == chinese


@each_chapter
def test_every_role_and_evidence_is_named(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    spoken = set(re.findall(r"`(\w+)`", text))
    assert set(ROLES) <= spoken
    assert set(ORIGIN) - {"elsewhere", "impossible"} <= spoken


@each_chapter
def test_the_figures_are_the_recorded_ones(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    answer = json.loads((ROOT / "benchmarks" / "results" / "attribution.json").read_text(encoding="utf-8"))
    usual = answer["rows"][0]
    names = ("top1", "top1_with_evidence", "top1_present", "determined", "top1_determined", "calibration_error")
    names += ("syndication", "syndication_precision", "syndication_recall")
    figures = [usual[name] for name in names] + list(usual["baselines"].values())
    assert [figure for figure in figures if f"{figure:.3f}" not in text] == []
    reprints = answer["reprints"]
    for count in (reprints["pairs"], reprints["named"], *reprints["earliest"].values(), *reprints["blind"].values()):
        assert str(count) in text

"""The chapter on watching: its examples run, both languages have the same ones, and every key is documented."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from tests.docs.test_readme import ROOT, blocks, run, transcripts, workplace

from whorl.monitor.settings.sites import read_watch, watch_of

CHAPTERS = ("docs/WATCH.md", "docs/WATCH.zh-CN.md")
each_chapter = pytest.mark.parametrize("name", CHAPTERS)

__all__ = ["workplace"]


@each_chapter
def test_python_and_commands_run(name: str, workplace: Path) -> None:
    for command, _ in transcripts(name):
        run(command, workplace)
    run([sys.executable, "-c", "\n".join(blocks(name, "python"))], workplace)


def test_both_languages_show_the_same() -> None:
    english, chinese = (blocks(name, "python", "sh", "text", "toml") for name in CHAPTERS)
    assert english == chinese


@each_chapter
def test_the_example_is_understood_and_every_key_is_named(name: str, tmp_path: Path) -> None:
    (text,) = blocks(name, "toml")
    (tmp_path / "sites.toml").write_text(text, "utf-8")
    (tmp_path / "results.csv").write_text("url\nhttps://elsewhere.example/1\n", "utf-8")
    watch = read_watch(tmp_path / "sites.toml")
    assert [site.rate for site in watch.sites] == [0.5, 0.5]
    assert tomllib.loads(text)["contact"] in watch.agent
    chapter = (ROOT / name).read_text(encoding="utf-8")
    with pytest.raises(Exception, match="choose one of") as error:
        watch_of({"site": [{"start": "https://a.example", "unknown": 1}]})
    keys = set(re.findall(r"\w+", str(error.value).partition("choose one of:")[2]))
    assert keys <= set(re.findall(r"`(\w+)`", chapter))

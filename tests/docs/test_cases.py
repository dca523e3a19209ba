"""The chapter on cases: its examples run, and both languages have the same ones."""

import re
import sys

import pytest
import typer
from tests.docs.test_readme import ROOT, blocks, run, transcripts, workplace

from whorl.cli import build_app
from whorl.types.cases import KINDS, STATES

CHAPTERS = ("docs/CASES.md", "docs/CASES.zh-CN.md")
each_chapter = pytest.mark.parametrize("name", CHAPTERS)

__all__ = ["workplace"]


@each_chapter
def test_python_and_commands_run(name: str, workplace: object) -> None:
    run([sys.executable, "-c", "\n".join(blocks(name, "python"))], workplace)  # type: ignore[arg-type]
    for command, _ in transcripts(name):
        run(command, workplace)  # type: ignore[arg-type]


def test_both_languages_show_the_same() -> None:
    assert blocks(CHAPTERS[0], "python") == blocks(CHAPTERS[1], "python")
    assert len({(ROOT / name).read_text(encoding="utf-8").count("\n## ") for name in CHAPTERS}) == 1


@each_chapter
def test_every_state_event_and_option_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert all(f"`{word}`" in text for word in (*KINDS, *STATES))
    commands = typer.main.get_command(build_app()).commands
    library = commands["library"].commands
    chosen = [*commands["case"].commands.values(), library["prune"], library["remove"], commands["serve"]]
    options = {name for command in chosen for parameter in command.params for name in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) <= options

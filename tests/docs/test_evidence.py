"""The examples of docs/EVIDENCE.md are valid."""

import re
from pathlib import Path

import pytest
import typer

from whorl.cli import build_app
from whorl.monitor.alerts.settings import load_alerts

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["EVIDENCE.md", "EVIDENCE.zh-CN.md"]


def blocks(page: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_settings_are_understood(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_ROBOT", "https://chat.example/robot?key=k")
    monkeypatch.setenv("MAIL_PASSWORD", "p")
    (tmp_path / "archive.secret").write_text("s")
    (settings_block,) = (block for block in blocks(page, "toml") if "channels" in block)
    (tmp_path / "alerts.toml").write_text(settings_block, encoding="utf-8")
    settings = load_alerts(tmp_path / "alerts.toml")
    assert list(settings.channels) == ["desk", "archive", "editors"]
    assert len(settings.rules) == 2


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_have_the_options_that_are_named(page: str) -> None:
    commands = typer.main.get_command(build_app()).commands
    with_options = [commands["review"], commands["alerts"], commands["watch"], *commands["evidence"].commands.values()]
    options = {name for command in with_options for parameter in command.params for name in parameter.opts}
    text = (DOCS / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - {"--data-binary"}
    assert named <= options


def test_both_languages_show_the_same() -> None:
    assert [len(blocks(page, "toml")) for page in PAGES] == [2, 2]
    assert len({(DOCS / page).read_text(encoding="utf-8").count("\n## ") for page in PAGES}) == 1

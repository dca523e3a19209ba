"""Fixtures: the program in this process, and a small corpus."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.articles import BRIDGE, HARBOUR, Invoke, write_jsonl
from typer.testing import CliRunner

from whorl.cli import build_app, sole_command


@pytest.fixture
def invoke() -> Invoke:
    """Run `whorl` with some arguments."""

    def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Any:
        command_line = [str(argument) for argument in arguments]
        return CliRunner().invoke(build_app(sole_command(command_line)), command_line, input=stdin)

    return run


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return two articles; the first has a later exact copy and a later, longer near-duplicate."""
    return write_jsonl(
        tmp_path / "news.jsonl",
        {"id": "bridge", "text": BRIDGE, "published": "2021-03-01", "title": "Bridge to close"},
        {"id": "bridge-shouted", "text": BRIDGE.upper(), "published": "2021-03-02", "title": "BRIDGE"},
        {"id": "harbour", "text": HARBOUR, "published": "2021-03-03", "title": "新冰厂"},
        {"id": "bridge-longer", "text": f"{BRIDGE} Tolls are waived.", "published": "2021-03-04", "title": "Bridge"},
    )


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a folder that does not exist yet."""
    return tmp_path / "clean"

"""Error messages for user mistakes, in both languages, word for word."""

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from typer.testing import CliRunner

from whorl.cli import build_app, sole_command


@dataclass(frozen=True)
class Case:
    mistake: str
    command: str
    code: int
    en: list[str]
    zh: list[str]
    files: dict[str, str] = field(default_factory=dict)
    pdf: str = ""


CASES = Path(__file__).parents[2] / "cases" / "mistakes.toml"
MISTAKES = [Case(**case) for case in tomllib.loads(CASES.read_text(encoding="utf-8"))["case"]]


@pytest.fixture(params=MISTAKES, ids=lambda case: case.mistake)
def case(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A mistake that is possible in the working folder."""
    mistake: Case = request.param
    for name, content in mistake.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    if mistake.pdf:
        canvas = Canvas(str(tmp_path / mistake.pdf), encrypt=StandardEncryption("user", "owner"))
        canvas.drawString(72, 720, "The harbour's ice house has two new machines.")
        canvas.save()
    monkeypatch.chdir(tmp_path)
    return mistake


@pytest.mark.parametrize(("language", "label"), [("en", "\n  hint: "), ("zh", "\n  建议：")])
def test_user_mistakes_have_a_hint_in_the_users_language(case: Case, language: str, label: str) -> None:
    result = CliRunner().invoke(
        build_app(sole_command(case.command.split())), case.command.split(), env={"WHORL_LANG": language}
    )
    report = label.join(getattr(case, language)).replace("{here}", str(Path.cwd()))
    assert result.stderr.rstrip("\n").endswith(report)
    assert result.exit_code == case.code


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "No space left on device\n  hint: free some disk space and run the same command again"),
        ("zh", "磁盘已满\n  建议：请腾出磁盘空间，然后重新运行同一条命令，从断点继续"),
    ],
)
def test_full_disk_is_reported_in_both_languages(language: str, message: str) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "whorl", "methods"]
        ended = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env={**os.environ, "WHORL_LANG": language}, check=False
        )
    assert message in ended.stderr.decode()
    assert ended.returncode == 4

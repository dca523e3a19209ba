"""Options in a settings file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article, edited, write_jsonl
from tests.unit.cli.articles import Invoke
from typer.main import get_command

from whorl.cli import build_app
from whorl.cli.settings import _options, settings
from whorl.errors import UsageError

PROGRAM: Any = get_command(build_app())

ROWS = [
    {"name": "late", "body": article(1), "at": "2026-02-01"},
    {"name": "early", "body": edited(article(1), 2), "at": "2026-01-01"},
    {"name": "other", "body": article(2), "at": "2026-01-15"},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with articles, and a working directory below it."""
    write_jsonl(tmp_path / "a.jsonl", ROWS)
    (tmp_path / "below" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "below" / "deep")
    monkeypatch.delenv("WHORL_CONFIG", raising=False)
    monkeypatch.delenv("WHORL_LANG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def run_of(invoke: Invoke, project: Path, *options: str) -> dict:
    out = project / f"out{len(list(project.iterdir()))}"
    done = invoke("dedup", project / "a.jsonl", "-o", out, "--json", "--quiet", *options)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_a_file_above_gives_options_to_all_commands_and_to_one(invoke: Invoke, project: Path) -> None:
    (project / "whorl.toml").write_text('text = "body"\nid = "name"\n[dedup]\nkeep = "earliest"\ndate = "at"\n')
    run = run_of(invoke, project)
    assert (run["recipe"]["text"], run["recipe"]["keep"], run["counts"]["kept"]) == (["body"], "earliest", 2)
    done = invoke("idf", project / "a.jsonl", "-o", project / "idf.parquet")
    assert done.exit_code == 0, done.stderr


def test_command_line_overrides_settings(invoke: Invoke, project: Path) -> None:
    (project / "whorl.toml").write_text(
        'text = ["body"]\nmethod = "news"\nthreshold = 0.9\nkeep = "latest"\ndate = "at"\n'
    )
    assert run_of(invoke, project)["recipe"]["threshold"] == 0.9
    run = run_of(invoke, project, "--method", "minhash", "--keep", "first")
    assert (run["recipe"]["method"], run["recipe"]["threshold"], run["recipe"]["keep"]) == ("minhash", 0.8, "first")


def test_a_project_file_serves_too_and_names_files_beside_itself(invoke: Invoke, project: Path) -> None:
    (project / "ours.toml").write_text('method = "minhash"\nthreshold = 0.75\ntext = ["body"]\n')
    (project / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.whorl]\nrecipe = "ours.toml"\n')
    assert run_of(invoke, project)["recipe"]["threshold"] == 0.75


def test_nearest_settings_file_or_environment_variable(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "whorl.toml").write_text('text = "nothing"\n')
    (project / "below" / "whorl.toml").write_text('text = "body"\nkeep = "first"\n')
    assert run_of(invoke, project)["recipe"]["keep"] == "first"
    (project / "elsewhere.toml").write_text('text = "body"\nkeep = "longest"\n')
    monkeypatch.setenv("WHORL_CONFIG", str(project / "elsewhere.toml"))
    assert run_of(invoke, project)["recipe"]["keep"] == "longest"
    monkeypatch.setenv("WHORL_CONFIG", "")
    recipe = run_of(invoke, project)["recipe"]
    assert (recipe["text"], recipe["keep"]) == (["text"], "auto")


def test_a_file_chooses_the_language_unless_the_reader_does(
    invoke: Invoke, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "whorl.toml").write_text('lang = "zh"\n')
    assert "用法" in invoke("dedup", "--help").stdout
    assert "Usage" in invoke("dedup", "--help", "--lang", "en").stdout
    monkeypatch.setenv("WHORL_LANG", "en")
    assert "Usage" in invoke("dedup", "--help").stdout


@pytest.mark.parametrize(
    ("content", "code", "message", "hint"),
    [
        ('methd = "news"\n', 2, "a settings file cannot set methd", "method"),
        ('[dedup]\nout = "x"\n', 2, "a settings file cannot set [dedup] out", "keep"),
        ("[library.lst]\nmost = 1\n", 2, "there is no command 'library.lst'", "list"),
        ("[deduplicate]\n", 2, "there is no command 'deduplicate'", "dedup"),
        ('[dedup]\nchanges = "yes"\n', 2, "changes is 'yes'", "true or false"),
        ("[dedup]\nkeep = [1, 2]\n", 2, "keep is [1, 2]", "a string or a number"),
        ('lang = "fr"\n', 2, "lang is 'fr'", "en, zh"),
        ("text = \n", 3, "whorl.toml: Invalid value (at line 1, column 8)", "WHORL_CONFIG="),
    ],
)
def test_settings_mistakes_have_a_hint(
    invoke: Invoke, project: Path, content: str, code: int, message: str, hint: str
) -> None:
    (project / "whorl.toml").write_text(content)
    done = invoke("methods")
    assert done.exit_code == code
    assert message in done.stderr
    assert hint in done.stderr


HARMLESS = {
    "against", "at_least", "author", "changes", "chunks", "date", "encoding", "exclude", "fold", "hmm", "id", "include",
    "json", "keep", "least", "links", "method", "mode", "most", "order", "pos", "quiet", "recipe", "remove", "reprint",
    "short", "since", "source", "stem", "text", "threshold", "title", "top", "until", "url", "user_dict", "verbose",
    "verify", "verify_over", "verify_threshold", "window",
}  # fmt: skip
"""Options that write nothing, connect to nothing, and do not affect access rights."""


def every_option() -> list[tuple[str, str]]:
    """Yield every command with every option that a file may set."""
    result: list[tuple[str, str]] = []

    def walk(command: Any, place: str) -> None:
        for name, below in getattr(command, "commands", {}).items():
            walk(below, f"{place}.{name}" if place else name)
        if not hasattr(command, "commands"):
            result.extend((place, option) for option in _options(command))

    walk(PROGRAM, "")
    return result


@pytest.mark.parametrize(("command", "option"), [item for item in every_option() if item[1] not in HARMLESS])
def test_a_file_that_came_with_a_folder_gives_no_option_that_could_do_harm(
    project: Path, command: str, option: str
) -> None:
    (project / "whorl.toml").write_text(f'[{command}]\n{option} = "../x"\n')
    (kept,) = settings()
    with pytest.raises(UsageError, match="can be set only in your user settings") as refused:
        kept.defaults(PROGRAM, ["methods"])
    assert f"[{command}] {option} " in str(refused.value)
    assert "WHORL_CONFIG=" in str(refused.value.hint)


def test_any_command_is_refused_in_a_folder_whose_file_could_do_harm(invoke: Invoke, project: Path) -> None:
    (project / "whorl.toml").write_text("[dedup]\nworkers = 2\n")
    refused = invoke("methods")
    assert refused.exit_code == 2
    assert "[dedup] workers can be set only in your user settings" in refused.stderr


def test_the_users_own_file_gives_every_option_and_the_folder_comes_before_it(invoke: Invoke, project: Path) -> None:
    value = project / "config" / "whorl" / "whorl.toml"
    value.parent.mkdir(parents=True)
    value.write_text('log = "whorl.log"\nid = "nothing"\n[dedup]\nkeep = "latest"\ndate = "at"\n')
    (project / "whorl.toml").write_text('text = "body"\nid = "name"\n')
    run = run_of(invoke, project)
    assert (run["recipe"]["text"], run["recipe"]["keep"]) == (["body"], "latest")
    assert (value.parent / "whorl.log").stat().st_size > 0


def test_settings_file_in_a_folder_is_named_and_reads_nothing_outside(invoke: Invoke, project: Path) -> None:
    (project / "recipe.toml").write_text('method = "minhash"\ntext = ["body"]\n')
    (project / "below" / "inside.toml").write_text('method = "exact"\ntext = ["body"]\n')
    (project / "below" / "link.toml").symlink_to(project / "recipe.toml")
    settings = project / "below" / "whorl.toml"
    for outside in ("../recipe.toml", "link.toml", str(project / "recipe.toml"), "not-there.toml"):
        settings.write_text(f'recipe = "{outside}"\n')
        refused = invoke("dedup", project / "a.jsonl", "-o", project / "out")
        assert (refused.exit_code, "in this folder" in refused.stderr) == (2, True)
    settings.write_text('recipe = "inside.toml"\n')
    done = invoke("dedup", project / "a.jsonl", "-o", project / "out")
    assert done.exit_code == 0, done.stderr
    assert f"settings: {settings}" in done.stderr


def test_a_file_of_settings_is_not_read_without_end(invoke: Invoke, project: Path) -> None:
    (project / "whorl.toml").write_text("#" * (1 << 20) + '\ntext = "body"\n')
    done = invoke("methods")
    assert (done.exit_code, "expected at most 1,048,576 bytes" in done.stderr) == (3, True)

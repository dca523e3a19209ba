import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app
from whorl.cli.ui.help import default_of
from whorl.recipe import Recipe

COMMANDS = (
    "fingerprint",
    "dedup",
    "strip",
    "decontaminate",
    "show",
    "explain",
    "hot",
    "methods",
    "segment",
    "idf",
    "eval",
    "eval truth",
    "eval sample",
    "eval score",
    "add",
    "check",
    "library",
    "library list",
    "library clusters",
    "library trace",
    "library collect",
    "library remove",
    "library stats",
    "library statistics",
    "library verify",
    "library reindex",
    "library backup",
    "library copy",
    "library upgrade",
    "library export",
    "watch",
    "library sites",
    "library permissions",
    "library attestations",
    "library snapshots",
    "library ledger",
    "trace",
    "attribute",
    "attribute fit",
    "review",
    "alerts",
    "evidence",
    "evidence pack",
    "evidence verify",
    "serve",
    "key",
    "key add",
    "key list",
    "key revoke",
    "user",
    "user add",
    "user list",
    "user remove",
    "copy-state",
    "mcp",
    "doctor",
    "selftest",
    "completion",
)
GROUPS = {"attribute", "eval", "evidence", "key", "library", "user"}
OPTIONS = {
    "dedup": [
        "--out", "--output", "--text", "--id", "--date", "--encoding", "--ocr",
        "--include", "--exclude", "--on-error", "--method", "--threshold", "--keep",
        "--verify", "--verify-threshold", "--verify-over",
        "--remove", "--links", "--changes", "--against", "--recipe", "--workers",
        "--engine", "--master", "--stage", "--shard", "--work", "--quiet", "--json",
        "--inside", "--least", "--repeats", "--per", "--action", "--mask", "--drop-below", "--by", "--repetition",
        "--approved",
    ],
    "strip": [
        "--out", "--inside", "--text", "--id", "--date", "--encoding", "--include", "--exclude", "--on-error",
        "--least", "--repeats", "--per", "--keep", "--action", "--mask", "--drop-below", "--by", "--repetition",
        "--learn", "--approved", "--workers", "--engine", "--master", "--stage", "--shard", "--work", "--quiet",
        "--json",
    ],
    "decontaminate": [
        "--against", "--against-text", "--against-id", "--out", "--action", "--text", "--id", "--by", "--count",
        "--column", "--encoding", "--include", "--exclude", "--on-error", "--save-index", "--fail", "--workers",
        "--engine", "--master", "--stage", "--shard", "--work", "--quiet", "--json",
    ],
    "show": ["--json"],
    "explain": [
        "--text", "--encoding", "--method", "--threshold", "--verify", "--verify-threshold", "--verify-over",
        "--recipe", "--fail-on", "--json",
    ],
    "fingerprint": [
        "--out", "--method", "--threshold", "--recipe", "--keys", "--signature", "--iscc", "--text", "--id",
        "--encoding", "--include", "--exclude", "--on-error", "--workers", "--quiet", "--json",
    ],
    "add": [
        "--text", "--id", "--title", "--url", "--source", "--author", "--date", "--encoding", "--ocr",
        "--include", "--exclude", "--recipe", "--window", "--collection",
        "--quiet", "--json", "--date-zone", "--statements",
    ],
    "check": [
        "--text", "--id", "--date", "--encoding", "--ocr", "--include", "--exclude", "--among", "--meaning",
        "--meaning-model", "--fail-on", "--quiet", "--json",
    ],
    "library": [],
    "library list": ["--among", "--json"],
    "library clusters": ["--top", "--at-least", "--json"],
    "library trace": ["--json", "--zone"],
    "library collect": ["--ids-from", "--json"],
    "library remove": ["--force", "--by", "--json"],
    "library stats": ["--json"],
    "library statistics": [
        *("--by", "--since", "--until", "--top", "--of", "--period", "--zone", "--sites", "--table", "--out", "--html"),
        "--json",
    ],
    "library verify": ["--json", "--repair"],
    "library reindex": ["--json"],
    "library backup": ["--json"],
    "library copy": ["--quiet", "--json"],
    "library upgrade": ["--check", "--json"],
    "library export": ["--order", "--json"],
    "library sites": ["--import", "--export", "--json", "--zone"],
    "library permissions": ["--import", "--export", "--json", "--zone"],
    "library attestations": ["--import", "--export", "--json", "--zone"],
    "library snapshots": ["--import", "--export", "--json", "--zone"],
    "library ledger": ["--json", "--zone"],
    "trace": ["--confidence", "--recipe", "--json", "--zone"],
    "attribute": [],
    "attribute fit": ["--out", "--strength", "--recipe", "--json"],
    "hot": [
        "--top", "--since", "--text", "--title", "--encoding",
        "--include", "--exclude", "--method", "--threshold", "--recipe", "--workers",
        "--html", "--quiet", "--json",
    ],
    "watch": [
        "--from", "--once", "--every", "--state", "--alerts", "--fail-on", "--html", "--quiet", "--json", "--export",
        "--import", "--no-alerts",
    ],
    "review": [
        "--state", "--by", "--note", "--undo", "--recount", "--list", "--top", "--among", "--states", "--reviewers",
        "--json", "--zone",
    ],
    "alerts": ["--retry", "--json"],
    "evidence": [],
    "evidence pack": ["--out", "--zone", "--no-pdf", "--json", "--by", "--revision"],
    "evidence verify": ["--library", "--timestamp", "--trusted", "--json"],
    "serve": [
        "--host", "--port", "--name", "--workers", "--state", "--files", "--rate", "--max-body", "--secure", "--proxy",
        "--reviewers", "--keep-days", "--zone", "--create", "--first-key-file", "--tenants",
        "--meaning", "--meaning-model"],
    "key": [],
    "key add": ["--scopes", "--libraries", "--expires", "--json"],
    "key list": ["--json", "--zone"],
    "key revoke": ["--json"],
    "user": [],
    "user add": ["--role", "--libraries", "--json"],
    "user list": ["--json"],
    "user remove": ["--json"],
    "copy-state": ["--json"],
    "mcp": ["--library", "--folder", "--write", "--meaning", "--meaning-model"],
    "doctor": ["--json"],
    "selftest": ["--json"],
    "completion": [],
    "methods": ["--threshold"],
    "segment": [
        "--mode", "--hmm", "--user-dict", "--pos", "--fold", "--stem", "--chunks", "--text", "--encoding",
        "--include", "--exclude", "--json",
    ],
    "eval": [],
    "eval truth": [
        "--method", "--recipe", "--ignore", "--incomplete", "--sweep", "--text", "--id", "--encoding",
        "--include", "--exclude", "--seed",
        "--workers", "--quiet", "--html", "--plots", "--json",
    ],
    "eval sample": [
        "--out", "--size", "--method", "--threshold", "--wider-method", "--wider-threshold", "--recipe", "--text",
        "--title", "--url", "--id", "--encoding",
        "--include", "--exclude", "--seed", "--quiet", "--json",
    ],
    "eval score": ["--require", "--json"],
    "recommend": [
        "--out", "--method", "--kind", "--precision", "--text", "--id", "--encoding",
        "--include", "--exclude", "--size", "--copies", "--seed",
        "--quiet", "--json",
    ],
    "idf": [
        "--out", "--text", "--encoding",
        "--include", "--exclude", "--user-dict", "--hmm", "--stop-share", "--update", "--json",
    ],
}  # fmt: skip


def page(*arguments: str, columns: int = 100) -> str:
    result = CliRunner().invoke(
        build_app(arguments[0] if arguments else None), [*arguments, "--help"], env={"COLUMNS": str(columns)}
    )
    assert result.exit_code == 0
    return result.stdout


def declared_options(command: str) -> set[str]:
    result = typer.main.get_command(build_app())
    for name in command.split():
        result = result.commands[name]
    return {name for parameter in result.params for name in parameter.opts if name.startswith("--")}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_every_option(command: str) -> None:
    of_all = {"--lang"} if command in GROUPS else {"--lang", "--verbose", "--log"}
    assert declared_options(command) == {*OPTIONS[command], *of_all}
    text = page(*command.split())
    assert [option for option in OPTIONS[command] if option not in text] == []


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_option_is_explained(command: str) -> None:
    assert "None" not in page(*command.split())


@pytest.mark.parametrize("columns", [60, 80, 100, 133])
@pytest.mark.parametrize("arguments", [(), *(tuple(command.split()) for command in COMMANDS)])
def test_help_is_never_cut_off(arguments: tuple[str, ...], columns: int) -> None:
    assert "…" not in page(*arguments, columns=columns).replace("[…]", "")  # the default of --mask


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_an_option_is_one_line(command: str) -> None:
    declared: typer.core.TyperCommand = typer.main.get_command(build_app())
    for name in command.split():
        declared = declared.commands[name]
    long = [parameter.opts[0] for parameter in declared.params if len(getattr(parameter, "help", "") or "") > 135]
    assert [name for name in long if name.startswith("-")] == []


def test_help_of_the_program_teaches() -> None:
    text = page()
    for command in COMMANDS:
        assert f"whorl {command.split()[0]} " in text
    for code in ("0", "1", "2", "3", "4", "130"):
        assert re.search(rf"^ +{code}  ", text, re.MULTILINE)
    assert "whorl dedup --help" in text


def test_help_states_the_defaults_of_the_recipe() -> None:
    words = " ".join(page("dedup", columns=200).replace("│", " ").split())
    recipe = Recipe()
    for value in (recipe.method, recipe.keep, *recipe.text):
        assert f"(default: {value})" in words
    assert f"(default: by method; {recipe.threshold} for {recipe.method})" in words


def commands_below(command: typer.core.TyperGroup) -> Iterator[typer.core.TyperCommand]:
    """Yield a command and all below it."""
    yield command
    for child in getattr(command, "commands", {}).values():
        yield from commands_below(child)


def test_no_option_has_an_empty_default() -> None:
    commands = list(commands_below(typer.main.get_command(build_app())))
    defaults = {default_of(parameter) for command in commands for parameter in command.params}
    assert "(default: 0)" in {text.strip() for text in defaults}
    assert {text for text in defaults if re.search(r"default: *(None|False|''|\[\]|\(\))?\)$", text)} == set()
    assert "(default: )" not in page("cohort", columns=200)


@pytest.mark.parametrize(("language", "panels"), [("en", ["Corpora", "Library"]), ("zh", ["语料", "文章库"])])
def test_commands_are_grouped_by_purpose(language: str, panels: list[str]) -> None:
    text = page("--lang", language)
    titles = re.findall(r"^╭─ (\S.*?) ─", text, re.MULTILINE)
    assert len(titles) == len(set(titles)) == 8
    assert set(panels) <= set(titles)
    assert all(command.rich_help_panel for command in typer.main.get_command(build_app()).commands.values())


@pytest.mark.parametrize(
    ("word", "command"),
    [("dedupe", "dedup"), ("plagiarism", "compare"), ("search", "check"), ("libary", "library")],
)
def test_a_wrong_command_suggests_the_right_one(word: str, command: str) -> None:
    done = CliRunner().invoke(build_app(), [word, "--lang", "en"])
    assert done.exit_code == 2
    assert f"Did you mean '{command}'?" in done.output


def test_without_a_command_the_help_is_shown() -> None:
    assert "Usage: whorl" in CliRunner().invoke(build_app(), []).output


def test_version_is_one_line_and_as_json_all_that_decides_a_result() -> None:
    result = CliRunner().invoke(build_app(), ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"whorl {whorl.__version__}\n")
    for arguments in (["--version", "--json"], ["--json", "--version"]):
        result = CliRunner().invoke(build_app(), arguments)
        assert (result.exit_code, list(json.loads(result.stdout))) == (0, ["whorl", "core", "fold", "recipe"])


HEAVY = {
    "tables": {"numpy", "openpyxl", "pandas", "polars", "pyarrow"},
    "templates": {"jinja2", "markupsafe"},
    "validation": {"pydantic"},
    "parsers": {"lxml", "pypdfium2", "trafilatura"},
    "charts": {"matplotlib"},
    "terminal": {"rich"},
}


def imported(*arguments: str) -> set[str]:
    """Return the top-level packages that a process of the command has imported when it ends."""
    code = (
        f"import sys\nfrom whorl.cli import run\nsys.argv[1:] = {list(arguments)!r}\n"
        "try:\n    run()\n"
        "finally:\n    print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_version_needs_no_heavy_imports() -> None:
    assert not imported("--version") & set().union(*HEAVY.values())


def test_the_help_is_shown_without_tables_templates_or_validation() -> None:
    kinds = HEAVY.keys() - {"terminal"}
    assert not imported("--help") & set().union(*(HEAVY[kind] for kind in kinds))


def test_texts_are_compared_without_templates(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。", encoding="utf-8")
    assert not imported("compare", str(tmp_path / "a.txt"), str(tmp_path / "b.txt")) & HEAVY["templates"]


def test_a_run_needs_no_validation_library(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "The lamp on Crane Rock is lit by hand."}\n', encoding="utf-8")
    arguments = ["dedup", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"), "--text", "text", "--keep", "longest"]
    assert not imported(*arguments) & HEAVY["validation"]


@pytest.mark.parametrize("arguments", [["--threshold", "0.73125"], ["--threshold", "seven"], ["--inside", "words"]])
def test_a_value_is_converted_and_checked(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "The lamp on Crane Rock is lit by hand."}\n', encoding="utf-8")
    done = CliRunner().invoke(
        build_app(), ["dedup", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"), *arguments, "--lang", "en"]
    )
    assert done.exit_code == (0 if arguments[1] == "0.73125" else 2)
    assert (arguments[1] in done.stderr) == (done.exit_code == 2)


@pytest.mark.parametrize("name", sorted(typer.main.get_command(build_app()).commands))
def test_a_command_can_be_built_alone(name: str) -> None:
    whole, alone = typer.main.get_command(build_app()), typer.main.get_command(build_app(name))
    assert list(alone.commands) == [name]
    assert [param.opts for param in alone.commands[name].params] == [
        param.opts for param in whole.commands[name].params
    ]

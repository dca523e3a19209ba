"""The READMEs, tutorials and chapters run: every command and Python block, in a folder with the files they name."""

import gzip
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
import pytest
import typer
from benchmarks.questions.dedup import excerpts
from tests.runs import shell

from whorl.cli import build_app
from whorl.cli.ui.advice import ADVICE
from whorl.fingerprints import families
from whorl.i18n import translated
from whorl.recipe import PRESETS

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
CHAPTERS = (
    "README",
    "docs/ALTERNATIVES",
    "docs/COHORT",
    "docs/DEDUP",
    "docs/INSIDE",
    "docs/PYTHON",
    "docs/REUSE",
    "docs/tutorials/CORPUS",
    "docs/tutorials/EDITOR",
    "docs/tutorials/PLATFORM",
    "docs/tutorials/RESEARCHER",
)
RUN = (*(f"{chapter}{ending}" for chapter in CHAPTERS for ending in (".md", ".zh-CN.md")), "SKILL.md")
EXACT = (*READMES, "SKILL.md")
"""Documents whose outputs are compared line by line."""
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for place in ("*.md", "llms.txt", "docs/**/*.md", "examples/**/*.md")
    for path in ROOT.glob(place)
)
NEWSROOM = ROOT / "examples" / "newsroom" / "articles.jsonl"

PROGRAM: Any = typer.main.get_command(build_app())
EXCERPTS = excerpts(json.loads((ROOT / "benchmarks" / "results" / "dedup.json").read_text(encoding="utf-8")))

CODE = ("sh", "python", "toml", "text")

each_document = pytest.mark.parametrize("name", RUN)


def both_languages(chapter: str) -> pytest.MarkDecorator:
    """Parametrize a test with a chapter in both languages."""
    return pytest.mark.parametrize("name", [f"{chapter}.md", f"{chapter}.zh-CN.md"])


def blocks(name: str, *languages: str) -> list[str]:
    """Return the code blocks of a document in these languages, without comments."""
    text = (ROOT / name).read_text(encoding="utf-8")
    matches = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [
        re.sub(r" *(?<!\S)# .*", "", block) for language, block in matches if not languages or language in languages
    ]


def transcripts(name: str) -> list[tuple[str, list[str]]]:
    """Return the `whorl` commands of a document, each with the documented output."""
    result: list[tuple[str, list[str]]] = []
    for block in blocks(name, "console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                result.append((line[2:], []))
            else:
                result[-1][1].append(line)
    lines = [line for block in blocks(name, "sh") for line in block.splitlines()]
    return result + [(line.strip(), []) for line in lines if "whorl " in line]


def language_of(name: str) -> str:
    """Return the language of a document."""
    return "zh" if name.endswith(".zh-CN.md") else "en"


def run(command: str | list[str], folder: Path, language: str = "en") -> str:
    """Run a command, or a line for a shell, in a folder and a language, and return its output. It must succeed."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {
        "PATH": programs,
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        "WHORL_LANG": language,
    }
    if isinstance(command, str):
        done = shell(command, environment, folder)
        assert done.code == 0, f"{command}\n{done.error}"
        return done.out
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, f"{command}\n{ended.stderr}"
    return ended.stdout


def words(text: str) -> str:
    """Return the text with white space normalized, and without the lines of boxes."""
    return " ".join(re.sub("[│─╭╮╰╯]", " ", text).split())


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """Return a folder with every file that the examples name."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    table = pyarrow.json.read_json(NEWSROOM)
    (tmp_path / "parquet").mkdir()
    pyarrow.parquet.write_table(table.slice(0, 50), tmp_path / "parquet" / "first.parquet")
    pyarrow.parquet.write_table(table.slice(50), tmp_path / "parquet" / "second.parquet")
    (tmp_path / "gbk").mkdir()
    for number, text in enumerate(table["text"].to_pylist()):
        (tmp_path / "gbk" / f"{number}.txt").write_text(text, encoding="gb18030")
    priority = pyarrow.array(range(table.num_rows))
    pyarrow.csv.write_csv(table.append_column("priority", priority), tmp_path / "news.csv")
    (tmp_path / "today.jsonl.gz").write_bytes(gzip.compress(NEWSROOM.read_bytes()))
    return tmp_path


@each_document
def test_documented_commands_run(name: str, workplace: Path) -> None:
    commands, program = transcripts(name), "\n".join(blocks(name, "python"))
    assert commands or program
    for command, expected in commands:
        printed = run(command, workplace, language_of(name))
        if name in EXACT:
            assert not expected or shows(expected, printed), f"{command} does not print {expected}, but:\n{printed}"
            continue
        missing = [line for line in expected if words(line) not in words(printed)]
        assert not missing, f"{command} does not print {missing}:\n{printed}"
    printed = run([sys.executable, "-c", program], workplace, language_of(name))
    if name in EXACT:
        assert "".join(blocks(name, "text")) == printed


def shows(expected: list[str], printed: str) -> bool:
    """Return whether a documented output is the printed one; a line with three dots stands for any number of lines."""
    lines = (words(line) for line in printed.splitlines() if not line.startswith(("╭", "╰")))
    parts = ((line == "...", words(line)) for line in expected if words(line))
    pattern = "".join("(?:.*\n)*" if skips else f"{re.escape(line)}\n" for skips, line in parts)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines if line)) is not None


@pytest.mark.parametrize(
    ("expected", "equal"),
    [
        (["a", "b c", "d"], True),
        (["a", "...", "d"], True),
        (["...", "b c", "..."], True),
        (["a", "...", "b c", "d"], True),
        (["a", "d"], False),
        (["b c", "d"], False),
        (["a", "b c"], False),
        (["...", "b", "..."], False),
    ],
)
def test_outputs_are_compared_line_by_line(expected: list[str], equal: bool) -> None:
    assert shows(expected, "╭─ title ─╮\n│ a     │\n\n│ b   c │\nd\n╰───────╯\n") == equal


@pytest.mark.parametrize("name", READMES)
def test_documented_installation_exists(name: str) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    commands = [line.split() for block in blocks(name, "sh") for line in block.splitlines()]
    for program, *arguments in commands:
        match program:
            case "make":
                assert set(arguments) <= set(targets)
            case "pip":
                assert re.findall(r"\[(\w+)\]", " ".join(arguments))[0] in extras
            case _:
                assert program == "whorl", "run as a documented command"


@pytest.mark.parametrize("name", READMES)
def test_the_table_of_tasks_has_a_command_for_each(name: str) -> None:
    assert len(task_commands(name)) == 7
    assert task_commands(name) == task_commands(READMES[0])


@pytest.mark.parametrize("name", EXCERPTS)
def test_tables_of_figures_are_those_of_the_record(name: str) -> None:
    document = (ROOT / name).read_text(encoding="utf-8")
    assert document.partition("<!-- dedup -->")[2].partition("<!-- /dedup -->")[0].count(EXCERPTS[name]) == 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_commands_and_options_exist(name: str) -> None:
    """Code spans that begin with ``whorl`` name commands and options of the program."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`whorl ([^`]+)`", text)
    commands = [part for span in spans for part in re.split(r"\s+\\?\|\s+(?:whorl )?", span)]
    for span in commands:
        command: Any = PROGRAM
        for word in span.split():
            if word in getattr(command, "commands", {}):
                command = command.commands[word]
            elif command is PROGRAM and re.fullmatch("[a-z]+", word):
                pytest.fail(f"{name} names the command whorl {word}")
            elif re.match("--[a-z]", word):
                option = word.partition("=")[0].rstrip(",.;:")
                options = {
                    option for member in family(command) for parameter in member.params for option in parameter.opts
                }
                assert option in options | {"--lang", "--help"}, f"{name} names whorl {span}"


def family(command: Any) -> list[Any]:
    """Return a command and its subcommands."""
    return [command, *getattr(command, "commands", {}).values()]


def task_commands(name: str) -> list[str]:
    """Return the commands of the first table of a README."""
    table = (ROOT / name).read_text(encoding="utf-8").split("\n## ")[0]
    return re.findall(r"^\| .* \| `(whorl .*)` \|$", table, re.MULTILINE)


@both_languages("docs/DEDUP")
def test_the_recipes_are_valid(name: str, workplace: Path) -> None:
    *recipes, settings = blocks(name, "toml")
    assert recipes
    for number, recipe in enumerate(recipes):
        (workplace / "recipe.toml").write_text(recipe, encoding="utf-8")
        run(f"whorl dedup examples/newsroom/articles.jsonl -o out{number} --recipe recipe.toml", workplace)
    (workplace / "whorl.toml").write_text(
        settings.replace("body", "text").replace("published", "date"), encoding="utf-8"
    )
    assert "earliest" in run("whorl dedup examples/newsroom/articles.jsonl -o settled --json", workplace)


@both_languages("docs/DEDUP")
def test_every_option_of_dedup_is_documented(name: str) -> None:
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", run("whorl dedup --help", ROOT)))
    documented = (ROOT / name).read_text(encoding="utf-8")
    assert {"--threshold", "--against"} <= options
    assert sorted(option for option in options if f"`{option}" not in documented) == []


@both_languages("docs/DECIDING")
def test_every_method_and_preset_is_documented(name: str) -> None:
    builtin = {method for method, member in families().items() if member.__module__.startswith("whorl.")}
    documented = (ROOT / name).read_text(encoding="utf-8")
    assert sorted(method for method in builtin | set(PRESETS) if f"`{method}`" not in documented) == []


@pytest.mark.parametrize(("name", "heading"), [("README.md", "Which method?"), ("README.zh-CN.md", "用哪种方法？")])
def test_the_advice_is_that_of_the_help(name: str, heading: str) -> None:
    section = (ROOT / name).read_text(encoding="utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", section, re.MULTILINE)[1:]]
    documented = [
        (have, go, f"--method {method.strip('`')} --keep {keep.strip('`')}") for have, go, method, keep in rows
    ]
    language = language_of(name)
    advised = [
        (
            translated(advice.have, language),
            translated(advice.go, language),
            f"--method {advice.method} --keep {advice.keep}",
        )
        for advice in ADVICE
    ]
    assert documented == advised
    printed = words(run("whorl dedup --help", ROOT, language))
    assert [advice for advice in advised if not all(words(part) in printed for part in advice)] == []
    assert {advice.method for advice in ADVICE} <= {*families(), *PRESETS}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_both_languages_have_the_same_code(chapter: str) -> None:
    assert_same_code(f"{chapter}.md", f"{chapter}.zh-CN.md")


@pytest.mark.parametrize("name", READMES)
def test_the_readme_is_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= 150


def assert_same_code(english: str, chinese: str) -> None:
    """Assert that both documents have the same code, and the same commands with output."""
    assert blocks(english, *CODE) == blocks(chinese, *CODE)
    commands = [[command for command, _ in transcripts(name)] for name in (english, chinese)]
    assert commands[0] == commands[1]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    document = ROOT / name
    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", document.read_text(encoding="utf-8"))
    for link in links:
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), f"{name} links to {link}"
        if heading:
            assert heading in headings(target), f"{name} links to {link}"


def headings(document: Path) -> set[str]:
    """Return the anchors of a document as generated by GitHub."""
    titles = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

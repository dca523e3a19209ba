"""Output files of commands: no input and no foreign file is lost, and no file is written by half."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.articles import article, write_jsonl
from tests.runs import files, whorl
from tests.unit.cli.articles import Invoke

if sys.platform != "win32":
    import resource

Arguments = Callable[[Path, Path], list[str | Path]]
COMMANDS: dict[str, Arguments] = {
    "compare": lambda folder, target: ["compare", folder / "a.txt", folder / "b.txt", "--html", target],
    "compare with sources": lambda folder, target: [
        *("compare", folder / "a.txt", "--against", folder / "b.txt", "--html", target)
    ],
    "recommend a page": lambda folder, target: [
        *("recommend", folder / "c.jsonl", "--method", "exact", "--copies", "1", "--quiet", "--html", target)
    ],
    "recommend a recipe": lambda folder, target: [
        *("recommend", folder / "c.jsonl", "--method", "web", "--kind", "drop20", "--quiet", "--out", target)
    ],
    "eval": lambda folder, target: [
        *(
            "eval",
            folder / "c.jsonl",
            folder / "truth.csv",
            "--method",
            "exact",
            "--no-sweep",
            "--quiet",
            "--html",
            target,
        )
    ],
}
each_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return inputs for every command."""
    for number, name in enumerate(("a.txt", "b.txt")):
        (tmp_path / name).write_text(article(number), encoding="utf-8")
    write_jsonl(tmp_path / "c.jsonl", [{"id": str(number), "text": article(number)} for number in range(60)])
    (tmp_path / "truth.csv").write_text("a,b\n0,1\n", encoding="utf-8")
    return tmp_path


@each_command
def test_existing_outputs_are_overwritten(invoke: Invoke, folder: Path, command: str) -> None:
    target = folder / "out"
    assert invoke(*COMMANDS[command](folder, target)).exit_code in (0, 1)
    before = files(folder)
    assert before["out"]
    assert invoke(*COMMANDS[command](folder, target)).exit_code in (0, 1)
    assert files(folder).keys() == before.keys()


@each_command
@pytest.mark.parametrize("name", ["a.txt", "b.txt", "c.jsonl", "truth.csv"])
def test_an_input_is_not_written_over(invoke: Invoke, folder: Path, command: str, name: str) -> None:
    before = files(folder)
    ended = invoke(*COMMANDS[command](folder, folder / name))
    assert (ended.exit_code, files(folder)) == (2, before), ended.output
    assert "new file" in ended.stderr


@each_command
def test_a_file_of_something_else_is_not_written_over(invoke: Invoke, folder: Path, command: str) -> None:
    (folder / "thesis.html").write_text("<title>My thesis</title>", encoding="utf-8")
    before = files(folder)
    assert invoke(*COMMANDS[command](folder, folder / "thesis.html")).exit_code == 2
    assert files(folder) == before


def test_a_report_that_is_among_the_sources_is_not_written_over(invoke: Invoke, folder: Path) -> None:
    page = folder / "sources" / "page.html"
    page.parent.mkdir()
    assert invoke("compare", folder / "a.txt", folder / "b.txt", "--html", page).exit_code == 0
    before = files(folder)
    ended = invoke("compare", folder / "a.txt", "--against", page.parent, "--html", page)
    assert (ended.exit_code, files(folder)) == (2, before)
    assert "is an input" in ended.stderr


def test_missing_output_folder_is_reported_before_work(invoke: Invoke, folder: Path) -> None:
    ended = invoke("compare", folder / "a.txt", folder / "b.txt", "--html", folder / "nowhere" / "page.html")
    assert (ended.exit_code, "does not exist" in ended.stderr) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_a_page_that_cannot_be_written_leaves_the_one_before(folder: Path) -> None:
    arguments = COMMANDS["compare"](folder, folder / "page.html")
    assert whorl(*arguments).code == 0
    before = files(folder)
    ended = whorl(*arguments, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert (ended.code, files(folder)) == (4, before), ended.error


@pytest.mark.skipif(sys.platform == "win32", reason="/dev is a matter of POSIX")
def test_a_device_takes_a_page(folder: Path) -> None:
    assert whorl(*COMMANDS["compare"](folder, Path("/dev/null"))).code == 0


def test_a_picture_of_something_else_is_not_written_over(invoke: Invoke, folder: Path) -> None:
    plots = folder / "plots"
    arguments = ["eval", folder / "c.jsonl", folder / "truth.csv", "--method", "minhash", "--quiet", "--plots", plots]
    assert invoke(*arguments).exit_code == 0
    assert invoke(*arguments).exit_code == 0, "charts of whorl are drawn again"
    [first, *_] = sorted(plots.iterdir())
    first.write_bytes(b"\x89PNG holiday")
    ended = invoke(*arguments)
    assert (ended.exit_code, first.read_bytes()) == (2, b"\x89PNG holiday")
    assert "not a chart made by whorl" in ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_an_export_that_cannot_be_written_leaves_nothing(folder: Path) -> None:
    assert whorl("add", folder / "library", folder / "c.jsonl").code == 0
    before = {path.name for path in folder.iterdir()}
    limit = (20_000, 20_000)
    ended = whorl(
        *("library", "export", folder / "library", folder / "all.jsonl"),
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert (ended.code, {path.name for path in folder.iterdir()}) == (4, before), ended.error

"""The log of a command that runs every night."""

from __future__ import annotations

import io
import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tests.articles import article, edited, write_jsonl
from tests.unit.cli.articles import Invoke

import whorl
from whorl.cli.ui.bars import ProgressBars
from whorl.cli.ui.logs import logged

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO|WARNING) (cli|corpus|engines|library): .+")
TEXT = article(1)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a corpus of three rows, one of them damaged, a file that is no corpus, and an unsupported file."""
    folder = tmp_path / "in"
    folder.mkdir()
    write_jsonl(folder / "a.jsonl", [{"id": "1", "text": TEXT}, {"id": "2", "text": edited(TEXT, 3)}])
    with (folder / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "3", "text": "' + article(2) + "\n")
    (folder / "b.docx").write_bytes(b"nothing of the kind")
    (folder / ".c.jsonl").write_text("", encoding="utf-8")
    return folder


def test_log_lists_read_and_rejected_files_with_reasons(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    done = invoke("dedup", corpus, "-o", tmp_path / "out", "--quiet", "--log", log, "--lang", "zh")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    lines = log.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    reported = [line.partition(" INFO ")[2] for line in lines]
    assert f"corpus: {corpus / '.c.jsonl'}: passed over: hidden" in reported
    assert f"corpus: {corpus / 'a.jsonl'}: read, rows: 2" in reported
    assert any(line.startswith(f"corpus: {corpus / 'a.jsonl'}:3: set aside: not a JSON object") for line in reported)
    assert any(
        line.startswith(f"corpus: {corpus / 'b.docx'}:1: set aside: the file is not a DOCX") for line in reported
    )
    assert f"engines: {tmp_path / 'out'}: rows 4, kept 1, exact 0, near 1, rejected 2" in reported
    assert TEXT[:8] not in log.read_text(encoding="utf-8")
    assert article(2)[:8] not in log.read_text(encoding="utf-8")


def test_a_file_is_appended_to_and_has_how_a_command_failed(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("before\n", encoding="utf-8")
    assert invoke("dedup", tmp_path / "nothing", "-o", tmp_path / "out", "--log", log).exit_code == 3
    assert invoke("dedup", corpus, "-o", tmp_path / "out", "--log", log).exit_code == 0
    text = log.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert re.search(r"cli: dedup: failed, InputError: .+nothing does not exist after", text)
    assert re.search(r"cli: dedup: done after \d", text)


def test_log_on_stderr_is_below_progress_and_not_on_stdout(invoke: Invoke, corpus: Path, tmp_path: Path) -> None:
    done = invoke("dedup", corpus, "-o", tmp_path / "out", "--verbose", "--json")
    assert json.loads(done.stdout)["counts"]["rejected"] == 2
    lines = done.stderr.splitlines()
    assert "read … " in lines
    assert sum("set aside" in line and LINE.fullmatch(line) is not None for line in lines) == 2
    quiet = invoke("dedup", corpus, "-o", tmp_path / "again", "-v", "-q")
    assert quiet.stdout == ""
    assert [line for line in quiet.stderr.splitlines() if not LINE.fullmatch(line)] == []


def test_bars_stay_whole() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None)

    @logged
    def command() -> None:
        with ProgressBars(console) as progress:
            progress.stage("read", 10, "documents")
            logging.getLogger("whorl.corpus").info("%s:%d: set aside: %s", "a\nb\x1b[2J.csv", 7, "no text")
            progress.advance(10)

    before, sys.stderr = sys.stderr, screen
    try:
        command(verbose=True)
    finally:
        sys.stderr = before
    assert re.search(r"^.*Z INFO corpus: a b⟨ESC⟩\[2J\.csv:7: set aside: no text *$", screen.getvalue(), re.MULTILINE)


def test_a_warning_is_shown_unasked_in_the_language_of_the_reader(capsys: pytest.CaptureFixture[str]) -> None:
    from whorl.i18n import say, speaking

    @logged
    def command() -> None:
        message = say("the index was not saved: {reason}", reason=say("No space left on device"))
        logging.getLogger("whorl.library").warning(message)
        logging.getLogger("whorl.corpus").info("a.csv:7: set aside: no text")

    with speaking("zh"):
        command()
    assert capsys.readouterr().err == "警告：索引没有保存：磁盘已满\n"


def test_every_command_has_log_options(invoke: Invoke, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert invoke("methods", "--log", log).exit_code == 0
    assert "methods: done" in log.read_text(encoding="utf-8")
    refused = invoke("methods", "--log", "-")
    assert (refused.exit_code, "standard output contains the result" in refused.stderr) == (2, True)
    assert invoke("methods", "--log", tmp_path / "none" / "log").exit_code == 3


def test_settings_may_ask_for_it(invoke: Invoke, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "whorl.toml").write_text('verbose = true\nlog = "whorl.log"\n', encoding="utf-8")
    monkeypatch.setenv("WHORL_CONFIG", str(tmp_path / "whorl.toml"))
    monkeypatch.chdir(corpus)
    done = invoke("dedup", "a.jsonl", "-o", tmp_path / "out", "--quiet")
    assert "set aside" in done.stderr
    assert "set aside" in (tmp_path / "whorl.log").read_text(encoding="utf-8")


def test_python_hears_of_it_by_the_standard_library_and_is_silent_else(
    corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "whorl"):
        whorl.dedup_files(corpus, tmp_path / "out")
    assert any(record.name == "whorl.corpus" and "set aside" in record.getMessage() for record in caplog.records)
    code = f"import whorl; whorl.dedup_files({str(corpus)!r}, {str(tmp_path / 'again')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")

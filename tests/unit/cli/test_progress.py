import io
import re

import pytest
from rich.console import Console

from whorl.cli.ui.bars import ProgressBars
from whorl.cli.ui.progress import ProgressLines, measured, show_progress
from whorl.engines.progress import Progress


def work(progress: Progress) -> None:
    progress.stage("read", 4_000_000, "bytes")
    progress.advance(1_500_000)
    progress.advance(2_500_000)
    progress.stage("rank", None, "documents")
    progress.stage("probe", 12_345, "documents")
    progress.note("a hot key: \x1b[31m")
    progress.advance(12_345)


def test_a_log_gets_one_line_a_stage(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(quiet=False) as progress:
        work(progress)
    output = capsys.readouterr()
    assert output.out == ""
    lines = output.err.splitlines()
    assert re.fullmatch(r"read … 4\.0\s?MB \(.+/s\) in .+", lines[0])
    assert re.fullmatch(r"ranking … \S+\ss", lines[1])
    assert lines[2:4] == ["probe … ", "note: a hot key: ⟨ESC⟩[31m"]
    assert re.fullmatch(r"12,345 documents \(.+/s\) in .+", lines[4])


def test_a_failure_ends_the_line_that_was_begun(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        with ProgressLines() as progress:
            progress.stage("read", 10, "bytes")
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail()
    assert capsys.readouterr().err == "read … \n"


def test_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(quiet=True) as progress:
        work(progress)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_bar_a_stage() -> None:
    screen = io.StringIO()
    with ProgressBars(Console(file=screen, force_terminal=True, width=100, color_system=None)) as progress:
        work(progress)
    output = screen.getvalue()
    for item in (
        "read",
        "4.0\u00a0MB",
        "ranking",
        "probe",
        "12,345 documents",
        "a hot key: ⟨ESC⟩[31m",
    ):
        assert item in output


def test_a_stage_of_unknown_length_can_be_shown() -> None:
    screen = io.StringIO()
    with ProgressBars(Console(file=screen, force_terminal=True, width=100)) as progress:
        progress.stage("unheard-of", None, "rows")
        progress.advance(3)
    assert "3 rows" in screen.getvalue()


@pytest.mark.parametrize(
    ("done", "unit", "seconds", "message"),
    [
        (12_345, "documents", 0.5, "12,345 documents (24,690/s)"),
        (1, "documents", 8.0, "1 documents (0.12/s)"),
        (3, "documents", 0.0, "3 documents"),
        (0, "documents", 2.0, ""),
    ],
)
def test_a_rate_is_never_nothing(done: int, unit: str, seconds: float, message: str) -> None:
    assert measured(done, unit, seconds) == message

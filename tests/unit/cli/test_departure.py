"""The program ends at once, but nothing that was to happen before is left out."""

import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = "import atexit, sys, threading, time\nfrom whorl.cli.ui.startup import Departure\ndeparture = Departure()\n"
END = "departure.expect({code})\nsys.exit({code})"


def ended(program: str, code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BEGIN + program + END.format(code=code)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(("code", "expected"), [("None", 0), ("0", 0), ("3", 3), ("'a reason'", 1)])
def test_the_exit_code_is_that_of_the_program(code: str, expected: int) -> None:
    assert ended("", code).returncode == expected


def test_a_reason_is_printed() -> None:
    assert ended("", "'a reason'").stderr == "a reason\n"


def test_what_was_printed_arrives() -> None:
    assert ended("sys.stdout.write('x' * 100_000)\n", "0").stdout == "x" * 100_000


def test_functions_at_exit_run() -> None:
    assert ended("atexit.register(print, 'registered')\n", "0").stdout == "registered\n"


def test_threads_are_waited_for() -> None:
    work = "threading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start()\n"
    assert ended(work, "0").stdout == "done\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is always full")
def test_output_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [sys.executable, "-c", BEGIN + "print('x')\n" + END.format(code=0)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert done.returncode
    assert "No space left" in done.stderr

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from tests.panics import panic_in_core
from tests.runs import whorl

from whorl.cli.ui.failures import BROKEN_PIPE, DEFECT, INTERRUPTED, guarded, user_error
from whorl.errors import InputError, ResourceError, UsageError

WHORL = [sys.executable, "-m", "whorl"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (UsageError("two names"), UsageError),
        (InputError("no such file"), InputError),
        (ResourceError("disk full"), ResourceError),
        (MemoryError(), ResourceError),
        (OSError(errno.ENOSPC, "No space left on device"), ResourceError),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), ResourceError),
        (OSError(errno.EFBIG, "File too large"), ResourceError),
        (PermissionError(errno.EACCES, "Permission denied", "/somewhere"), ResourceError),
        (OSError(errno.EROFS, "Read-only file system"), ResourceError),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "gone.jsonl"), InputError),
        (OSError("not a Parquet file"), InputError),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_user_errors_have_a_kind_and_a_hint(failure: Exception, kind: type[Exception]) -> None:
    error = user_error(failure)
    assert type(error) is kind
    if error is not failure:
        assert error is not None
        assert error.hint


def test_a_defect_is_not_the_users_mistake() -> None:
    assert user_error(ZeroDivisionError()) is None


@pytest.mark.parametrize(
    ("failure", "code", "message"),
    [
        (UsageError("which one?", hint="name it"), 2, "error: which one?\n  hint: name it\n"),
        (InputError("a.jsonl, line 7: no text"), 3, "error: a.jsonl, line 7: no text\n"),
        (OSError(errno.ENOSPC, "No space left on device", "out/kept"), 4, "No space left on device: out/kept"),
        (MemoryError(), 4, "out of memory"),
        (KeyboardInterrupt(), INTERRUPTED, "run the same command again"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), BROKEN_PIPE, ""),
        (ZeroDivisionError("division by zero"), DEFECT, "bug in whorl"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_a_failure_ends_with_its_code_and_a_message(
    failure: BaseException, code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise failure

    with pytest.raises(typer.Exit) as end:
        guarded(command)()
    output = capfd.readouterr()
    assert (end.value.exit_code, output.out) == (code, "")
    assert message in output.err
    assert ("Traceback" in output.err) == (code == DEFECT)


def test_a_panic_of_the_core_is_a_defect(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end:
        guarded(panic_in_core)()
    assert end.value.exit_code == DEFECT
    assert "bug in whorl" in capfd.readouterr().err


def test_a_file_name_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise InputError("evil\x1b[2J\u202egnp.jsonl does not exist")

    with pytest.raises(typer.Exit):
        guarded(command)()
    assert capfd.readouterr().err == "error: evil⟨ESC⟩[2J⟨RLO⟩gnp.jsonl does not exist\n"


def test_exit_codes_are_passed_on() -> None:
    def command() -> None:
        raise typer.Exit(1)

    with pytest.raises(typer.Exit) as end:
        guarded(command)()
    assert end.value.exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["frobnicate"], ["dedup"], ["dedup", "a.jsonl"], ["dedup", "a.jsonl", "-o", "x", "--on-error", "shrug"],
     ["dedup", "a.jsonl", "-o", "x", "--workers", "0"], ["dedup", "a.jsonl", "-o", "x", "--threshold", "high"],
     ["explain", "a.txt"], ["show", "out"]],
    ids=" ".join,
)  # fmt: skip
def test_a_malformed_command_line_is_a_usage_error(arguments: list[str]) -> None:
    done = subprocess.run([*WHORL, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("argument", ["methods", "--version", "--help"])
def test_a_full_disk_behind_stdout_is_a_resource_error(argument: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*WHORL, argument], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr.startswith("error: No space left on device")
    assert "Traceback" not in done.stderr


def without(*descriptors: int) -> Callable[[], None]:
    """Close standard streams before the program starts."""

    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return close


@pytest.mark.skipif(os.name == "nt", reason="descriptors are a matter of POSIX")
@pytest.mark.parametrize("command", ["dedup", "add"])
def test_closed_stdin_is_reported_on_read(command: str, tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "out")]
    arguments = ["dedup", "-", *out] if command == "dedup" else ["add", str(tmp_path / "library"), "-"]
    ended = whorl(*arguments, before=without(0))
    assert (ended.code, "standard input is closed" in ended.error, "hint: " in ended.error) == (3, True, True)


@pytest.mark.skipif(os.name == "nt", reason="descriptors are a matter of POSIX")
def test_closed_stdout_is_reported_before_work(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text.", encoding="utf-8")
    ended = whorl("dedup", tmp_path / "a.txt", "-o", tmp_path / "out", before=without(1))
    assert (ended.code, "standard output is closed" in ended.error) == (4, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name == "nt", reason="descriptors are a matter of POSIX")
def test_closed_stderr_only_hides_progress(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text.", encoding="utf-8")
    for number in range(2):
        assert whorl("add", tmp_path / "library", tmp_path / "a.txt", before=without(2)).code == 0, number
    assert whorl("dedup", tmp_path / "a.txt", "-o", tmp_path / "out", before=without(0, 2)).code == 0
    assert whorl("library", "verify", tmp_path / "library").code == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE convention")
def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*WHORL, "methods", "minhash"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (BROKEN_PIPE, b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def interrupted(process: subprocess.Popen[str]) -> str:
    """Interrupt a process until it ends, and return its standard error.

    A signal just before a read begins does not end the read: it waits, and a person presses the keys again.
    """
    for _ in range(12):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)[1]
    process.kill()
    raise AssertionError(process.communicate()[1])


def test_interrupt_prints_how_to_continue(tmp_path: Path) -> None:
    endless = tmp_path / "endless.txt"
    os.mkfifo(endless)
    (tmp_path / "b.txt").write_text("A text.", encoding="utf-8")
    process = subprocess.Popen(
        [*WHORL, "explain", str(endless), str(tmp_path / "b.txt")], stderr=subprocess.PIPE, text=True
    )
    with endless.open("wb"):
        output = interrupted(process)
    assert process.returncode == INTERRUPTED
    assert "run the same command again" in output
    assert "Traceback" not in output


def test_json_is_utf8_on_any_terminal(corpus: Path) -> None:
    done = subprocess.run(
        [*WHORL, "explain", f"{corpus}:3", f"{corpus}:1", "--text", "title", "--json"],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert json.loads(done.stdout.decode("utf-8"))["copies"] is False


@pytest.mark.parametrize(
    ("hint", "visible"),
    [
        ("name the column: `text=正文 栏`", "name the column: --text 正文 栏"),
        ("check `text` and `on_error`", "check --text and --on-error"),
        ("see `whorl methods`, or `keep=first`", "see `whorl methods`, or `keep=first`"),
    ],
)
def test_arguments_are_shown_as_options_of_the_command(
    capsys: pytest.CaptureFixture[str], hint: str, visible: str
) -> None:
    @guarded
    def command(text: str, on_error: str) -> None:
        raise InputError(f"{text} {on_error}", hint=hint)

    with pytest.raises(typer.Exit) as ended:
        command(text="a", on_error="b")
    assert ended.value.exit_code == InputError.exit_code
    assert f"hint: {visible}\n" in capsys.readouterr().err

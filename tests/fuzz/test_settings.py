"""Settings that came with a folder: whatever they say, a command in it writes, connects and listens to nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.articles import article, edited, write_jsonl
from tests.runs import files
from tests.unit.cli.test_settings import every_option
from typer.testing import CliRunner

import whorl
from whorl.cli import build_app

DOCUMENTED = {0, 1, 2, 3, 4}
"""Exit codes of `whorl --help` for what is no defect."""
LIBRARY, OUT = "library", "out"
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("methods",),
    ("dedup", ".", "-o", f"../../{OUT}"),
    ("compare", "a.jsonl", "b.jsonl"),
    ("check", f"../../{LIBRARY}", "a.jsonl"),
    ("add", f"../../{LIBRARY}", "a.jsonl"),
    ("hot", f"../../{LIBRARY}"),
    ("key", "list", f"../../{LIBRARY}"),
)
WATCHED = frozenset({
    "open", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.truncate",
    "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect", "socket.bind", "socket.listen",
    "socket.getaddrinfo", "socket.sendto",
})  # fmt: skip
"""Events of the interpreter that tell of writing, connecting, listening or running something."""
PLACES = [
    "../outside/x", "../../outside/x", "/nowhere/x", "~/.bashrc", "$HOME/x", "file:///nowhere/x", "http://127.0.0.1:9/x",
    "s3://bucket/x", "postgresql://127.0.0.1:9/x", "redis://127.0.0.1:9", "0.0.0.0", "127.0.0.1:9",
    "recipe.toml", "a.jsonl", "link.toml", "/dev/stdin", "/proc/self/mem", "",
]  # fmt: skip


class Raw(str):
    """What stands in a file as it is."""


words = st.sampled_from(
    [*PLACES, "text", "news", "minhash", "latest", "\0", "\x1b[31m", "渔", "-o", "--log=x", "a" * 5000]
)
scalars = st.one_of(
    words,
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.booleans(),
    st.sampled_from(["2026-01-01", "07:32:00", "9" * 5000, "0x" + "f" * 40]).map(Raw),
)
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.dictionaries(words, scalars, max_size=2))


def toml(value: object) -> str:
    """A value as TOML has it."""
    match value:
        case Raw():
            return str(value)
        case bool():
            return str(value).lower()
        case str():
            return '"' + "".join(c if c >= " " and c not in '"\\\x7f' else f"\\u{ord(c):04x}" for c in value) + '"'
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return f"{{{', '.join(f'{toml(key)} = {toml(item)}' for key, item in value.items())}}}"
    return repr(value)


@st.composite
def contents(draw: Callable[..., Any], options: list[tuple[str, str]]) -> bytes:
    """The content of a file: tables of options that there are, among others; some of it damaged."""
    chosen = draw(st.lists(st.sampled_from(options) | st.tuples(words, words), max_size=4))
    lines = [f"{toml(option)} = {toml(draw(values))}" for _, option in draw(st.sampled_from([[], chosen[:1]]))]
    for command, option in chosen:
        table = ".".join(map(toml, command.split(".")))
        lines += [f"[{table}]", f"{toml(option)} = {toml(draw(values))}"]
    whole = "\n".join(lines).encode("utf-8")
    damage = draw(st.binary(max_size=8))
    place = draw(st.integers(0, len(whole)))
    return draw(st.sampled_from([whole, whole, whole, whole[:place] + damage + whole[place:]]))


class Recorder:
    """What the interpreter does while it is on, that is not below some folders."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self._allowed: tuple[str, ...] | None = None
        sys.addaudithook(self._hear)

    @contextmanager
    def recording(self, *allowed: Path) -> Iterator[None]:
        self.events.clear()
        self._allowed = tuple(f"{place}" for place in allowed)
        try:
            yield
        finally:
            self._allowed = None

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._allowed is None or event not in WATCHED:
            return
        if (
            event == "open"
            and isinstance(arguments[2], int)
            and not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        ):
            return
        if event.startswith(("open", "os.")):
            folder = arguments[-1] if event not in ("open", "os.truncate") else -1
            named = arguments[:1] if event == "open" else arguments
            paths = [argument for argument in named if isinstance(argument, str | bytes | os.PathLike)]
            if all(self._is_allowed(path, folder) for path in paths):
                return
        self.events.append(f"{event} {arguments!r:.300}")

    def _is_allowed(self, path: str | bytes | os.PathLike[str], folder: object) -> bool:
        base = Path(f"/proc/self/fd/{folder}").readlink() if isinstance(folder, int) and folder >= 0 else Path()
        name = f"{(base / os.fsdecode(path)).resolve()}"
        return name == os.devnull or "__pycache__" in name or name.startswith(self._allowed or ())


recorder = Recorder()


def demand_harmless(content: bytes, file: str, level: int, command: tuple[str, ...]) -> None:
    """Run a command in a folder with settings in it or above it, and demand that it did nothing beside its own."""
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        root = Path(name).resolve()
        corpus = root / "corpus" / "below"
        corpus.mkdir(parents=True)
        for other in ("outside", "home", "temporary"):
            (root / other).mkdir()
        (root / "home" / ".bashrc").write_text("true\n")
        (root / "outside" / "recipe.toml").write_text('method = "exact"\n')
        (corpus / "recipe.toml").write_text('method = "minhash"\n')
        (corpus / "link.toml").symlink_to(root / "outside" / "recipe.toml")
        rows = [{"id": str(number), "text": text} for number, text in enumerate((article(1), edited(article(1), 2)))]
        write_jsonl(corpus / "a.jsonl", rows)
        write_jsonl(corpus / "b.jsonl", rows[1:])
        whorl.open(root / LIBRARY).close()
        (corpus.parent / "below" if level == 0 else corpus.parent).joinpath(file).write_bytes(content)
        for variable, value in (("HOME", "home"), ("XDG_CONFIG_HOME", "home"), ("XDG_CACHE_HOME", "temporary")):
            patch.setenv(variable, str(root / value))
        patch.setenv("TMPDIR", str(root / "temporary"))
        patch.delenv("WHORL_CONFIG", raising=False)
        before = {place: files(root / place) for place in ("outside", "home", "corpus")}
        with chdir(corpus), recorder.recording(root / OUT, root / LIBRARY, root / "temporary"):
            done = CliRunner().invoke(build_app(), list(command))
        after = {place: files(root / place) for place in ("outside", "home", "corpus")}
    assert recorder.events == []
    assert after == before
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output, done.output
    assert done.exit_code in DOCUMENTED, (done.exit_code, done.output)


cases = st.tuples(
    contents(every_option()),
    st.sampled_from(["whorl.toml", "pyproject.toml"]),
    st.integers(0, 1),
    st.sampled_from(COMMANDS),
)
DEEP = b"text = " + b"[" * 100_000
PROJECT = "pyproject.toml"


def run(case: tuple[bytes, str, int, tuple[str, ...]]) -> None:
    content, file, level, command = case
    if file == PROJECT:
        content = content.replace(b"\n[", b"\n[tool.whorl.")
        content = b"# tool.whorl\n" + (content if content.startswith(b"[tool") else b"[tool.whorl]\n" + content)
    demand_harmless(content, file, level, command)


few = settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
many = settings(max_examples=3000, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@few
@given(cases)
@example((DEEP, "whorl.toml", 0, COMMANDS[0]))
@example((b"text = " + b"9" * 5000, "whorl.toml", 0, COMMANDS[0]))
@example((b'log = "../outside/x"', "whorl.toml", 1, COMMANDS[1]))
def test_settings_of_a_folder_do_no_harm(case: tuple[bytes, str, int, tuple[str, ...]]) -> None:
    run(case)


@pytest.mark.parametrize(
    "content", [b"tool = 1 # tool.whorl", b"tool = [1] # tool.whorl", b"[tool]\nwhorl = 1 # tool.whorl"]
)
def test_a_project_whose_tools_are_no_tables_is_a_mistake_or_none(content: bytes) -> None:
    demand_harmless(content, PROJECT, 0, COMMANDS[0])


@pytest.mark.soak
@many
@given(cases)
def test_settings_of_many_folders_do_no_harm(case: tuple[bytes, str, int, tuple[str, ...]]) -> None:
    run(case)

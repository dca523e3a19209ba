"""What a parser that a file has taken over can still do: tried by a parser inside the process that parses."""

from __future__ import annotations

import json
import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Timer
from types import ModuleType
from typing import Any

import pytest

from whorl._internal.interruption import Interrupted, cancelled_by
from whorl.corpus import Columns, ReadOptions, Rejects, Source
from whorl.corpus.sandbox import BUDGETS, Budget
from whorl.corpus.sandbox.parsers import SandboxedFormat

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems promise less; see docs/SERVICE_SECURITY")

NATIVE = platform.machine() in ("x86_64", "aarch64")
"""Whether the calls of the system have known numbers, so that a filter refuses them."""

PARSER = '''
"""A parser that does what its file says, as one that was taken over would."""
import ctypes, json, os, resource, signal, socket, subprocess, sys, threading, time
from pathlib import Path

import numpy as np
import pyarrow as pa

from whorl.corpus.contract import Batch


def attempt(act):
    try:
        return repr(act())[:200]
    except BaseException as error:
        return type(error).__name__


def run(task):
    name, *values = task
    if name == "read":
        return attempt(lambda: Path(values[0]).read_text(encoding="utf-8"))
    if name == "list":
        return attempt(lambda: os.listdir(values[0]))
    if name == "write":
        return attempt(lambda: Path(values[0]).write_text("x", encoding="utf-8"))
    if name == "remove":
        return attempt(lambda: os.unlink(values[0]))
    if name == "connect":
        return attempt(lambda: socket.create_connection(tuple(values), 1))
    if name == "resolve":
        return attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    if name == "run":
        return attempt(lambda: subprocess.run(["true"]))
    if name == "fork":
        return attempt(lambda: os.waitpid(os.fork() or os._exit(0), 0))
    if name == "signal":
        return attempt(lambda: os.kill(values[0], 0))
    if name == "environment":
        return json.dumps(dict(os.environ))
    if name == "descriptors":
        places = [Path(f"/proc/self/fd/{each}") for each in range(64)]
        return json.dumps([os.readlink(place) for place in places if os.path.lexists(place)])
    if name == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        held = []
        while True:
            held.append(b"a" * 2**24)
    if name == "spin":
        while True:
            pass
    return "unknown"


def read(source, columns, rejects, options):
    answers = [run(task) for task in json.loads(Path(source.path).read_text(encoding="utf-8"))]
    yield Batch(pa.array(answers, pa.string()), pa.nulls(len(answers), pa.string()), None, np.arange(len(answers)))
'''


@pytest.fixture
def attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Have tasks tried inside the process that parses, and return what came of each, or why the file was rejected."""
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "hostile_parser.py").write_text(PARSER, encoding="utf-8")
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setattr("whorl.corpus.sandbox.processes.ProcessState.pool", None)  # processes that import from there

    def tried(*tasks: list[Any], untrusted: bool = False) -> list[str]:
        path = tmp_path / "tasks"
        path.write_text(json.dumps(tasks), encoding="utf-8")
        source = Source(path, "tasks", "text", untrusted=untrusted)
        rejects = Rejects()
        read = SandboxedFormat(ModuleType("unused"), "hostile_parser").read(source, Columns(), rejects, ReadOptions())
        answers = [answer for batch in read for answer in batch.texts.to_pylist()]
        return answers or [entry.reason for entry in rejects.named]

    return tried


def test_no_file_of_the_user_can_be_read(attempts: Callable[..., list[str]], tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret", encoding="utf-8")
    places = [secret, Path("/etc/passwd"), Path(f"/proc/{os.getpid()}/environ"), Path(f"/proc/{os.getpid()}/cmdline")]
    assert set(attempts(*(["read", str(place)] for place in places))) == {"PermissionError"}
    assert set(attempts(["list", "/"], ["list", str(tmp_path)], ["list", str(Path.home())])) == {"PermissionError"}


def test_nothing_can_be_written_or_removed(attempts: Callable[..., list[str]], tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept", encoding="utf-8")
    errors = attempts(
        ["write", str(kept)], ["write", str(tmp_path / "new")], ["write", "/tmp/whorl-new"], ["remove", str(kept)]
    )
    assert set(errors) == {"PermissionError"}
    assert (kept.read_text(encoding="utf-8"), (tmp_path / "new").exists()) == ("kept", False)


@pytest.mark.skipif(not NATIVE, reason="no filter of calls here")
def test_the_network_cannot_be_reached(attempts: Callable[..., list[str]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        errors = attempts(["connect", "127.0.0.1", server.getsockname()[1]], ["resolve"])
    assert set(errors) == {"PermissionError"}


@pytest.mark.skipif(not NATIVE, reason="no filter of calls here")
def test_no_other_program_is_begun_and_no_signal_sent(attempts: Callable[..., list[str]]) -> None:
    assert set(attempts(["run"], ["fork"], ["signal", os.getpid()], ["signal", 1])) == {"PermissionError"}


def test_no_secret_is_inherited(
    attempts: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "WHORL_API_KEY", "HTTPS_PROXY", "HOME"):
        monkeypatch.setenv(name, "topsecret")
    with (tmp_path / "open").open("w", encoding="utf-8") as opened:
        os.set_inheritable(opened.fileno(), True)
        environment, descriptors = attempts(["environment"], ["descriptors"])
    assert "topsecret" not in environment
    names = [name.partition(":")[0].partition(" ")[0] for name in json.loads(descriptors)]
    # It watches its own size.
    foreign = {name for name in names if not re.fullmatch(r"/proc/\d+/statm", name)}
    assert foreign <= {"/dev/null", "socket", "pipe", "/memfd"}, descriptors


def test_memory_stays_bounded_where_the_parser_lifts_its_own_limit(
    attempts: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BUDGETS, "text", Budget(60, 0, 64, 0))
    (reason,) = attempts(["memory"])
    assert reason.startswith("reading it takes more than 64 MB of memory"), reason


def test_a_parser_that_never_ends_is_ended_and_the_next_file_is_read(
    attempts: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whorl.corpus.sandbox.parsers.UNTRUSTED", Budget(2, 0, 0, 0))
    (reason,) = attempts(["spin"], untrusted=True)
    assert reason.startswith("reading it took longer than 2 s"), reason
    assert attempts(["unknown"]) == ["unknown"]


def test_a_parser_is_ended_once_nobody_waits_for_it(attempts: Callable[..., list[str]]) -> None:
    assert attempts(["unknown"]) == ["unknown"]
    cancelled = Event()
    timer = Timer(0.5, cancelled.set)
    timer.start()
    with cancelled_by(cancelled), pytest.raises(Interrupted):
        attempts(["spin"], untrusted=True)
    timer.join()
    assert attempts(["unknown"]) == ["unknown"]


LIMITED = """
import sys
from whorl.corpus import Columns, ReadOptions, Rejects, read_files
import resource
rejects = Rejects()
try:
    import pyarrow, numpy
    import whorl.corpus.sandbox.processes as processes
    begin = processes.subprocess.Popen
    def limited(*given, **options):
        limit = int(sys.argv[2])
        return begin(*given, **options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    processes.subprocess.Popen = limited
    print(sum(len(batch) for _, batch in read_files([sys.argv[1]], Columns(), rejects, ReadOptions())), rejects.total)
except Exception as error:
    print(type(error).__name__, getattr(error, "exit_code", None))
"""


@pytest.mark.parametrize(("megabytes", "output"), [(40, "IsolationError 5"), (150, "IsolationError 5"), (4000, "1 0")])
def test_a_hard_limit_of_the_environment_rejects_no_file(tmp_path: Path, megabytes: int, output: str) -> None:
    """What the environment refuses is an error of its own: no file is at fault, and none is rejected for it."""
    page = tmp_path / "a.html"
    page.write_text("<html><body><p>渔港的冰厂今年夏天添了两台新机器。</p></body></html>", encoding="utf-8")
    command = [sys.executable, "-c", LIMITED, str(page), str(megabytes * 2**20)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == output, done.stderr

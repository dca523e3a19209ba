"""Processes that write to one SQLite file take turns, and none of them can keep the others from writing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from whorl.errors import ResourceError
from whorl.stores import Store, open_store
from whorl.stores.sqlite import store as sqlite_store

if sys.platform != "win32":
    import fcntl

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither these locks nor these signals")
ROOT = Path(__file__).parents[3]
_PATIENCE = 120


class Writer:
    """A process that has opened the store and writes once it is started."""

    def __init__(self, place: Path, act: str, times: int = 1) -> None:
        command = [sys.executable, "-m", "tests.unit.stores.queued_writer", place, act, str(times)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )
        self.expect("ready")

    def start(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def expect(self, line: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{line}\n"

    def finish(self) -> int:
        self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode


@pytest.fixture
def start(place: Path) -> Iterator[Callable[..., Writer]]:
    """Return a function that starts a writer, which ends with the test."""
    writers: list[Writer] = []

    def started(act: str, times: int = 1) -> Writer:
        writers.append(Writer(place, act, times))
        return writers[-1]

    yield started
    for writer in writers:
        writer.process.kill()
        writer.process.communicate()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the folder of an empty library."""
    open_store(str(tmp_path / "library"), create=True).close()
    return tmp_path / "library"


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    """Return the opened store."""
    opened = open_store(str(place), create=False)
    yield opened
    opened.close()


@contextmanager
def holding(start: Callable[..., Writer]) -> Iterator[Writer]:
    """Let another process hold the write lock."""
    holder = start("hold")
    holder.start()
    holder.expect("writing")
    yield holder


def is_locked(place: Path, name: str) -> bool:
    with (place / f"library.sqlite-{name}").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def wait_until_locked(place: Path, name: str) -> None:
    until = time.monotonic() + _PATIENCE
    while not is_locked(place, name):
        assert time.monotonic() < until, f"nobody locks the {name}"
        time.sleep(0.01)


def write(store: Store, name: str) -> None:
    with store.writing() as writer:
        writer.put_settings({name: "written"})
    assert store.settings()[name] == "written"


@pytest.mark.parametrize("count", [2, 3])
def test_processes_that_write_without_pause_alternate(count: int, place: Path, start: Callable[..., Writer]) -> None:
    writers = [start(str(number), 40) for number in range(count)]
    for writer in writers:
        writer.start()
    assert [writer.finish() for writer in writers] == [0] * count
    order = (place / "order").read_text(encoding="ascii").split()
    assert len(order) == 40 * count
    first, last = (max(order.index(f"{number}") for number in range(count)), order[::-1])
    both = order[first : len(order) - max(last.index(f"{number}") for number in range(count))]
    assert len(both) > 20 * count, "no process waits for another one to finish"
    assert sum(writer != following for writer, following in pairwise(both)) > len(both) * 0.7


def test_a_killed_holder_frees_the_turn(place: Path, start: Callable[..., Writer], store: Store) -> None:
    with holding(start) as holder:
        waiting = start("waiting")
        waiting.start()
        wait_until_locked(place, "queue")
        holder.process.kill()
        assert waiting.finish() == 0
    write(store, "after")
    assert not is_locked(place, "turn")


def test_a_stopped_holder_ends_in_an_error_and_not_in_a_hang(
    place: Path, start: Callable[..., Writer], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_PATIENCE", 0.3)
    with holding(start) as holder:
        holder.process.send_signal(signal.SIGSTOP)
        for _ in range(3):
            with pytest.raises(ResourceError, match="database is locked") as failed:
                write(store, "never")
            assert "another process is writing" in failed.value.hint
        holder.process.send_signal(signal.SIGCONT)
        assert holder.finish() == 0
    other = start("other", 5)
    other.start()
    assert other.finish() == 0
    write(store, "after")


def test_a_stopped_waiter_keeps_nobody_from_writing(place: Path, start: Callable[..., Writer], store: Store) -> None:
    with holding(start) as holder:
        waiting = start("waiting")
        waiting.start()
        wait_until_locked(place, "queue")
        waiting.process.send_signal(signal.SIGSTOP)
        assert holder.finish() == 0
    for number in range(3):
        write(store, f"{number}")
    waiting.process.send_signal(signal.SIGCONT)
    assert waiting.finish() == 0
    write(store, "after")
    assert not is_locked(place, "turn")


def test_an_interrupted_waiter_leaves_the_queue(place: Path, start: Callable[..., Writer], store: Store) -> None:
    with holding(start) as holder:
        waiting = start("waiting")
        waiting.start()
        wait_until_locked(place, "queue")
        waiting.process.send_signal(signal.SIGINT)
        assert waiting.finish() == -signal.SIGINT
        assert not is_locked(place, "queue")
        assert holder.finish() == 0
    write(store, "after")


def test_a_child_neither_keeps_nor_releases_the_turn_of_its_parent(place: Path, start: Callable[..., Writer]) -> None:
    parent = start("fork")
    parent.start()
    parent.expect("writing")
    parent.expect("forked")
    assert is_locked(place, "turn")
    parent.process.kill()
    parent.process.wait()
    assert not is_locked(place, "turn")


@pytest.mark.parametrize("name", ["queue", "turn"])
def test_a_library_without_lock_files_can_be_written(
    name: str, place: Path, start: Callable[..., Writer], store: Store
) -> None:
    (place / f"library.sqlite-{name}").mkdir()
    writers = [start("a", 5), start("b", 5)]
    for writer in writers:
        writer.start()
    write(store, "c")
    assert [writer.finish() for writer in writers] == [0, 0]
    assert len(store.settings()) == 11


def test_a_file_system_without_locks_can_be_written(place: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(95, os.strerror(95))

    monkeypatch.setattr(fcntl, "flock", refuse)
    write(store, "a")
    write(store, "b")


def test_those_who_may_write_may_queue(place: Path, store: Store) -> None:
    (place / "library.sqlite").chmod(0o664)
    write(store, "a")
    for name in ("queue", "turn"):
        assert (place / f"library.sqlite-{name}").stat().st_mode & 0o007 == 0

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from whorl._internal.scratch import PREFIX, ScratchFolder, sweep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs locks that end with their process")

INTERRUPTED = """
import os, sys
from whorl._internal.scratch import ScratchFolder
folder = ScratchFolder()
(folder.path / "page").write_bytes(b"<p>")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def begun(place: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(place)},
    )
    assert process.stdout is not None
    assert Path(process.stdout.readline().strip()).is_dir()
    return process


def test_a_folder_is_there_for_its_user_alone_and_goes_with_its_process(place: Path) -> None:
    with ScratchFolder() as folder:
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "page").write_bytes(b"<p>")
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next_one(place: Path) -> None:
    killed, alive = begun(place), begun(place)
    try:
        killed.kill()
        killed.communicate()
        assert len(list(place.glob("*/page"))) == 2
        sweep(again=True)
        assert len(list(place.glob("*/page"))) == 1  # that of the process which is alive
        with ScratchFolder():
            sweep(again=True)
            assert len(list(place.iterdir())) == 2
    finally:
        alive.communicate("")
    assert alive.returncode == 0
    assert list(place.iterdir()) == []


def test_nothing_else_is_removed(place: Path) -> None:
    outside = place / "outside"
    outside.mkdir()
    (outside / ".lock").touch()
    (outside / "kept").touch()
    (place / f"{PREFIX}link").symlink_to(outside)
    (place / f"{PREFIX}file").touch()
    unlocked = place / f"{PREFIX}unlocked"
    unlocked.mkdir()
    (unlocked / "kept").touch()
    linked = place / f"{PREFIX}linked"
    linked.mkdir()
    (linked / ".lock").symlink_to(outside / ".lock")
    (place / "whorl-other").mkdir()
    before = sorted(place.rglob("*"))
    sweep(again=True)
    assert sorted(place.rglob("*")) == before


def test_many_that_begin_and_sweep_at_once_do_not_disturb_each_other(place: Path) -> None:
    failures: list[BaseException] = []

    def use() -> None:
        try:
            for number in range(40):
                with ScratchFolder() as folder:
                    (folder / "page").write_bytes(b"%d" % number)
                    sweep(again=True)
                    assert (folder / "page").read_bytes() == b"%d" % number
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert list(place.iterdir()) == []

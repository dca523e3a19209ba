"""The Hamming index in a folder: saved, opened, damaged."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.unit.indexes.codes import random_codes

from whorl import HammingIndex
from whorl.errors import InputError, ResourceError, UsageError


def test_what_is_saved_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    codes = random_codes(30_000)
    index = HammingIndex()
    index.add(codes[:20_000])
    index.save(folder)
    index.add(codes[20_000:])
    index.remove([11])
    index.save(folder)
    again = HammingIndex.open(folder)
    again.verify()
    assert len(again) == 29_999
    assert again.query_many(codes).id.tolist() == [*range(11), *range(12, 30_000)]
    again.add([int(codes[11])])
    again.save(folder)
    assert HammingIndex.open(folder).query(int(codes[11])) == [(30_000, 0)]
    assert len(list(folder.glob("*.manifest"))) == 1
    assert not list(folder.glob("*.part"))


def test_a_reader_keeps_what_it_opened(tmp_path: Path) -> None:
    index = HammingIndex()
    index.add(random_codes(10_000))
    index.save(tmp_path)
    reader = HammingIndex.open(tmp_path)
    index.add(random_codes(10_000, seed=2))
    index.merge()
    index.save(tmp_path)
    assert len(reader.query_many(random_codes(10_000))) == 10_000
    assert len(HammingIndex.open(tmp_path)) == 20_000


def test_the_second_of_two_writers_is_refused(tmp_path: Path) -> None:
    HammingIndex().save(tmp_path)
    first, second = HammingIndex.open(tmp_path), HammingIndex.open(tmp_path)
    first.add([1])
    first.save(tmp_path)
    second.add([2])
    with pytest.raises(UsageError, match="holds an index that is not the one saved here last"):
        second.save(tmp_path)
    with pytest.raises(UsageError, match="holds an index"):
        HammingIndex().save(tmp_path)
    assert HammingIndex.open(tmp_path).query(1, k=0) == [(0, 0)]


def test_a_folder_can_be_opened_while_it_is_saved_to(tmp_path: Path) -> None:
    index = HammingIndex()
    index.save(tmp_path)
    sizes = []
    done = threading.Event()

    def open_again() -> None:
        while not done.is_set():
            sizes.append(len(HammingIndex.open(tmp_path)))

    reader = threading.Thread(target=open_again)
    reader.start()
    for seed in range(30):
        index.add(random_codes(3000, seed))
        index.save(tmp_path)
    done.set()
    reader.join()
    assert sizes == sorted(sizes)
    assert all(size % 3000 == 0 for size in sizes)
    assert len(HammingIndex.open(tmp_path)) == 90_000


def _every_region(folder: Path) -> list[tuple[Path, int]]:
    """A byte in each region of each file: all of the ends, and some in every block between."""
    places = []
    for path in sorted(folder.iterdir()):
        size = path.stat().st_size
        places += [(path, at) for at in {*range(0, size, 4099), *range(0, 64, 7), *range(max(0, size - 400), size, 13)}]
    return places


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    codes = random_codes(9000)
    index = HammingIndex()
    index.add(codes)
    index.remove([5])
    index.save(tmp_path)
    places = _every_region(tmp_path)
    assert len(places) > 100
    for path, at in places:
        whole = path.read_bytes()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(InputError, match=r"damaged|version|not a file of this index"):
            HammingIndex.open(tmp_path).verify()
        path.write_bytes(whole[:at])
        with pytest.raises(InputError):
            HammingIndex.open(tmp_path)
        path.write_bytes(whole)
    HammingIndex.open(tmp_path).verify()


def test_foreign_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no index at"):
        HammingIndex.open(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no manifest"):
        HammingIndex.open(tmp_path)
    index = HammingIndex()
    index.add(random_codes(10_000))
    index.save(tmp_path)
    (segment,) = tmp_path.glob("*.segment")
    other = HammingIndex()
    other.add(random_codes(10_000, seed=2))
    other.save(tmp_path / "other")
    (foreign,) = (tmp_path / "other").glob("*.segment")
    segment.write_bytes(foreign.read_bytes())
    with pytest.raises(InputError, match="segment of another index"):
        HammingIndex.open(tmp_path)
    segment.unlink()
    with pytest.raises(InputError):
        HammingIndex.open(tmp_path)
    segment.write_bytes(b"PK\x03\x04" * 100)
    with pytest.raises(InputError, match="does not begin like one"):
        HammingIndex.open(tmp_path)


_FULL_DISK = """
import resource, sys
import numpy as np
from whorl import HammingIndex
from whorl.errors import ResourceError

index = HammingIndex.open(sys.argv[1])
index.add(np.arange(50_000, dtype=np.uint64))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    index.save(sys.argv[1])
except ResourceError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
@pytest.mark.parametrize("room", [0, 100, 500_000])
def test_a_full_disk_leaves_the_old_state(tmp_path: Path, room: int) -> None:
    index = HammingIndex()
    index.add(random_codes(10_000))
    index.save(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    command = [sys.executable, "-c", _FULL_DISK, str(tmp_path), str(room)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "cure: free some disk space" in done.stdout
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    HammingIndex.open(tmp_path).verify()


def test_a_folder_that_cannot_be_written_is_a_matter_of_resources(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError):
        HammingIndex().save(tmp_path / "file" / "index")

"""Every index in a folder: saved, opened, damaged."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tests.runs import files

from whorl.errors import InputError, ResourceError, UsageError
from whorl.indexes import HammingIndex, KeyIndex

INDEXES: list[Any] = [HammingIndex, KeyIndex]
KEYS_A_ROW = {HammingIndex: 1, KeyIndex: 3}


@pytest.fixture(params=INDEXES)
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def rows(kind: Any, count: int, seed: int = 1) -> Any:
    """Return random rows of an index."""
    words = np.random.default_rng(seed).integers(0, 2**64, count * KEYS_A_ROW[kind], np.uint64)
    return words if kind is HammingIndex else words.reshape(count, -1)


def filled(kind: Any, count: int, seed: int = 1) -> Any:
    """Return an index of random rows."""
    index = kind()
    index.add(rows(kind, count, seed))
    return index


def first_matches(index: Any, queries: Any) -> list[int]:
    """Return the id of the first match of each query that has one."""
    answers = index.query_many(queries)
    return answers.id[np.unique(answers.query, return_index=True)[1]].tolist()


def test_what_is_saved_is_opened(kind: Any, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    all_rows = rows(kind, 30_000)
    index = kind()
    index.add(all_rows[:20_000])
    index.save(folder)
    index.add(all_rows[20_000:])
    index.remove([11])
    index.save(folder)
    for opened_index in (index, kind.open(folder)):
        opened_index.verify()
        assert len(opened_index) == 29_999
        assert first_matches(opened_index, all_rows) == [*range(11), *range(12, 30_000)]
    again = kind.open(folder)
    again.add(all_rows[11:12])
    again.save(folder)
    assert first_matches(kind.open(folder), all_rows[11:12]) == [30_000]
    assert len(list(folder.glob("*.manifest"))) == 1
    assert not list(folder.glob("*.part"))


def test_a_reader_keeps_what_it_opened(kind: Any, tmp_path: Path) -> None:
    index = filled(kind, 10_000)
    index.save(tmp_path)
    reader = kind.open(tmp_path)
    index.add(rows(kind, 10_000, seed=2))
    index.merge()
    index.save(tmp_path)
    assert len(first_matches(reader, rows(kind, 10_000))) == 10_000
    assert len(kind.open(tmp_path)) == 20_000


def test_the_second_of_two_writers_is_refused(kind: Any, tmp_path: Path) -> None:
    kind().save(tmp_path)
    first, second = kind.open(tmp_path), kind.open(tmp_path)
    first.add(rows(kind, 1))
    first.save(tmp_path)
    second.add(rows(kind, 1, seed=2))
    with pytest.raises(UsageError, match="contains a different index"):
        second.save(tmp_path)
    with pytest.raises(UsageError, match="contains a different index"):
        kind().save(tmp_path)
    assert first_matches(kind.open(tmp_path), rows(kind, 1)) == [0]


@pytest.mark.parametrize("path", [None, 5, b"x", "", "a\0b"])
def test_what_is_no_folder_is_refused(kind: Any, path: Any) -> None:
    for act in (kind.open, kind().save):
        with pytest.raises(UsageError, match="expected a path to a folder"):
            act(path)


NO_NUMBERS = [
    *(
        pl.Series([["a"]]),
        pa.array([2**62], pa.timestamp("s")),
        pa.array([{"a": 1}]),
        np.array([None]),
        object(),
        10**20,
    ),
]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_column_of_numbers_is_refused(kind: Any, value: Any) -> None:
    acts = [lambda: kind().add(value), lambda: filled(kind, 1).query_many(value)]
    acts += [lambda: kind().add(rows(kind, 1), ids=value), lambda: kind().add(rows(kind, 1), times=value)]
    for act in acts:
        with pytest.raises(UsageError, match="hint"):
            act()


def test_lists_of_keys_that_leave_their_numbers_are_refused() -> None:
    offsets = pa.py_buffer(np.array([0, 2**30, 3], np.int32))
    keys = pa.Array.from_buffers(pa.list_(pa.uint64()), 2, [None, offsets], children=[pa.array([1, 2, 3], pa.uint64())])
    with pytest.raises(UsageError, match=r"(?s)keys: .*hint"):
        KeyIndex().add(keys)


def test_an_index_that_is_read_outlives_its_files(kind: Any, tmp_path: Path) -> None:
    """The files are cut in the middle; a memory-mapped index would crash the process."""
    index = filled(kind, 20_000)
    index.save(tmp_path / "index")
    read = kind.open(tmp_path / "index", mapped=False)
    read.add(rows(kind, 10_000, seed=2))
    read.save(tmp_path / "index")
    for path in (tmp_path / "index").glob("*.segment"):
        os.truncate(path, 4096)
    read.verify()
    assert first_matches(read, rows(kind, 20_000)) == list(range(20_000))
    with pytest.raises(InputError, match="hint"):
        kind.open(tmp_path / "index", mapped=False).verify()


def test_an_index_that_is_read_tells_damage(kind: Any, tmp_path: Path) -> None:
    filled(kind, 1000).save(tmp_path)
    for path in tmp_path.glob("*.segment"):
        path.write_bytes(b"")
    with pytest.raises((InputError, ResourceError), match="hint"):
        kind.open(tmp_path, mapped=False)


FOREIGN = ["film.part", "video.segment", "a.manifest", "7.manifest", "0123456789abcdeF.segment", "notes.txt"]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_other_files_is_refused_and_left_as_it_is(kind: Any, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"theirs")
    with pytest.raises(UsageError, match=rf"holds {name}.*\n.*folder of its own"):
        filled(kind, 10).save(tmp_path)
    assert files(tmp_path) == {name: b"theirs"}


@pytest.mark.parametrize("name", FOREIGN)
def test_saving_again_removes_nothing_that_no_index_wrote(kind: Any, name: str, tmp_path: Path) -> None:
    index = filled(kind, 10_000)
    index.save(tmp_path)
    (tmp_path / name).write_bytes(b"theirs")
    index.add(rows(kind, 10_000, seed=2))
    index.merge()
    index.save(tmp_path)
    assert files(tmp_path)[name] == b"theirs"
    assert len(kind.open(tmp_path)) == 20_000
    assert len(list(tmp_path.glob("*.manifest"))) == 1 + name.endswith(".manifest")


def test_what_a_killed_writer_left_goes(kind: Any, tmp_path: Path) -> None:
    leftovers = ["0000000001.123.part", "0123456789abcdef.123.part", "0123456789abcdef.segment"]
    for name in leftovers:
        (tmp_path / name).write_bytes(b"half")
    filled(kind, 10).save(tmp_path)
    assert not files(tmp_path).keys() & set(leftovers)
    assert len(kind.open(tmp_path)) == 10


def test_a_folder_can_be_opened_while_it_is_saved_to(kind: Any, tmp_path: Path) -> None:
    index = kind()
    index.save(tmp_path)
    sizes = []
    done = threading.Event()

    def open_again() -> None:
        while not done.is_set():
            sizes.append(len(kind.open(tmp_path)))

    reader = threading.Thread(target=open_again)
    reader.start()
    for seed in range(30):
        index.add(rows(kind, 3000, seed))
        index.save(tmp_path)
    done.set()
    reader.join()
    assert sizes == sorted(sizes)
    assert all(size % 3000 == 0 for size in sizes)
    assert len(kind.open(tmp_path)) == 90_000


def test_what_a_killed_writer_left_is_removed_by_the_next_save(kind: Any, tmp_path: Path) -> None:
    index = filled(kind, 3000)
    index.save(tmp_path)
    leftovers = [
        tmp_path / name for name in ("00000000000000aa.segment", "00000000000000ab.77.part", "0000000002.88.part")
    ]
    for path in leftovers:
        path.write_bytes(b"half")
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine")
    index.add(rows(kind, 10, seed=2))
    index.save(tmp_path)
    assert not any(path.exists() for path in leftovers)
    assert foreign.exists()
    assert len(kind.open(tmp_path)) == 3010


def test_many_ask_while_one_adds(kind: Any) -> None:
    index = filled(kind, 3000)
    first = rows(kind, 3000)
    done = threading.Event()
    wrong = []

    def ask() -> None:
        while not done.is_set():
            if first_matches(index, first) != list(range(3000)):
                wrong.append(len(index))

    readers = [threading.Thread(target=ask) for _ in range(3)]
    for reader in readers:
        reader.start()
    for seed in range(2, 40):
        index.add(rows(kind, 1000, seed))
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert len(index) == 41_000


def _every_region(folder: Path) -> list[tuple[Path, int]]:
    """Yield a byte in each region of each non-empty file: all at the ends, and some in every block between."""
    places = []
    for path in sorted(path for path in folder.iterdir() if path.stat().st_size):
        size = path.stat().st_size
        places += [(path, at) for at in {*range(0, size, 4099), *range(0, 64, 7), *range(max(0, size - 400), size, 13)}]
    return places


def test_damaged_files_are_refused(kind: Any, tmp_path: Path) -> None:
    index = filled(kind, 9000)
    index.remove([5])
    index.save(tmp_path)
    places = _every_region(tmp_path)
    assert len(places) > 100
    for path, at in places:
        whole = path.read_bytes()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(InputError, match=r"damaged|version|not a file of this index"):
            kind.open(tmp_path).verify()
        path.write_bytes(whole[:at])
        with pytest.raises(InputError):
            kind.open(tmp_path)
        path.write_bytes(whole)
    kind.open(tmp_path).verify()


def test_adding_to_damaged_rows_is_refused_as_such(kind: Any, tmp_path: Path) -> None:
    filled(kind, 9000).save(tmp_path)
    (segment,) = tmp_path.glob("*.segment")
    whole = bytearray(segment.read_bytes())
    whole[20_000] ^= 0x10  # beyond the region that is read on opening
    segment.write_bytes(whole)
    index = kind.open(tmp_path)
    with pytest.raises(InputError, match="damaged"):
        index.add(rows(kind, 9000, seed=2))
    assert len(index) == 9000


def test_foreign_and_missing_files_are_refused(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no index at"):
        kind.open(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no manifest"):
        kind.open(tmp_path)
    filled(kind, 10_000).save(tmp_path)
    (segment,) = tmp_path.glob("*.segment")
    filled(kind, 10_000, seed=2).save(tmp_path / "other")
    (foreign,) = (tmp_path / "other").glob("*.segment")
    segment.write_bytes(foreign.read_bytes())
    with pytest.raises(InputError, match="segment of another index"):
        kind.open(tmp_path)
    segment.unlink()
    with pytest.raises(InputError):
        kind.open(tmp_path)
    segment.write_bytes(b"PK\x03\x04" * 100)
    with pytest.raises(InputError, match="does not begin like one"):
        kind.open(tmp_path)


@pytest.mark.parametrize("other", INDEXES)
def test_an_index_of_another_kind_is_refused(kind: Any, other: Any, tmp_path: Path) -> None:
    filled(kind, 100).save(tmp_path)
    if other is not kind:
        with pytest.raises(InputError, match="not a file of this index"):
            other.open(tmp_path)
    assert len(kind.open(tmp_path)) == 100


_FULL_DISK = """
import resource, sys
import numpy as np
import whorl
from whorl.errors import ResourceError

kind = getattr(whorl.indexes, sys.argv[1])
index = kind.open(sys.argv[2])
rows = np.arange(150_000, dtype=np.uint64)
index.add(rows if kind is whorl.indexes.HammingIndex else rows.reshape(-1, 3))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    index.save(sys.argv[2])
except ResourceError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes")
@pytest.mark.parametrize("room", [0, 100, 500_000])
def test_a_full_disk_leaves_the_old_state(kind: Any, tmp_path: Path, room: int) -> None:
    filled(kind, 10_000).save(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    command = [sys.executable, "-c", _FULL_DISK, kind.__name__, str(tmp_path), str(room)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "hint: free some disk space" in done.stdout
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    kind.open(tmp_path).verify()


def test_a_folder_that_cannot_be_written_is_a_matter_of_resources(kind: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError):
        kind().save(tmp_path / "file" / "index")

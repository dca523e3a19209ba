"""The stores of nshash: their content, and its state after failures."""

import gc
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from whorl.compat.hashdb import HashDB, HashDBLeveldb, HashDBMemory
from whorl.compat.nshash import NSHash
from whorl.errors import InputError, ResourceError, UsageError

TEXT = "老石桥从下周一起禁止马车通行因为石匠发现五个桥拱中有两个在春汛之后下沉了一掌宽。"
OTHER = "渔港的冰厂今年夏天添了两台新机器一天能出冰四十吨船一靠岸就能装天不亮又可以出海。"


def reopened(path: Path) -> dict[str, Any]:
    """Return the content of the file of a closed store."""
    with sqlite3.connect(path.with_name("news.hashdb.sqlite")) as connection:
        return dict(connection.execute("SELECT key, value FROM entry"))


@pytest.fixture(params=["memory", "leveldb"])
def kind(request: pytest.FixtureRequest) -> type[HashDBMemory] | type[HashDBLeveldb]:
    """Return one of our two stores."""
    if request.param == "leveldb":
        pytest.importorskip("plyvel")
        return HashDBLeveldb
    return HashDBMemory


def test_a_store_gives_back_what_was_put_as_the_number_it_was(kind: Any, tmp_path: Path) -> None:
    store = kind(tmp_path / "news")
    assert isinstance(store, HashDB)
    assert store.get("a") is None
    store.put("a", 9)
    store.put("a", 10)
    store.put(17, 3)
    assert (store.get("a"), store.get("17"), store.get(17)) == (10, 3, 3)
    store.close()
    store.close()


def test_a_store_outlives_the_process(kind: Any, tmp_path: Path) -> None:
    store = kind(tmp_path / "news")
    store.put("a", 1)
    store.put("句", "坏句")
    store.close()
    again = kind(tmp_path / "news")
    assert (again.get("a"), again.get("句")) == (1, "坏句")
    again.close()


def test_two_writers_are_refused(kind: Any, tmp_path: Path) -> None:
    store = kind(tmp_path / "news")
    with pytest.raises((UsageError, ResourceError), match=r"news\.hashdb") as error:
        kind(tmp_path / "news")
    assert "close" in error.value.hint
    store.close()


def test_memory_store_is_saved_when_unreferenced(tmp_path: Path) -> None:
    NSHash(tmp_path / "news").get_similar(TEXT)
    gc.collect()
    assert reopened(tmp_path / "news")["max_similar_id"] == 1


def test_memory_is_saved_when_the_interpreter_ends(tmp_path: Path) -> None:
    code = (
        "import sys; from whorl.compat.nshash import NSHash; n = NSHash(sys.argv[1]); print(n.get_similar(sys.argv[2]))"
    )
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "news", TEXT], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("1\n", "")


def test_memory_that_is_closed_takes_nothing(tmp_path: Path) -> None:
    store = HashDBMemory(tmp_path / "news")
    store.close()
    with pytest.raises(UsageError, match="closed"):
        store.put("a", 1)


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_kill_leaves_the_last_save_whole(tmp_path: Path) -> None:
    code = (
        "import sys; from whorl.compat.hashdb import HashDBMemory; store = HashDBMemory(sys.argv[1])\n"
        "for round in range(10**9):\n"
        "    for key in range(1000): store.put(key, round)\n"
        "    store.save()\n"
        "    print(round, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path / "news"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    saved = [int(line) for line in process.stdout.read().split()]
    process.stdout.close()
    with_last = HashDBMemory(tmp_path / "news")
    assert len(with_last) == 1000
    (round,) = {with_last.get(key) for key in range(1000)}
    assert isinstance(round, int)
    assert round >= max(saved, default=19)
    with_last.close()


@pytest.mark.parametrize(
    "content", [b"not a database, though long enough to look at", b"\0" * 4096], ids=["text", "zeros"]
)
def test_a_damaged_file_is_an_input_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "news.hashdb.sqlite").write_bytes(content)
    with pytest.raises(InputError, match=r"news\.hashdb\.sqlite"):
        HashDBMemory(tmp_path / "news")


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "news.hashdb.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match="format 99"):
        HashDBMemory(tmp_path / "news")


def test_a_folder_that_does_not_exist_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot open"):
        HashDBMemory(tmp_path / "nowhere" / "news")


# Data of the original


def original_hashes(*texts: str, hashfunc: str = "md5") -> dict[Any, int]:
    """Return the content of its dict: no counter, and integer keys for farmhash."""
    nshash = NSHash("unused", hashfunc=hashfunc, hashdb=HashDBDict())
    return {key: place for place, text in enumerate(texts, 1) for key in nshash.get_nshash(text)}


class HashDBDict(dict[str, Any]):
    def put(self, key: str, value: Any) -> None:
        self[key] = value


def test_a_pickle_of_the_original_is_not_read_unasked(tmp_path: Path) -> None:
    (tmp_path / "news.hashdb.pkl").write_bytes(pickle.dumps(original_hashes(TEXT)))
    with pytest.raises(UsageError, match="original nshash") as error:
        NSHash(tmp_path / "news")
    assert "import_pickle=True" in error.value.hint


@pytest.mark.parametrize("hashfunc", ["md5", "farmhash"])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_original_pickle_is_imported_once(tmp_path: Path, hashfunc: str, protocol: int) -> None:
    pickled = tmp_path / "news.hashdb.pkl"
    pickled.write_bytes(pickle.dumps(original_hashes("占位。", TEXT, hashfunc=hashfunc), protocol))
    for expected in (3, 4):
        with NSHash(tmp_path / "news", hashfunc, import_pickle=True) as nshash:
            assert nshash.get_similar(TEXT) == 2
            assert nshash.get_similar(f"第{expected}篇{OTHER}") == expected
    assert pickle.loads(pickled.read_bytes()) == original_hashes("占位。", TEXT, hashfunc=hashfunc)


class Command:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("pwned",)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps({"a": Command()}),
        pickle.dumps({"a": 1.5}),
        pickle.dumps({"a": True}),
        pickle.dumps({b"a": 1}),
        pickle.dumps([1, 2]),
        pickle.dumps({"a": 1})[:-3],
        b"",
        b"garbage",
    ],
    ids=["command", "float", "bool", "bytes", "list", "cut off", "empty", "garbage"],
)
def test_any_other_pickle_is_refused_and_runs_nothing(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("news.hashdb.pkl").write_bytes(content)
    with pytest.raises(InputError, match=r"news\.hashdb\.pkl"):
        NSHash("news", import_pickle=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news.hashdb.pkl"]


def test_original_leveldb_is_opened_unchanged(tmp_path: Path) -> None:
    plyvel = pytest.importorskip("plyvel")
    with plyvel.DB(str(tmp_path / "news.hashdb"), create_if_missing=True) as db:
        for key, value in original_hashes(*(f"第{number}篇{OTHER}" for number in range(11)), TEXT).items():
            db.put(str(key).encode(), str(value).encode())
    with NSHash(tmp_path / "news", hashdb="leveldb") as nshash:
        assert nshash.get_similar(TEXT) == 12
        assert nshash.get_similar(f"第1篇{OTHER}") == 2
        assert nshash.get_similar("从未见过。") == 13


def test_without_plyvel_leveldb_names_the_hint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "plyvel", None)
    with pytest.raises(UsageError) as error:
        HashDBLeveldb(tmp_path / "news")
    assert error.value.hint == "pip install 'plyvel>=1.5'"

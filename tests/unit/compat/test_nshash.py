"""nshash with its original interface, and its fixed faults."""

import hashlib
import json
import random
import re
import sqlite3
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.compat.nshash import NSHash
from whorl.errors import InputError, UsageError

TESTS = Path(__file__).parents[2]
FILE = tomllib.loads((TESTS / "cases" / "nshash.toml").read_text(encoding="utf-8"))
GOLDEN = json.loads((TESTS / "golden" / "nshash.json").read_text(encoding="utf-8"))
SENTENCES = FILE["sentences"]
BRIDGE, FERRY, TOWER, HARBOUR, ORCHARD, LICENCE = SENTENCES.values()

texts = st.text(alphabet="天气好ab ：:。；？！】.\n\u3000", max_size=200)


class HashDBDict:
    """The smallest possible store."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        return self.values.get(key)

    def put(self, key: str, value: Any) -> None:
        self.values[key] = value


class HashDBRedis(HashDBDict):
    """Returns bytes, like Redis clients."""

    def put(self, key: str, value: Any) -> None:
        self.values[key] = str(value).encode()


class HashDBSQL:
    """The example of the documentation."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("CREATE TABLE IF NOT EXISTS hash (key TEXT PRIMARY KEY, value)")

    def get(self, key: str) -> Any:
        row = self.db.execute("SELECT value FROM hash WHERE key = ?", (key,)).fetchone()
        return row and row[0]

    def put(self, key: str, value: Any) -> None:
        self.db.execute("REPLACE INTO hash VALUES (?, ?)", (key, value))


STORES: dict[str, Callable[[Path], Any]] = {
    "memory": lambda _: "memory",
    "leveldb": lambda _: pytest.importorskip("plyvel") and "leveldb",
    "dict": lambda _: HashDBDict(),
    "Redis-like": lambda _: HashDBRedis(),
    "SQL": lambda folder: HashDBSQL(folder / "hashes.db"),
}


@dataclass(frozen=True)
class Case:
    name: str
    articles: list[str]
    groups: list[int]


def cases() -> list[Case]:
    return [Case(**case) for case in FILE["case"]]


def filled(articles: Sequence[str]) -> list[str]:
    return [article.format(**SENTENCES) for article in articles]


def in_memory(**options: Any) -> NSHash:
    return NSHash("unused", hashdb=HashDBDict(), **options)


def groups(nshash: NSHash, articles: Sequence[str]) -> list[int]:
    """Return the final ids after all articles were added one by one."""
    return [nshash.current_id(similar_id) for similar_id in [nshash.get_similar(article) for article in articles]]


def partition(ids: Sequence[int], articles: Sequence[str]) -> set[frozenset[str]]:
    return {frozenset(article for article, value in zip(articles, ids, strict=True) if value == id) for id in ids}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("hashfunc", ["md5", "farmhash"])
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case, hashfunc: str, store: str, tmp_path: Path) -> None:
    with NSHash(tmp_path / "news", hashfunc=hashfunc, hashdb=STORES[store](tmp_path)) as nshash:
        assert groups(nshash, filled(case.articles)) == case.groups


@given(texts, st.integers(1, 7))
def test_the_sentences_are_those_of_the_original(text: str, count: int) -> None:
    split = [sentence for sentence in re.split("[:：；？。！】\n]", text) if sentence.strip()]
    long = [sentence for sentence in split if len(sentence) > 30] or split
    longest = sorted(long, key=len, reverse=True)[:count]
    expected = [hashlib.md5(sentence.encode()).hexdigest() for sentence in longest]
    assert in_memory(sentences=count).get_nshash(text) == in_memory().get_nshash(text, count) == expected


@given(st.text(max_size=100))
def test_any_text_has_hashes_unless_it_is_blank(text: str) -> None:
    hashes = in_memory().get_nshash(text)
    assert len(hashes) <= 5
    assert bool(hashes) == any(sentence.strip() for sentence in re.split("[:：；？。！】\n]", text))


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: vector["name"])
def test_hashes_never_change(vector: dict[str, Any]) -> None:
    for hashfunc in ("md5", "farmhash"):
        assert in_memory(hashfunc=hashfunc).get_nshash(vector["text"]) == vector[hashfunc]


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    assert in_memory().get_nshash("坏\ud800字") == [hashlib.md5(b"\xe5\x9d\x8f\xed\xa0\x80\xe5\xad\x97").hexdigest()]
    assert groups(in_memory(), ["坏\ud800字", "坏\ud800字", "坏字"]) == [1, 1, 2]


@given(
    st.permutations(["{bridge}。", "{ferry}。{tower}。", "{bridge}。{ferry}。", "{tower}。{orchard}。", "{licence}。"])
)
def test_the_groups_do_not_depend_on_the_order(articles: list[str]) -> None:
    assert partition(groups(in_memory(), filled(articles)), articles) == {
        frozenset({"{bridge}。", "{ferry}。{tower}。", "{bridge}。{ferry}。", "{tower}。{orchard}。"}),
        frozenset({"{licence}。"}),
    }


@given(st.lists(st.sampled_from(filled(["{bridge}。", "{ferry}。", "{bridge}。{ferry}。", "{tower}。{ferry}。", ""]))))
def test_many_at_once_are_as_one_after_the_other(articles: list[str]) -> None:
    assert in_memory().get_similar_all(iter(articles)) == [
        article for nshash in [in_memory()] for article in map(nshash.get_similar, articles)
    ]


def test_ids_handed_out_earlier_lead_to_the_merged_group() -> None:
    nshash = in_memory()
    first, second = nshash.get_similar(f"{BRIDGE}。"), nshash.get_similar(f"{FERRY}。")
    assert (first, second) == (1, 2)
    assert nshash.get_similar(f"{BRIDGE}。{FERRY}。") == 1
    assert [nshash.current_id(id) for id in (first, second)] == [1, 1]
    assert nshash.get_similar(f"{FERRY}。") == 1


def test_a_long_chain_of_merges_ends_in_one_group() -> None:
    nshash = in_memory()
    marks = [f"第{number}号{BRIDGE}" for number in range(60)]
    ids = [nshash.get_similar(f"{mark}。") for mark in marks]
    for value, right in reversed(list(pairwise(marks))):
        nshash.get_similar(f"{value}。{right}。")
    assert {nshash.current_id(id) for id in ids} == {1}
    assert {nshash.get_similar(f"{mark}。") for mark in marks} == {1}


@pytest.mark.parametrize("store", ["memory", "leveldb", "SQL"])
def test_a_restart_continues_the_ids(store: str, tmp_path: Path) -> None:
    for round, text in enumerate([BRIDGE, FERRY, TOWER], 1):
        with NSHash(tmp_path / "news", hashdb=STORES[store](tmp_path)) as nshash:
            assert nshash.get_similar(f"{BRIDGE}。") == 1
            assert nshash.get_similar(f"{text}。") == round


def test_strict_minimum_needs_two_sentences() -> None:
    articles = [f"{BRIDGE}。{FERRY}。{TOWER}。", f"{BRIDGE}。{ORCHARD}。", f"{BRIDGE}。{FERRY}。{HARBOUR}。"]
    assert groups(in_memory(min_shared=2), articles) == [1, 2, 1]


def boilerplate(count: int) -> list[str]:
    """Return articles of two unique sentences, and one that all share."""
    return [f"{LICENCE}。第{number}篇{BRIDGE}。第{number}篇{FERRY}。" for number in range(count)]


def test_boilerplate_stops_to_merge_when_a_group_is_full() -> None:
    nshash = in_memory(max_group=10)
    assert groups(nshash, boilerplate(40)) == [1] * 10 + list(range(2, 32))
    assert nshash.stop_sentences == [LICENCE]


def test_copies_of_what_boilerplate_did_not_merge_find_each_other() -> None:
    nshash = in_memory(max_group=10)
    originals = groups(nshash, boilerplate(40))
    copies = [text.removeprefix(f"{LICENCE}。") for text in boilerplate(40)]
    assert groups(nshash, copies) == originals


def test_a_full_group_takes_in_true_reprints() -> None:
    nshash = in_memory(max_group=10)
    assert groups(nshash, [f"{BRIDGE}。{FERRY}。"] * 50) == [1] * 50
    assert groups(nshash, [f"短讯：{TOWER}。"] * 50) == [2] * 50
    assert nshash.stop_sentences == []


def test_everything_merges_without_a_bound() -> None:
    nshash = in_memory()
    assert set(groups(nshash, boilerplate(120))) == {1}
    assert nshash.stop_sentences == []


@pytest.mark.parametrize("store", STORES)
def test_stop_sentences_survive_in_any_store(store: str, tmp_path: Path) -> None:
    with NSHash(tmp_path / "news", hashdb=STORES[store](tmp_path), max_group=2) as nshash:
        nshash.get_similar_all([*boilerplate(5), *boilerplate(5)])
        assert nshash.stop_sentences == [LICENCE]


def test_threads_share_one_object() -> None:
    nshash = in_memory()
    articles = [f"第{number}篇{BRIDGE}。{FERRY}第{number % 7}节。" for number in range(300)]
    random.Random(1).shuffle(articles)
    with ThreadPoolExecutor(8) as pool:
        ids = [nshash.current_id(id) for id in list(pool.map(nshash.get_similar, articles))]
    assert len(set(ids)) == 7
    assert partition(ids, articles) == partition(groups(in_memory(), articles), articles)


@pytest.mark.parametrize(
    "options",
    [{"hashfunc": "sha1"}, {"hashdb": "redis"}, {"hashdb": object()}, {"sentences": 0}, {"min_shared": 1.5},
     {"max_group": 0}, {"sentences": True}],
    ids=lambda options: next(iter(options)) + "-" + type(next(iter(options.values()))).__name__,
)  # fmt: skip
def test_unknown_option_is_refused_with_a_hint(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        NSHash(tmp_path / "news", **options)
    assert error.value.hint
    assert list(tmp_path.iterdir()) == []


def test_an_article_that_is_no_text_is_an_input_error() -> None:
    with pytest.raises(InputError, match="NoneType"):
        in_memory().get_similar(None)  # type: ignore[arg-type]

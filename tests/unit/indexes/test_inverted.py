"""The inverted index from keys to documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article

from whorl.errors import UsageError
from whorl.fingerprints import family
from whorl.indexes import KeyIndex

SETS = st.lists(st.frozensets(st.integers(0, 30), max_size=6), max_size=25)


@given(SETS, st.frozensets(st.integers(0, 35), max_size=8), st.integers(1, 4))
def test_equals_counting(documents: list[frozenset[int]], query: frozenset[int], min_shared: int) -> None:
    index = KeyIndex()
    index.add(documents)
    counted = [(id_, len(query & keys)) for id_, keys in enumerate(documents) if len(query & keys) >= min_shared]
    assert index.query(query, min_shared=min_shared).hits == sorted(counted, key=lambda hit: (-hit[1], hit[0]))


@pytest.mark.parametrize(
    "keys",
    [
        [[1, 2**64 - 1], [], [1, 5]],
        [(1, 2**64 - 1), (), (5, 1, 1)],
        [{1, 2**64 - 1}, set(), {1, 5}],
        [np.array([1, 2**64 - 1], np.uint64), np.array([], np.uint64), np.array([1, 5])],
        pa.array([[1, 2**64 - 1], [], [1, 5]], pa.list_(pa.uint64())),
        pa.chunked_array([pa.array([[1, 2**64 - 1], []], pa.large_list(pa.uint64())), [[1, 5]]]),
    ],
)
def test_keys_come_in_many_forms(keys: Any) -> None:
    index = KeyIndex()
    index.add(keys, ids=[10, 20, 30])
    assert index.query([1, 2**64 - 1]).hits == [(10, 2), (30, 1)]
    answers = index.query_many(keys)
    assert answers.to_arrow().to_pydict() == {"query": [0, 0, 2, 2], "id": [10, 30, 30, 10], "hits": [2, 1, 2, 1]}
    assert answers.keys.tolist() == [2, 0, 2]
    assert answers.share.tolist() == [1, 0.5, 1, 0.5]


def test_articles_are_found_by_their_fingerprints() -> None:
    winnowing = family("winnowing")
    index = KeyIndex()
    index.add(winnowing.fingerprint([article(number) for number in range(20)]))
    for number in range(20):
        excerpt = article(number)[70:130]
        assert index.query(winnowing.fingerprint([excerpt]).keys).hits[0][0] == number


def test_a_key_of_too_many_documents_is_cut_and_counted() -> None:
    index = KeyIndex(most_documents=3)
    index.add([[7, number] for number in range(100, 104)])
    answer = index.query([7, 102, 103])
    assert answer.hits == [(2, 1), (3, 1)]
    assert (answer.keys, answer.cut) == (3, 1)
    assert answer.shares() == [(2, 0.5), (3, 0.5)]
    assert index.stats()["cut"] == 1
    assert index.frequent(3) == [(7, 4)]
    index.remove(0)
    assert index.query([7]).hits == [(1, 1), (2, 1), (3, 1)]
    assert index.frequent(3) == []


def test_unlisted_keys_are_counted() -> None:
    index = KeyIndex()
    index.add([[1]] * 5)
    answer = index.query([1], limit=2)
    assert (answer.hits, answer.unlisted) == ([(0, 1), (1, 1)], 3)
    assert index.query_many([[1], [2]], limit=2).unlisted.tolist() == [3, 0]


def test_a_time_window_is_all_that_is_looked_at() -> None:
    index = KeyIndex(most_documents=2)
    index.add([[1]] * 4, times=[datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3, 4)])
    spring = index.query([1], since=datetime(2026, 3, 1, tzinfo=UTC))
    assert (spring.hits, spring.cut) == ([(2, 1), (3, 1)], 0)
    assert index.query([1]).cut == 1
    assert index.expire(datetime(2026, 4, 1, tzinfo=UTC)) == 3
    assert index.query([1], until=datetime(2027, 1, 1, tzinfo=UTC)).hits == [(3, 1)]


def test_a_revision_is_a_removal_and_an_addition() -> None:
    index = KeyIndex()
    index.add([[1, 2], [2, 3]])
    index.remove([0])
    index.add([[4]], ids=[0])
    assert index.query([1, 2, 4]).hits == [(1, 1), (0, 1)]
    assert len(index) == 2


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda _: KeyIndex(most_documents=0), "whole number for most_documents, got 0"),
        (lambda index: index.add([1, 2]), "1 is not a list of keys"),
        (lambda index: index.add(7), "keys: "),
        (lambda index: index.add([["a"]]), "keys: "),
        (lambda index: index.add([[-1]]), "keys: "),
        (lambda index: index.add([[2**64]]), "keys: "),
        (lambda index: index.add([[0.5]]), "keys: "),
        (lambda index: index.add(pa.array([[1], None])), "not a list of keys for each document"),
        (lambda index: index.add(pa.array([1])), "not a list of keys for each document"),
        (lambda index: index.add([[1]], ids=[1, 2]), "expected 1 ids, one per row, got 2"),
        (lambda index: index.add([[1]], ids=[-1]), "ids: "),
        (lambda index: index.query("12"), "is not a list of keys"),
        (lambda index: index.query([1], limit=0), "whole number for limit, got 0"),
        (lambda index: index.query([1], min_shared=0), "whole number for min_shared, got 0"),
        (lambda index: index.query([1], min_share=1.5), "min_share is 1.5"),
        (lambda index: index.query([1], min_share=float("nan")), "min_share is nan"),
        (lambda index: index.query([1], since=1), "have no times"),
        (lambda index: index.expire(1), "have no times"),
    ],
)
def test_mistakes_have_a_hint(use: Any, message: str) -> None:
    index = KeyIndex()
    index.add([[1]])
    with pytest.raises(UsageError, match=message) as caught:
        use(index)
    assert caught.value.hint
    assert len(index) == 1


def test_merging_and_saving_run_beside_adding(tmp_path: Path) -> None:
    index = KeyIndex()
    documents = [[number, number + 1, 10_000 + number % 7] for number in range(3000)]
    with ThreadPoolExecutor(1) as beside:
        merging = beside.submit(lambda: [index.tidy() for _ in range(200)])
        for first in range(0, 1500, 5):
            index.add(documents[first : first + 5], merge=False)
        half = index.snapshot()
        saving = beside.submit(half.save, tmp_path)
        for first in range(1500, 3000, 5):
            index.add(documents[first : first + 5], merge=False)
        merging.result()
        saving.result()
    assert [id_ for id_, _ in index.query([10_000], limit=3000).hits] == list(range(0, 3000, 7))
    assert [id_ for id_, _ in KeyIndex.open(tmp_path).query([10_000], limit=3000).hits] == list(range(0, 1500, 7))
    index.save(tmp_path)
    assert len(KeyIndex.open(tmp_path)) == 3000


def test_snapshot_replaces_an_index_only_on_request(tmp_path: Path) -> None:
    for number in (1, 2):
        index = KeyIndex()
        index.add([[number]])
        if number == 1:
            index.save(tmp_path)
    segment = next(tmp_path.glob("*.segment"))
    segment.write_bytes(segment.read_bytes()[:-20])
    with pytest.raises(UsageError, match="a different index"):
        index.snapshot().save(tmp_path)
    index.snapshot().save(tmp_path, replace=True)
    again = KeyIndex.open(tmp_path)
    again.verify()
    assert again.query([2]).hits == [(0, 1)]

"""The public behavior of the Hamming index."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.indexes.codes import random_codes

from whorl.errors import UsageError
from whorl.fingerprints import family
from whorl.indexes import HammingIndex


def slow(codes: list[int], query: int, k: int) -> list[tuple[int, int]]:
    """Return the matches of a query by linear search."""
    near = [((code ^ query).bit_count(), place) for place, code in enumerate(codes)]
    return [(place, distance) for distance, place in sorted(near) if distance <= k]


KINDS = [
    *((8, None), (12, None), (32, "4x8"), (64, "4x16"), (64, "manku10"), (100, None), (128, "8x16"), (160, None)),
    (256, "16x16"),
]


@given(
    st.sampled_from(KINDS),
    st.data(),
    st.integers(0, 8),
)
@settings(max_examples=60)
def test_equals_a_list(kind: tuple[int, str | None], data: st.DataObject, k: int) -> None:
    bits, design = kind
    sparse = st.integers(0, 2**bits - 1).map(lambda code: code & ((1 << bits - 1) | 0x35))
    codes = data.draw(st.lists(sparse, max_size=40))
    queries = data.draw(st.lists(sparse, max_size=5))
    index = HammingIndex(bits, design=design, k=k)
    index.add(codes[: len(codes) // 2])
    index.merge()
    index.add(codes[len(codes) // 2 :])
    answers = index.query_many(queries)
    for number, query in enumerate(queries):
        expected = slow(codes, query, k)
        assert index.query(query).hits == expected
        mine = answers.query == number
        assert list(zip(answers.id[mine].tolist(), answers.distance[mine].tolist(), strict=True)) == expected
        assert len(index.query(query, first=True).hits) == min(1, len(expected))
        assert set(index.query(query, first=True).hits) <= set(expected)
    pairs = index.self_join()
    every = [(b, a, (codes[a] ^ codes[b]).bit_count()) for b in range(len(codes)) for a in range(b)]
    result = zip(pairs.later.tolist(), pairs.earlier.tolist(), pairs.distance.tolist(), strict=True)
    assert sorted(result) == [pair for pair in every if pair[2] <= k]


def test_a_planted_neighbour_is_found_among_many() -> None:
    codes = random_codes(200_000)
    index = HammingIndex()
    index.add(codes)
    flipped = codes[::1000] ^ np.uint64(0x8000_0001_0000_0100)
    answers = index.query_many(flipped)
    assert answers.id.tolist() == list(range(0, 200_000, 1000))
    assert set(answers.distance.tolist()) == {3}
    assert answers.unlisted == answers.cut == 0
    assert index.query(int(flipped[7]), k=2).hits == []
    assert 40 < index.stats()["bytes_per_code"] < 60
    assert index.stats()["candidates"] < 200 * 1000
    for k in range(4, 12):
        assert 7000 in [near for near, _ in index.query(int(flipped[7]), k).hits]


@pytest.mark.parametrize(
    "codes",
    [
        [3, 2**63 + 5],
        np.array([3, 2**63 + 5], np.uint64),
        np.array([3, 2**63 + 5], "<u8").view(np.uint8).reshape(2, 8),
        pa.array([3, 2**63 + 5], pa.uint64()),
        pa.chunked_array([pa.array([3], pa.uint64()), pa.array([2**63 + 5], pa.uint64())]),
        pa.array([(3).to_bytes(8, "little"), (2**63 + 5).to_bytes(8, "little")], pa.binary(8)),
        (code for code in [3, 2**63 + 5]),
    ],
)
def test_codes_come_in_many_shapes(codes: Any) -> None:
    index = HammingIndex(k=0)
    index.add(codes)
    assert index.query(3).hits == [(0, 0)]
    assert index.query(2**63 + 5).hits == [(1, 0)]


def test_long_codes_come_as_halves_or_bytes() -> None:
    code = 2**127 + 5
    index = HammingIndex(128, k=0)
    index.add([code])
    index.add(np.array([[5, 2**63]], np.uint64))
    index.add(np.frombuffer(code.to_bytes(16, "little"), np.uint8).reshape(1, 16))
    index.add(np.array([5], np.uint64))
    assert index.query(code).hits == [(0, 0), (1, 0), (2, 0)]
    assert index.query(5).hits == [(3, 0)]


def test_the_codes_of_a_family_go_in_as_they_are() -> None:
    texts = [
        "今天天气很好，适合出门散步，带上雨伞。",
        "今天天气很好，适合出门散步，带上雨伞！",
        "股市大跌，投资者纷纷离场观望。",
    ]
    simhash = family("simhash")
    index = HammingIndex()
    index.add(simhash.fingerprint(texts).codes)
    assert [near for near, _ in index.query(simhash.code(texts[0])).hits] == [0, 1]  # type: ignore[attr-defined]


def test_answers_are_columns_of_numpy_and_arrow() -> None:
    index = HammingIndex()
    index.add([1, 2, 1 << 40], ids=[7, 8, 9])
    table = index.query_many([0], k=1).to_arrow()
    assert table.to_pydict() == {"query": [0, 0, 0], "id": [7, 8, 9], "distance": [1, 1, 1]}
    assert index.self_join(2).to_arrow().column_names == ["later", "earlier", "distance"]


def test_times_bound_what_is_seen() -> None:
    index = HammingIndex()
    index.add([5, 5, 5], times=[datetime(2019, 12, 20), datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 5, 1)])
    index.add([5], times=np.array(["2021-01-01"], "datetime64[D]"))
    index.add(pa.array([5], pa.uint64()), times=pa.array([datetime(2022, 1, 1)], pa.timestamp("ms")))
    assert len(index.query(5).hits) == 5
    answer = index.query(5, limit=2)
    assert (len(answer.hits), answer.unlisted, answer.cut) == (2, 3, 0)
    assert [near for near, _ in index.query(5, since=datetime(2020, 1, 1)).hits] == [1, 2, 3, 4]
    assert [near for near, _ in index.query(5, until=np.datetime64("2020-01-01")).hits] == [0]
    assert index.query_many([5], since=datetime(2020, 1, 2), until=datetime(2021, 1, 1)).id.tolist() == [2]
    assert index.expire(datetime(2021, 1, 1)) == 3
    assert [near for near, _ in index.query(5).hits] == [3, 4]


def test_removed_codes_can_be_added_again() -> None:
    index = HammingIndex()
    index.add(random_codes(20_000), ids=np.arange(20_000)[::-1])
    code = int(random_codes(20_000)[4])
    assert index.query(code).hits == [(19_995, 0)]
    assert index.remove([19_995, 3, 10**9]) == 2
    assert (index.query(code).hits, len(index)) == ([], 19_998)
    index.add([code], ids=[19_995])
    assert index.query(code).hits == [(19_995, 0)]
    assert index.remove(19_995) == 1


def test_many_ask_while_one_adds() -> None:
    codes = random_codes(60_000)
    index = HammingIndex()
    index.add(codes[:500])
    failures: list[str] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            count = len(index)
            result = set(index.query_many(codes[:count]).id.tolist())
            if not result >= set(range(count)):
                failures.append(f"{count - len(result)} of {count} not found")

    readers = [threading.Thread(target=ask) for _ in range(3)]
    for reader in readers:
        reader.start()
    for start in range(500, 60_000, 500):
        index.add(codes[start : start + 500])
    done.set()
    for reader in readers:
        reader.join()
    assert not failures


def test_hot_codes_are_bounded_and_counted() -> None:
    index = HammingIndex(most_candidates=100)
    index.add(np.full(20_000, 7, np.uint64))
    index.add((random_codes(20_000) >> np.uint64(16)) | np.uint64(0xABCD << 48))
    answers = index.query_many([7, 0xABCD << 48], limit=5)
    assert answers.id.tolist() == [0, 1, 2, 3, 4]
    assert answers.unlisted == 20_000 - 5
    assert answers.cut > 19_000
    pairs = index.self_join(limit=3)
    assert len(pairs) == 3 * 20_000 - 6
    assert pairs.unlisted == 20_000 * 19_999 // 2 - len(pairs)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: HammingIndex(7), "bits is 7"),
        (lambda: HammingIndex(257), "bits is 257"),
        (lambda: HammingIndex(64.0), "bits is 64.0"),  # type: ignore[arg-type]
        (lambda: HammingIndex(32, design="4x16"), "a design for 64 bits"),
        (lambda: HammingIndex(64, design="manku11"), "no design 'manku11'"),
        (lambda: HammingIndex(k=12), "k is 12"),
        (lambda: HammingIndex(k=-1), "k is -1"),
        (lambda: HammingIndex(128, k=16), "k is 16"),
        (lambda: HammingIndex(256, k=64), "k is 64"),
        (lambda: HammingIndex(most_candidates=0), "whole number for most_candidates, got 0"),
        (lambda: HammingIndex().query(1, k=True), "k is True"),
        (lambda: HammingIndex().query(-1), "not a code"),
        (lambda: HammingIndex().query("1"), "not a code"),  # type: ignore[arg-type]
        (lambda: HammingIndex().query(2**64), "not a code"),
        (lambda: HammingIndex(32).query(2**32), "more than 32 bits"),
        (lambda: HammingIndex().query_many([1], limit=0), "whole number for limit, got 0"),
        (lambda: HammingIndex().add([-1]), "below 0"),
        (lambda: HammingIndex().add([2**64]), "not numbers of 64 bits"),
        (lambda: HammingIndex(32).add([2**32]), "more than 32 bits"),
        (lambda: HammingIndex(100).add([2**100]), "more than 100 bits"),
        (lambda: HammingIndex(160).add([2**160]), "more than 160 bits"),
        (lambda: HammingIndex(160).add([2**192]), "more than 160 bits"),
        (lambda: HammingIndex(160).query(2**160), "more than 160 bits"),
        (lambda: HammingIndex(256).query(-1), "not a code"),
        (lambda: HammingIndex().add([1.5]), "not whole numbers"),
        (lambda: HammingIndex().add(np.zeros((2, 4), np.uint8)), "4 bytes a code, not 8"),
        (lambda: HammingIndex().add(np.zeros((2, 2), np.uint64)), "not codes of 64 bits"),
        (lambda: HammingIndex().add(pa.array([1, None])), "1 are missing"),
        (lambda: HammingIndex().add([1], ids=[1, 2]), "expected 1 ids, one per row, got 2"),
        (lambda: HammingIndex().add([1], ids=[2**63]), "ids: not whole numbers"),
        (lambda: HammingIndex().add([1], ids=[-1]), "ids: not whole numbers"),
        (lambda: HammingIndex().add([1], times=["today"]), "not whole numbers"),
        (lambda: HammingIndex().add([1], times=np.array(["NaT"], "datetime64[s]")), "one is missing"),
    ],
)
def test_mistakes_have_a_hint(mistake: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as failure:
        mistake()
    assert failure.value.hint


def test_times_are_all_or_none() -> None:
    index = HammingIndex()
    index.add([1])
    with pytest.raises(UsageError, match="either all rows"):
        index.add([1], times=[5])
    with pytest.raises(UsageError, match="have no times"):
        index.query(1, since=5)
    with pytest.raises(UsageError, match="have no times"):
        index.expire(5)
    with pytest.raises(UsageError, match="is not a time"):
        HammingIndex().query(1, since="today")


def test_an_empty_index_answers(tmp_path: Path) -> None:
    index = HammingIndex()
    index.add([])
    assert index.query(5).hits == []
    assert len(index.query_many([])) == len(index.query_many([1, 2])) == len(index.self_join()) == 0
    index.save(tmp_path)
    assert len(HammingIndex.open(tmp_path)) == 0
    assert repr(index).startswith("HammingIndex(bits=64")


@pytest.mark.parametrize("bits", [64, 128, 256])
def test_merging_and_saving_run_beside_adding(tmp_path: Path, bits: int) -> None:
    index = HammingIndex(bits)
    codes = [code << (bits - 64) | code for code in random_codes(6000).tolist()]
    with ThreadPoolExecutor(1) as beside:
        merging = beside.submit(lambda: [index.tidy() for _ in range(200)])
        for first in range(0, 3000, 10):
            index.add(codes[first : first + 10], merge=False)
        half = index.snapshot()
        saving = beside.submit(half.save, tmp_path)
        for first in range(3000, 6000, 10):
            index.add(codes[first : first + 10], merge=False)
        merging.result()
        saving.result()
    assert (len(index), len(HammingIndex.open(tmp_path))) == (6000, 3000)
    index.save(tmp_path)
    again = HammingIndex.open(tmp_path)
    assert all(again.query(codes[place], 0).hits[0] == (place, 0) for place in range(0, 6000, 500))


def test_snapshot_replaces_an_index_only_on_request(tmp_path: Path) -> None:
    for code in (1, 2):
        index = HammingIndex()
        index.add([code])
        if code == 1:
            index.save(tmp_path)
    with pytest.raises(UsageError, match="a different index"):
        index.snapshot().save(tmp_path)
    index.snapshot().save(tmp_path, replace=True)
    assert HammingIndex.open(tmp_path).query(2, 0).hits == [(0, 0)]


def test_codes_of_256_bits_at_large_distances(tmp_path: Path) -> None:
    """A planted code is in the answer from its distance on; all answers equal those of a linear search."""
    words = random_codes(4 * 20_000).reshape(-1, 4)
    codes = [int.from_bytes(row.tobytes(), "little") for row in words]
    flips = [sum(1 << (bit * 37 % 256) for bit in range(number % 64)) for number in range(0, 20_000, 100)]
    queries = [code ^ flip for code, flip in zip(codes[::100], flips, strict=True)]
    index = HammingIndex(256)
    index.add(words)
    index.save(tmp_path)
    for opened in (index, HammingIndex.open(tmp_path)):
        for k in (0, 15, 31, 63):
            answers = opened.query_many(queries, k)
            expected = [
                (number, 100 * number, flip.bit_count()) for number, flip in enumerate(flips) if flip.bit_count() <= k
            ]
            columns = zip(answers.query.tolist(), answers.id.tolist(), answers.distance.tolist(), strict=True)
            assert list(columns) == expected
    assert index.query(queries[3], 63).hits == slow(codes, queries[3], 63)

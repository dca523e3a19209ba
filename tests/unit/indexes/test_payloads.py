"""Payloads of index rows: they survive merges, removals and files, and belong to the last row of an id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whorl
from whorl.errors import UsageError
from whorl.indexes.payloads import MAX_BYTES

INDEXES = [whorl.indexes.KeyIndex, lambda: whorl.indexes.HammingIndex(64), lambda: whorl.indexes.HammingIndex(128, k=7)]
PAYLOADS = [None, b"", b"raw \x00\xff", {"url": "https://a.example/1", "题": ["梨", 1.5, None]}, "text", 7, [], False]


def rows(index: Any, numbers: list[int]) -> list[Any]:
    """Return keys or codes of rows."""
    return [[number, number + 1] for number in numbers] if isinstance(index, whorl.indexes.KeyIndex) else numbers


@pytest.mark.parametrize("make", INDEXES)
def test_payloads_are_returned_as_they_were_added(make: Any, tmp_path: Path) -> None:
    index = make()
    index.add(rows(index, list(range(8))), ids=range(10, 18), payloads=PAYLOADS)
    index.add(rows(index, [100, 101]))
    assert index.payloads(range(10, 20)) == [*PAYLOADS, None, None]
    assert index.payloads([12, 99, 12]) == [PAYLOADS[2], None, PAYLOADS[2]]
    assert index.payloads(13) == [PAYLOADS[3]]
    index.save(tmp_path / "index")
    again = type(index).open(tmp_path / "index")
    again.verify()
    assert again.payloads(range(10, 20)) == [*PAYLOADS, None, None]
    again.merge()
    assert again.payloads(range(10, 20)) == [*PAYLOADS, None, None]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(INDEXES),
    st.lists(
        st.tuples(
            st.sampled_from(["add", "add plain", "remove", "merge", "save"]),
            st.lists(st.tuples(st.integers(0, 40), st.sampled_from(PAYLOADS)), min_size=1, max_size=12),
        ),
        max_size=12,
    ),
)
def test_payloads_equal_a_dictionary(tmp_path_factory: Any, make: Any, steps: list[Any]) -> None:
    index, expected = make(), {}
    for step, entries in steps:
        ids = [id_ for id_, _ in entries]
        if step == "add":
            index.add(rows(index, ids), ids=ids, payloads=[payload for _, payload in entries])
            expected |= dict(entries)
        elif step == "add plain":
            index.add(rows(index, ids), ids=ids)
            expected |= dict.fromkeys(ids)
        elif step == "remove":
            index.remove(ids)
            expected = {id_: payload for id_, payload in expected.items() if id_ not in ids}
        elif step == "merge":
            index.merge()
        else:
            folder = tmp_path_factory.mktemp("index") / "index"
            index.save(folder)
            index = type(index).open(folder)
    assert index.payloads(range(41)) == [expected.get(id_) for id_ in range(41)]


@pytest.mark.parametrize("make", INDEXES)
def test_many_rows_with_payloads_are_merged(make: Any) -> None:
    index = make()
    for start in range(0, 30_000, 3_000):
        numbers = list(range(start, start + 3_000))
        index.add(rows(index, numbers), payloads=[{"number": number} for number in numbers], merge=False)
    while index.tidy():
        pass
    index.remove(range(0, 30_000, 2))
    index.merge()
    assert index.payloads(range(30_000)) == [{"number": n} if n % 2 else None for n in range(30_000)]


@pytest.mark.parametrize("make", INDEXES)
def test_expired_rows_lose_their_payloads(make: Any) -> None:
    index = make()
    index.add(rows(index, [1, 2]), times=[1, 2], payloads=["a", "b"])
    index.expire(2)
    assert index.payloads([0, 1]) == [None, "b"]


@pytest.mark.parametrize("make", INDEXES)
@pytest.mark.parametrize(
    "payloads", [[], ["a"], "ab", 5, [object(), None], [float("nan"), None], [b"x" * (MAX_BYTES + 1), None]]
)
def test_wrong_payloads_are_refused_and_nothing_is_added(make: Any, payloads: Any) -> None:
    index = make()
    with pytest.raises(UsageError, match=r"(?s)hint: "):
        index.add(rows(index, [1, 2]), payloads=payloads)
    assert len(index) == 0

"""The separation of posting bytes, without loss."""

from __future__ import annotations

import numpy as np
import pytest

from whorl.stores.redis.records import bits_for, decode_answer, encode_query, mixed, postings


def test_more_contents_are_further_apart() -> None:
    bits = [bits_for(count) for count in (0, 639, 640, 10_000, 42_000, 100_000, 10**6, 10**9)]
    assert bits == [8, 8, 10, 12, 16, 16, 20, 24]


@pytest.mark.parametrize("bits", [8, 10, 12, 16, 22, 24])
def test_every_posting_is_under_the_first_bits_of_its_key(bits: int) -> None:
    keys = mixed(np.arange(20_000, dtype=np.uint64))
    assert len(np.unique(keys)) == len(keys)
    width, visited = -(-bits // 8), set()
    for blob in postings(keys, np.arange(20_000), bits):
        at = 0
        while at < len(blob):
            field, count = blob[at : at + width], int.from_bytes(blob[at + width : at + width + 4], "little")
            at += width + 4
            for _ in range(count):
                visited.add(
                    (int.from_bytes(field, "big") >> (8 * width - bits), blob[at : at + 5], blob[at + 5 : at + 8])
                )
                at += 8
    report = encode_query(keys)
    expected = {
        (int(key) >> (64 - bits), report[8 * place + 3 : 8 * place + 8], place.to_bytes(3, "big"))
        for place, key in enumerate(keys)
    }
    assert visited == expected


def test_an_answer_is_read_back() -> None:
    places, contents = decode_answer(bytes([1, 2, 3, 4, 5, 255, 0, 0, 0, 1]))
    assert (places.tolist(), contents.tolist()) == ([513, 255], [3 << 16 | 4 << 8 | 5, 1])
    assert [len(column) for column in decode_answer(b"")] == [0, 0]

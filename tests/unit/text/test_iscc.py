"""Text-Codes of ISO 24138: their form, bytes and distances, and the search for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.articles import article, edited

import whorl
from whorl.errors import UsageError
from whorl.text.iscc import BITS


def test_a_shorter_code_is_the_beginning_of_a_longer_one() -> None:
    (longest,) = whorl.iscc.code_bytes([whorl.iscc.text_code(article(1), 256)]).tolist()
    for bits in BITS:
        (body,) = whorl.iscc.code_bytes([whorl.iscc.text_code(article(1), bits)]).tolist()
        assert body == longest[: bits // 8]


def test_layout_and_punctuation_do_not_change_a_code() -> None:
    assert len({*whorl.iscc.text_codes(["Hello World", "HELLO, world!", "he\u0301llo\n\u200bworld"])}) == 1


def test_any_column_of_texts() -> None:
    texts = [article(1), "", "\ud800", article(2)]
    codes = whorl.iscc.text_codes(texts)
    assert codes[1] == codes[2], "a lone surrogate is removed"
    assert whorl.iscc.text_codes(pa.array([article(1), None, article(2)])) == [codes[0], codes[1], codes[3]]
    assert whorl.iscc.text_codes([]) == []
    assert whorl.iscc.code_bytes([]).shape[0] == 0


def test_edited_articles_are_near_and_strangers_far() -> None:
    codes = whorl.iscc.text_codes([article(1), edited(article(1), 3), article(2)], 256)
    assert whorl.iscc.distance(codes[0], codes[0]) == 0
    assert whorl.iscc.distance(codes[0], codes[1]) < 50
    assert whorl.iscc.distance(codes[0], codes[2]) > 80
    assert whorl.iscc.distance(codes[0], whorl.iscc.text_code(article(1))) == 0, "64 bits are compared"


def test_search_within_a_distance() -> None:
    texts = [article(number) for number in range(200)]
    bodies = whorl.iscc.code_bytes(whorl.iscc.text_codes(texts, 256))
    index = whorl.indexes.HammingIndex(bits=256, k=63)
    index.add(bodies)
    query = whorl.iscc.code_bytes(whorl.iscc.text_codes([edited(texts[70], 2)], 256))
    answers = index.query_many(query)
    differing = np.unpackbits(bodies ^ query, axis=1).sum(axis=1)
    assert sorted(answers.id.tolist()) == np.flatnonzero(differing <= 63).tolist()
    assert 70 in answers.id.tolist()


@pytest.mark.parametrize("bits", [0, 32, 65, 288, 64.0, "64", True])
def test_other_sizes_are_refused(bits: int) -> None:
    with pytest.raises(UsageError, match="64 to 256 bits"):
        whorl.iscc.text_code("text", bits)


@pytest.mark.parametrize("code", ["", "ISCC:", "ISCC:EAASKDNZNYGUUF5", "ISCC:AAASKDNZNYGUUF5A", "ISCC:1", "天气"])
def test_what_is_no_text_code_is_refused(code: str) -> None:
    with pytest.raises(UsageError, match="not a Text-Code"):
        whorl.iscc.distance(code, code)


def test_codes_of_different_sizes_are_refused() -> None:
    codes = [whorl.iscc.text_code("text", bits) for bits in (64, 128)]
    with pytest.raises(UsageError, match="different sizes"):
        whorl.iscc.code_bytes(codes)


def test_articles_of_a_library_have_codes(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": "a", "text": article(1)}, {"id": "b", "text": article(2)}])
        assert library.iscc(["b", "none"], bits=256) == {"b": whorl.iscc.text_code(article(2), 256)}
        with pytest.raises(UsageError, match="64 to 256 bits"):
            library.iscc(["a"], bits=100)
    with (
        whorl.open(tmp_path / "bare", texts=False) as library,
        pytest.raises(UsageError, match="keeps no texts"),
    ):
        library.iscc(["a"])

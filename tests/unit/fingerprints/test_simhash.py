"""SimHash: the votes, their hashes and weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.golden.recorded import recorded
from tests.golden.reference_words import jenkins, word_hash

from whorl.errors import UsageError
from whorl.fingerprints import family
from whorl.fingerprints.simhash import SimHash, code_of
from whorl.text import tokens

GOLDEN = 0x9E3779B97F4A7C15
VECTORS = recorded("words")["texts"]
TEXT = "今年春天，江南的茶农比往年早十天开园。ＧＰＴ-4 model"

each_text = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])


def mix(value: int) -> int:
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & 2**64 - 1
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & 2**64 - 1
    return value ^ value >> 31


def widened(value: int) -> int:
    return mix(value ^ GOLDEN) << 64 | value


def slow_code(features: Iterable[tuple[int, int]], bits: int) -> int | None:
    """The definition: a bit is 1 if the features with this bit outweigh the others."""
    votes = list(features)
    sums = [sum(weight if hash >> bit & 1 else -weight for hash, weight in votes) for bit in range(bits)]
    return sum(1 << bit for bit, total in enumerate(sums) if total > 0) if votes else None


def spelled_out(text: str, width: int) -> list[bytes]:
    """Return the shingles as bytes, with a space between two tokens unless both are single Chinese characters."""

    def joined(parts: list[str]) -> str:
        whole = parts[0]
        for before, part in pairwise(parts):
            single = not before.isascii() and not part.isascii()
            whole += part if single else f" {part}"
        return whole

    token_list = tokens(text)
    return [joined(token_list[first : first + width]).encode() for first in range(len(token_list) - width + 1)]


HASHES = {
    "md5": lambda data: int(hashlib.md5(data).hexdigest(), 16),
    "sha1": lambda data: int(hashlib.sha1(data).hexdigest(), 16) % 2**128,
    "jenkins": lambda data: widened(jenkins(data)),
}


@pytest.mark.parametrize("bits", [8, 32, 64, 128])
@given(features=st.lists(st.tuples(st.integers(0, 2**128 - 1), st.integers(0, 9)), max_size=8))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_code_of_ones_own_features(bits: int, features: list[tuple[int, int]]) -> None:
    assert code_of(features, bits) == slow_code(features, bits)


def test_the_worked_example() -> None:
    """Two words of a widely copied article: 12306 weighs 5, 服務器 weighs 4."""
    assert code_of([(0b10011100, 5), (0b01110101, 4)], 8) == 0b10011100
    assert code_of([(0b10011100, 5), (0b01110101, 4), (0b00110011, 4), (0b11001010, 4)], 8) == slow_code(
        [(0b10011100, 5), (0b01110101, 4), (0b00110011, 4), (0b11001010, 4)], 8
    )


def test_a_tie_is_zero() -> None:
    assert code_of([(0b10, 3), (0b01, 3)], 8) == 0
    assert code_of([(0b10, 3), (0b01, 2)], 8) == 0b10
    assert code_of([], 8) is None


@pytest.mark.parametrize("feature", [(2**128, 1), (-1, 1), (1, -1), (1, 2**63)])
def test_features_out_of_range_are_refused(feature: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="out of range"):
        code_of([feature])


@pytest.mark.parametrize("bits", [8, 32, 64, 128])
@pytest.mark.parametrize("hash", sorted(HASHES))
def test_shingles_by_the_hashes_of_others(hash: str, bits: int) -> None:
    for width in (1, 2, 3):
        expected = slow_code(((HASHES[hash](data), 1) for data in spelled_out(TEXT, width)), bits)
        assert family("simhash", hash=hash, bits=bits, shingle=width).code(TEXT) == expected


def test_every_hash_makes_another_code() -> None:
    names = ("whorl", "xxh3", "md5", "sha1", "farmhash64", "jenkins")
    for features in ("shingles", "words"):
        codes = {family("simhash", hash=name, features=features).code(VECTORS[0]["text"]) for name in names}
        assert len(codes) == len(names)


@each_text
@pytest.mark.parametrize("bits", [32, 64, 128])
def test_words_vote_with_their_weights(vector: dict[str, Any], bits: int) -> None:
    terms = vector["terms"]
    chosen = family("simhash", features="words", bits=bits, least_features=1)
    assert chosen.code(vector["text"]) == slow_code(((widened(word_hash(word)), terms[word]) for word in terms), bits)


def test_the_heaviest_words_by_another_hash() -> None:
    terms = VECTORS[0]["terms"]
    heaviest = sorted(terms, key=lambda word: (-terms[word], word_hash(word)))[:5]
    expected = slow_code(((HASHES["jenkins"](word.encode()), terms[word]) for word in heaviest), 64)
    assert family("simhash", features="words", top=5, hash="jenkins").code(VECTORS[0]["text"]) == expected


def test_weight_scale_uses_the_chosen_words() -> None:
    text = VECTORS[0]["text"]
    chosen = SimHash(features="words", weights="scale", top=6)
    terms = chosen.terms([text], 6)
    votes = zip(map(widened, terms.hashes.tolist()), terms.weights.tolist(), strict=True)
    assert chosen.code(text) == slow_code(votes, 64)
    assert set(terms.weights.tolist()) <= {1, 2, 3, 4, 5}


def test_few_words_have_no_code() -> None:
    chosen = family("simhash", features="words", tags=["n", "v"])
    assert chosen.fingerprint(["茶园丰收，渔港"]).counts.tolist() == [0]
    assert chosen.fingerprint(["茶园丰收，渔港机器增添"]).counts.tolist() == [4]


def test_noun_verb_filter_ignores_letters_digits_and_marks() -> None:
    """Dropping them before segmentation, or by their part of speech afterwards, gives the same words."""
    chosen = SimHash(features="words", tags=("n", "v"), weights="tf")
    noisy = chosen.terms(["A1茶园2024丰收，GPT！渔港3机器 km 增添。"], 100)
    plain = chosen.terms(["茶园 丰收 渔港 机器 增添"], 100)
    assert noisy.hashes.tolist() == plain.hashes.tolist()


def test_word_choice_is_in_the_recipe() -> None:
    assert SimHash().vocabulary == ""
    assert SimHash(features="words").vocabulary.startswith("whorl-words-")


@pytest.mark.parametrize(
    "parameters",
    [
        {"bits": 16},
        {"bits": 64.0},
        {"bits": True},
        {"distance": 12},
        {"features": "letters"},
        {"hash": "crc32"},
        {"hash": None},
        {"top": 0},
        {"least_features": 0},
        {"shingle": 65},
        {"limits": [(500, 6), (140, 10)]},
        {"limits": 3},
        {"weights": "bm25"},
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        family("simhash", **parameters)
    with pytest.raises(UsageError):
        code_of([(1, 1)], 7)

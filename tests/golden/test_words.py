"""The keys derived from words are a file format: those in `words.json` never change."""

from __future__ import annotations

from typing import Any

import pytest
from tests.golden.recorded import recorded
from tests.golden.reference_words import set_key, word_hash

from whorl.fingerprints import family, keys
from whorl.text.terms import TermChoice
from whorl.text.words import WORDS_VERSION

VECTORS = recorded("words")

each_text = pytest.mark.parametrize("vector", VECTORS["texts"], ids=lambda vector: vector["name"])


def test_vectors_are_of_this_version() -> None:
    assert VECTORS["words"] == WORDS_VERSION


@each_text
@pytest.mark.parametrize("name", ["info", "keywords", "imatch", "content"])
def test_keys(vector: dict[str, Any], name: str) -> None:
    actual = family(name).fingerprint([vector["text"]])
    assert [f"{key:016x}" for key in actual.keys.tolist()] == vector["keys"][name]


@each_text
def test_terms(vector: dict[str, Any]) -> None:
    actual = TermChoice().terms([vector["text"]], 1000)
    expected = {word_hash(word): weight for word, weight in vector["terms"].items()}
    assert dict(zip(actual.hashes.tolist(), actual.weights.tolist(), strict=True)) == expected


@each_text
def test_keys_follow_from_terms(vector: dict[str, Any]) -> None:
    heaviest = sorted(vector["terms"], key=lambda word: (-vector["terms"][word], word_hash(word)))
    enough = len(heaviest) >= 3
    assert keys(family("info"), vector["text"]) == (set(map(word_hash, heaviest[:10])) if enough else set())
    assert keys(family("keywords"), vector["text"]) == ({set_key(heaviest[:6])} if enough else set())


def test_the_lexicons_of_imatch() -> None:
    """With a band that takes every word, so that the words are fixed."""
    text = VECTORS["texts"][0]
    chosen = family("imatch", lowest=0, highest=50, lexicons=4, least=1)
    assert keys(chosen, text["text"]) == {set_key(text["terms"], lexicon) for lexicon in range(5)}

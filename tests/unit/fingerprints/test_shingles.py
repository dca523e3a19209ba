"""Shingles: exact similarities, and keys that similar texts share always or almost always."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.quality.exact import jaccard

from whorl.errors import UsageError
from whorl.fingerprints import family, keys
from whorl.fingerprints.shingles import Shingles
from whorl.matching.verify import judge


@pytest.mark.parametrize("shingle", [1, 3, 5])
def test_the_similarity_is_exact(shingle: int) -> None:
    for edits in (0, 5, 40):
        a, b = article(1, 300), edited(article(1, 300), edits, seed=1)
        assert Shingles(shingle=shingle).similarity(a, b) == jaccard(a, b, shingle)


@given(a=st.text("甲乙丙丁", min_size=1, max_size=12), b=st.text("甲乙丙丁", min_size=1, max_size=12))
def test_short_texts_with_a_common_shingle_share_a_key(a: str, b: str) -> None:
    chosen = Shingles(shingle=2)
    assert bool(keys(chosen, a) & keys(chosen, b)) == (chosen.similarity(a, b) > 0)


def test_keys_are_the_lowest_hashes() -> None:
    text = article(2, 400)
    every = keys(Shingles(sample=4096), text)
    assert keys(Shingles(sample=7), text) == set(sorted(every)[:7])
    assert family("shingles").fingerprint([text]).counts.tolist() == [32]


def test_pairs_share_a_key_at_least_as_often_as_promised() -> None:
    chosen = Shingles(sample=3)
    pairs = [(article(number, 300), edited(article(number, 300), 40, seed=number)) for number in range(200)]
    promised = sum(chosen.min_recall(chosen.similarity(a, b)) for a, b in pairs) / len(pairs)
    share = sum(bool(keys(chosen, a) & keys(chosen, b)) for a, b in pairs) / len(pairs)
    assert share > promised - 0.06


def test_the_verdict_is_the_similarity() -> None:
    chosen = Shingles()
    a, b = article(3, 300), edited(article(3, 300), 6, seed=3)
    figure, copies = judge(a, b, chosen, chosen.verdict(0.8))
    assert (figure.similarity, copies) == (chosen.similarity(a, b), chosen.similarity(a, b) >= 0.8)


@pytest.mark.parametrize("parameters", [{"shingle": 0}, {"shingle": 65}, {"sample": 0}, {"sample": 2.0}])
def test_parameters_out_of_range_are_refused(parameters: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        family("shingles", **parameters)

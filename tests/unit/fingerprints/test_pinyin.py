"""The family `pinyin`: inputs, keys and queries."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article, newsroom_articles
from tests.homophones import with_homophones

from whorl.errors import UsageError
from whorl.fingerprints import keys
from whorl.fingerprints.pinyin import ALPHABET, REFERENCE, Pinyin, granule_for, initial_shares
from whorl.text import body
from whorl.text.pinyin import initials

EVEN = (0.05,) * len(ALPHABET)


@pytest.mark.parametrize(
    "parameters",
    [
        {"granule": 1},
        {"granule": 1001},
        {"granule": 99.5},
        {"overlap": 1},
        {"overlap": -0.1},
        {"overlap": "half"},
        {"bins": 1},
        {"bins": 11},
        {"bins": True},
        {"hits": 0},
        {"share": 0},
        {"share": 1.01},
        {"share": float("nan")},
        {"normalisation": "none"},
        {"others": None},
        {"reference": (0.05,) * 19},
        {"reference": (0.0,) + (0.05,) * 19},
        {"reference": (0.6,) + (0.02,) * 19},
        {"reference": "bcdfghjklmnpqrstwxyz"},
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Pinyin(**parameters)


def test_a_reference_out_of_a_recipe_is_a_list() -> None:
    assert Pinyin(reference=list(EVEN)) == Pinyin(reference=EVEN)  # type: ignore[arg-type]


def test_the_reference_is_that_of_the_dictionary_of_jieba() -> None:
    import jieba

    counts: Counter[str] = Counter()
    with jieba.get_dict_file() as dictionary:
        for line in dictionary:
            word, frequency, *_ = line.decode().split(" ")
            letters = Counter(initials(word, by_word=False))
            counts.update({letter: int(frequency) * times for letter, times in letters.items()})
    assert [counts[letter] / counts.total() for letter in ALPHABET] == pytest.approx(REFERENCE, abs=5e-5)


def test_shares_of_initials() -> None:
    shares = initial_shares(["八八点点", "的的吃吃啊安"])
    assert dict(zip(ALPHABET, shares, strict=True)) == dict.fromkeys(ALPHABET, 0.05) | {
        "b": 0.2,
        "d": 0.4,
        "c": 0.2,
    }
    with pytest.raises(UsageError, match="no Han"):
        initial_shares(["abc"])
    with pytest.raises(UsageError):
        initial_shares(["八八八点"])


def test_a_text_of_twice_the_granule_has_three_granules() -> None:
    text = "".join(sign for sign in article(1, 300) if initials(sign))[:160]
    digits = Pinyin(granule=80, reference=EVEN, bins=10).digits(text)
    assert digits.shape == (3, 20)
    for row, start in zip(digits, (0, 40, 80), strict=True):
        counts = np.array([initials(text[start : start + 80], by_word=False).count(letter) for letter in ALPHABET])
        z = (counts / 80 - 0.05) / np.sqrt(0.05 * 0.95 / 80)
        assert row.tolist() == np.clip(np.floor((z + 2.5) / 5 * 10), 0, 9).tolist()


@pytest.mark.parametrize(("bins", "size"), [(10, 9), (8, 8), (4, 5), (2, 3)])
def test_numbers_have_the_size_of_their_base(bins: int, size: int) -> None:
    chosen = Pinyin(bins=bins)
    assert chosen.number_bytes == size
    numbers = chosen.numbers(article(1, 1000))
    assert len(numbers) > 10
    assert max(numbers) < bins**20 <= 256**size


@pytest.mark.parametrize("normalisation", ["zscore", "minmax", "quantile"])
@pytest.mark.parametrize("bins", [2, 4, 8, 10])
def test_every_normalisation_uses_its_bins(normalisation: str, bins: int) -> None:
    digits = Pinyin(normalisation=normalisation, bins=bins, granule=60).digits(article(2, 3000))
    assert set(np.unique(digits)) == set(range(bins))


def test_homophones_are_copies() -> None:
    chosen = Pinyin()
    for row in newsroom_articles()[:20]:
        text = body(row["text"])
        assert keys(chosen, with_homophones(text, 0.5)) == keys(chosen, text)


def test_short_texts_equal_only_what_sounds_alike() -> None:
    chosen = Pinyin()
    assert chosen.similarity("他在家里", "她再加理") == 1.0
    assert chosen.similarity("他在家里", "他在家外") == 0.0
    assert chosen.similarity("ab cd", "abcd") == 0.0
    assert len(keys(chosen, "short")) == chosen.min_shared


def test_characters_without_pinyin_are_skipped_or_kept() -> None:
    text = article(3, 300)
    mixed = text.replace("。", " ok 7 カ。")
    assert keys(Pinyin(), mixed) == keys(Pinyin(), text)
    assert keys(Pinyin(others="keep"), mixed) != keys(Pinyin(), text)
    digits = Pinyin(others="keep", granule=20, bins=2).digits("kkkk ka oi " * 4 + "7カ")
    assert digits[:, ALPHABET.index("k")].all()
    assert not digits[:, [place for place, letter in enumerate(ALPHABET) if letter != "k"]].any()


def test_an_excerpt_is_found_wherever_it_was_cut_out() -> None:
    chosen = Pinyin()
    library = [keys(chosen, article(number, 2000)) for number in range(40)]
    for number, offset in [(3, 117), (17, 1001), (39, 555)]:
        excerpt = article(number, 2000)[offset : offset + 500]
        hits = [len(chosen.query(excerpt, stride=1) & item) for item in library]
        assert hits.index(max(hits)) == number
        assert max(hits) >= 4
        on_the_grid = chosen.query(excerpt)
        assert on_the_grid <= chosen.query(excerpt, stride=1)


def test_pieces_are_some_of_the_granules_and_probes_are_more_keys() -> None:
    chosen, text = Pinyin(), article(1, 3000)
    every = chosen.query(text)
    assert every == keys(chosen, text)
    assert len(chosen.query(text, pieces=5)) == 5
    assert chosen.query(text, pieces=5) < every < chosen.query(text, probes=3)
    assert chosen.query(text, pieces=10**6) == every
    assert chosen.query("短文", stride=1, probes=3) == keys(chosen, "短文")
    assert chosen.query("。", stride=1, probes=3) == frozenset()


def test_probes_find_granules_that_an_edit_has_moved() -> None:
    """Over many articles with every fiftieth character replaced, each probe finds more."""
    chosen = Pinyin(granule=100, hits=1)
    hits = [0, 0, 0]
    for number in range(60):
        text = article(number, 1000)
        edited = "".join("天" if place % 50 == 0 else sign for place, sign in enumerate(text))
        for place, probes in enumerate((0, 2, 8)):
            hits[place] += len(chosen.query(edited, probes=probes) & keys(chosen, text))
    assert hits[0] < hits[1] < hits[2]


@pytest.mark.parametrize("query", [{"stride": 0}, {"pieces": 0}, {"probes": -1}])
def test_a_query_out_of_range_is_refused(query: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Pinyin().query("文章", **query)


@pytest.mark.parametrize(("length", "granule"), [(10, 50), (399, 50), (400, 100), (799, 100), (800, 200), (9999, 200)])
def test_granule_depends_on_query_length(length: int, granule: int) -> None:
    assert granule_for(length) == granule


def test_sizes_and_bases_do_not_mix() -> None:
    text = article(5, 1000)
    rules = [Pinyin(), Pinyin(granule=60), Pinyin(bins=4), Pinyin(bins=10)]
    result = [keys(rule, text) for rule in rules]
    assert all(not finding & other for place, finding in enumerate(result) for other in result[:place])


@given(st.text(st.sampled_from("天地玄黄宇宙洪荒日月盈昃a1。 ")), st.integers(2, 12), st.sampled_from([0.0, 0.3, 0.9]))
def test_a_query_with_the_same_steps_has_the_same_keys(text: str, granule: int, overlap: float) -> None:
    chosen = Pinyin(granule=granule, overlap=overlap)
    assert chosen.query(text) == keys(chosen, text)

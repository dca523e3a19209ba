"""The engine gives the result of the definition, row for row."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.slow_dedup import dedup_by_fields_slowly, dedup_slowly

from whorl.engines.memory.rows import decide_rows, gather, rows_of_texts
from whorl.matching.verify import Verification
from whorl.recipe import Recipe
from whorl.text import fold

WORDS = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"


def decided(texts: list[str], recipe: Recipe, references: int = 0) -> dict[int, tuple[int, float]]:
    gathered = gather(rows_of_texts(texts[references:]), rows_of_texts(texts[:references]), recipe)
    decisions, _ = decide_rows(gathered, recipe)
    dropped = np.flatnonzero(~decisions.kept)
    similarity = decisions.similarity[dropped]
    originals = decisions.duplicate_of[dropped]
    return {int(a): (int(b), float(c)) for a, b, c in zip(dropped, originals, similarity, strict=True)}


RULE = Verification("none")
"""Parameters that turn other features off: boilerplate and passages have separate tests."""


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    """Generate small corpora full of near-duplicates: a few bases, edited, joined, repeated and cut."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    bases = ["".join(rng.choices(WORDS, k=rng.randint(1, 60))) for _ in range(draw(st.integers(1, 4)))]
    texts = []
    for _ in range(draw(st.integers(0, 30))):
        text = list(rng.choice(bases))
        for _ in range(rng.randint(0, 4)):
            text[rng.randrange(len(text))] = rng.choice(WORDS + "。 ")
        texts.append("".join(text) if rng.random() < 0.9 else "".join(text) + rng.choice(bases))
    return [*texts, *draw(st.lists(st.sampled_from(["", "。", "天", *texts]), max_size=4))]


@settings(max_examples=150)
@given(
    texts=corpora(),
    threshold=st.sampled_from([0.3, 0.5, 0.8, 1.0]),
    shingle=st.integers(1, 5),
    references=st.integers(0, 5),
)
def test_minhash_equals_the_slow_twin(texts: list[str], threshold: float, shingle: int, references: int) -> None:
    recipe = Recipe(threshold=threshold, keep="first", parameters={"shingle": shingle})
    references = min(references, len(texts))
    assert decided(texts, recipe, references) == dedup_slowly(texts, recipe.family(), threshold, references)


@settings(max_examples=100)
@given(
    texts=corpora(),
    threshold=st.sampled_from([0.3, 0.5, 0.8, 1.0]),
    parameters=st.fixed_dictionaries(
        {"k": st.integers(1, 6), "window": st.integers(1, 6), "hits": st.integers(1, 3)},
        optional={"measure": st.just("jaccard"), "shingle": st.integers(1, 5)},
    ),
)
def test_winnowing_equals_the_slow_twin(texts: list[str], threshold: float, parameters: dict[str, object]) -> None:
    texts = sorted(texts, key=lambda text: (-len(fold(text)), texts.index(text)))
    recipe = Recipe(method="winnowing", threshold=threshold, parameters=parameters, verify=RULE)
    assert decided(texts, recipe) == dedup_slowly(texts, recipe.family(), threshold)


@settings(max_examples=100)
@given(
    texts=corpora(),
    parameters=st.fixed_dictionaries(
        {"bits": st.sampled_from([8, 32, 64, 128]), "distance": st.integers(0, 7), "shingle": st.integers(1, 3)},
        optional={"limits": st.just(((20, 12), (40, 5))), "least_features": st.integers(1, 9)},
    ),
)
def test_simhash_equals_the_slow_twin(texts: list[str], parameters: dict[str, object]) -> None:
    parameters["limits"] = tuple((n, min(d, 8)) for n, d in parameters.get("limits", ()))
    recipe = Recipe(method="simhash", keep="first", parameters=parameters, verify=RULE)
    assert decided(texts, recipe) == dedup_slowly(texts, recipe.family(), recipe.threshold)


@settings(max_examples=150)
@given(
    texts=corpora(),
    method=st.sampled_from(["minhash", "winnowing", "simhash", "segment", "exact"]),
    threshold=st.sampled_from([0.3, 0.7]),
    verification=st.builds(
        Verification,
        measure=st.sampled_from(["jaccard", "containment", "cosine", "edit"]),
        threshold=st.sampled_from([0.4, 0.8, 1.0]),
        over=st.sampled_from(["shingles", "precise", "full"]),
        width=st.integers(1, 3),
        fold=st.sampled_from(["none", "pinyin"]),
    ),
    references=st.integers(0, 3),
)
def test_a_verification_equals_the_slow_twin(
    texts: list[str], method: str, threshold: float, verification: Verification, references: int
) -> None:
    texts = sorted(texts, key=lambda text: (-len(fold(text)), texts.index(text)))
    recipe = Recipe(method=method, threshold=threshold, verify=verification)
    references = min(references, len(texts))
    expected = dedup_slowly(texts, recipe.family(), threshold, references, verification)
    assert decided(texts, recipe, references) == expected


@settings(max_examples=50)
@given(texts=corpora())
def test_exact_equals_the_slow_twin(texts: list[str]) -> None:
    recipe = Recipe(method="exact", keep="first")
    assert decided(texts, recipe) == dedup_slowly(texts, recipe.family(), recipe.threshold)


FIELDS = st.one_of(
    st.just({"method": "exact"}),
    st.builds(lambda threshold: {"threshold": threshold, "parameters": {"shingle": 2}}, st.sampled_from([0.3, 0.8])),
    st.just({"method": "winnowing", "threshold": 0.5, "parameters": {"k": 2, "window": 3, "hits": 2}, "verify": RULE}),
    st.just({"method": "simhash", "parameters": {"bits": 32, "least_features": 1}, "verify": RULE}),
    st.just({"method": "segment", "parameters": {"min_shared": 1}, "verify": {"measure": "edit", "threshold": 0.5}}),
)


@settings(max_examples=200)
@given(
    titles=corpora(),
    bodies=corpora(),
    fields=st.fixed_dictionaries({"title": FIELDS, "text": FIELDS}),
    combine=st.sampled_from(["and", "or"]),
    references=st.integers(0, 3),
)
def test_fields_equal_the_slow_twin(
    titles: list[str], bodies: list[str], fields: dict[str, dict[str, object]], combine: str, references: int
) -> None:
    texts = [f"{title}\n{body}" for title, body in zip(titles, bodies, strict=False)]
    texts += texts[:2] + [text.replace("\n", "") for text in texts[:2]]
    texts.sort(key=lambda text: -len(fold(text)))
    recipe = Recipe(fields=fields, combine=combine)
    references = min(references, len(texts))
    assert decided(texts, recipe, references) == dedup_by_fields_slowly(texts, recipe, references)


def test_more_documents_than_a_key_lists() -> None:
    """Hundreds of kept documents share keys: the posting list is full, and further ones are not found by it."""
    rng = random.Random(7)
    base = "".join(rng.choices(WORDS, k=40))
    texts = [base + "".join(rng.choices(WORDS, k=40)) for _ in range(300)]
    recipe = Recipe(threshold=0.9, keep="first", parameters={"shingle": 2, "threshold": 0.2, "target_recall": 0.9})
    decisions, _ = decide_rows(gather(rows_of_texts(texts), rows_of_texts([]), recipe), recipe)
    assert decisions.hot_keys, "the corpus is made so that keys are hot"
    assert decided(texts, recipe) == dedup_slowly(texts, recipe.family(), recipe.threshold)


@pytest.mark.soak
def test_batches_do_not_change_the_result() -> None:
    """More documents with candidates than the core compares in one batch, which are 4,096."""
    rng = random.Random(3)
    bases = ["".join(rng.choices(WORDS, k=30)) for _ in range(500)]
    texts = [base[:cut] + rng.choice(WORDS) + base[cut:] for base in bases for cut in range(10)]
    rng.shuffle(texts)
    recipe = Recipe(threshold=0.7, keep="first", parameters={"shingle": 2})
    assert decided(texts, recipe) == dedup_slowly(texts, recipe.family(), recipe.threshold)


@pytest.mark.parametrize("keep", ["longest", "first"])
def test_every_removal_is_against_a_kept_document(keep: str) -> None:
    rng = random.Random(11)
    chain = ["".join(rng.choices(WORDS, k=100))]
    for _ in range(60):
        place = rng.randrange(100)
        chain.append(chain[-1][:place] + rng.choice(WORDS) + chain[-1][place + 1 :])
    recipe = Recipe(threshold=0.8, keep=keep)
    dropped = decided(chain, recipe)
    assert dropped
    assert all(original not in dropped for original, _ in dropped.values()), "nothing chains"
    assert all(similarity >= 0.8 for _, similarity in dropped.values())

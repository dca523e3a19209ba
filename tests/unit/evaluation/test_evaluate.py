from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.articles import article, edited, small_corpus

import whorl
from whorl.errors import UsageError
from whorl.evaluation.distances import measure_distances
from whorl.evaluation.documents import Documents
from whorl.evaluation.evaluate import Plan, evaluate, recipes_of
from whorl.evaluation.scoring import Copy, Truth
from whorl.evaluation.sweep import variants
from whorl.evaluation.trial import candidates, try_recipe
from whorl.fingerprints import Fingerprints, families
from whorl.fingerprints.simhash import SimHash
from whorl.recipe import PRESETS, Recipe

ROWS = small_corpus(12, 3)
DOCUMENTS = Documents(tuple(row["id"] for row in ROWS), tuple(row["text"] for row in ROWS))
TRUTH = Truth(tuple(Copy(row["id"], "edited", (row["id"][:4],)) for row in ROWS if "-" in row["id"]))


@pytest.mark.parametrize("method", ["minhash", "news", "longest_sentence", "short"])
def test_a_trial_removes_what_a_run_removes(method: str) -> None:
    result = whorl.dedup(ROWS, method=method).duplicates.to_pylist()
    trial = try_recipe(DOCUMENTS, Recipe().changed(method=method))
    assert trial.removals == {row["id"]: row["duplicate_of"] for row in result}
    assert trial.similarity == {row["id"]: row["similarity"] for row in result}


def test_every_method_and_preset_is_tried() -> None:
    evaluation = evaluate(DOCUMENTS, TRUTH, Plan(recipes_of(None, Recipe()), thresholds=(), distances=False))
    assert {method["name"] for method in evaluation["methods"]} == {*families(), *PRESETS}
    exact = next(method for method in evaluation["methods"] if method["name"] == "exact")
    assert (exact["recall"]["hits"], exact["recall"]["of"]) == (12, 36)
    assert (exact["precision"]["value"], exact["removed"]) == (1.0, 12)


def test_unknown_method_is_refused_before_the_run() -> None:
    with pytest.raises(UsageError, match="'guess'"):
        recipes_of(["minhash", "guess"], Recipe())


def test_sweep_equals_runs_at_other_thresholds() -> None:
    (method,) = evaluate(DOCUMENTS, TRUTH, Plan(recipes_of(["minhash"], Recipe()), (0.5, 0.95)))["methods"]
    for point in method["sweep"]:
        run = whorl.dedup(ROWS, threshold=point["threshold"]).run
        assert point["removed"] == run["counts"]["duplicates"]
    assert method["sweep"][0]["removed"] > method["sweep"][1]["removed"]


def test_sweepable_methods() -> None:
    swept = {
        name: {parameter for parameter, _, _ in variants(Recipe().changed(method=name))}
        for name in ("minhash", "news", "simhash", "short", "exact", "segment")
    }
    assert swept["minhash"] == swept["news"] == swept["segment"] == {"threshold"}
    assert swept["simhash"] == swept["short"] == {"distance"}
    assert swept["exact"] == set()
    apart = Recipe(text=("title", "text"), fields={"title": {"method": "exact"}, "text": {"method": "minhash"}})
    assert list(variants(apart)) == []


def test_costly_methods_are_swept_on_request() -> None:
    parts = [[article(place * 10 + choice, 30) for choice in range(10)] for place in range(6)]
    texts = ["".join(part[number // 3**place % 10] for place, part in enumerate(parts)) for number in range(400)]
    crowd = Documents(tuple(f"{number:03}" for number in range(400)), tuple(texts))
    truth = Truth((Copy("000", "", ("001",)),))
    for costly in (True, False):
        plan = Plan(recipes_of(["shingles"], Recipe()), (0.5,), costly=costly, distances=False)
        (method,) = evaluate(crowd, truth, plan)["methods"]
        assert (method["swept"], len(method["sweep"])) == (costly, int(costly))


@given(st.lists(st.lists(st.integers(0, 8), max_size=5, unique=True), min_size=1, max_size=12), st.integers(1, 3))
def test_candidates_share_enough_keys(keys: list[list[int]], minimum: int) -> None:
    counts = np.array([len(item) for item in keys], np.uint32)
    flat = np.array([key for item in keys for key in item], np.uint64)
    prints = Fingerprints(np.empty((len(keys), 2), np.uint64), counts, flat, counts, np.empty((len(keys), 0), np.uint8))
    sharing = sum(len(set(a) & set(b)) >= minimum for a in keys for b in keys if a is not b)
    assert candidates(prints, minimum) == pytest.approx(sharing / len(keys))


def test_distances_are_those_of_the_codes() -> None:
    texts = {"a": article(1), "a1": edited(article(1), 3), "b": article(2), "c": article(3, 2000)}
    documents = Documents(tuple(texts), tuple(texts.values()))
    truth = Truth((Copy("a1", "", ("a",)),))
    features: dict[str, dict[str, Any]] = {"pairs": {"shingle": 2}}
    (result,) = measure_distances(documents, truth, 0, features)
    codes = {name: SimHash().code(text) or 0 for name, text in texts.items()}
    assert result.band == "141-500"
    assert result.copies == tuple(int(d == (codes["a"] ^ codes["a1"]).bit_count()) for d in range(65))
    expected = defaultdict(int)
    for name in ("a", "a1"):
        expected[(codes[name] ^ codes["b"]).bit_count()] += 1
    assert {distance for distance, count in enumerate(result.strangers) if count} == set(expected)
    assert [share.value for share in result.within(64)] == [1.0, 1.0]


def test_equal_seeds_give_equal_figures() -> None:
    plan = Plan(recipes_of(["exact"], Recipe()), seed=7)
    first, second = (evaluate(DOCUMENTS, TRUTH, plan)["distances"] for _ in range(2))
    assert first == second

"""Recall of a run, and proof that it never removes anything but copies.

Exact similarities are computed in plain Python, independent of the core.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.quality.corpora import LabelledCorpus, available, load
from tests.quality.exact import Shingles, shingles, similarity

import whorl
from whorl.evaluation.intervals import Share
from whorl.evaluation.scoring import share_at_most_one_kept, share_found
from whorl.text import tokens

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))

FRAME = 40
"""The maximum number of tokens of a dateline, a byline or an editor's line."""

STAMP = re.compile(r"^\(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)$", re.MULTILINE)
"""A line between the statements of a broadcast transcript, which is ignored."""

corpus = cache(load)


@pytest.fixture(scope="module", autouse=True)
def _memory_is_released() -> Iterator[None]:
    """Forget the n-grams of whole corpora, which are gigabytes, after the last of these tests."""
    yield
    shingles_of.cache_clear()


@cache
def shingles_of(name: str, document: str) -> Shingles:
    return shingles(STAMP.sub("", corpus(name).texts[document]))


@cache
def labelled_pairs(name: str) -> list[tuple[str, str, float]]:
    """Return the labeled pairs of a corpus with their exact similarity."""
    pairs = corpus(name).pairs
    return [(a, b, similarity(shingles_of(name, a), shingles_of(name, b))) for a, b in pairs]


@cache
def run_corpus(name: str, threshold: float) -> tuple[dict[str, tuple[str, float]], frozenset[frozenset[str]]]:
    """Run over a whole corpus; return removed document → the kept one and the score, and the linked pairs."""
    documents = [{"id": id, "text": text} for id, text in corpus(name).texts.items()]
    result = whorl.dedup(documents, threshold=threshold)
    removed = {row["id"]: (row["duplicate_of"], row["similarity"]) for row in result.duplicates.to_pylist()}
    return removed, frozenset(frozenset((row["id"], row["related_to"])) for row in result.related.to_pylist())


@pytest.mark.parametrize("gate", FLOORS["pairs"], ids=lambda gate: f"{gate['threshold']}")
@pytest.mark.parametrize("name", available())
def test_at_most_one_of_a_pair_of_copies_is_kept_or_both_are_linked(name: str, gate: dict[str, Any]) -> None:
    thinned, _ = shares(name, gate)
    assert thinned.of >= 150, "enough pairs to tell"
    assert thinned.hits / thinned.of >= gate["floor"], f"{thinned.hits} of {thinned.of} pairs"


@pytest.mark.parametrize("gate", FLOORS["pairs"], ids=lambda gate: f"{gate['threshold']}")
@pytest.mark.parametrize("name", available())
def test_a_pair_of_copies_is_in_one_cluster(name: str, gate: dict[str, Any]) -> None:
    _, together = shares(name, gate)
    assert together.hits / together.of >= gate["one_cluster"][name], f"{together.hits} of {together.of} pairs"


def shares(name: str, gate: dict[str, Any]) -> tuple[Share, Share]:
    """Return the shares of pairs with at most one kept document, and of pairs in one cluster.

    A linked pair counts for both: it was found, and is kept because its facts differ.
    """
    decided, linked = run_corpus(name, gate["threshold"])
    removed = {document: kept for document, (kept, _) in decided.items()}
    pairs = [(a, b) for a, b, figure in labelled_pairs(name) if figure >= gate["similarity"]]
    others = [pair for pair in pairs if frozenset(pair) not in linked]
    count = len(pairs) - len(others)
    thinned, together = share_at_most_one_kept(others, removed), share_found(others, removed)
    return Share(thinned.hits + count, len(pairs)), Share(together.hits + count, len(pairs))


@pytest.mark.parametrize("threshold", [gate["threshold"] for gate in FLOORS["pairs"]])
@pytest.mark.parametrize("name", available())
def test_no_removal_is_below_its_threshold(name: str, threshold: float) -> None:
    removed, _ = run_corpus(name, threshold)
    assert removed
    for document, (kept, figure) in removed.items():
        assert kept not in removed
        exact = similarity(shingles_of(name, document), shingles_of(name, kept))
        if figure == 1.0 and exact < 1.0:
            assert differ_in_their_frames(corpus(name).texts[document], corpus(name).texts[kept])
        else:
            assert figure == pytest.approx(exact, abs=1e-9)
            assert exact >= threshold


def differ_in_their_frames(text: str, other: str) -> bool:
    """Return True if only the first and the last words differ, where a dateline or a byline may be."""
    tokens_a, others = tokens(text), tokens(other)
    same = SequenceMatcher(None, tokens_a, others, autojunk=False).find_longest_match()
    heads, feet = (same.a, same.b), (len(tokens_a) - same.a - same.size, len(others) - same.b - same.size)
    return max(heads + feet) <= FRAME


@pytest.mark.parametrize("name", available())
def test_the_stated_recall_holds_against_a_comparison_of_all_pairs(name: str) -> None:
    gate = FLOORS["all_pairs"]
    ranked = _richest(corpus(name), gate["documents"])
    documents = [{"id": document, "text": corpus(name).texts[document]} for document in ranked]
    result = whorl.dedup(documents, threshold=gate["threshold"], keep="first")
    related = {row["id"] for table in (result.duplicates, result.related) for row in table.to_pylist()}
    expected = _drop_by_comparing_all([shingles_of(name, document) for document in ranked], gate["threshold"])
    should = {ranked[rank] for rank in expected}
    assert len(should) >= 100, "enough copies to tell"
    assert len(related & should) / len(should) >= result.run["recall_at_threshold"]


def _richest(labelled: LabelledCorpus, count: int) -> list[str]:
    """Return documents of pairs first, then others, ``count`` in total."""
    paired = [document for pair in labelled.pairs for document in pair]
    return list(dict.fromkeys([*paired, *labelled.texts]))[:count]


def _drop_by_comparing_all(ranked: list[Shingles], threshold: float) -> set[int]:
    """Return the ranks that are removed when every document is compared with every document kept before it."""
    holders: dict[int, list[int]] = defaultdict(list)
    sizes = np.array([len(ranks) for ranks in ranked])
    dropped: set[int] = set()
    for rank, ranks in enumerate(ranked):
        lists = [holders[shingle] for shingle in ranks]
        flat = np.fromiter((kept for listing in lists for kept in listing), np.int64)
        shared = np.bincount(flat, minlength=len(ranked))
        if ranks and (shared >= threshold * (sizes + len(ranks) - shared)).any():
            dropped.add(rank)
            continue
        for listing in lists:
            listing.append(rank)
    return dropped

"""Recall of the preset `news` for each kind of copy, and its false positives."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from tests.articles import NEWSROOM
from tests.quality.corpora import copies, data_folder, lines, of_copies

import whorl
from whorl.evaluation.scoring import Score, score, share_proved

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["news"]


def removals(texts: dict[str, str]) -> dict[str, str]:
    """Removed document → the kept one."""
    documents = [{"id": document, "text": text} for document, text in texts.items()]
    rows = whorl.dedup(documents, method="news").duplicates.to_pylist()
    return {row["id"]: row["duplicate_of"] for row in rows}


def related(texts: dict[str, str]) -> set[frozenset[str]]:
    """Return the pairs of documents that a run puts into one cluster or links."""
    result = whorl.dedup([{"id": document, "text": text} for document, text in texts.items()], method="news")
    members: dict[str, list[str]] = {}
    for row in result.clusters.to_pylist():
        members.setdefault(row["cluster_id"], []).append(row["id"])
    pairs = {frozenset(pair) for cluster in members.values() for pair in combinations(cluster, 2)}
    return pairs | {frozenset((row["id"], row["related_to"])) for row in result.related.to_pylist()}


@cache
def scores(name: str) -> list[Score]:
    """Return the recall of each corpus of copies."""
    return [score(corpus.truth, removals(corpus.texts)) for corpus in copies(name)]


@pytest.mark.parametrize("name", of_copies())
def test_every_kind_of_copy_is_found(name: str) -> None:
    """A copy is found if it is in one cluster with one of its source articles, or linked to one."""
    hits: dict[str, list[bool]] = {}
    for corpus in copies(name):
        pairs = related(corpus.texts)
        for copy in corpus.truth.copies:
            linked = [frozenset((copy.document, source)) in pairs for source in copy.sources]
            hits.setdefault(copy.kind, []).append(any(linked))
    shares = {kind: sum(outcomes) / len(outcomes) for kind, outcomes in hits.items()}
    floors = FLOORS[name]["recall"]
    assert floors.keys() <= shares.keys()
    assert {kind: shares[kind] for kind, floor in floors.items() if shares[kind] < floor} == {}


@pytest.mark.parametrize("name", of_copies())
def test_no_other_text_is_reported_as_a_copy(name: str) -> None:
    right = sum(scored.right for scored in scores(name))
    wrong = sum(scored.wrong for scored in scores(name))
    assert right >= 500, "enough copies to tell"
    assert right / (right + wrong) >= FLOORS[name]["precision"]


def test_other_events_in_the_same_words_are_no_copies() -> None:
    texts, pairs = _events()
    removed = removals(texts)
    reported = share_proved(pairs, removed)
    assert reported.of >= 100, "enough pairs to tell"
    assert reported.hits / reported.of <= FLOORS["other_events"]


def _events() -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return agency reports with common formulas, or else the example's articles, each about a different event."""
    folder = data_folder()
    if folder is None:
        texts = {row["id"]: row["text"] for row in lines(NEWSROOM / "originals.jsonl")}
        return texts, list(combinations(texts, 2))
    pairs = list(_pairs_of_other_events(folder))
    ids = {document for pair in pairs for document in pair}
    articles = lines(folder / "zh-news" / "articles.jsonl.zst")
    return {row["id"]: row["text"] for row in articles if row["id"] in ids}, pairs


def _pairs_of_other_events(folder: Path) -> Iterator[tuple[str, str]]:
    for row in lines(folder / "zh-labelled" / "natural-pairs.jsonl.gz"):
        if row["label"] == "template_other_event":
            yield row["a"], row["b"]

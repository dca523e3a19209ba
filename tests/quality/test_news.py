"""What the preset `news` finds of each kind of copy, and that it takes nothing else for one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from tests.articles import NEWSROOM
from tests.quality.corpora import Copies, copies, data_folder, lines, of_copies

import whorl

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text(encoding="utf-8"))["news"]


def removals(texts: dict[str, str]) -> dict[str, str]:
    """Removed document → the kept one."""
    documents = [{"id": document, "text": text} for document, text in texts.items()]
    found = whorl.dedup(documents, method="news").duplicates.to_pylist()
    return {row["id"]: row["duplicate_of"] for row in found}


@cache
def runs(name: str) -> list[tuple[Copies, dict[str, str]]]:
    """Each corpus of copies, and what is removed from it."""
    return [(known, removals(known.texts)) for known in copies(name)]


def is_found(pair: tuple[str, str], removed: dict[str, str]) -> bool:
    return removed.get(pair[0]) == pair[1] or removed.get(pair[1]) == pair[0]


@pytest.mark.parametrize("name", of_copies())
def test_every_kind_of_copy_is_found(name: str) -> None:
    """A copy is found if it, or an article that it is made of, is removed for the other."""
    found: dict[str, list[bool]] = {}
    for known, removed in runs(name):
        for copy, (kind, sources) in known.made_of.items():
            found.setdefault(kind, []).append(any(is_found((copy, source), removed) for source in sources))
    shares = {kind: sum(each) / len(each) for kind, each in found.items()}
    floors = FLOORS[name]["recall"]
    assert floors.keys() <= shares.keys()
    assert {kind: shares[kind] for kind, floor in floors.items() if shares[kind] < floor} == {}


@pytest.mark.parametrize("name", of_copies())
def test_nothing_else_is_taken_for_a_copy(name: str) -> None:
    right = wrong = 0
    for known, removed in runs(name):
        related = {frozenset((copy, source)) for copy, (_, sources) in known.made_of.items() for source in sources}
        pairs = [frozenset(pair) for pair in removed.items()]
        right += sum(pair in related for pair in pairs)
        wrong += sum(pair not in related | known.also_overlapping for pair in pairs)
    assert right >= 500, "enough copies to tell"
    assert right / (right + wrong) >= FLOORS[name]["precision"]


def test_reports_of_other_events_in_the_same_words_are_not_copies() -> None:
    texts, pairs = _events()
    removed = removals(texts)
    taken = sum(is_found(pair, removed) for pair in pairs)
    assert len(pairs) >= 100, "enough pairs to tell"
    assert taken / len(pairs) <= FLOORS["other_events"]


def _events() -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Real reports in the formulas of agencies; or else the articles of the example, each about an event of its own."""
    folder = data_folder()
    if folder is None:
        texts = {row["id"]: row["text"] for row in lines(NEWSROOM / "originals.jsonl")}
        return texts, list(combinations(texts, 2))
    pairs = list(_pairs_of_other_events(folder))
    wanted = {document for pair in pairs for document in pair}
    articles = lines(folder / "zh-news" / "articles.jsonl.zst")
    return {row["id"]: row["text"] for row in articles if row["id"] in wanted}, pairs


def _pairs_of_other_events(folder: Path) -> Iterator[tuple[str, str]]:
    for row in lines(folder / "zh-labelled" / "natural-pairs.jsonl.gz"):
        if row["label"] == "template_other_event":
            yield row["a"], row["b"]

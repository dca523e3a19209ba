"""Round-ups and other compilations: neither they nor their stories are removed for each other."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.compilations import Case, cases

import whorl

each_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


def rows_of(documents: dict[str, str], order: random.Random) -> list[dict[str, str]]:
    """Return rows in any order, with dates in any other order."""
    names = list(documents)
    order.shuffle(names)
    days = order.sample(range(1, 29), len(names)) if len(names) < 28 else range(1, len(names) + 1)
    return [
        {"id": id_, "text": documents[id_], "date": f"2026-02-{day % 28 + 1:02}"}
        for id_, day in zip(names, days, strict=True)
    ]


def stories_in(result: Any) -> set[tuple[str, str]]:
    """Return the compilations and their stories that a run links, the compilation first."""
    return {
        (row["id"], row["related_to"]) if row["direction"] == "id" else (row["related_to"], row["id"])
        for row in result.related.to_pylist()
        if row["relation"] == "compilation"
    }


@each_case
@pytest.mark.parametrize("method", ["news", "library", "winnowing"])
@settings(max_examples=6)
@given(
    order=st.randoms(use_true_random=False), keep=st.sampled_from(["longest", "earliest", "latest", "first", "best"])
)
def test_stories_and_compilations_stay(case: Case, method: str, order: random.Random, keep: str) -> None:
    result = whorl.dedup(rows_of(case.documents, order), method=method, keep=keep, date="date")
    kept = {row["id"] for row in result.kept}
    for row in result.duplicates.to_pylist():
        assert any(copies >= {row["id"], row["duplicate_of"]} for copies in case.copies)
    linked = {(holder, story) for holder, story in case.stories if {holder, story} <= kept}
    assert stories_in(result) >= linked
    assert {story for _, story in stories_in(result)} <= {story for _, story in case.stories}


@each_case
def test_the_longest_copy_stays(case: Case) -> None:
    result = whorl.dedup(rows_of(case.documents, random.Random(1)), method="news", keep="longest")
    assert {row["id"] for row in result.duplicates.to_pylist()} == case.removed


@settings(max_examples=30, deadline=None)
@given(
    count=st.integers(2, 6),
    copies=st.integers(0, 4),
    order=st.randoms(use_true_random=False),
    keep=st.sampled_from(["longest", "earliest", "latest", "first"]),
)
def test_every_story_keeps_a_copy(count: int, copies: int, order: random.Random, keep: str) -> None:
    """For every removed document a copy is kept, however many round-ups and edited copies there are."""
    stories = {f"s{number}": article(number, order.randint(150, 500)) for number in range(count)}
    documents = dict(stories)
    for number in range(copies):
        original = order.choice(list(stories))
        documents[f"{original}-copy{number}"] = edited(stories[original], 3, seed=number)
    for number in range(order.randint(1, 3)):
        chosen = order.sample(list(stories), order.randint(2, count))
        documents[f"roundup{number}"] = "\n".join(stories[name] for name in chosen)
    result = whorl.dedup(rows_of(documents, order), method="news", keep=keep, date="date")
    kept = {row["id"].split("-")[0] for row in result.kept}
    assert stories.keys() <= kept
    for row in result.duplicates.to_pylist():
        kinds = {row[column].startswith("roundup") for column in ("id", "duplicate_of")}
        assert len(kinds) == 1, "a story is removed for a story, a round-up for a round-up"


@pytest.mark.parametrize("keep", ["longest", "earliest"])
def test_a_round_up_of_many_stories(keep: str) -> None:
    stories = [{"id": f"s{number:03}", "text": article(number, 150), "date": "2026-01-01"} for number in range(300)]
    roundup = {"id": "roundup", "text": "\n".join(story["text"] for story in stories), "date": "2026-01-02"}
    result = whorl.dedup([*stories, roundup], method="news", keep=keep, date="date")
    assert len(result.kept) == 301
    assert len(stories_in(result)) == (300 if keep == "longest" else 64)
    assert result.run["counts"]["duplicates"] == 0


def test_stories_can_be_removed_on_request() -> None:
    stories = [article(number, 300) for number in range(4)]
    result = whorl.dedup(
        [*stories, "\n".join(stories)], method="news", keep="longest", remove=["exact", "excerpt", "compilation"]
    )
    assert {row["relation"] for row in result.duplicates.to_pylist()} == {"compilation"}
    assert result.kept == ["\n".join(stories)]


def test_links_may_be_left_out() -> None:
    stories = [article(number, 300) for number in range(4)]
    for keep in ("longest", "first"):
        result = whorl.dedup([*stories, "\n".join(stories)], method="news", keep=keep, links=0)
        assert (len(result.kept), result.related.num_rows) == (5, 0)


def test_a_round_up_among_references_removes_no_story() -> None:
    stories = [article(number, 300) for number in range(4)]
    references = [{"id": "roundup", "text": "\n".join(stories)}]
    documents = [{"id": str(number), "text": text} for number, text in enumerate(stories)]
    result = whorl.dedup(documents, against=references, method="news")
    assert len(result.kept) == 4
    assert stories_in(result) == {("roundup", str(number)) for number in range(4)}

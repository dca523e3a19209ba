"""A compilation joins no cluster, for any order and batching of articles."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.compilations import Case, cases
from tests.rounds import rounds

import whorl

each_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


def stories_in(library: Any) -> set[tuple[str, str]]:
    """Return the compilations and their stories, the compilation first; both report the same link."""
    links = {
        (id_, match.id) if match.direction == "b" else (match.id, id_)
        for id_ in library.ids()
        for match in library.matches(id_)
        if match.relation == "compilation"
    }
    assert not any(match.joins for id_ in library.ids() for match in library.matches(id_) if (id_, match.id) in links)
    return links


def state_of(library: Any) -> tuple[Any, ...]:
    """Return the clusters, and the relations of each article to every other one."""
    clusters = defaultdict(set)
    for id_, cluster in library.clusters_of(sorted(library.ids())).items():
        clusters[cluster].add(id_)
    relations = {
        (*sorted((id_, match.id)), match.relation, match.joins)
        for id_ in library.ids()
        for match in library.matches(id_)
    }
    return set(map(frozenset, clusters.values())), relations


def add_in_groups(library: Any, documents: dict[str, str], order: random.Random) -> None:
    names = list(documents)
    order.shuffle(names)
    while names:
        count = order.choice([1, 2, 5])
        library.add([{"id": id_, "text": documents[id_]} for id_ in names[:count]])
        names = names[count:]


@each_case
@settings(max_examples=rounds(3), deadline=None)
@given(order=st.randoms(use_true_random=False))
def test_a_library_lists_the_stories(case: Case, order: random.Random) -> None:
    with TemporaryDirectory() as folder, whorl.open(Path(folder) / "library") as library:
        add_in_groups(library, case.documents, order)
        assert stories_in(library) == case.stories
        assert library.verify().faults == ()
        clusters = library.clusters_of(sorted(case.documents))
        assert all(clusters[holder] != clusters[story] for holder, story in case.stories)


@settings(max_examples=rounds(8), deadline=None)
@given(order=st.randoms(use_true_random=False), count=st.integers(2, 5))
def test_order_and_calls_do_not_matter(order: random.Random, count: int) -> None:
    """The history does not matter either: round-ups, stories and copies that were removed or revised."""
    stories = {f"s{number}": article(number, 240) for number in range(count)}
    documents = dict(stories)
    for number in range(order.randint(0, 3)):
        documents[f"copy{number}"] = edited(order.choice(list(stories.values())), 4, seed=number)
    for number in range(order.randint(1, 3)):
        chosen = order.sample(list(stories.values()), order.randint(2, count))
        documents[f"roundup{number}"] = "\n".join(chosen)
    passing = order.sample(list(documents), order.randint(0, 2))
    with TemporaryDirectory() as folder:
        with whorl.open(Path(folder) / "at-once") as library:
            library.add([{"id": id_, "text": text} for id_, text in sorted(documents.items())])
            expected = state_of(library)
        with whorl.open(Path(folder) / "one-by-one") as library:
            early = {f"passing-{id_}": documents[id_] for id_ in passing}
            early |= {id_: article(1000 + place, 200) for place, id_ in enumerate(passing)}
            add_in_groups(library, early, order)
            add_in_groups(library, documents, order)
            library.remove([f"passing-{id_}" for id_ in passing])
            assert state_of(library) == expected


def test_a_text_that_is_checked_is_told_as_if_it_were_added(tmp_path: Path) -> None:
    stories = [article(number, 300) for number in range(3)]
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": f"s{number}", "text": text} for number, text in enumerate(stories)])
        report = library.check("\n".join(stories))
        assert {(match.id, match.relation, match.direction, match.joins) for match in report.matches} == {
            (f"s{number}", "compilation", "b", False) for number in range(3)
        }
        assert report.cluster_id is None
        library.add([{"id": "roundup", "text": "\n".join([*stories, article(9, 300)])}])
        report = library.check(article(9, 300))
        assert [(match.id, match.relation, match.direction) for match in report.matches] == [
            ("roundup", "compilation", "a")
        ]


def test_one_round_up_merges_no_stories(tmp_path: Path) -> None:
    """25 articles of ten stories, and compilations of all or two of them."""
    articles = {f"s{number}-{copy}": edited(article(number, 300), copy) for number in range(10) for copy in range(2)}
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": id_, "text": text} for id_, text in articles.items()])
        for number in range(5):
            chosen = [article(story, 300) for story in (range(10) if number == 0 else (number, number + 5))]
            library.add([{"id": f"roundup{number}", "text": "\n".join(chosen)}])
        clusters = defaultdict(set)
        for id_, cluster in library.clusters_of(sorted(library.ids())).items():
            clusters[cluster].add(id_.split("-")[0])
        assert all(len(names) == 1 for names in clusters.values())
        assert len(clusters) == 15
        assert {cluster.size for cluster, *_ in [(cluster,) for cluster in library.clusters()]} == {2}

"""Boilerplate, and text of a protected article that many articles quote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.articles import article

import whorl
from whorl import Library
from whorl.library.boilerplate.cache import LearnedBoilerplate
from whorl.matching.boilerplate import Notices
from whorl.stores.records import BoilerplateRecord

PARAGRAPH = article(7000, 160)
NOTICE = article(7100, 90)
SITES = [f"site {number}" for number in range(12)]
ORIGINAL = {"id": "original", "collection": "protected", "text": f"{article(1, 500)}\n{PARAGRAPH}\n{article(2, 500)}"}


def quoting(stretch: str = PARAGRAPH) -> list[dict[str, str]]:
    """Return long articles that share nothing but a stretch."""
    return [
        {
            "id": name,
            "collection": "watched",
            "text": f"{article(100 + row, 600)}\n{stretch}\n{article(200 + row, 600)}",
        }
        for row, name in enumerate(SITES)
    ]


def protected(count: int, stretch: str = PARAGRAPH) -> list[dict[str, str]]:
    return [
        {
            "id": f"own {row}",
            "collection": "own",
            "text": f"{article(300 + row, 500)}\n{stretch}\n{article(400 + row, 500)}",
        }
        for row in range(count)
    ]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as opened:
        yield opened


def boilerplate_of(library: Library) -> dict[str, set[tuple[str, float, float]]]:
    """Return every match of every article."""
    return {
        id: {(match.id, round(match.this_in_other, 6), round(match.other_in_this, 6)) for match in library.matches(id)}
        for id in library.ids()
    }


def copies(library: Library, id: str = "original") -> set[str]:
    return {match.id for match in library.matches(id)}


def test_a_notice_does_not_take_the_place_of_an_excerpt(library: Library) -> None:
    holders = [{"id": f"holder {row}", "text": f"{article(500 + row, 400)}\n{NOTICE}"} for row in range(60)]
    source = {"id": "source", "text": article(3, 600)}
    library.add([*holders, source])
    text = f"{article(4, 300)}{source['text'][200:260]}{article(5, 300)}\n{NOTICE}"
    report = library.check(text)
    assert [match.id for match in report.matches] == ["source"]
    assert (report.unlisted, 0 < report.cut < report.keys) == (0, True)


def test_a_library_that_is_opened_again_knows_since_when_its_notices_hold(tmp_path: Path) -> None:
    body, other = article(3, 300), article(7200, 90)
    a, b, c = ({"id": name, "text": f"{body}{article(800 + row, 40)}\n{NOTICE}"} for row, name in enumerate("abc"))
    with whorl.open(tmp_path / "library") as library:
        library.add(quoting(NOTICE))
        library.add([a, b])
        before = library.changes().mark
    with whorl.open(tmp_path / "library") as library:
        library.add([c, *({"id": f"{row}", "text": f"{article(500 + row, 400)}\n{other}"} for row in range(12))])
        assert len(library.notices()) == 2
        assert {pair for pair in library.changes(before).matches if "a" in pair} == {("a", "c")}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("at_once", [1, 5, 13])
def test_a_paragraph_of_a_protected_article_is_told_however_many_quote_it(
    library: Library, first: bool, at_once: int
) -> None:
    documents = [ORIGINAL, *quoting()] if first else [*quoting(), ORIGINAL]
    reports = [report for start in range(0, 13, at_once) for report in library.add(documents[start : start + at_once])]
    assert copies(library) == set(SITES)
    assert library.notices() == []
    for report in reports if first else reports[-1:]:
        others = {"original"} if report.id != "original" else set() if first else set(SITES)
        assert others <= {match.id for match in report.matches}
    for site in SITES:
        (match,) = library.matches(site, collection="protected")
        (passage,) = match.passages
        assert passage.matched >= 150
    assert {match.id for match in library.check(PARAGRAPH, collection="protected").matches} == {"original"}


def test_without_a_protected_article_it_is_boilerplate(library: Library) -> None:
    library.add(quoting())
    library.add(ORIGINAL | {"collection": "archive"})
    assert copies(library) == set()
    assert library.notices()[0].startswith(PARAGRAPH[:20])
    assert library.stats()["notices"] == len(library.notices())


@pytest.mark.parametrize("first", [True, False])
def test_a_notice_of_many_protected_articles_is_still_learned(library: Library, first: bool) -> None:
    documents = protected(12, NOTICE) + quoting(NOTICE) if first else quoting(NOTICE) + protected(12, NOTICE)
    library.add(documents)
    assert library.notices()[0].startswith(NOTICE[:20])
    assert not any(boilerplate_of(library).values())


@pytest.mark.parametrize(("count", "is_learned"), [(1, False), (2, False), (3, True)])
def test_three_unrelated_protected_articles_make_it_a_notice(library: Library, count: int, is_learned: bool) -> None:
    library.add(quoting())
    for document in protected(count):
        library.add(document)
    assert bool(library.notices()) == is_learned
    assert copies(library, "own 0") & set(SITES) == (set() if is_learned else set(SITES))
    assert any(boilerplate_of(library).values()) != is_learned


def test_editions_of_one_protected_article_are_one(library: Library) -> None:
    editions = [
        ORIGINAL | {"id": f"edition {row}", "text": f"{ORIGINAL['text']}{article(900 + row, 60)}"} for row in range(5)
    ]
    library.add([*quoting(), *editions])
    assert library.notices() == []
    assert copies(library, "edition 4") >= set(SITES)


def test_a_notice_beside_a_quoted_paragraph_is_learned(library: Library) -> None:
    library.add([ORIGINAL, *quoting(f"{PARAGRAPH}\n{article(5, 40)}\n{NOTICE}")])
    library.add([{"id": f"stub {row}", "text": f"{article(600 + row, 300)}\n{NOTICE}"} for row in range(12)])
    assert copies(library) == set(SITES)
    assert any(NOTICE[:20] in notice for notice in library.notices())
    assert not any(copies(library, f"stub {row}") for row in range(12))


def _change_protected(library: Library, way: str) -> None:
    if way == "collect":
        library.collect(["original"], "")
    elif way == "remove":
        library.remove("original")
    elif way == "revise":
        library.add(ORIGINAL | {"text": article(1, 900)})
    else:
        library.add(ORIGINAL | {"collection": "archive"})


@pytest.mark.parametrize("way", ["collect", "remove", "revise", "add"])
def test_what_is_protected_no_longer_owns_nothing(library: Library, way: str) -> None:
    library.add([*quoting(), ORIGINAL])
    _change_protected(library, way)
    assert library.notices() != []
    assert not any(boilerplate_of(library).values())
    assert library.verify().faults == ()
    if way == "collect":
        library.collect(["original"], "own")
    else:
        library.add(ORIGINAL)
    assert copies(library) == set(SITES)


def test_who_reads_beside_hears_of_it(library: Library, tmp_path: Path) -> None:
    library.add(quoting())
    with whorl.open(tmp_path / "library") as beside:
        assert beside.check(PARAGRAPH).matches == ()
        library.add(ORIGINAL)
        assert {match.id for match in beside.check(PARAGRAPH).matches} == {"original", *SITES}
        assert beside.notices() == library.notices() == []


@given(st.lists(st.tuples(st.frozensets(st.integers(0, 12)), st.integers(0, 5)), max_size=8), st.integers(0, 8))
def test_of_notices_with_the_same_run_the_last_one_counts(
    message: list[tuple[frozenset[int], int]], first: int
) -> None:
    notices = [
        BoilerplateRecord(number, "", Notices(runs).packed(), count) for number, (runs, count) in enumerate(message, 1)
    ]
    learned = LearnedBoilerplate()
    for some in filter(None, (notices[:first], notices[first:])):
        learned = learned.with_notices(some)
    last = {run: min(count, 3) for runs, count in message for run in runs}
    assert learned.last == len(notices)
    assert {run: learned.holders(run) for run in learned.runs.runs} == last
    for runs, counts in [
        (learned.common, {0, 3}),
        (learned.owned, {1, 2}),
        (learned.claimable, {0, 1, 2}),
        (learned.claimed, {1, 2, 3}),
    ]:
        assert runs.runs == sorted(run for run, count in last.items() if count in counts)
        assert bool(runs) == bool(runs.runs)


@pytest.mark.parametrize("count", [0, 1, 2])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_told_does_not_depend_on_the_order(
    tmp_path_factory: pytest.TempPathFactory, count: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations([*quoting(), ORIGINAL, *protected(count)]))
    at_once = data.draw(st.integers(1, len(order)))
    with whorl.open(tmp_path_factory.mktemp("order") / "library") as library:
        for start in range(0, len(order), at_once):
            library.add(order[start : start + at_once])
        result = boilerplate_of(library)
        others = {id: {other for other, _, _ in matches} for id, matches in result.items()}
        assert others == {id: set() if count == 2 else set(result) - {id} for id in result}
        assert all(share > 0.1 for matches in result.values() for _, _, share in matches)
        assert bool(library.notices()) == (count == 2)

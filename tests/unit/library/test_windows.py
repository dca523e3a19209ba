"""With a window, matches depend on the times of the documents and on nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.articles import article, edited
from tests.rounds import rounds
from tests.unit.library.test_clusters import slow_parts

import whorl
from whorl import Library

WINDOW = 8 * 60
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TEXTS = [[article(story), edited(article(story), 3, seed=1), edited(article(story), 3, seed=2)] for story in range(2)]


class Kept(NamedTuple):
    """A document of the model.

    Attributes:
        story: documents of one story are copies of each other.
        version: version of its text.
        minute: publication time.
    """

    story: int
    version: int
    minute: int

    def near(self, other: Kept) -> bool:
        return self.story == other.story and abs(self.minute - other.minute) <= WINDOW

    def row(self, id_: str) -> dict[str, Any]:
        return {"id": id_, "text": TEXTS[self.story][self.version], "published_at": at(self.minute)}


def at(minute: int) -> datetime:
    return BEGIN + timedelta(minutes=minute)


MINUTES = st.integers(0, 8 * 24 + 3).map(lambda quarter: 15 * quarter) | st.sampled_from([0, 479, 480, 481, 960])
DOCUMENTS = st.builds(Kept, st.integers(0, 1), st.integers(0, 2), MINUTES)
ADDED = st.lists(st.tuples(st.sampled_from("abcdefgh"), DOCUMENTS), min_size=1, max_size=4)
STEPS = st.lists(ADDED | st.sampled_from(["a", "b", "c", "reindex", "open"]), min_size=1, max_size=8)


@settings(max_examples=rounds(20), suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_a_library_matches_what_a_list_of_documents_does(steps: list[Any]) -> None:
    kept: dict[str, Kept] = {}
    with TemporaryDirectory() as folder:
        place = Path(folder) / "library"
        library = whorl.open(place, window="8h")
        try:
            for step in steps:
                if step == "open":
                    library.close()
                    library = whorl.open(place)
                else:
                    _apply(library, kept, step)
                _check(library, kept)
            assert (library.verify().faults, library.verify().healed) == ((), ())
        finally:
            library.close()


def _apply(library: Library, kept: dict[str, Kept], step: Any) -> None:
    if step == "reindex":
        library.reindex()
    elif isinstance(step, str):
        assert library.remove(step) == (kept.pop(step, None) is not None)
    else:
        library.add([document.row(id_) for id_, document in step])
        kept |= dict(step)


def _check(library: Library, kept: dict[str, Kept]) -> None:
    names = sorted(kept)
    near = {name: {other for other in names if other != name and kept[name].near(kept[other])} for name in names}
    assert {name: {match.id for match in library.matches(name)} for name in names} == near
    numbers = {name: number for number, name in enumerate(names)}
    pairs = [(numbers[name], numbers[other]) for name in names for other in near[name]]
    expected = {frozenset(names[number] for number in part) for part in slow_parts(list(range(len(names))), pairs)}
    clusters = [frozenset(library.cluster(cluster.id).documents) for cluster in library.clusters(at_least=1)]
    assert sorted(map(sorted, clusters)) == sorted(map(sorted, expected))
    for query in (Kept(0, 0, 0), Kept(0, 1, 480), Kept(1, 2, 961)):
        report = library.check(TEXTS[query.story][query.version], at=at(query.minute))
        assert {match.id for match in report.matches} == {name for name in names if kept[name].near(query)}
    for cluster in library.clusters():
        for step in library.trace(cluster.id):
            assert step.match is None or kept[step.document.id].near(kept[step.match.id])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_old_news_that_arrives_late_finds_what_was_near_it(tmp_path: Path, order: tuple[int, ...]) -> None:
    days = ["2020-01-01", "2020-01-20", "2026-01-01"]
    with whorl.open(tmp_path / "wire", window="30d") as library:
        for number in order:
            library.add({"id": days[number], "text": edited(article(1), 2, seed=number), "published_at": days[number]})
            library.add({"id": f"other {number}", "text": article(9 + number), "published_at": days[number]})
        assert [match.id for match in library.matches(days[0])] == [days[1]]
        assert [match.id for match in library.matches(days[1])] == [days[0]]
        assert library.matches(days[2]) == ()
        assert {match.id for match in library.check(article(1), at="2020-01-05").matches} == set(days[:2])


def test_documents_of_one_call_are_looked_up_each_in_its_own_time(tmp_path: Path) -> None:
    """A hundred old copies are no candidates of today's article."""
    with whorl.open(tmp_path / "wire", window="1d") as library:
        old = [{"id": f"{day}", "text": edited(article(1), 1, seed=day), "published_at": BEGIN} for day in range(100)]
        library.add(old)
        recent = {"id": "recent", "text": edited(article(1), 6, seed=107), "published_at": BEGIN + timedelta(days=90)}
        library.add(recent)
        both = [
            {"id": "then", "text": article(2), "published_at": BEGIN},
            {"id": "now", "text": edited(article(1), 6, seed=108), "published_at": BEGIN + timedelta(days=90)},
        ]
        assert [[match.id for match in report.matches] for report in library.add(both)] == [[], ["recent"]]


def test_a_text_that_recurs_without_end_is_found_in_every_period(tmp_path: Path) -> None:
    """More often than the limit for common keys."""
    with whorl.open(tmp_path / "wire", window="1h", most_documents=20) as library:
        rows = [{"id": f"{number}", "text": article(1), "published_at": at(60 * number)} for number in range(60)]
        library.add(rows)
        assert [match.id for match in library.check(article(1), at=at(60 * 30)).matches] == ["29", "30", "31"]
        again = library.add({"id": "again", "text": article(1), "published_at": at(60 * 30)})
        assert library.stats()["contents"] == 60
        assert {match.id for match in again.matches} == {"29", "30", "31"}


def test_a_corrected_date_moves_a_document(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "wire", window="8h") as library:
        library.add([Kept(0, 0, 0).row("a"), Kept(0, 0, 5).row("same"), Kept(0, 1, 5000).row("far")])
        assert [match.id for match in library.matches("a")] == ["same"]
        moved = library.add(Kept(0, 0, 5001).row("a"))
        assert (moved.state, moved.revision, [match.id for match in moved.matches]) == ("known", 1, ["far"])
        assert library.matches("same") == ()
        assert {library.cluster(cluster.id).documents for cluster in library.clusters()} == {("far", "a")}
        assert [match.id for match in library.check(TEXTS[0][0], at=at(5000)).matches] == ["a", "far"]
    with whorl.open(tmp_path / "wire") as library:
        library.reindex()
        assert [match.id for match in library.matches("a")] == ["far"]
        assert (library.verify().faults, library.verify().healed) == ((), ())

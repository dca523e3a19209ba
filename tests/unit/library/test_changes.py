"""Changes reported to a follower of a library."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.articles import article, edited

import whorl
from whorl.errors import UsageError


def test_a_follower_is_told_of_all_that_happens_and_of_nothing_twice(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        empty = library.changes()
        assert (empty.mark, empty.added, empty.removed) == (0, (), ())
        library.add([{"id": "a", "text": article(1)}, {"id": "b", "text": edited(article(1), 3)}])
        first = library.changes(empty.mark)
        assert [document.id for document in first.added] == ["a", "b"]
        assert first.matches == (("a", "b"),)
        assert library.changes(first.mark).to_dict() == {
            "mark": first.mark, "added": [], "revised": [], "removed": [], "matches": [], "reviews": [],
        }  # fmt: skip
        library.review("a", "b", "rejected", by="editor")
        library.add({"id": "a", "text": article(2)})
        library.remove("b")
        then = library.changes(first.mark)
        assert [document.id for document in then.revised] == ["a"]
        assert then.removed == (first.added[1].number,)
        assert then.reviews == ()  # the review was removed with its document
        assert then.mark > first.mark
    with whorl.open(tmp_path / "library") as library:
        assert library.changes(first.mark) == then


def test_a_review_is_told_by_both_ids(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add([{"id": "a", "text": article(1)}, {"id": "b", "text": edited(article(1), 3)}])
        mark = library.changes().mark
        library.review("a", "b", "confirmed", by="editor")
        assert library.changes(mark).reviews == (("a", "b"),)


def test_many_changes_come_in_portions(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": f"{number}", "text": article(number)} for number in range(25))
        reported, mark = [], 0
        while (changes := library.changes(mark, limit=10)).mark != mark:
            assert len(changes.added) <= 10
            reported += [document.id for document in changes.added]
            mark = changes.mark
        assert reported == [f"{number}" for number in range(25)]


@pytest.mark.parametrize(("since", "limit"), [(-1, 10), ("0", 10), (True, 10), (0, 0)])
def test_what_is_no_mark_is_refused(tmp_path: Path, since: int, limit: int) -> None:
    with whorl.open(tmp_path / "library") as library, pytest.raises(UsageError):
        library.changes(since, limit=limit)


def test_titles_of_several_clusters_are_those_of_each(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library") as library:
        rows = [
            {"id": f"{n} {copy}", "text": edited(article(n), copy), "title": f"{n}"} for n in (1, 2) for copy in (0, 3)
        ]
        library.add(rows)
        clusters = [size.id for size in library.clusters()]
        assert library.titles_of_all(clusters) == [library.titles(number) for number in clusters]
        assert [len(titles) for titles in library.titles_of_all([*clusters, 999])] == [2, 2, 0]

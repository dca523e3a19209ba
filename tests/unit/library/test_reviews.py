"""Decisions about matches, retractions, and collections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.results import Alert, Review

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，比去年这个时候多了一半。"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[whorl.Library]:
    with whorl.open(tmp_path / "library") as opened:
        opened.add([{"id": "a", "text": TEXT, "collection": "protected"}, {"id": "b", "text": TEXT}])
        yield opened


def state(library: whorl.Library) -> str:
    (match,) = library.matches("b")
    return match.review.state


def test_every_decision_is_kept_and_the_last_that_stands_counts(library: whorl.Library) -> None:
    library.review("a", "b", "confirmed", by="first", note="copied")
    library.review("b", "a", "authorised", by="second")
    assert state(library) == "authorised"
    assert library.reviews.undo("a", "b", by="chief") == library.matches("b")[0].review
    assert (state(library), library.matches("a")[0].review.note) == ("confirmed", "copied")
    library.review("a", "b", "rejected", by="third")
    assert state(library) == "rejected"
    assert [library.reviews.undo("b", "a").state for _ in range(2)] == ["confirmed", "pending"]
    assert library.matches("b")[0].review == Review()
    with pytest.raises(UsageError, match="no decision"):
        library.reviews.undo("a", "b")
    reported = [(record.state, record.by, record.undone_by) for record in library.reviews.of("b", "a")]
    assert reported == [("confirmed", "first", ""), ("authorised", "second", "chief"), ("rejected", "third", "")]
    assert list(library.reviews) == library.reviews.of("a", "b")


def test_a_library_in_which_a_match_was_rejected_is_sound(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "near") as opened:
        opened.add([{"id": "a", "text": TEXT}, {"id": "b", "text": f"{TEXT}完。"}])
        opened.review("a", "b", "rejected")
        assert opened.report("a").cluster_id != opened.report("b").cluster_id
        assert opened.verify().faults == ()


def test_decisions_go_with_a_document(library: whorl.Library) -> None:
    library.review("a", "b", "confirmed")
    library.remove("b")
    assert (list(library.reviews), len(library.reviews)) == ([], 0)


def test_unknown_states_and_documents_are_refused(library: whorl.Library) -> None:
    with pytest.raises(UsageError, match="a decision cannot be 'stolen'"):
        library.review("a", "b", "stolen")
    for ask in (lambda: library.reviews.of("a", "c"), lambda: library.reviews.undo("c", "a")):
        with pytest.raises(NotFoundError, match="document 'c' not found"):
            ask()


def test_matches_can_be_limited_to_a_collection(library: whorl.Library) -> None:
    library.add([{"id": f"w{number}", "text": TEXT, "collection": "watched"} for number in range(30)])
    assert library.collections() == {"protected": 1, "watched": 30}
    assert [match.id for match in library.matches("w7", collection="protected")] == ["a"]
    assert [match.id for match in library.check(TEXT + "记者小王。", collection="protected").matches] == ["a"]
    assert library.check(TEXT, collection="own").matches == ()
    assert library.report("a", collection="protected").matches == ()
    assert list(library.ids(collection="protected")) == ["a"]
    assert len(list(library.ids(since="2000-01-01"))) == 32
    with pytest.raises(UsageError, match="collection"):
        library.matches("a", collection="")


def test_the_protected_one_is_found_behind_any_number_of_copies(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "few", few=64, compared=4, most=4) as library:
        watched = [
            {"id": f"w{number}", "text": f"{TEXT}转载{number}次", "collection": "watched"} for number in range(9)
        ]
        library.add([*watched, {"id": "a", "text": TEXT, "collection": "protected"}])
        assert [match.id for match in library.check(f"{TEXT}转载九次", collection="protected").matches] == ["a"]


def test_a_document_stays_in_its_collection_until_another_is_named(library: whorl.Library) -> None:
    library.add({"id": "a", "text": TEXT})
    assert library.get("a").collection == "protected"  # type: ignore[union-attr]
    library.add({"id": "a", "text": TEXT, "collection": "own"})
    assert library.collections() == {"own": 1}
    assert library.collect(["a", "b", "c"], "watched") == 2
    assert library.collections() == {"watched": 2}
    assert library.collect(["a"], "") == 1
    assert library.collections() == {"watched": 1}
    with pytest.raises(InputError, match="collection"):
        library.add({"id": "c", "text": TEXT, "collection": 7})


def test_an_alert_waits_until_it_is_sent_or_dead(library: whorl.Library) -> None:
    put = library.outbox.put([Alert("copies", {"id": "甲"}, key="a"), {"rule": "daily", "payload": {}}])
    assert [(alert.number, alert.state, alert.tries) for alert in put] == [(1, "waiting", 0), (2, "waiting", 0)]
    assert library.outbox.put([Alert("copies", {}, key="a"), Alert("copies", {}, key="b"), Alert("x", {}, key="b")])[
        0
    ].number == (3)
    assert [alert.payload for alert in library.outbox.due(limit=1)] == [{"id": "甲"}]
    failed = library.outbox.failed(1, "timed out", "2026-05-01T00:00:10")
    assert (failed.state, failed.tries, failed.error) == ("waiting", 1, "timed out")
    assert [alert.number for alert in library.outbox.due("2026-05-01")] == [2, 3]
    assert [alert.number for alert in library.outbox.due("2026-05-01T00:00:10")] == [1, 2, 3]
    assert library.outbox.failed(1, "gone").state == "dead"
    library.outbox.sent([2, 3])
    assert (library.outbox.due(), [alert.number for alert in library.outbox.of("dead")]) == ([], [1])
    library.outbox.retry([1])
    assert [(alert.number, alert.tries, alert.error) for alert in library.outbox.due()] == [(1, 0, "gone")]
    assert len(library.outbox) == len(list(library.outbox)) == 3


@pytest.mark.parametrize(
    "value",
    [{"rule": "x"}, {"rule": "", "payload": {}}, {"rule": "x", "payload": []}, {"rule": "x", "payload": {"a": {1}}}],
)
def test_what_is_no_alert_is_refused(library: whorl.Library, value: Any) -> None:
    with pytest.raises(InputError):
        library.outbox.put([value])
    assert len(library.outbox) == 0


def test_unknown_alerts_are_told(library: whorl.Library) -> None:
    for ask in (
        lambda: library.outbox.sent([1]),
        lambda: library.outbox.failed(1, "x"),
        lambda: library.outbox.of("x"),
    ):
        with pytest.raises(NotFoundError, match=r"not found|unknown state"):
            ask()

"""Several reviewers of matches: every decision is stored and reported."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import whorl
from whorl.errors import UsageError
from whorl.library import Library
from whorl.tasks.review.decisions import answers, decide, last_decisions
from whorl.tasks.review.run import review_queue

ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "library") as library:
        library.add({"id": name, "text": ICE} for name in "abc")
        yield library


def test_all_who_decide_at_once_are_kept_and_hear_of_those_before_them(library: Library) -> None:
    people = [f"person {number}" for number in range(8)]
    with ThreadPoolExecutor() as pool:
        result = list(pool.map(lambda name: decide(library, "b", "a", "confirmed", by=name), people))
    assert {record.by for record in library.reviews.of("a", "b")} == set(people)
    in_order = sorted(result, key=lambda record: record.decision.number)
    for place, record in enumerate(in_order):
        before = {other.decision.by for other in in_order[:place]}
        assert before <= {other.by for other in record.meanwhile}
        assert record.decision.by not in {other.by for other in record.meanwhile}


def test_seen_decisions_are_not_reported_again(library: Library) -> None:
    first = decide(library, "b", "a", "confirmed", by="li").decision
    assert decide(library, "b", "a", "rejected", by="wang", last_seen=first.number).meanwhile == ()
    assert library.reviews.now("a", "b").state == "rejected"


def test_the_same_decision_once_more_is_kept_once_and_another_as_another(library: Library) -> None:
    once, again = (decide(library, "b", "a", "confirmed", by="li", note="so") for _ in range(2))
    assert once.decision == again.decision
    decide(library, "b", "a", "rejected", by="li")
    assert [record.state for record in library.reviews.of("a", "b")] == ["confirmed", "rejected"]
    library.reviews.undo("a", "b", by="li")
    decide(library, "b", "a", "rejected", by="li")
    assert len(library.reviews) == 3, "what was taken back can be decided anew"


def test_undoing_keeps_other_decisions(library: Library) -> None:
    value = decide(library, "b", "a", "confirmed", by="li").decision
    decide(library, "b", "a", "rejected", by="wang")
    assert library.reviews.undo("a", "b", by="li", number=value.number).state == "rejected"
    with pytest.raises(UsageError, match="no decision"):
        library.reviews.undo("a", "b", by="li", number=value.number)


def test_the_last_decisions_come_first(library: Library) -> None:
    for other in "ab":
        decide(library, "c", other, "confirmed", by="li")
    assert [last_decision.number for last_decision in last_decisions(library)] == [2, 1]
    assert [last_decision.number for last_decision in last_decisions(library, 1)] == [2]


def test_people_hear_of_what_others_decided_after_them(library: Library) -> None:
    decide(library, "b", "a", "confirmed", by="li")
    decide(library, "b", "a", "confirmed", by="wang")
    decide(library, "c", "a", "rejected", by="wang")
    log = last_decisions(library)
    assert [(answer.by, answer.id, answer.other) for answer in answers(log, "li")] == [("wang", "a", "b")]
    assert answers(log, "wang") == answers(log, "zhao") == ()
    assert answers(log, "li", reviewers=2) == (), "that somebody agrees is no news where two must"
    decide(library, "b", "a", "rejected", by="wang")
    assert [answer.state for answer in answers(last_decisions(library), "li", reviewers=2)] == ["rejected"]
    decide(library, "b", "a", "confirmed", by="li", last_seen=99)
    assert answers(last_decisions(library), "li") == (), "whoever decides again has heard of it"


def test_queue_is_open_to_pending_reviewers(library: Library) -> None:
    decide(library, "b", "a", "confirmed", by="li", reviewers=2)
    queue = review_queue(library, reviewers=2)
    assert len(queue.open_to("wang")) == len(queue.matches) == 3
    assert {frozenset((match.id, match.other)) for match in queue.open_to("li")} == {frozenset("ac"), frozenset("bc")}
    places = [match.place for match in queue.matches]
    assert places == sorted(places)
    assert queue.open_to("wang", after=places[0]) == queue.matches[1:]

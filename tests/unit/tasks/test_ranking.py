"""The queue equals the one derived from single documents, though it is computed from all rows together."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.articles import article, edited
from tests.unit.tasks.slow_queue import slow_queue

import whorl
from whorl.library import Library
from whorl.tasks.review.ranking import rank
from whorl.tasks.review.run import RankedQueue, review, review_queue, undo_review

STATES = ("pending", "confirmed", "rejected", "authorised")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def copied(chance: Random) -> list[dict[str, Any]]:
    """Return articles, some of them copied whole, edited or in part, and one too often for a complete list."""
    documents: list[dict[str, Any]] = []
    for number in range(12):
        text = article(number, 120)
        for copy in range(50 if number == 0 else chance.randint(0, 4)):
            kind = chance.randrange(4) if number or copy > 40 else 0
            documents.append(
                {
                    "id": f"{number}-{copy}",
                    "text": [
                        text,
                        edited(text, 3, seed=copy),
                        text[:70],
                        text + article(100 * number + copy + 100, 60),
                    ][kind],
                    "title": f"title {copy}",
                    "url": f"https://site{chance.randrange(4)}.example/{copy % 3}/{number}",
                    "author": chance.choice(["王小渡", None]),
                    "collection": chance.choice(["protected", "wire", "", ""]),
                    "published_at": BEGIN + timedelta(days=chance.randrange(40)),
                    "first_seen_at": BEGIN + timedelta(days=chance.randrange(40)),
                }
            )
    chance.shuffle(documents)
    return documents


@pytest.fixture(params=[{}, {"window": "10d"}], ids=["all", "window"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Library]:
    """Return a library of many copies with some decisions, and with sites that may reprint."""
    chance = Random(3)
    with whorl.open(tmp_path / "newsroom", **request.param) as opened:
        opened.add(copied(chance))
        for match in chance.sample(review_queue(opened, collection="wire").matches, 12):
            review(opened, match.id, match.other, chance.choice(STATES), by=chance.choice(["li", "wang"]), note="why")
        match = review_queue(opened, collection="wire", states=STATES[1:]).matches[0]
        undo_review(opened, match.id, match.other)
        opened.sites.put([{"domain": "site1.example", "authorised": True}])
        opened.permissions.put([{"domain": "site2.example", "path": "/1"}])
        yield opened


@pytest.mark.parametrize("collection", [None, "wire", "none"])
@pytest.mark.parametrize("states", [("pending",), STATES[1:], STATES])
def test_the_queue_is_what_documents_tell_one_by_one(
    library: Library, collection: str | None, states: tuple[str, ...]
) -> None:
    waiting, decided, unlisted = slow_queue(library, collection, states)
    queue = review_queue(library, collection=collection, states=states)
    assert list(queue.matches) == waiting
    assert (queue.waiting, dict(queue.decided), queue.unlisted) == (len(waiting), decided, unlisted)
    assert list(review_queue(library, collection=collection, states=states, top=3).matches) == waiting[:3]


def test_without_protected_articles_all_count(library: Library) -> None:
    library.collect(list(library), "")
    waiting, decided, unlisted = slow_queue(library, None, STATES)
    queue = review_queue(library, states=STATES)
    assert unlisted > 0
    assert list(queue.matches) == waiting
    assert (dict(queue.decided), queue.unlisted) == (decided, unlisted)


def test_older_ranking_respects_later_changes(library: Library) -> None:
    ranking = rank(library)
    first, second, *_ = review_queue(library).matches
    review(library, first.id, first.other, "rejected", by="zhao")
    queue = RankedQueue(library, ranking)
    assert queue.find(first.other, first.id) is None
    assert queue.listed(queue.matches) == review_queue(library)
    library.remove([second.id])
    assert second.id not in {match.id for match in queue.listed(queue.matches).matches}


def test_page_can_start_after_a_removed_place(library: Library) -> None:
    queue = RankedQueue(library, rank(library))
    _, second, third = queue.matches[:3]
    review(library, *second.place[1:], "confirmed")
    assert RankedQueue(library, rank(library)).behind(second.place)[0].place == third.place


def test_votes_hide_matches_until_disagreement(library: Library) -> None:
    ranking = rank(library)
    _, id, other = RankedQueue(library, ranking).matches[0].place
    review(library, id, other, "confirmed", by="li", reviewers=2)
    queue = RankedQueue(library, ranking, reviewers=2)
    assert {match.place[1:] for match in queue.matches} - {match.place[1:] for match in queue.open_to("li")} >= {
        (id, other)
    }
    report = queue.listed(queue.matches)
    assert queue.listed(queue.open_to("li")).matches == report.open_to("li")
    review(library, id, other, "rejected", by="wang", reviewers=2)
    assert (id, other) in {match.place[1:] for match in RankedQueue(library, ranking, reviewers=2).contested()}

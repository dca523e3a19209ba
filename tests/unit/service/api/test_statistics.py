"""Numbers of articles and copies over HTTP."""

from __future__ import annotations

import httpx
import pytest
from tests.unit.service.api.newsroom import TEXT

import whorl
from whorl.service.settings import Settings


@pytest.mark.parametrize("by", ["site", "author", "day"])
def test_an_answer_is_what_the_task_says(newsroom: Settings, desk: httpx.Client, by: str) -> None:
    body = desk.get("/statistics", params={"by": by}).json()
    with whorl.open(newsroom.libraries["news"]) as library:
        assert body == whorl.library.statistics(library, by=by).to_dict()  # type: ignore[arg-type]
    assert (body["articles"], body["exact"], body["near"]) == (4, 0, 2)


def test_a_span_counts_what_was_seen_in_it(desk: httpx.Client) -> None:
    body = desk.get("/statistics", params={"by": "day", "since": "2026-03-03", "until": "2026-03-04T00:00:00Z"}).json()
    assert [(row["name"], row["articles"], row["near"]) for row in body["rows"]] == [("2026-03-03", 1, 1)]


def test_a_site_is_counted_by_its_copies(newsroom: Settings, desk: httpx.Client) -> None:
    with whorl.open(newsroom.libraries["news"]) as library:
        library.add({"id": "again", "text": TEXT, "url": "https://copies.example/9"})
    body = desk.get("/statistics", params={"top": 1}).json()
    assert [(row["name"], row["copying"]) for row in body["most_copying"]] == [("copies.example", 3)]
    assert [(row["name"], row["copied"]) for row in body["most_copied"]] == [("paper.example", 3)]


@pytest.mark.parametrize("wrong", [{"by": "title"}, {"by": "site; --"}, {"since": "soon"}, {"top": 0}, {"top": 10**9}])
def test_what_cannot_be_counted_is_told(desk: httpx.Client, wrong: dict[str, str]) -> None:
    answer = desk.get("/statistics", params=wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_times_that_no_calendar_reaches_are_told(desk: httpx.Client) -> None:
    answer = desk.get("/statistics", params={"since": "0001-01-01T00:00:00+12:00"})
    assert (answer.status_code, answer.json()["code"]) == (422, "input")


def test_copies_are_what_the_task_says(newsroom: Settings, desk: httpx.Client) -> None:
    params = {"by": "month", "zone": "Asia/Shanghai", "listed": True}
    body = desk.get("/statistics/copies", params=params).json()
    with whorl.open(newsroom.libraries["news"]) as library:
        expected = whorl.watch.copy_statistics(library, by="month", zone="Asia/Shanghai").to_dict()
    assert body["rows"] == expected["rows"]
    assert [copy["addresses"] for copy in body["copies"]] == [list(copy["addresses"]) for copy in expected["copies"]]
    assert desk.get("/statistics/copies").json()["copies"] == []


@pytest.mark.parametrize(("wrong", "status"), [({"zone": "Mars"}, 422), ({"of": "mine"}, 404), ({"by": "title"}, 422)])
def test_copies_that_cannot_be_counted_are_reported(desk: httpx.Client, wrong: dict[str, str], status: int) -> None:
    assert desk.get("/statistics/copies", params=wrong).status_code == status

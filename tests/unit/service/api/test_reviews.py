"""Decisions about matches over HTTP."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
from tests.serving import served, state_of
from tests.unit.service.api.newsroom import COPY, PAPER, PART

from whorl.service.settings import Settings

MATCH = {"id": COPY, "other": PAPER}


def test_the_queue_has_the_most_severe_first_page_by_page(desk: httpx.Client) -> None:
    whole = desk.get("/reviews").json()
    assert ([item["id"] for item in whole["items"]], whole["next"], whole["waiting"]) == ([COPY, PART], None, 2)
    first = desk.get("/reviews", params={"limit": 1}).json()
    assert [item["id"] for item in first["items"]] == [COPY]
    desk.post("/reviews", json=MATCH | {"state": "confirmed"})
    rest = desk.get("/reviews", params={"limit": 1, "cursor": first["next"]}).json()
    assert ([item["id"] for item in rest["items"]], rest["next"]) == ([PART], None)
    assert rest["decided"] == {"confirmed": 1, "authorised": 0, "rejected": 0}
    decided = desk.get("/reviews", params={"state": ["confirmed", "rejected"]}).json()
    assert [item["id"] for item in decided["items"]] == [COPY]
    assert desk.get("/reviews", params={"among": "watched"}).json()["waiting"] == 1


def test_a_decision_counts_until_it_is_taken_back(desk: httpx.Client) -> None:
    decided = desk.post("/reviews", json=MATCH | {"state": "rejected", "note": "an agency wrote it"}).json()
    assert (decided["state"], decided["by"], decided["note"]) == ("rejected", "local", "an agency wrote it")
    assert desk.get("/matches", params={"of": COPY}).json()["matches"][0]["review"]["state"] == "rejected"
    assert desk.delete("/reviews", params=MATCH).json()["state"] == "pending"
    body = desk.get("/reviews/decisions", params=MATCH).json()
    assert [(decision["state"], decision["undone_by"]) for decision in body["decisions"]] == [("rejected", "local")]
    assert (body["review"]["state"], body["votes"]) == ("pending", [])
    again = desk.delete("/reviews", params=MATCH)
    assert (again.status_code, again.json()["code"]) == (422, "usage")


def test_several_must_agree_each_in_his_own_name(newsroom: Settings) -> None:
    strict = replace(newsroom, reviewers=2)
    with state_of(strict) as state, served(strict) as address:
        people = [state.keys.make(name, ["read", "review"])[0] for name in ("mei", "lin")]
        request = MATCH | {"state": "confirmed"}
        states = []
        for secret in people:
            headers = {"Authorization": f"Bearer {secret}"}
            states.append(httpx.post(f"{address}/v1/libraries/news/reviews", json=request, headers=headers).json())
        body = httpx.get(f"{address}/v1/libraries/news/reviews/decisions", params=MATCH, headers=headers).json()
    assert [item["state"] for item in states] == ["pending", "confirmed"]
    assert [(vote["by"], vote["state"]) for vote in body["votes"]] == [
        ("key 1 mei", "confirmed"),
        ("key 2 lin", "confirmed"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        MATCH | {"state": "deleted"},
        MATCH | {"state": "confirmed", "by": "chief"},
        MATCH | {"state": "confirmed", "reviewers": 1},
        MATCH | {"state": "confirmed", "note": "x" * 20_000},
        {"id": COPY, "state": "confirmed"},
    ],
)
def test_what_is_no_decision_is_told(desk: httpx.Client, wrong: dict[str, object]) -> None:
    answer = desk.post("/reviews", json=wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert desk.get("/reviews/decisions", params=MATCH).json()["decisions"] == []


def test_nobody_decides_about_what_is_not_there(desk: httpx.Client) -> None:
    answer = desk.post("/reviews", json={"id": COPY, "other": "none", "state": "confirmed"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


def test_an_article_is_no_match_of_itself(desk: httpx.Client) -> None:
    itself = {"id": COPY, "other": COPY}
    answers = [
        desk.post("/reviews", json=itself | {"state": "confirmed"}),
        desk.post("/evidence", json=itself | {"pdf": False}),
        desk.get("/pair", params=itself),
    ]
    assert [answer.json()["code"] for answer in answers] == ["usage"] * 3
    assert desk.get("/ledger").json()["items"] == []


@pytest.mark.parametrize("cursor", ["x", "W10", "WzFd", "WyJhIiwiYiIsImMiXQ", "WzEsMiwzXQ", "e30"])
def test_a_wrong_cursor_is_told(desk: httpx.Client, cursor: str) -> None:
    answer = desk.get("/reviews", params={"cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")


def test_a_decision_that_is_sent_again_is_made_once(desk: httpx.Client) -> None:
    headers = {"Idempotency-Key": "one-decision"}
    answers = [desk.post("/reviews", json=MATCH | {"state": "confirmed"}, headers=headers) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert len(desk.get("/reviews/decisions", params=MATCH).json()["decisions"]) == 1

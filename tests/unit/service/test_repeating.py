"""Repeated requests: executed once, for any caller, time and process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import httpx
import pytest
from tests.articles import article
from tests.serving import served, state_of

from whorl.service.settings import Settings
from whorl.service.state.answers import Asking
from whorl.service.state.database import stamp

PLACE = "/v1/libraries/news/documents"
NAMED = {"Idempotency-Key": "9f0c"}
REPLAYED = "idempotency-replayed"


@pytest.fixture
def settings(everywhere: Settings) -> Settings:
    """Run the tests of this module on every kind of state."""
    return everywhere


def age(settings: Settings, by: timedelta) -> None:
    """Let stored responses be older."""
    with state_of(settings) as state, state.database.writing() as connection:
        for row in connection.execute("SELECT made_at FROM answer").fetchall():
            earlier = stamp(datetime.fromisoformat(row["made_at"]) - by)
            connection.execute("UPDATE answer SET made_at = ? WHERE made_at = ?", (earlier, row["made_at"]))


def test_the_first_answer_comes_again(client: httpx.Client) -> None:
    body = {"id": "a", "text": article(1)}
    first = client.post(PLACE, json=body, headers=NAMED)
    assert REPLAYED not in first.headers
    again = client.post(PLACE, json=body, headers=NAMED)
    assert (again.status_code, again.json(), again.headers[REPLAYED]) == (201, first.json(), "true")
    assert again.headers["location"] == first.headers["location"]
    assert client.post(PLACE, json=body).json()["state"] == "known"


def test_another_request_under_the_same_name_is_refused(client: httpx.Client) -> None:
    client.post(PLACE, json={"id": "a", "text": article(1)}, headers=NAMED)
    other = client.post(PLACE, json={"id": "b", "text": article(1)}, headers=NAMED)
    assert (other.status_code, other.json()["code"]) == (422, "usage")
    assert client.get(f"{PLACE}/b").status_code == 404


def test_many_lines_are_answered_again_as_they_were(client: httpx.Client) -> None:
    body = "".join(f'{{"id": "{number}", "text": "{article(number, 30)}"}}\nbad\n' for number in range(3000))
    first = client.post(f"{PLACE}/bulk", content=body, headers=NAMED)
    again = client.post(f"{PLACE}/bulk", content=body, headers=NAMED)
    assert again.headers[REPLAYED] == "true"
    assert again.content == first.content
    assert first.text.count('"new"') == 3000


def test_what_was_removed_is_not_removed_again(client: httpx.Client) -> None:
    client.post(PLACE, json={"id": "a", "text": article(1)})
    assert client.delete(f"{PLACE}/a", headers=NAMED).status_code == 204
    client.post(PLACE, json={"id": "a", "text": article(1)})
    assert client.delete(f"{PLACE}/a", headers=NAMED).status_code == 204
    assert client.get(f"{PLACE}/a").status_code == 200


def test_of_requests_at_once_one_is_carried_out(client: httpx.Client) -> None:
    def ask(_: int) -> httpx.Response:
        return client.post(PLACE, json={"id": "a", "text": article(1)}, headers=NAMED)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(ask, range(8)))
    assert {answer.json()["state"] for answer in answers} == {"new"}
    assert sum(REPLAYED not in answer.headers for answer in answers) == 1


def test_a_refusal_is_not_kept(client: httpx.Client) -> None:
    assert client.post(PLACE, content=b"{", headers={**NAMED, "Content-Type": "application/json"}).status_code == 422
    body = {"text": article(1)}
    refused = client.put(f"{PLACE}/a", json=body, headers={**NAMED, "If-Match": "*"})
    assert refused.status_code == 412
    assert client.put(f"{PLACE}/a", json=body, headers=NAMED).status_code == 201


def test_an_answer_outlives_the_process_and_ends_after_a_day(settings: Settings) -> None:
    body = {"id": "a", "text": article(1)}
    with served(settings) as address:
        first = httpx.post(f"{address}{PLACE}", json=body, headers=NAMED)
    with served(settings) as address:
        again = httpx.post(f"{address}{PLACE}", json=body, headers=NAMED)
        assert (again.headers[REPLAYED], again.json()) == ("true", first.json())
        age(settings, timedelta(hours=25))
        assert httpx.post(f"{address}{PLACE}", json=body, headers=NAMED).json()["state"] == "known"


def test_what_a_killed_process_began_is_done_by_the_next(settings: Settings) -> None:
    with state_of(settings) as state, state_of(settings) as other:
        asking = Asking("local", "9f0c", b"digest")
        assert state.answers.begin(asking) is True
        assert other.answers.begin(asking) is False
        age(settings, timedelta(seconds=30))
        assert other.answers.begin(asking) is True
        assert state.answers.begin(asking) is False


def test_names_are_each_callers_own(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        secrets = [state.keys.make("desk", ["read", "write"])[0] for _ in range(2)]
        body = {"id": "a", "text": article(1)}
        states = [
            httpx.post(f"{address}{PLACE}", json=body, headers={**NAMED, "Authorization": f"Bearer {secret}"}).json()
            for secret in secrets
        ]
        assert [item["state"] for item in states] == ["new", "known"]
        assert httpx.post(f"{address}{PLACE}", json=body, headers=NAMED).status_code == 401


@pytest.mark.parametrize("name", ["", "x" * 256, "é", "a\tb"])
def test_what_is_no_name_is_refused(client: httpx.Client, name: str) -> None:
    headers = [(b"Idempotency-Key", name.encode())]
    answer = client.post(PLACE, json={"id": "a", "text": article(1)}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")

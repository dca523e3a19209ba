"""Rights end with their holder, and no one acts in the name of another."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.articles import article
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.settings import Settings
from whorl.service.state.state import State

LIBRARY = "/v1/libraries/news"
PAGE = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@contextmanager
def signed_in(address: str, name: str, password: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address) as client:
        assert client.post("/sign-in", data={"name": name, "password": password}).status_code == 303
        client.headers["Sec-Fetch-Site"] = "same-origin"
        yield client


def test_an_answer_does_not_come_again_for_who_may_no_longer_ask(settings: Settings) -> None:
    body = {"json": {"id": "a", "text": article(1)}, "headers": {"Idempotency-Key": "once"}}
    with state_of(settings) as state, served(settings) as address:
        state.users.make("mei", "a long password", "editor")
        with signed_in(address, "mei", "a long password") as client:
            assert client.post(f"{LIBRARY}/documents", **body).status_code == 201
            state.users.change("mei", "reader")
            assert client.post(f"{LIBRARY}/documents", **body).json()["code"] == "forbidden"


def test_a_condition_is_part_of_a_request_that_is_made_again(client: httpx.Client) -> None:
    client.put(f"{LIBRARY}/documents/a", json={"text": article(1)})
    tag = client.get(f"{LIBRARY}/documents/a").headers["etag"]
    named = {"Idempotency-Key": "once"}
    changed = {"text": article(2)}
    first = client.put(f"{LIBRARY}/documents/a", json=changed, headers={**named, "If-Match": tag})
    other = client.put(f"{LIBRARY}/documents/a", json=changed, headers={**named, "If-Match": '"another"'})
    assert (first.status_code, other.status_code, other.json()["code"]) == (200, 422, "usage")


@pytest.mark.parametrize("ending", ["revoked", "removed"])
def test_a_stream_ends_with_the_rights_of_its_reader(settings: Settings, ending: str) -> None:
    with state_of(settings) as state, served(settings) as address:
        admin, _ = state.keys.make("admin", ["read", "admin"])
        state.jobs.put("waits", "nothing that is done here", "news", {}, "nobody")
        headers, end = _reader(state, address, ending)
        with httpx.stream("GET", f"{address}/v1/jobs/waits/events", headers=headers, timeout=30) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: progress"
            end()
            assert not [line for line in lines if line.startswith("event: end")]
        assert httpx.get(f"{address}/v1/jobs/waits", headers=bearer(admin)).json()["state"] == "queued"


def _exported(settings: Settings) -> list[str]:
    """Return the lines of another library: a copy with a decision, an attestation and a case of its editor."""
    with whorl.open(Path(settings.state) / "other") as other:
        other.add({"id": "a", "text": article(1), "collection": "protected"})
        other.add({"id": "b", "text": article(1), "url": "https://copies.example/b"})
        other.review("a", "b", "confirmed", by="chief")
        other.attestations.put([{"document": "b", "kind": "server-log", "at": "2020-01-01", "by": "chief"}])
        other.cases.open("b", "a")
        return [json.dumps(row) for row in other.export()]


@pytest.mark.parametrize(("scopes", "may"), [(["read", "write"], False), (["read", "write", "admin"], True)])
def test_only_administrators_add_what_others_stated(settings: Settings, scopes: list[str], may: bool) -> None:
    lines = _exported(settings)
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("desk", scopes)
        with httpx.Client(base_url=address, headers=bearer(secret), timeout=60) as client:
            answers = client.post(f"{LIBRARY}/documents/bulk", content="\n".join(lines)).text.splitlines()
            assert [json.loads(answer)["state"] == "refused" for answer in answers] == [not may] * 2
            again = "\n".join(line.replace('"id": "', '"id": "again-') for line in lines)
            job = client.post(f"{LIBRARY}/jobs/add", content=again).json()
            while (current := client.get(f"/v1/jobs/{job['id']}").json())["state"] in ("queued", "running"):
                time.sleep(0.05)
            assert current["state"] == ("done" if may else "failed")
    with whorl.open(settings.libraries["news"]) as library:
        assert (len(library.attestations), len(library.cases)) == ((2, 1) if may else (0, 0))


def test_evidence_of_an_open_case_is_removed_only_by_who_may_close_it(settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "a", "text": article(1), "collection": "protected"})
        library.add({"id": "b", "text": article(1), "url": "https://copies.example/b"})
        library.cases.open("b", "a")
    with state_of(settings) as state, served(settings) as address:
        writer, _ = state.keys.make("desk", ["read", "write"])
        editor, _ = state.keys.make("editor", ["read", "write", "review"])
        removals = [
            httpx.delete(f"{address}{LIBRARY}/documents/b", params=params, headers=bearer(secret)).status_code
            for secret, params in ((writer, {}), (writer, {"force": True}), (editor, {"force": True}))
        ]
        assert removals == [422, 403, 204]


def test_keys_of_one_name_are_two_callers(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        (first, item), (second, other) = (state.keys.make("press", ["read", "write"]) for _ in range(2))
        job = httpx.post(f"{address}{LIBRARY}/jobs", json={"kind": "export"}, headers=bearer(first)).json()
        assert job["by"] == f"key {item.number} press"
        stopped = httpx.delete(f"{address}/v1/jobs/{job['id']}", headers=bearer(second))
        assert stopped.json()["code"] == "forbidden"
        assert {entry.who for entry in state.audit.list()} == {f"key {key.number} press" for key in (item, other)}


def test_a_key_does_not_decide_in_the_name_of_a_user(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.users.make("mei", "a long password", "reviewer")
        secret, key = state.keys.make("mei", ["read", "review", "write"])
        with httpx.Client(base_url=address, headers=bearer(secret)) as client:
            for name in ("a", "b"):
                client.put(f"{LIBRARY}/documents/{name}", json={"text": article(1)})
            decided = client.post(f"{LIBRARY}/reviews", json={"id": "a", "other": "b", "state": "confirmed"})
        with signed_in(address, "mei", "a long password") as client:
            response = client.post(f"{LIBRARY}/reviews", json={"id": "a", "other": "b", "state": "rejected"})
    assert (decided.json()["by"], response.json()["by"]) == (f"key {key.number} mei", "mei")


def test_only_administrators_name_the_author_of_an_attestation(settings: Settings) -> None:
    attestation = {"document": "a", "kind": "notary", "at": "2001-01-01T00:00:00Z"}
    with state_of(settings) as state, served(settings) as address:
        writer, key = state.keys.make("desk", ["read", "write"])
        admin, _ = state.keys.make("admin", ["read", "write", "admin"])
        with httpx.Client(base_url=address, headers=bearer(writer)) as client:
            client.put(f"{LIBRARY}/documents/a", json={"text": article(1)})
            refused = client.put(f"{LIBRARY}/attestations", json=[attestation, {**attestation, "by": "Notary Li"}])
            assert refused.json()["code"] == "forbidden"
            assert client.get(f"{LIBRARY}/attestations").json()["items"] == []
            assert client.put(f"{LIBRARY}/attestations", json=[attestation]).status_code == 200
            put = client.put(
                f"{LIBRARY}/attestations", json=[{**attestation, "by": "Notary Li"}], headers=bearer(admin)
            )
            assert put.status_code == 200
            kept = client.get(f"{LIBRARY}/attestations").json()["items"]
    assert {record["by"] for record in kept} == {f"key {key.number} desk", "Notary Li"}


def test_figures_are_for_those_who_see_to_all_libraries(tmp_path) -> None:
    settings = settings_of(tmp_path, "ours", "theirs")
    with state_of(settings) as state, served(settings) as address:
        some, _ = state.keys.make("some", ["admin"], ["ours"])
        whole, _ = state.keys.make("all", ["admin"])
        assert httpx.get(f"{address}/metrics", headers=bearer(some)).json()["code"] == "forbidden"
        assert "theirs" in httpx.get(f"{address}/metrics", headers=bearer(whole)).text


def test_a_key_for_metrics_reads_nothing_else(tmp_path) -> None:
    settings = settings_of(tmp_path, "ours")
    with state_of(settings) as state, served(settings) as address:
        scraper, _ = state.keys.make("scraper", ["metrics"])
        some, _ = state.keys.make("some", ["metrics"], ["ours"])
        reader, _ = state.keys.make("reader", ["read", "write"])
        assert "ours" in httpx.get(f"{address}/metrics", headers=bearer(scraper)).text
        for secret in (some, reader):
            refused = httpx.get(f"{address}/metrics", headers=bearer(secret))
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert httpx.get(f"{address}/metrics").status_code == 401
        for path in ("/v1/libraries", "/v1/libraries/ours", "/v1/audit", "/v1/keys"):
            assert httpx.get(f"{address}{path}", headers=bearer(scraper)).status_code == 403


def test_a_refused_password_changes_no_role(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.users.make("root", "a long password", "admin")
        state.users.make("mei", "another password", "reader")
        with signed_in(address, "root", "a long password") as client:
            change = {"name": "mei", "role": "admin", "password": "short"}
            assert client.post("/settings/users/change", data=change, headers=PAGE).status_code == 422
            assert [user.role for user in state.users.all() if user.name == "mei"] == ["reader"]
            change["password"] = "long enough for it"
            assert client.post("/settings/users/change", data=change, headers=PAGE).status_code == 303
        assert [user.role for user in state.users.all() if user.name == "mei"] == ["admin"]


def test_a_key_that_may_write_and_not_read_may_begin_adding(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("desk", ["write"])
        begun = httpx.post(f"{address}{LIBRARY}/jobs/add", content=b"", headers=bearer(secret))
        assert begun.status_code == 202


def _reader(state: State, address: str, ending: str) -> tuple[dict[str, str], Callable[[], object]]:
    """Return the credentials of a reader, and a function that ends their rights after a while."""
    if ending == "revoked":
        secret, key = state.keys.make("reader", ["read"])
        return bearer(secret), lambda: state.keys.revoke(key.number)
    state.users.make("lin", "a long password", "reader")
    with signed_in(address, "lin", "a long password") as client:
        cookie = client.cookies["whorl_session"]
    return {"Cookie": f"whorl_session={cookie}"}, lambda: state.users.remove("lin")

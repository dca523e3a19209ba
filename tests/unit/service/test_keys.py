"""Keys, users and the audit log over the API."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from tests.serving import served, settings_of, state_of

from whorl.service.settings import Settings


def test_a_secret_is_shown_once_and_opens_what_its_key_is_for(client: httpx.Client) -> None:
    admin = client.post("/v1/keys", json={"name": "admin", "scopes": ["admin", "read"]}).json()
    client.headers["Authorization"] = f"Bearer {admin['secret']}"
    response = client.post("/v1/keys", json={"name": "desk", "scopes": ["read"], "libraries": ["news"]})
    assert response.status_code == 201
    secret = response.json()["secret"]
    assert secret not in client.get("/v1/keys").text
    asking = {"Authorization": f"Bearer {secret}"}
    assert client.get("/v1/libraries", headers=asking).json() == {"libraries": ["news"]}
    assert client.get("/v1/keys", headers=asking).json()["code"] == "forbidden"
    assert client.delete(f"/v1/keys/{response.json()['key']['number']}").json()["revoked_at"]
    assert client.get("/v1/libraries", headers=asking).status_code == 401
    for absent in (99, -1, 2**63, -(2**63) - 1):
        assert client.delete(f"/v1/keys/{absent}").status_code == 404


def test_a_key_for_a_library_that_there_is_not(client: httpx.Client) -> None:
    refused = client.post("/v1/keys", json={"name": "desk", "scopes": ["read"], "libraries": ["nwes"]})
    assert refused.json()["code"] == "usage"
    assert client.get("/v1/keys").json()["items"] == []


def test_users_are_made_and_removed(client: httpx.Client) -> None:
    key = client.post("/v1/keys", json={"name": "admin", "scopes": ["admin"]}).json()["secret"]
    client.headers["Authorization"] = f"Bearer {key}"
    body = {"name": "mei", "password": "a long password", "role": "editor"}
    assert client.post("/v1/users", json=body).json()["role"] == "editor"
    assert "password" not in client.get("/v1/users").text
    assert client.post("/v1/users", json={**body, "password": "short"}).json()["code"] == "usage"
    assert client.delete("/v1/users/mei").status_code == 204
    assert client.delete("/v1/users/mei").status_code == 404


def test_who_sees_to_one_library_makes_no_keys_for_others(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "ours", "theirs")
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("ours", ["read", "admin"], ["ours"])
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {secret}"}) as client:
            for path in ("keys", "users", "audit"):
                assert client.get(f"/v1/{path}").json()["code"] == "forbidden"
            body = {"name": "more", "scopes": ["admin"]}
            assert client.post("/v1/keys", json=body).json()["code"] == "forbidden"


def test_what_was_changed_and_what_was_refused_is_in_the_audit_log(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        admin, _ = state.keys.make("admin", ["read", "admin"])
        reader, _ = state.keys.make("reader", ["read"])
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {admin}"}) as client:
            begun = client.post("/v1/libraries/news/jobs", json={"kind": "verify"}, headers={"X-Request-Id": "mine"})
            client.post("/v1/libraries/news/check", json={"text": "渔港的冰厂"})
            client.post("/v1/keys", json={"name": "more", "scopes": ["read"]})
            client.delete("/v1/keys/7", headers={"Authorization": f"Bearer {reader}"})
            client.delete("/v1/keys/7", headers={"Authorization": "Bearer whorl_wrong"})
            client.get(f"{begun.headers['location']}/result")
            response = client.get("/v1/audit").json()["items"]
            assert [(item["who"], item["what"], item["status"]) for item in reversed(response)] == [
                ("key 1 admin", "POST /v1/libraries/{library}/jobs", 202),
                ("key 1 admin", "POST /v1/keys", 201),
                ("key 2 reader", "DELETE /v1/keys/{number}", 403),
                ("key 1 admin", "GET /v1/jobs/{id}/result", response[0]["status"]),
            ]
            assert (response[-1]["library"], response[-1]["request"], response[-1]["address"]) == (
                "news",
                "mine",
                "127.0.0.1",
            )
            assert response[1]["subject"] == "7"
            assert "渔港" not in str(response)
            first = client.get("/v1/audit", params={"limit": 3}).json()
            rest = client.get("/v1/audit", params={"limit": 3, "cursor": first["next"]}).json()
            assert [item["number"] for item in first["items"] + rest["items"]] == [item["number"] for item in response]
            assert [
                item["who"] for item in client.get("/v1/audit", params={"who": "key 2 reader"}).json()["items"]
            ] == ["key 2 reader"]
            assert len(client.get("/v1/audit", params={"library": "news"}).json()["items"]) == 1


def test_signing_in_is_in_the_audit_log(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.users.make("mei", "a long password")
        for password in ("a wrong password", "a long password"):
            httpx.post(f"{address}/sign-in", data={"name": "mei", "password": password})
        result = [(entry.what, entry.subject, entry.status) for entry in state.audit.list()]
    assert result == [("POST /sign-in", "mei", 303), ("POST /sign-in", "mei", 401)]


def test_what_is_done_at_once_is_all_in_the_audit_log(settings: Settings) -> None:
    with state_of(settings) as state:
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda number: state.audit.note("local", "", "ask", "", str(number), 200, ""), range(400)))
        assert {entry.subject for entry in state.audit.list(limit=1000)} == set(map(str, range(400)))
        assert len(state.audit.list(limit=1000)) == 400


def test_the_last_administrator_stays(settings: Settings) -> None:
    boss, mei = {"name": "boss", "password": "a long password"}, {"name": "mei", "password": "a long password"}
    with state_of(settings) as state, served(settings) as address:
        assert httpx.post(f"{address}/v1/users", json=mei).status_code == 422
        assert httpx.post(f"{address}/v1/users", json=boss | {"role": "admin"}).status_code == 201
        secret, _ = state.keys.make("owner", ["admin"])
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {secret}"}) as client:
            assert client.post("/v1/users", json=mei).status_code == 201
            assert client.post("/v1/users", json=boss | {"role": "editor"}).status_code == 422
            assert client.post("/v1/users", json=boss | {"role": "admin", "libraries": ["news"]}).status_code == 422
            refused = client.delete("/v1/users/boss")
            assert (refused.status_code, "administrator" in refused.json()["detail"]) == (422, True)
            assert client.post("/v1/users", json=mei | {"role": "admin"}).status_code == 201
            assert client.delete("/v1/users/boss").status_code == 204
            assert [(item["name"], item["role"]) for item in client.get("/v1/users").json()["items"]] == [
                ("mei", "admin")
            ]

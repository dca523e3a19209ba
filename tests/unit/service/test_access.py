"""Access control: keys, users, local clients, and pages of other sites."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import Connection, connect

import httpx
import pytest
from tests.serving import served, settings_of, state_of

from whorl.errors import UsageError
from whorl.service.serving import demand_keys
from whorl.service.settings import Settings


def test_without_keys_whoever_is_at_this_machine_may_ask(client: httpx.Client) -> None:
    assert client.get("/v1/libraries").json() == {"libraries": ["news"]}


def test_with_a_key_nobody_else_may(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        secret, key = state.keys.make("desk", ["read"])
        assert httpx.get(f"{address}/v1/libraries").json()["code"] == "unknown-caller"
        asking = {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{address}/v1/libraries", headers=asking).status_code == 200
        state.keys.revoke(key.number)
        state.keys.make("other", ["read"])
        assert httpx.get(f"{address}/v1/libraries", headers=asking).status_code == 401


@pytest.mark.parametrize("last", ["key", "user"])
def test_without_its_last_key_or_user_a_service_is_closed(settings: Settings, last: str) -> None:
    with state_of(settings) as state, served(settings) as address:
        if last == "key":
            _, key = state.keys.make("desk", ["read", "admin"])
            state.keys.revoke(key.number)
        else:
            state.users.make("mei", "a long password", "admin")
            state.users.remove("mei")
        for path in ("libraries", "keys", "users", "audit"):
            assert httpx.get(f"{address}/v1/{path}").json()["code"] == "unknown-caller"
        body = {"name": "stranger", "scopes": ["admin"]}
        assert httpx.post(f"{address}/v1/keys", json=body).json()["code"] == "unknown-caller"
        with pytest.raises(UsageError, match="the last key or user was removed"):
            demand_keys(settings)
        secret, _ = state.keys.make("new", ["read"])
        assert httpx.get(f"{address}/v1/libraries", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
        demand_keys(settings)


@pytest.mark.parametrize("revoked", [None, "'2026-01-02'"])
def test_a_state_of_the_first_version_stays_closed_once_it_had_a_key(settings: Settings, revoked: str | None) -> None:
    with state_of(settings) as state:
        state.keys.make("desk", ["read"])
    with connect(Path(settings.state) / "service.sqlite") as file:
        file.execute(f"UPDATE key SET revoked_at = {revoked or 'NULL'}")
        _make_first_version(file)
    with state_of(settings) as state:
        assert not state.is_open_to_all
    with connect(Path(settings.state) / "service.sqlite") as file:
        file.execute("DELETE FROM key")
        _make_first_version(file)
    with state_of(settings) as state:
        assert state.is_open_to_all


def _make_first_version(file: Connection) -> None:
    """Take away what later versions of the tables added."""
    file.executescript(
        "DROP TABLE closed; DROP INDEX job_by_caller; ALTER TABLE key DROP COLUMN expires_at; "
        "ALTER TABLE session DROP COLUMN address; ALTER TABLE session DROP COLUMN agent; "
        "DROP TABLE second_factor; DROP TABLE recovery_code; DROP TABLE tenant; PRAGMA user_version = 1"
    )


def test_a_library_is_not_there_for_the_keys_of_others(tmp_path) -> None:
    settings = settings_of(tmp_path, "ours", "theirs")
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("ours", ["read", "write", "review", "admin"], ["ours"])
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {secret}"}) as client:
            assert client.get("/v1/libraries").json() == {"libraries": ["ours"]}
            hidden = client.post("/v1/libraries/theirs/check", json={"text": "渔港"})
            absent = client.post("/v1/libraries/nowhere/check", json={"text": "渔港"})
    assert hidden.status_code == absent.status_code == 404
    assert hidden.json()["detail"].replace("theirs", "nowhere") == absent.json()["detail"]


def test_other_sites_and_other_names_are_turned_away(client: httpx.Client) -> None:
    body = {"json": {"text": "渔港"}}
    for headers in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post("/v1/libraries/news/check", headers=headers, **body).json()["code"] == "forbidden"
    assert client.get("/v1/libraries", headers={"Host": "elsewhere.example"}).status_code == 403
    assert client.post("/v1/libraries/news/check", headers={"Origin": str(client.base_url)}, **body).status_code == 200


def test_a_session_ends_with_its_user(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address, httpx.Client(base_url=address) as client:
        state.users.make("mei", "a long password", "reviewer")
        wrong = client.post("/sign-in", data={"name": "mei", "password": "another password"})
        assert wrong.status_code == 401
        planted = client.cookies.set("whorl_session", "planted")
        begun = client.post("/sign-in", data={"name": "mei", "password": "a long password", "next": "//elsewhere"})
        assert (begun.status_code, begun.headers["location"], planted) == (303, "/", None)
        secret = begun.cookies["whorl_session"]
        assert secret != "planted"
        cookie = {"Cookie": f"whorl_session={secret}"}
        assert httpx.get(f"{address}/v1/libraries", headers=cookie).status_code == 200
        state.users.remove("mei")
        state.users.make("lin", "another password")
        assert httpx.get(f"{address}/v1/libraries", headers=cookie).status_code == 401


def test_guessing_passwords_ends(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.users.make("mei", "a long password")
        tries = [httpx.post(f"{address}/sign-in", data={"name": "mei", "password": str(n)}) for n in range(11)]
        right = httpx.post(f"{address}/sign-in", data={"name": "mei", "password": "a long password"})
    assert [answer.status_code for answer in tries] == [401] * 10 + [429]
    assert right.status_code == 429


def test_other_machines_need_a_key(settings: Settings) -> None:
    wide = Settings(settings.libraries, settings.state, host="0.0.0.0")
    with pytest.raises(UsageError, match="there is no key"):
        demand_keys(wide)
    with state_of(settings) as state:
        state.keys.make("desk", ["read"])
    demand_keys(wide)


def test_a_page_tells_what_is_wrong_in_the_language_of_its_reader(client: httpx.Client) -> None:
    asking = {"Accept": "text/html", "Accept-Language": "zh-CN"}
    page = client.get("/libraries/nowhere/check", headers=asking)
    assert page.status_code == 404
    assert "没有文章库 &#39;nowhere&#39;" in page.text
    assert "not found" not in page.text

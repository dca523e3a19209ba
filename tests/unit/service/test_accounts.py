"""Limits by network, repeated headers, keys that expire, and what users do with their own account."""

from __future__ import annotations

import socket
import time
from base64 import b32encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from tests.serving import served, settings_of, state_of

from whorl.errors import UsageError
from whorl.service.serving import demand_keys
from whorl.service.settings import Settings
from whorl.service.state.keys import expiry_of
from whorl.service.state.second_factor import STEP_SECONDS, code_of, matching_step
from whorl.service.throttling import network_of

OLD, NEW = "the old password", "another password"
PAGE = {"Accept": "text/html", "Accept-Language": "en", "Sec-Fetch-Site": "same-origin"}
BEHIND_PROXY = {"hosts": ("copies.example",), "proxies": ("127.0.0.1",)}
HOST = {"Host": "copies.example"}


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_ipv6_addresses_count_by_network(network: int, host_number: int, other: int) -> None:
    first, second = (IPv6Address(network << 64 | host) for host in (host_number, other))
    if not first.ipv4_mapped and not second.ipv4_mapped:
        assert network_of(str(first)) == network_of(f"{second}%eth0")
    assert network_of(str(IPv6Address((network ^ 1) << 64 | host_number))) != network_of(str(first))


@given(st.integers(0, 2**32 - 1))
def test_ipv4_addresses_count_one_by_one_mapped_or_not(number: int) -> None:
    address = IPv4Address(number)
    assert network_of(str(address)) == network_of(f"::ffff:{address}") == str(address)


@pytest.mark.parametrize("host", [None, "", "x1\t", "1.2.3", "[::1]", "unix:", "1.2.3.4, 5.6.7.8"])
def test_what_is_no_address_counts_as_one_client(host: str | None) -> None:
    assert network_of(host) == network_of("anything else")


def test_a_network_evades_neither_the_rate_nor_the_limit_of_guesses(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", rate=2.0, **BEHIND_PROXY)
    with served(settings) as address, httpx.Client(base_url=address, headers=HOST) as client:

        def ask(source: str) -> int:
            return client.get("/v1/libraries", headers={"X-Forwarded-For": source}).status_code

        assert 429 in {ask(f"2001:db8::{number:x}") for number in range(40)}
        assert 429 in {ask(f"no address {number}") for number in range(40)}
        assert ask("2001:db8:0:1::1") == 401
    with served(replace(settings, rate=0.0)) as address, httpx.Client(base_url=address, headers=HOST) as client:
        statuses = [
            client.post(
                "/sign-in",
                data={"name": f"user {number}", "password": "0123456789"},
                headers={"X-Forwarded-For": f"2001:db9::{number:x}"},
            ).status_code
            for number in range(12)
        ]
        assert statuses == [401] * 10 + [429] * 2


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("Host: localhost\r\nHost: localhost", 400),
        ("Host: localhost\r\nhost: elsewhere.example", 400),
        ("Accept: a/b", 400),
        ("Host: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b", 400),
        ("Host: localhost\r\nContent-Length: 0\r\nContent-Length: 1", 400),
        ("Host: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", 400),
        ("Host: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity", 400),
        ("Host: localhost\r\nAccept: a/b\r\nAccept: c/d", 200),
    ],
)
def test_headers_that_say_two_things_are_refused(settings: Settings, head: str, status: int) -> None:
    with served(settings) as address:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
            lines = f"GET /v1/libraries HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n"
            connection.sendall(lines.encode())
            assert connection.recv(4096).startswith(f"HTTP/1.1 {status}".encode())


def test_readiness_is_found_out_once_a_second_whoever_asks(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    from whorl.service import health

    calls: list[int] = []
    answers = health._answers
    monkeypatch.setattr(health, "_answers", lambda service: (calls.append(1), answers(service))[1])
    with served(settings) as address, httpx.Client(base_url=address) as client:
        before = datetime.now(UTC)
        statuses = {client.get("/readyz").status_code for _ in range(50)}
        seconds = (datetime.now(UTC) - before).total_seconds()
    assert statuses == {200}
    assert len(calls) <= seconds + 2


def _expire(settings: Settings, number: int) -> None:
    with state_of(settings) as state, state.database.writing() as connection:
        expired = "2020-01-01T00:00:00.000000+00:00"
        connection.execute('UPDATE "key" SET expires_at = ? WHERE number = ?', (expired, number))


def test_a_key_ends_when_it_was_told_to(everywhere: Settings) -> None:
    with state_of(everywhere) as state, served(everywhere) as address:
        admin, _ = state.keys.make("admin", ["read", "admin"])
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {admin}"}) as client:
            at = (datetime.now(UTC) + timedelta(days=90)).isoformat()
            created = client.post("/v1/keys", json={"name": "desk", "scopes": ["read"], "expires_at": at}).json()
            assert datetime.fromisoformat(created["key"]["expires_at"]) == datetime.fromisoformat(at)
            past = client.post("/v1/keys", json={"name": "desk", "scopes": ["read"], "expires_at": "2020-01-01T00:00Z"})
            naive = client.post("/v1/keys", json={"name": "d", "scopes": ["read"], "expires_at": "2999-01-01T00:00"})
            assert (past.status_code, naive.status_code) == (422, 422)
            asking = {"Authorization": f"Bearer {created['secret']}"}
            assert httpx.get(f"{address}/v1/libraries", headers=asking).status_code == 200
            _expire(everywhere, created["key"]["number"])
            for _ in range(3):
                refused = httpx.get(f"{address}/v1/libraries", headers=asking)
                assert (refused.status_code, "expired" in refused.json()["detail"]) == (401, True)
            entries = [entry for entry in client.get("/v1/audit").json()["items"] if entry["status"] == 401]
            assert [(entry["who"], entry["subject"]) for entry in entries] == [("key 2 desk", "expired key")]
            listed = {key["name"]: key for key in client.get("/v1/keys").json()["items"]}
            assert listed["desk"]["used_at"] is not None
            assert (listed["admin"]["expires_at"], listed["desk"]["expires_at"][:4]) == (None, "2020")


def test_a_service_of_expired_keys_alone_is_closed(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.keys.make("only", ["read", "admin"])
        _expire(settings, 1)
        assert httpx.get(f"{address}/v1/libraries").status_code == 401
        with pytest.raises(UsageError, match="the last key or user"):
            demand_keys(settings)


@pytest.mark.parametrize("text", ["", "90d", "12h", "8w", "2999-12-31", "2999-12-31T08:00+08:00"])
def test_periods_and_dates_are_read(text: str) -> None:
    at = expiry_of(text)
    assert at is None or at > datetime.now(UTC)


@pytest.mark.parametrize("text", ["90", "d", "0d", "-3d", "90 days", "tomorrow", "999999w", "2030-13-01"])
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        expiry_of(text)


@contextmanager
def signed_in(address: str, password: str = OLD) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, headers={**PAGE, "User-Agent": f"browser <{password}>"}) as client:
        assert client.post("/sign-in", data={"name": "mei", "password": password}).status_code == 303
        yield client


@pytest.fixture
def address(everywhere: Settings) -> Iterator[str]:
    with state_of(everywhere) as state, served(everywhere) as place:
        state.users.make("mei", OLD)
        state.users.make("lin", OLD)
        yield place


def changed(client: httpx.Client, old: str, new: str, again: str | None = None) -> int:
    answer = client.post("/account/password", data={"old": old, "new": new, "again": new if again is None else again})
    return answer.status_code


def test_users_change_their_password_and_end_their_other_sessions(address: str) -> None:
    with signed_in(address) as client, signed_in(address) as elsewhere:
        assert changed(client, "a wrong password", NEW) == 422
        assert changed(client, OLD, "short") == 422
        assert changed(client, OLD, NEW, "another one typed") == 422
        assert elsewhere.get("/account").status_code == 200
        assert changed(client, OLD, NEW) == 303
        assert client.get("/account").status_code == 200
        assert elsewhere.get("/account").headers["location"].startswith("/sign-in")
    with signed_in(address, NEW) as client:
        assert client.post("/sign-in", data={"name": "mei", "password": OLD}).status_code == 401


def test_guessing_the_old_password_ends(address: str) -> None:
    with signed_in(address) as client:
        assert [changed(client, f"a wrong password {number}", NEW) for number in range(12)] == [422] * 10 + [429] * 2
        assert changed(client, OLD, NEW) == 429


def test_guesses_at_once_pass_no_limit(address: str) -> None:
    def guess(number: int) -> int:
        data = {"name": "mei", "password": f"a wrong password {number}"}
        return httpx.post(f"{address}/sign-in", data=data, timeout=60).status_code

    with ThreadPoolExecutor(16) as threads:
        statuses = list(threads.map(guess, range(16)))
    assert sorted(statuses) == [401] * 10 + [429] * 6


def test_users_see_and_end_their_own_sessions_alone(address: str) -> None:
    with signed_in(address) as client, signed_in(address) as elsewhere, httpx.Client(base_url=address) as other:
        other.headers.update(PAGE)
        assert other.post("/sign-in", data={"name": "lin", "password": OLD}).status_code == 303
        page = html.fromstring(client.get("/account").text)
        ids = page.xpath("//section[@id='sessions']//input[@name='id']/@value")
        assert len(ids) == 2
        assert f"browser <{OLD}>" in page.text_content()
        assert "127.0.0.1" in page.text_content()
        for id in ids:
            other.post("/account/sessions/end", data={"id": id})
        assert (client.get("/account").status_code, elsewhere.get("/account").status_code) == (200, 200)
        (current,) = page.xpath("//tr[.//small]//input[@name='id']/@value")
        (mine,) = [id for id in ids if id != current]
        assert client.post("/account/sessions/end", data={"id": mine}).status_code == 303
        assert elsewhere.get("/account").status_code == 303
        assert client.get("/account").status_code == 200
        foreign = client.post("/account/sessions/end", data={"id": current}, headers={"Sec-Fetch-Site": "cross-site"})
        assert foreign.status_code == 403
        client.post("/account/sessions/end", data={"id": current})
        assert client.get("/account").status_code == 303


def test_keys_have_no_account(everywhere: Settings, address: str) -> None:
    with state_of(everywhere) as state:
        secret, _ = state.keys.make("desk", ["read", "admin"])
    asking = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(f"{address}/account", headers=asking).status_code == 403
    assert httpx.post(f"{address}/account/password", data={"old": OLD, "new": NEW, "again": NEW}).status_code == 401


def test_over_tls_only_the_cookie_of_this_host_counts(settings: Settings) -> None:
    secure = replace(settings, is_secure=True)
    with state_of(settings) as state, served(secure) as address:
        state.users.make("mei", OLD)
        begun = httpx.post(f"{address}/sign-in", data={"name": "mei", "password": OLD})
        cookie = begun.headers["set-cookie"]
        name, _, rest = cookie.partition("=")
        secret = rest.partition(";")[0]
        attributes = {part.strip().lower() for part in rest.split(";")[1:]}
        assert name == "__Host-whorl_session"
        assert {"secure", "path=/", "httponly", "samesite=strict"} <= attributes
        assert not any(part.startswith("domain") for part in attributes)
        statuses = {"__Host-whorl_session": 200, "whorl_session": 401}
        for named, status in statuses.items():
            answer = httpx.get(f"{address}/v1/libraries", headers={"Cookie": f"{named}={secret}"})
            assert answer.status_code == status
        ended = httpx.post(f"{address}/sign-out", headers={"Cookie": f"__Host-whorl_session={secret}"})
        assert "__Host-whorl_session=" in str(ended.headers.get_list("set-cookie"))
        answer = httpx.get(f"{address}/v1/libraries", headers={"Cookie": f"__Host-whorl_session={secret}"})
        assert answer.status_code == 401


# RFC 6238, appendix B, of SHA-1: seconds since 1970, and the code of eight digits.
VECTORS = [
    (59, "94287082"),
    (1111111109, "07081804"),
    (1111111111, "14050471"),
    (1234567890, "89005924"),
    (2000000000, "69279037"),
    (20000000000, "65353130"),
]
RFC_SECRET = b32encode(b"12345678901234567890").decode()


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    step = seconds // STEP_SECONDS
    assert code_of(RFC_SECRET, step, 8) == code
    assert matching_step(RFC_SECRET, code[2:], seconds) == step
    assert matching_step(RFC_SECRET, f"{code[2:5]} {code[5:]}", seconds + STEP_SECONDS) == step
    assert matching_step(RFC_SECRET, code[2:], seconds + 2 * STEP_SECONDS) is None


def _code(secret: str, *, later: int = 0) -> str:
    return code_of(secret, int(time.time()) // STEP_SECONDS + later)


def _set_up(client: httpx.Client) -> tuple[str, str, list[str]]:
    """The key of a second factor that was turned on, the code that confirmed it, and its recovery codes."""
    page = html.fromstring(client.post("/account/second-factor/begin").text)
    (secret,) = page.xpath("//section[@id='second-factor']//code/text()")
    assert secret in page.xpath("//a[starts-with(@href, 'otpauth:')]/@href")[0]
    place = "/account/second-factor/confirm"
    assert client.post(place, data={"password": OLD, "code": "000000x"}).status_code == 422
    assert client.post(place, data={"password": NEW, "code": _code(secret)}).status_code == 422
    code = _code(secret)
    done = html.fromstring(client.post(place, data={"password": OLD, "code": code}).text)
    return secret, code, done.xpath("//section[@id='second-factor']//li/code/text()")


def _sign_in(address: str, code: str = "") -> int:
    return httpx.post(f"{address}/sign-in", data={"name": "mei", "password": OLD, "code": code}).status_code


def test_a_second_factor_is_asked_for_and_no_code_counts_twice(address: str) -> None:
    with signed_in(address) as client:
        secret, confirming, recovery = _set_up(client)
        assert len(set(recovery)) == 10
        assert secret not in client.get("/account").text
        assert client.post("/account/second-factor/begin").status_code == 422
        assert _sign_in(address) == 401
        assert _sign_in(address, confirming) == 401, "the code that confirmed the key was used by that"
        following = _code(secret, later=1)
        assert (_sign_in(address, following), _sign_in(address, following)) == (303, 401)
        typed = recovery[0].upper().replace("-", " ")
        assert (_sign_in(address, typed), _sign_in(address, recovery[0])) == (303, 401)
        assert "9 recovery codes are left." in html.fromstring(client.get("/account").text).text_content()
        assert client.post("/account/second-factor/end", data={"password": NEW}).status_code == 422
        assert client.post("/account/second-factor/end", data={"password": OLD}).status_code == 303
    assert _sign_in(address) == 303


def test_guessing_codes_ends(address: str) -> None:
    with signed_in(address) as client:
        secret, _, _ = _set_up(client)
    statuses = [_sign_in(address, f"{number:06}x") for number in range(10)]
    assert statuses[:8] == [401] * 8
    assert _sign_in(address, _code(secret, later=1)) == 429


def test_a_new_password_by_an_administrator_turns_a_second_factor_off(everywhere: Settings, address: str) -> None:
    with signed_in(address) as client:
        _set_up(client)
    with state_of(everywhere) as state:
        state.users.change("mei", "reader")
        assert state.second_factors.get("mei") is not None
        state.users.change("mei", "reader", password=NEW)
        assert state.second_factors.get("mei") is None
        assert state.users.sign_in("mei", NEW, "192.0.2.1") is not None

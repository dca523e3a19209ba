"""Rate limits per client; unknown clients are rejected before their body is read."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
from tests.serving import served, state_of

from whorl.service.http.limits import MOST_UNKNOWN
from whorl.service.settings import Settings
from whorl.service.throttling import Buckets


def test_each_caller_has_a_bucket_of_their_own(settings: Settings) -> None:
    slow = replace(settings, rate=0.2)
    with state_of(slow) as state, served(slow) as address:
        first, other = (state.keys.make(name, ["read"])[0] for name in ("one", "other"))
        asking = {"Authorization": f"Bearer {first}"}
        answers = [httpx.get(f"{address}/v1/libraries", headers=asking) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["1", "0", "0"]
        assert answers[0].headers["ratelimit-limit"] == "2"
        refused = answers[-1]
        assert refused.json()["code"] == "too-many"
        assert 1 <= int(refused.headers["retry-after"]) <= 5
        assert httpx.get(f"{address}/v1/libraries", headers={"Authorization": f"Bearer {other}"}).status_code == 200
        assert httpx.get(f"{address}/healthz").status_code == 200


def test_wrong_keys_share_the_bucket_of_their_address(settings: Settings) -> None:
    slow = replace(settings, rate=0.2)
    with served(slow) as address:
        wrong = [
            httpx.get(f"{address}/v1/libraries", headers={"Authorization": f"Bearer whorl_{n}"}).status_code
            for n in range(4)
        ]
    assert wrong == [401, 401, 429, 429]


def test_several_processes_share_a_rate() -> None:
    whole, half = Buckets(20), Buckets(10)
    assert (whole.take("one").limit, half.take("one").limit) == (200, 100)


def test_a_bucket_fills_again() -> None:
    buckets = Buckets(50)
    while buckets.take("one").remaining >= 0:
        pass
    assert buckets.take("another").remaining == 499
    time.sleep(0.1)
    assert buckets.take("one").remaining >= 0


def test_the_body_of_somebody_unknown_is_not_read(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.keys.make("desk", ["read"])
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=30) as asking:
            head = "POST /v1/libraries/news/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            asking.sendall(f"{head}Content-Length: {MOST_UNKNOWN + 1}\r\n\r\n".encode())
            assert asking.recv(4096).startswith(b"HTTP/1.1 413")
        with socket.create_connection((place.hostname, place.port), timeout=30) as asking:
            asking.sendall(f"{head}Authorization: Bearer whorl_no\r\nContent-Length: 9999\r\n\r\n".encode())
            assert asking.recv(4096).startswith(b"HTTP/1.1 401")

"""Slow, silent and greedy clients: they are disconnected, and others are served."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from tests.serving import served, state_of

from whorl.service.http import connections
from whorl.service.settings import Settings

_ASK = b"GET /v1/libraries HTTP/1.1\r\nHost: localhost\r\n"
_SEND = b"POST /v1/libraries/news/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
_PATIENCE = 30


@contextmanager
def _connected(address: str, count: int = 1) -> Iterator[list[socket.socket]]:
    place = urlsplit(address)
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=_PATIENCE))
            for _ in range(count)
        ]


def _read(connection: socket.socket) -> bytes:
    """Read until the other side closes."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts of a service."""
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "READING_SECONDS"):
        monkeypatch.setattr(connections, name, 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("sent", [b"", b"GET /", _ASK], ids=["nothing", "a line", "headers"])
def test_who_sends_no_whole_head_is_let_go(settings: Settings, sent: bytes) -> None:
    with served(settings) as address, _connected(address) as (connection,):
        connection.sendall(sent)
        assert _read(connection) == b""


@pytest.mark.usefixtures("impatient")
def test_a_second_head_must_come_in_time_as_well(settings: Settings) -> None:
    with served(settings) as address, _connected(address) as (connection,):
        connection.sendall(_ASK + b"\r\n")
        time.sleep(0.2)
        connection.sendall(_ASK)
        assert _read(connection).count(b"HTTP/1.1 200") == 1


@pytest.mark.usefixtures("impatient")
def test_who_sends_half_a_body_is_told_and_let_go(settings: Settings) -> None:
    with served(settings) as address, _connected(address) as (connection,):
        connection.sendall(_SEND + b'Content-Length: 5000\r\n\r\n{"text": "')
        answer = _read(connection)
        assert answer.startswith(b"HTTP/1.1 408")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "too-slow"


@pytest.mark.usefixtures("impatient")
def test_who_does_not_read_is_let_go(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    size = 50 * 2**20
    with state_of(settings) as state:
        state.jobs.put("large", "export", "news", {}, "somebody")
        state.jobs.claim("worker", ["export"])
        state.jobs.end("large", "worker", "done", result={"file": "articles.jsonl"})
    result = Path(settings.state, "jobs", "large", "articles.jsonl")
    result.parent.mkdir(parents=True)
    result.write_bytes(b"0" * size)
    with served(settings) as address, _connected(address) as (connection,):
        connection.sendall(b"GET /v1/jobs/large/result HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(2)
        assert 0 < len(_read(connection)) < size
    assert not caplog.records


def test_a_head_without_end_is_cut_off(settings: Settings) -> None:
    def send() -> None:
        connection.sendall(_ASK + b"X-More: ")
        while True:
            connection.sendall(b"x" * 4096)

    with served(settings) as address, _connected(address) as (connection,), pytest.raises(OSError, match=r"\w"):
        send()


@pytest.mark.parametrize("coding", ["length", "chunks"])
def test_a_body_that_is_too_large_is_refused_with_an_answer(settings: Settings, coding: str) -> None:
    small = replace(settings, most_bytes=100_000)
    body = json.dumps({"text": "渔" * 200_000})
    pieces = (body[at : at + 10_000].encode() for at in range(0, len(body), 10_000))
    with served(small) as address:
        content = body if coding == "length" else pieces
        headers = {"Content-Type": "application/json"}
        answer = httpx.post(f"{address}/v1/libraries/news/check", content=content, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        assert answer.headers["connection"] == "close"
        assert httpx.post(f"{address}/v1/libraries/news/jobs/add", content=body).status_code == 413
        assert httpx.post(f"{address}/v1/libraries/news/check", json={"text": "渔港"}).status_code == 200


def test_bodies_take_so_much_memory_and_no_more(settings: Settings) -> None:
    small = replace(settings, most_bytes=1000)
    with served(small) as address, _connected(address, 12) as several:
        for connection in several:
            connection.sendall(_SEND + b"Content-Length: 1000\r\n\r\n" + b"x" * 999)
        answered, _, _ = select.select(several, [], [], _PATIENCE)
        assert all(connection.recv(4096).startswith(b"HTTP/1.1 503") for connection in answered)
        assert 0 < len(answered) <= 4
        body = {"json": {"text": "渔港"}, "timeout": _PATIENCE}
        while httpx.post(f"{address}/v1/libraries/news/check", **body).status_code == 503:
            time.sleep(0.1)


def test_headers_behind_a_body_are_none(settings: Settings) -> None:
    with served(settings) as address, _connected(address) as (connection,):
        body = b'{"text": "ice"}'
        head = _SEND + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"%x\r\n%s\r\n0\r\nAuthorization: Bearer whorl_no\r\n\r\n" % (len(body), body))
        assert _read(connection).startswith(b"HTTP/1.1 200")


def test_silent_clients_make_room_where_there_are_too_many(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 20)
    with served(settings) as address, _connected(address, 60) as silent:
        for _ in range(10):
            assert httpx.get(f"{address}/v1/libraries", timeout=_PATIENCE).status_code == 200
        assert _read(silent[0]) == b""


def _hold_up(address: str, count: int) -> None:
    """Let many slow clients of all kinds hold connections, while healthy ones send requests."""
    sorts = (b"", b"GET /v1", _ASK, _SEND + b'Content-Length: 5000\r\n\r\n{"text": "')
    with _connected(address, count) as slow, httpx.Client(base_url=address, timeout=_PATIENCE) as client:
        for number, connection in enumerate(slow):
            connection.sendall(sorts[number % len(sorts)])
        for _ in range(50):
            assert client.post("/v1/libraries/news/check", json={"text": "渔港的冰厂"}).status_code == 200
            with httpx.Client(base_url=address, timeout=_PATIENCE) as new:
                assert new.get("/readyz").status_code == 200


def test_hundreds_of_slow_clients_hold_up_nobody(settings: Settings) -> None:
    with served(settings) as address:
        _hold_up(address, 300)


@pytest.mark.soak
@pytest.mark.parametrize("count", [1000, 5000])
def test_thousands_of_slow_clients_hold_up_nobody(settings: Settings, count: int) -> None:
    with served(settings) as address:
        _hold_up(address, count)

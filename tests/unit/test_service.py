"""One library under asyncio and in a FastAPI application: concurrent checks and adds, cancellation, shutdown."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from tests.articles import article, edited

import whorl
from whorl.service.state.secrets import hashed, is_password

SERVICE = Path(__file__).parents[2] / "examples" / "programs" / "service.py"
MANY = [{"id": f"many-{number}", "text": article(number)} for number in range(3000)]
Asking = Callable[[httpx.AsyncClient, FastAPI], Awaitable[Any]]


@asynccontextmanager
async def client_of(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://test") as client,
    ):
        yield client


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Asking], Any]:
    """Run the example service for the duration of the test."""
    monkeypatch.setenv("WHORL_LIBRARY", str(tmp_path / "library"))
    specification = importlib.util.spec_from_file_location("service", SERVICE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)

    async def ask(asking: Asking) -> Any:
        async with client_of(module.app) as client:
            return await asking(client, module.app)

    return lambda asking: asyncio.run(ask(asking))


def test_added_articles_are_found(serve) -> None:
    async def asking(client: httpx.AsyncClient, _: FastAPI) -> Any:
        await client.post("/articles", json={"id": "a", "text": article(1), "title": "first"})
        return (await client.post("/check", json={"id": "x", "text": edited(article(1), 3)})).json()

    report = serve(asking)
    assert [(match["id"], match["title"]) for match in report["matches"]] == [("a", "first")]


def test_many_ask_while_many_add(serve) -> None:
    async def asking(client: httpx.AsyncClient, app: FastAPI) -> Any:
        added = [client.post("/articles", json={"id": str(number), "text": article(number)}) for number in range(60)]
        response = [client.post("/check", json={"id": "x", "text": edited(article(n), 3)}) for n in range(60)]
        answers = await asyncio.gather(*(item for pair in zip(added, response, strict=True) for item in pair))
        after = [(await client.post("/check", json={"id": "x", "text": article(n)})).json() for n in range(60)]
        return [answer.status_code for answer in answers], after, await asyncio.to_thread(len, app.state.library)

    codes, after, count = serve(asking)
    assert (set(codes), count) == ({200}, 60)
    assert [[match["id"] for match in report["matches"]] for report in after] == [[str(n)] for n in range(60)]


def test_a_long_call_in_a_thread_does_not_stop_the_loop(serve) -> None:
    async def asking(client: httpx.AsyncClient, app: FastAPI) -> Any:
        adding = asyncio.ensure_future(run_in_threadpool(app.state.library.add, MANY))
        checked = asyncio.ensure_future(client.post("/check", json={"id": "x", "text": "今天天气很好，适合出门散步。"}))
        first, _ = await asyncio.wait({adding, checked}, return_when=asyncio.FIRST_COMPLETED)
        return first == {checked}, len(await adding)

    assert serve(asking) == (True, len(MANY))


def test_a_refusal_comes_with_its_hint(serve) -> None:
    async def asking(client: httpx.AsyncClient, _: FastAPI) -> httpx.Response:
        return await client.post("/articles", json={"id": "a\0", "text": "text"})

    refused = serve(asking)
    assert refused.status_code == 422
    assert set(refused.json()) == {"error", "hint"}


def test_stored_passwords_remain_valid() -> None:
    salt = "000102030405060708090a0b0c0d0e0f"
    kept = hashlib.scrypt(b"the old password", salt=bytes.fromhex(salt), n=2**15, r=8, p=1, maxmem=2**26, dklen=32)
    assert is_password("the old password", f"{salt}:{kept.hex()}")
    assert is_password("the new password", hashed("the new password"))
    assert not is_password("another password", f"{salt}:{kept.hex()}")


def test_cancelled_call_completes_and_can_be_repeated(tmp_path: Path) -> None:
    begun = Event()

    def documents() -> Iterator[dict[str, str]]:
        begun.set()
        yield from MANY

    async def cancelled(library: whorl.Library) -> None:
        adding = asyncio.ensure_future(asyncio.to_thread(library.add, documents()))
        await asyncio.to_thread(begun.wait)
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding

    with whorl.open(tmp_path) as library:
        asyncio.run(cancelled(library))  # ends when its threads have ended
        assert len(library) == len(MANY)
        assert {report.state for report in library.add(MANY[:50])} == {"known"}


def test_shutdown_loses_no_answered_request(tmp_path: Path) -> None:
    async def shut(library: whorl.Library) -> list[Any]:
        calls = [asyncio.ensure_future(asyncio.to_thread(library.add, document)) for document in MANY[:200]]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.to_thread(library.close)
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(shut(whorl.open(tmp_path)))
    answered = {answer.id for answer in answers if not isinstance(answer, Exception)}
    refused = [str(answer) for answer in answers if isinstance(answer, Exception)]
    assert answered
    assert all(isinstance(answer, whorl.errors.UsageError) for answer in answers if isinstance(answer, Exception)), (
        refused
    )
    with whorl.open(tmp_path, create=False) as library:
        assert {row["id"] for row in library.export()} == answered


def test_the_answers_are_json(serve) -> None:
    async def asking(client: httpx.AsyncClient, _: FastAPI) -> str:
        return (await client.post("/articles", json={"id": "a", "text": article(1), "url": "https://a.example"})).text

    assert json.loads(serve(asking))["state"] == "new"

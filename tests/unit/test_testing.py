"""A service in memory gives the answers of a real one and leaves nothing behind."""

from __future__ import annotations

import asyncio
import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.articles import article, edited

import whorl
from whorl.errors import InputError, NotFoundError
from whorl.testing import FakeService


def test_answers_are_those_of_a_library() -> None:
    with FakeService("news", "other", recipe="news") as fake, fake.client(library="news") as client:
        assert client.libraries() == ["news", "other"]
        assert client.add({"id": "a", "text": article(1)}).state == "new"
        with whorl.open(":memory:", "news") as library:
            library.add({"id": "a", "text": article(1)})
            expected = library.check(edited(article(1), 3)).matches
        assert client.check(edited(article(1), 3)).matches == expected
        assert expected
        assert [document.id for document in client.documents()] == ["a"]
        with pytest.raises(NotFoundError, match=r"(?s)hint: "):
            client.get("missing")
        exported = gzip.decompress(client.result(client.wait(client.start("export"))))
        assert [json.loads(line)["id"] for line in exported.splitlines()] == ["a"]


def test_fingerprints_are_those_of_whorl() -> None:
    texts = [article(1), ""]
    with FakeService() as fake, fake.client() as client:
        prints = client.fingerprint(texts, "minhash", keys="int64", signature=True)
    expected = whorl.fingerprint(texts, keys="int64", signature=True).to_pylist()
    assert [item["keys"] for item in prints] == [item["keys"] for item in expected]
    assert [item["signature"] for item in prints] == [
        item["signature"] and item["signature"].hex() for item in expected
    ]


def test_clients_of_many_threads_and_tasks_share_it() -> None:
    async def add(fake: FakeService) -> int:
        async with fake.async_client() as client:
            await asyncio.gather(*(client.add({"id": f"t{n}", "text": article(n)}) for n in range(8)))
            return int((await client.stats())["documents"])

    with FakeService("news") as fake, fake.client() as client, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: client.add({"id": f"p{n}", "text": article(100 + n)}), range(8)))
        assert asyncio.run(add(fake)) == 16


def test_nothing_is_left_and_nothing_is_shared() -> None:
    with FakeService("news") as fake:
        with fake.client() as client:
            client.add({"id": "a", "text": article(1)})
        with FakeService("news") as second, second.client() as other:
            assert other.stats()["documents"] == 0
    with pytest.raises(RuntimeError):
        fake.client()


def test_a_transport_replaces_the_network() -> None:
    requests = []

    class Unreachable(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            requests.append(request.url.path)
            raise httpx.ConnectError("no network")

    with (
        whorl.Client("http://copies.example", transport=Unreachable(), tries=2) as client,
        pytest.raises(InputError, match="no network"),
    ):
        client.libraries()
    assert requests == ["/v1/libraries"] * 2


def test_a_library_in_memory_ends_when_it_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with whorl.open(":memory:", window="30d", zone="Asia/Shanghai") as first, whorl.open(":memory:") as second:
        first.add({"id": "a", "text": article(1)})
        assert (len(first), len(second)) == (1, 0)
        assert (first.rules.window, first.zone) == ("30d", "Asia/Shanghai")
        assert [match.id for match in first.check(edited(article(1), 3)).matches] == ["a"]
        folder = first.folder
        assert folder is not None
        assert folder.exists()
    first.close()
    assert not folder.exists()
    assert list(tmp_path.iterdir()) == []

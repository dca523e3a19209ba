"""The client, synchronous and asynchronous: a service gives the results of a library."""

from __future__ import annotations

import asyncio
import gzip
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.articles import article, edited
from tests.serving import served, settings_of, state_of

import whorl
from whorl.client import AsyncClient, Client
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.types.library import Document

DOCUMENTS = [{"id": f"https://a.example/{n}", "text": article(n), "source": "a", "title": f"第{n}篇"} for n in range(5)]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    settings = settings_of(tmp_path, "news")
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("desk", ["read", "write", "review", "admin"])
        with Client(address, secret) as client:
            yield client


def test_what_is_added_is_found(client: Client) -> None:
    assert [client.add(document).state for document in DOCUMENTS[:2]] == ["new", "new"]
    answers = list(client.add_each([*DOCUMENTS, {"id": "bad", "text": 5}]))
    assert [document.state for document in answers[:5]] == ["known", "known", "new", "new", "new"]
    assert answers[5].problem
    copy = edited(article(3), 2)
    assert [match.id for match in client.check(copy).matches] == ["https://a.example/3"]
    assert client.get("https://a.example/3").text == article(3)
    added = client.add(whorl.Document("copy", copy, published_at=None))
    assert [cluster.id for cluster in client.clusters()] == [added.cluster_id]
    assert set(client.cluster(added.cluster_id).documents) == {"copy", "https://a.example/3"}
    assert [match.id for match in client.matches("copy")] == ["https://a.example/3"]
    assert len(list(client.sightings("copy"))) == 1
    assert [document.id for document in client.documents(source="a")] == [document["id"] for document in DOCUMENTS]
    client.remove("copy")
    assert list(client.clusters()) == []


def test_evidence_of_an_open_case_is_removed_only_by_force(client: Client) -> None:
    client.add({"id": "ours", "text": article(1), "collection": "protected"})
    client.add({"id": "theirs", "text": article(1), "url": "https://copies.example/1"})
    client.open_case("theirs", "ours")
    with pytest.raises(UsageError, match="open case: 1"):
        client.remove("ours")
    client.remove("ours", force=True)
    assert [document.id for document in client.documents()] == ["theirs"]
    removal = client.case_events(1)[-1]
    assert (removal.data["by"], removal.data["document_removed"]) == ("key 1 desk", "ours")


def test_a_crawler_asks_first(client: Client) -> None:
    client.add(DOCUMENTS[0])
    new, old = client.look_up(["https://new.example/1", {"url": str(DOCUMENTS[0]["id"])}])
    assert (new.is_known, old.is_known, old.document) == (False, True, "https://a.example/0")


def test_articles_are_grouped_into_stories(client: Client) -> None:
    client.add({"id": "cut", "text": f"{article(3)}阅读全文"})
    client.add({"id": "whole", "text": f"新华社青澜3月5日电（记者王小渡）{article(3)}"})
    fresh = [{"id": "feed", "text": f"{article(3)}阅读全文阅读全文"}, Document("alone", article(8))]
    stories = client.stories(["cut", "whole", "none", *fresh])
    first, second = stories.stories
    assert (first.best, set(first.others)) == ("whole", {"cut", "feed"})
    assert first.agency is not None
    assert (first.agency.name, first.agency.article, set(first.agency.copied)) == (
        "新华社",
        "whole",
        {"cut", "whole", "feed"},
    )
    assert (second.best, second.cluster_id, second.others) == ("alone", None, ())
    assert stories.unknown == ("none",)
    assert sorted(document.id for document in client.documents()) == ["cut", "whole"]


def test_copies_are_counted(client: Client) -> None:
    client.add({"id": "ours", "text": article(9), "collection": "protected"})
    client.add({"id": "theirs", "text": article(9), "url": "https://copies.example/1"})
    counted = client.copy_statistics(zone="Asia/Shanghai", since="2020-01-01", listed=True)
    assert [(row.name, row.unpermitted) for row in counted.rows] == [("copies.example", 1)]
    assert [copy.addresses for copy in counted.copies] == [("https://copies.example/1",)]


def test_texts_are_compared_as_here(client: Client) -> None:
    result = client.compare(edited(article(1), 4), [article(1), {"name": "other", "text": article(2)}])
    assert result["ratios"]["copied"] > 0.9
    assert result["sources"][0]["share"] > 0.9


def test_a_file_is_checked_article_by_article(client: Client, tmp_path: Path) -> None:
    client.add(DOCUMENTS[0])
    (tmp_path / "draft.txt").write_text(article(0), encoding="utf-8")
    [result] = client.check_file(tmp_path / "draft.txt")
    assert [match["id"] for match in result["report"]["matches"]] == ["https://a.example/0"]


def test_decisions_are_those_of_the_caller(client: Client) -> None:
    list(client.add_each([DOCUMENTS[0], {"id": "copy", "text": article(0)}]))
    [waiting] = client.review_queue().matches
    review = client.review(waiting.id, waiting.other, "confirmed", note="seen")
    assert (review.state, review.by, review.note) == ("confirmed", "key 1 desk", "seen")
    assert client.review_queue().matches == ()


def test_who_was_first_is_told_with_reasons(client: Client) -> None:
    list(
        client.add_each(
            {
                "id": name,
                "text": article(0),
                "published_at": f"2026-01-0{day}T08:30:00Z",
                "url": f"https://{name}.example",
            }
            for day, name in enumerate("abc", 1)
        )
    )
    [cluster] = client.clusters()
    trace = client.trace(cluster.id)
    assert {member.id for member in trace.attribution.members} == set("abc")


def test_long_work_is_a_job(client: Client) -> None:
    list(client.add_each(DOCUMENTS))
    job = client.wait(client.start("verify"))
    assert (job.state, job.result["documents"], job.result["faults"]) == ("done", 5, [])
    exported = client.wait(client.start("export"))
    assert gzip.decompress(client.result(exported)).count(b"\n") == 5


def test_problems_are_errors_of_whorl(client: Client) -> None:
    with pytest.raises(NotFoundError, match="nothing"):
        client.get("nothing")
    with pytest.raises(UsageError, match="confirmed"):
        client.review("a", "b", "perhaps")
    unanswered = pytest.raises(InputError, match="no response from the service")
    with unanswered, Client("http://127.0.0.1:9", tries=1) as nobody:
        nobody.libraries()


def test_the_awaited_client_is_the_same(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news")

    async def ask(address: str) -> list[str]:
        async with AsyncClient(address) as client:
            await asyncio.gather(*(client.add(document) for document in DOCUMENTS))
            return [document.id async for document in client.documents()]

    with served(settings) as address:
        assert sorted(asyncio.run(ask(address))) == [document["id"] for document in DOCUMENTS]
    waiting, awaited = (
        {name: str(inspect.signature(member)) for name, member in vars(kind).items() if not name.startswith("_")}
        for kind in (Client, AsyncClient)
    )
    assert waiting == {name: value.replace("AsyncIterator", "Iterator") for name, value in awaited.items()}

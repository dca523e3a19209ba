"""Articles over HTTP: in lists, one by one, current and former versions, and conditional changes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from tests.articles import article, edited

PLACE = "/v1/libraries/news/documents"


def put(client: httpx.Client, id_: str, **fields: Any) -> dict[str, Any]:
    answer = client.post(PLACE, json={"id": id_, "text": article(1), **fields})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def ids(client: httpx.Client, **query: Any) -> list[str]:
    """Return the ids of all pages."""
    result: list[str] = []
    while True:
        page = client.get(PLACE, params=query).json()
        result += [item["id"] for item in page["items"]]
        if page["next"] is None:
            return result
        query["cursor"] = page["next"]


def test_an_article_is_found_once_it_is_kept(client: httpx.Client) -> None:
    first = client.post(PLACE, json={"id": "a", "text": article(1), "title": "冰厂"})
    assert (first.status_code, first.headers["location"]) == (201, f"{PLACE}/a")
    again = client.post(
        PLACE, json={"id": "b", "text": edited(article(1), 3), "published_at": "2026-05-01T08:00+08:00"}
    )
    assert [match["id"] for match in again.json()["matches"]] == ["a"]
    assert client.post(PLACE, json={"id": "a", "text": article(1)}).json()["state"] == "known"
    kept = client.get(first.headers["location"]).json()
    assert (kept["text"], kept["title"], kept["revision"]) == (article(1), "冰厂", 1)
    assert client.get(f"{PLACE}/b").json()["published_at"] == "2026-05-01T00:00:00Z"


def test_an_address_that_clients_would_refuse_is_not_sent(client: httpx.Client) -> None:
    added = client.post(PLACE, json={"id": "渔" * 10_000, "text": article(1)})
    assert (added.status_code, "location" in added.headers) == (201, False)


def test_articles_come_page_by_page_and_as_they_are_chosen(client: httpx.Client) -> None:
    value = {"a": {"source": "渔港日报", "collection": "protected"}, "c": {"author": "mei", "title": "The ICE House"}}
    for number, id_ in enumerate("abcde"):
        put(client, id_, text=article(number), first_seen_at=f"2026-0{number + 1}-01T00:00:00Z", **value.get(id_, {}))
    assert ids(client) == ids(client, limit=2) == list("abcde")
    assert ids(client, limit=2, newest=True) == list("edcba")
    assert ids(client, source="渔港日报") == ids(client, collection="protected") == ["a"]
    assert ids(client, author="mei") == ids(client, q="ice h") == ["c"]
    assert ids(client, since="2026-04-01T00:00:00Z") == ["d", "e"]
    assert "text" not in client.get(PLACE).json()["items"][0]


@pytest.mark.parametrize("name", ["collection", "source", "author", "q"])
@pytest.mark.parametrize("value", ["' OR 1=1 --", '" OR ""="', "%", "_", "x'); DROP TABLE document; --", "a\0b", "*"])
def test_filters_are_values_and_no_sql(client: httpx.Client, name: str, value: str) -> None:
    put(client, "a", title="title", source="source", author="author", collection="some")
    answer = client.get(PLACE, params={name: value})
    assert answer.status_code == 422 if "\0" in value else answer.json() == {"items": [], "next": None}
    assert ids(client) == ["a"]


@pytest.mark.parametrize("cursor", ["x", "é", "e30", "WzFd", "bnVsbA", "dHJ1ZQ", "LTE", "MWU5OQ", "=" * 900, "a" * 900])
def test_what_is_no_cursor_is_refused(client: httpx.Client, cursor: str) -> None:
    assert client.get(PLACE, params={"cursor": cursor}).json()["code"] == "usage"


@pytest.mark.parametrize(
    "id_",
    [
        "https://a.example//x/../y?a=1&b=2#c",
        "a/b/../../c",
        "../../../etc/passwd",
        "% %2F +",
        "渔港 \t\n",
        "'; DROP TABLE document; --",
        ".",
        "bulk",
        "x" * 4000,
    ],
)
def test_ids_are_any_text(client: httpx.Client, id_: str) -> None:
    location = client.post(PLACE, json={"id": id_, "text": article(1)}).headers["location"]
    place = location.replace("/.", "/%2E") if id_.startswith(".") else location
    assert client.get(place).json()["id"] == id_
    assert client.get("/v1/libraries/news").json()["documents"] == 1
    assert (
        client.put(f"{PLACE}/{quote(id_, safe='').replace('.', '%2E')}", json={"text": article(2)}).json()["id"] == id_
    )
    assert client.delete(place).status_code == 204
    assert ids(client) == []


def test_another_text_is_a_revision_and_the_old_one_is_kept(client: httpx.Client) -> None:
    put(client, "a", title="first")
    assert client.put(f"{PLACE}/a", json={"text": article(2)}).json()["state"] == "revised"
    assert client.get(f"{PLACE}/a").json()["text"] == article(2)
    before = client.get(f"{PLACE}/a", params={"revision": 1}).json()
    assert (before["text"], before["revision"]) == (article(1), 1)
    assert client.get(f"{PLACE}/a", params={"revision": 3}).status_code == 404


def test_who_has_an_article_already_does_not_get_it_again(client: httpx.Client) -> None:
    put(client, "a")
    tag = client.get(f"{PLACE}/a").headers["etag"]
    for item in (tag, f'"other", W/{tag}', "*"):
        again = client.get(f"{PLACE}/a", headers={"If-None-Match": item})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    put(client, "a", title="told later")
    assert client.get(f"{PLACE}/a", headers={"If-None-Match": tag}).status_code == 200


def test_nothing_is_changed_that_is_another_by_now(client: httpx.Client) -> None:
    put(client, "a")
    tag = client.get(f"{PLACE}/a").headers["etag"]
    assert client.put(f"{PLACE}/a", json={"text": article(2)}, headers={"If-Match": tag}).status_code == 200
    refused = client.put(f"{PLACE}/a", json={"text": article(3)}, headers={"If-Match": tag})
    assert (refused.status_code, refused.json()["code"]) == (412, "changed")
    assert client.delete(f"{PLACE}/a", headers={"If-Match": tag}).status_code == 412
    assert client.put(f"{PLACE}/a", json={"text": article(3)}, headers={"If-None-Match": "*"}).status_code == 412
    assert client.put(f"{PLACE}/b", json={"text": article(3)}, headers={"If-Match": "*"}).status_code == 412
    assert client.put(f"{PLACE}/b", json={"text": article(3)}, headers={"If-None-Match": "*"}).status_code == 201
    assert client.get(f"{PLACE}/a").json()["text"] == article(2)
    assert client.delete(f"{PLACE}/a", headers={"If-Match": "*"}).status_code == 204
    assert client.delete(f"{PLACE}/a").status_code == 404


def test_of_many_who_change_the_same_one_does(client: httpx.Client) -> None:
    put(client, "a")
    tag = client.get(f"{PLACE}/a").headers["etag"]

    def change(number: int) -> int:
        return client.put(f"{PLACE}/a", json={"text": article(number)}, headers={"If-Match": tag}).status_code

    with ThreadPoolExecutor(8) as threads:
        codes = sorted(threads.map(change, range(2, 10)))
    assert codes == [200] + [412] * 7
    assert client.get(f"{PLACE}/a").json()["revision"] == 2


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"id": "a\\u0000", "text": "x"}', "input"),
        (b'{"id": "a", "text": "x", "title": "\\u0000"}', "input"),
        (b'{"id": "\\ud800", "text": "x"}', "invalid"),
        (b'{"id": "", "text": "x"}', "invalid"),
        (b'{"id": "a"}', "invalid"),
        (b'{"id": "a", "text": "x", "more": 1}', "invalid"),
        (b'{"id": "a", "text": "x", "published_at": "soon"}', "invalid"),
        (b'{"id": "a", "text": "x", "published_at": "9999-12-31T23:59:59-10:00"}', "input"),
        (b'{"id": "a", "text": "x", "metadata": {"n": 1e999}}', "input"),
        (b'{"id": "a", "text": "x", "links": [5]}', "invalid"),
        (b"[" * 100_000, "too-large"),
        (b'{"id": "a", "text": "\xff"}', "invalid"),
        (b"", "invalid"),
        (b"null", "invalid"),
    ],
)
def test_what_is_no_article_is_refused_with_what_is_wrong(client: httpx.Client, body: bytes, code: str) -> None:
    answer = client.post(PLACE, content=body, headers={"Content-Type": "application/json"})
    assert (answer.headers["content-type"], answer.json()["code"]) == ("application/problem+json", code), answer.text
    assert answer.status_code in (413, 422)
    assert ids(client) == []


def test_a_text_may_have_what_no_database_takes(client: httpx.Client) -> None:
    put(client, "a", text=f"{article(1)}\0")
    assert client.get(f"{PLACE}/a").json()["text"] == f"{article(1)}\0"
    headers = {"Content-Type": "application/json"}
    client.post(PLACE, content=b'{"id": "b", "text": "half \\ud800"}', headers=headers)
    kept = client.get(f"{PLACE}/b")
    assert kept.json()["text"] == "half \ud800"
    assert client.get(f"{PLACE}/b", headers={"If-None-Match": kept.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("field", ["title", "url", "source", "author"])
def test_a_field_that_every_match_would_repeat_is_bounded(client: httpx.Client, field: str) -> None:
    article = {"text": "图书馆晚上十点关门，周末照常。", field: "很" * 2000}
    assert client.put("/v1/libraries/news/documents/long", json=article).status_code == 201
    assert client.put("/v1/libraries/news/documents/longer", json=article | {field: "很" * 2001}).status_code == 422

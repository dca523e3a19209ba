"""Many articles as lines: a response for each, and bodies that are too long, truncated, or invalid."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.articles import article, edited
from tests.serving import served, settings_of

from whorl.service.settings import Settings

PLACE = "/v1/libraries/news/documents"
MEBIBYTE = 2**20


def lines_of(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def row(id_: str, text: str) -> str:
    return json.dumps({"id": id_, "text": text}, ensure_ascii=False)


def test_every_line_is_answered_in_its_place(client: httpx.Client) -> None:
    body = [
        row("a", article(1)),
        "no JSON",
        "",
        row("b", edited(article(1), 3)),
        "[1]",
        '{"id": "a\\u0000", "text": ""}',
    ]
    replies = lines_of(client.post(f"{PLACE}/bulk", content="\n".join([*body, row("a", article(2))])))
    assert [(item["line"], item["state"], item["id"]) for item in replies] == [
        (1, "new", "a"),
        (2, "refused", None),
        (4, "new", "b"),
        (5, "refused", None),
        (6, "refused", None),
        (7, "revised", "a"),
    ]
    assert (replies[2]["matches"], replies[2]["copies"], replies[2]["cluster_id"]) == (1, 1, replies[0]["cluster_id"])
    assert all(item["problem"] and item["hint"] for item in replies if item["state"] == "refused")
    assert client.get(f"{PLACE}/a").json()["text"] == article(2)


def test_more_lines_than_fit_into_a_batch_are_kept(client: httpx.Client) -> None:
    body = "\n".join(row(str(number), article(number, 40)) if number % 3 else "bad" for number in range(5000))
    replies = lines_of(client.post(f"{PLACE}/bulk", content=body))
    assert [item["line"] for item in replies] == list(range(1, 5001))
    assert {item["state"] for item in replies[1::3]} == {"new"}
    assert client.get("/v1/libraries/news").json()["documents"] == 3333


def test_nothing_but_bad_lines_is_answered(client: httpx.Client) -> None:
    replies = lines_of(client.post(f"{PLACE}/bulk", content=b"x\n" * 50_000))
    assert (len(replies), {item["state"] for item in replies}) == (50_000, {"refused"})
    assert lines_of(client.post(f"{PLACE}/bulk", content=b"")) == []


def test_what_is_wrong_is_told_in_the_language_of_the_caller(client: httpx.Client) -> None:
    (replies,) = lines_of(client.post(f"{PLACE}/bulk", content=b'{"id": "a"}', headers={"Accept-Language": "zh-CN"}))
    assert replies["problem"] != "text: a document has no value"
    assert "text" in replies["problem"]


@pytest.fixture
def small(tmp_path: Path) -> Settings:
    """Return settings of a service with a body limit of one mebibyte."""
    return settings_of(tmp_path, "news", most_bytes=MEBIBYTE)


def test_a_body_that_is_too_long_is_refused_whatever_it_is_for(small: Settings) -> None:
    long = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + b"x" * MEBIBYTE
    with served(small) as address, httpx.Client(base_url=address) as client:
        paths = (PLACE, f"{PLACE}/bulk", "/v1/libraries/news/check", "/v1/libraries/news/check/file", "/v1/compare")
        for path in paths:
            for content in (long, iter([long])):  # the second does not state its length
                headers = {"Content-Type": "application/json"}
                if path.endswith("file"):
                    headers = {"Content-Type": "multipart/form-data; boundary=b"}
                answer = client.post(path, content=content, headers=headers)
                assert (answer.status_code, answer.json()["code"]) == (413, "too-large"), path
        assert client.post(PLACE, json={"id": "a", "text": "x" * (MEBIBYTE - 100)}).status_code == 201


def test_a_body_that_breaks_off_keeps_nothing(small: Settings) -> None:
    with served(small) as address:
        parts = urlsplit(address)
        for path in (f"{PLACE}/bulk", PLACE):
            with socket.create_connection((parts.hostname, parts.port)) as asking:
                head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
                asking.sendall(f"{head}Content-Length: 1000\r\n\r\n{row('a', article(1))}\n".encode())
        with httpx.Client(base_url=address) as client:
            assert client.get(PLACE).json()["items"] == []
    assert not list(Path(small.state, "uploads").iterdir())

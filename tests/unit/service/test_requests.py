"""HEAD, unknown query parameters, and gzip bodies within the limits of plain ones."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import httpx
import pytest
from tests.serving import served, settings_of, state_of

from whorl.service.settings import Settings

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
GZIP = {"Content-Type": "application/json", "Content-Encoding": "gzip"}


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/v1/libraries", "/v1/libraries/news", "/v1/openapi.json", "/", "/v1/libraries/no"]
)
def test_head_has_the_head_of_get(client: httpx.Client, path: str) -> None:
    head, answer = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (answer.status_code, b"")
    for name in ("content-type", "content-length"):
        assert head.headers.get(name) == answer.headers.get(name)
    assert client.get("/healthz").json() == {"status": "alive"}


def test_head_of_a_stream_ends(client: httpx.Client) -> None:
    job = client.post("/v1/libraries/news/jobs", json={"kind": "verify"}).json()["id"]
    assert client.head(f"/v1/jobs/{job}/events").status_code == 200
    assert client.head("/v1/compare").status_code == 405


@pytest.mark.parametrize(
    ("method", "path", "parameter"),
    [
        ("GET", "/v1/libraries/news/documents?collecton=own", "collection"),
        ("GET", "/v1/libraries/news?limit=1", "lang"),
        ("GET", "/v1/jobs?library=news&stat=done", "state"),
        ("HEAD", "/v1/libraries?a=1", "lang"),
        ("POST", "/v1/libraries/news/check/file?amung=own", "among"),
    ],
)
def test_an_unknown_query_parameter_is_refused(client: httpx.Client, method: str, path: str, parameter: str) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 400
    if method != "HEAD":
        assert answer.json()["code"] == "http"
        assert parameter in answer.json()["hint"]


def test_the_language_is_a_parameter_of_all_requests(client: httpx.Client) -> None:
    assert client.get("/v1/libraries?lang=zh").status_code == 200
    refused = client.get("/v1/libraries?lang=zh&page=2").json()
    assert "查询参数" in refused["detail"]


@pytest.mark.parametrize("members", [1, 3])
def test_a_gzip_body_is_read_like_a_plain_one(client: httpx.Client, members: int) -> None:
    body = json.dumps({"text": f"据悉，{TEXT}", "sources": [{"text": TEXT}]}, ensure_ascii=False).encode()
    size = len(body) // members + 1
    parts = [gzip.compress(body[start : start + size], mtime=0) for start in range(0, len(body), size)]
    plain = client.post("/v1/compare", content=body, headers={"Content-Type": "application/json"})
    answer = client.post("/v1/compare", content=b"".join(parts), headers=GZIP)
    assert answer.status_code == 200
    assert answer.json() == plain.json()


def test_lines_may_be_compressed(client: httpx.Client) -> None:
    lines = "".join(json.dumps({"id": str(number), "text": f"{number}{TEXT}"}) + "\n" for number in range(200))
    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    answer = client.post("/v1/libraries/news/documents/bulk", content=gzip.compress(lines.encode()), headers=headers)
    assert answer.status_code == 200, answer.text
    assert len(answer.text.splitlines()) >= 200
    assert client.get("/v1/libraries/news").json()["documents"] == 200


@pytest.mark.parametrize(
    ("content", "encoding", "status"),
    [
        (b"{}", "gzip", 400),
        (gzip.compress(b'{"texts": []}', mtime=0)[:-9], "gzip", 400),
        (zlib.compress(b'{"texts": []}'), "deflate", 415),
        (b'{"texts": []}', "br", 415),
        (b'{"texts": []}', "identity", 200),
        (b"", "gzip", 422),
    ],
    ids=["plain", "cut", "deflate", "brotli", "identity", "empty"],
)
def test_a_damaged_or_unsupported_encoding_is_refused(
    client: httpx.Client, content: bytes, encoding: str, status: int
) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    answer = client.post("/v1/fingerprint", content=content, headers=headers)
    assert answer.status_code == status, answer.text
    if status != 200:
        assert answer.json()["hint"]


def test_the_limit_of_a_body_counts_inflated_bytes(tmp_path: Path) -> None:
    with (
        served(settings_of(tmp_path, "news", most_bytes=100_000)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        bomb = gzip.compress(b'{"texts": ["' + b" " * 50_000_000 + b'"]}', mtime=0)
        assert len(bomb) < 100_000
        answer = client.post("/v1/fingerprint", content=bomb, headers=GZIP)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        small = gzip.compress(json.dumps({"texts": ["a" * 90_000]}).encode())
        assert client.post("/v1/fingerprint", content=small, headers=GZIP).status_code == 200


def test_following_a_job_requires_read(settings: Settings, client: httpx.Client) -> None:
    with state_of(settings) as state:
        write, _ = state.keys.make("write", ["write"])
        both, _ = state.keys.make("both", ["read", "write"])
    line = json.dumps({"id": "a", "text": TEXT})
    headers = {"Authorization": f"Bearer {write}", "Content-Type": "application/x-ndjson"}
    begun = client.post("/v1/libraries/news/jobs/add", content=line, headers=headers)
    assert begun.status_code == 202
    path = f"/v1/jobs/{begun.json()['id']}"
    assert client.get(path, headers={"Authorization": f"Bearer {write}"}).status_code == 403
    assert client.get(path, headers={"Authorization": f"Bearer {both}"}).status_code == 200


def test_a_path_or_a_method_that_does_not_exist_has_a_hint(client: httpx.Client) -> None:
    for path, hint in (("/v1/nothing", "/v1/openapi.json"), ("/nothing", "begin at the start page: /")):
        answer = client.get(path, headers={"Accept": "application/problem+json"})
        assert (answer.status_code, hint in answer.json()["hint"]) == (404, True)
    answer = client.patch("/v1/libraries")
    assert (answer.status_code, answer.json()["hint"]) == (405, f"allowed here: {answer.headers['allow']}")

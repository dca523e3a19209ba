"""What is wrong with a request is said in the language of the caller, for every part of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.serving import served, settings_of

_SOURCES = [{"text": "a"}]
WRONG: dict[str, tuple[str, Any, str, str, str]] = {
    "missing": ("check", {}, "body.text", "is missing", "缺少这一项"),
    "unknown": ("check", {"text": "a", "txt": "b"}, "body.txt", "is not a field of this request", "请求中没有这一项"),
    "text": ("check", {"text": 5}, "body.text", "expected a text", "应为文字"),
    "list": ("stories", {"articles": "a"}, "body.articles", "expected a list", "应为列表"),
    "object": ("check", [], "body", "expected an object", "应为对象"),
    "JSON": ("check", b"{", "body.1", "is not valid JSON", "不是有效的 JSON"),
    "choice": (
        "/v1/compare",
        {"text": "a", "sources": _SOURCES, "language": "fr"},
        "body.language",
        "use one of: 'en', 'zh'",
        "可用：'en', 'zh'",
    ),
    "whole number": (
        "/v1/compare",
        {"text": "a", "sources": _SOURCES, "least": "x"},
        "body.least",
        "expected a whole number",
        "应为整数",
    ),
    "few": ("/v1/compare", {"text": "a", "sources": []}, "body.sources", "has fewer than 1 items", "不足 1 项"),
    "many": ("/v1/segment", {"texts": ["a"] * 10_001}, "body.texts", "has more than 10,000 items", "超过 10,000 项"),
    "long": (
        "/v1/segment",
        {"texts": ["a" * 100_001, "b" * 100_001]},
        "body.texts",
        "the texts together have more than 200,000 code points",
        "这些文字合计超过 200,000 个码位",
    ),
    "time": (
        "documents",
        {"id": "a", "text": "a", "published_at": "soon"},
        "body.published_at",
        "expected a time such as 2026-07-01, 2026-07-01T08:00:00+08:00",
        "应为时间，例如 2026-07-01, 2026-07-01T08:00:00+08:00",
    ),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("service")
    with served(settings_of(folder, "news")) as address, httpx.Client(base_url=address, timeout=60) as opened:
        yield opened


@pytest.mark.parametrize("kind", WRONG)
def test_every_part_is_explained_in_both_languages(client: httpx.Client, kind: str) -> None:
    path, body, where, english, chinese = WRONG[kind]
    place = path if path.startswith("/") else f"/v1/libraries/news/{path}"
    content = {"content": body} if isinstance(body, bytes) else {"json": body}
    for language, message in (("en", english), ("zh", chinese)):
        headers = {"Accept-Language": language, "Content-Type": "application/json"}
        answer = client.post(place, headers=headers, **content)
        assert answer.status_code == 422, answer.text
        errors = answer.json()["errors"]
        assert {"where": where, "message": message} in [
            {**error, "where": error["where"].removesuffix(".str")} for error in errors
        ], errors


def test_limits_of_numbers_are_explained_in_both_languages(client: httpx.Client) -> None:
    for language, messages in (
        ("en", ["expected at least 1", "expected at most 1000"]),
        ("zh", ["至少应为 1", "最多应为 1000"]),
    ):
        for limit, message in zip((0, 100_000), messages, strict=True):
            place = f"/v1/libraries/news/documents?limit={limit}"
            (error,) = client.get(place, headers={"Accept-Language": language}).json()["errors"]
            assert error == {"where": "query.limit", "message": message}

"""A crawler looks up pages over HTTP before it fetches them."""

from __future__ import annotations

from hashlib import sha256

import httpx
import pytest
from tests.unit.service.api.newsroom import COPY, PAPER, TEXT

import whorl
from whorl.service.settings import Settings

BODY = b"<p>copy</p>"


def test_an_answer_is_what_the_library_says(newsroom: Settings, desk: httpx.Client) -> None:
    with whorl.open(newsroom.libraries["news"]) as library:
        library.pages.keep(COPY, BODY, at="2026-03-03T00:00:00Z", headers={"ETag": '"7"'}, document=COPY)
        questions = [
            {"url": COPY, "page_digest": sha256(BODY).hexdigest()},
            {"url": COPY, "page_digest": sha256(b"").hexdigest()},
            {"url": "https://new.example/1", "text_digest": whorl.fingerprint([TEXT])["digest"][0].as_py().hex()},
            {"url": "https://new.example/2"},
        ]
        expected = [page.to_dict() for page in library.pages.seen_each(questions)]
    pages = desk.post("/seen", json={"pages": questions}).json()["pages"]
    assert [(page["is_known"], page["unchanged"]) for page in pages] == [
        *((True, True), (True, False), (True, None), (False, None))
    ]
    assert pages[0]["etag"] == '"7"'
    assert pages[2]["elsewhere"] == [PAPER]
    assert [page | {"last_seen_at": None, "elsewhere": ()} for page in pages] == [
        page | {"last_seen_at": None, "elsewhere": ()} for page in expected
    ]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"pages": []}, "invalid"),
        ({"pages": [{}]}, "input"),
        ({"pages": [{"url": COPY, "page_digest": "x"}]}, "input"),
        ({"pages": [{"url": COPY, "digest": "x"}]}, "invalid"),
        ({"pages": [{"url": COPY}] * 1001}, "invalid"),
        ({}, "invalid"),
    ],
)
def test_malformed_questions_are_refused(desk: httpx.Client, wrong: dict[str, object], code: str) -> None:
    answer = desk.post("/seen", json=wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, code)

"""A crawler asks first: which addresses and contents a library has, and whether they changed."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import whorl
from whorl.errors import InputError
from whorl.library import Library

URL, MIRROR = "https://copies.example/7", "https://mirror.example/7"
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。"
BODY = f"<p>{TEXT}</p>".encode()


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with whorl.open(tmp_path / "news") as opened:
        opened.add({"id": URL, "url": URL, "text": TEXT, "first_seen_at": "2026-03-01"})
        headers = {"ETag": '"7"', "Last-Modified": "Sun, 01 Mar 2026 00:00:00 GMT"}
        opened.pages.keep(URL, BODY, at="2026-03-01T00:00:00Z", headers=headers, document=URL)
        yield opened


def page_digest(body: bytes) -> str:
    return sha256(body).hexdigest()


def text_digest(text: str) -> str:
    return str(whorl.fingerprint([text])["digest"][0].as_py().hex())


def test_unknown_address_is_unknown(library: Library) -> None:
    (page,) = library.pages.seen_each([{"url": "https://new.example/1"}])
    assert (page.is_known, page.unchanged, page.last_seen_at, page.status, page.document) == (False,) + (None,) * 4


def test_known_address_has_what_a_conditional_request_needs(library: Library) -> None:
    (page,) = library.pages.seen_each([{"url": URL}])
    assert (page.is_known, page.unchanged, page.status, page.document) == (True, None, 200, URL)
    assert (page.etag, page.last_modified) == ('"7"', "Sun, 01 Mar 2026 00:00:00 GMT")
    assert page.last_seen_at is not None
    assert page.last_seen_at.isoformat() == "2026-03-01T00:00:00+00:00"


def test_content_of_an_address_is_compared(library: Library) -> None:
    questions = [{"url": URL, "page_digest": page_digest(body)} for body in (BODY, BODY + b" ")]
    assert [page.unchanged for page in library.pages.seen_each(questions)] == [True, False]
    other_frame = {"url": URL, "page_digest": page_digest(b"<b>"), "text_digest": text_digest(TEXT.replace("，", ","))}
    (page,) = library.pages.seen_each([other_frame])
    assert page.unchanged


def test_content_is_known_at_another_address(library: Library) -> None:
    for digest in ({"page_digest": page_digest(BODY)}, {"text_digest": text_digest(TEXT)}):
        (page,) = library.pages.seen_each([{"url": MIRROR, **digest}])
        assert (page.is_known, page.unchanged, page.document, page.elsewhere) == (True, None, None, (URL,))
        (page,) = library.pages.seen_each([digest])
        assert (page.url, page.is_known, page.elsewhere) == (None, True, (URL,))
        assert page.last_seen_at is not None


def test_the_last_fetch_counts_even_without_a_page(library: Library) -> None:
    library.pages.keep(URL, b"", at="2026-03-05T00:00:00Z", status=304)
    (page,) = library.pages.seen_each([{"url": URL, "page_digest": page_digest(BODY)}])
    assert (page.status, page.unchanged, page.etag) == (304, True, '"7"')
    library.pages.keep(URL, b"", at="2026-03-06T00:00:00Z", status=404)
    (page,) = library.pages.seen_each([{"url": URL}])
    assert page.status == 404
    assert page.last_seen_at is not None
    assert page.last_seen_at.day == 6


def test_an_article_that_comes_again_was_last_seen_then(library: Library) -> None:
    article = {"id": "https://a.example/1", "url": "https://a.example/1", "text": TEXT}
    library.add(article | {"first_seen_at": "2026-03-02"})
    library.add(article | {"first_seen_at": "2026-03-09"})
    library.add(article | {"url": MIRROR, "first_seen_at": "2026-03-10"})
    (page,) = library.pages.seen_each([{"url": "https://a.example/1"}])
    assert page.last_seen_at is not None
    assert page.last_seen_at.day == 9


def test_answers_are_in_the_order_of_the_questions(library: Library) -> None:
    questions = [{"url": f"https://new.example/{number}"} for number in range(1200)]
    questions[700] = {"url": URL}
    assert [row for row, page in enumerate(library.pages.seen_each(questions)) if page.is_known] == [700]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "neither an address nor a digest"),
        ({"url": URL, "page_digest": "ab"}, "invalid digest 'ab'"),
        ({"url": URL, "text_digest": "ab" * 32}, "no digest of a text"),
        ({"address": URL}, "address"),
    ],
)
def test_malformed_questions_are_refused(library: Library, question: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        library.pages.seen_each([question])

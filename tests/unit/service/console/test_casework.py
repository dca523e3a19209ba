"""Cases in the console and over HTTP: list, timeline, events and letters."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import httpx
import pytest
from lxml import html
from tests.serving import state_of
from tests.unit.service.console.test_watching import HOSTILE, PAGE, text_of

import whorl
from whorl.service.retention import apply_retention
from whorl.service.settings import Settings
from whorl.service.state import State
from whorl.types.cases import CopyDetails, PageCheck

CASES = "/libraries/news/cases"
NOW = datetime(2026, 3, 5, 8, tzinfo=UTC)
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 5


@pytest.fixture
def asking(client: httpx.Client) -> httpx.Client:
    client.headers.update(PAGE)
    return client


@pytest.fixture
def cases(settings: Settings) -> Settings:
    """Put three cases into the library: a copy that returned, a removed one, and one with hostile names."""
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "ice", "text": TEXT, "title": HOSTILE, "collection": "protected"})
        library.add({"id": "b7", "text": TEXT, "title": HOSTILE, "url": "https://copies.example/0"})
        for number in range(3):
            url = f"https://copies.example/{number}"
            copy = CopyDetails("b7", "ice", HOSTILE if number == 2 else "copies", judged="copy", share=1.0, length=195)
            library.cases.observe(PageCheck(url, NOW, 200, "there", copies=(copy,)))
            if number < 2:
                library.cases.observe(PageCheck(url, NOW + timedelta(days=1), 404, "gone"))
        library.cases.observe(PageCheck("https://copies.example/0", NOW + timedelta(days=2), 304, "there"))
    return settings


def test_cases_are_listed_and_chosen(cases: Settings, asking: httpx.Client) -> None:
    page = html.fromstring(asking.get(CASES).text)
    assert [count.text_content() for count in page.xpath("//dl[@class='figures tallies']//dd")] == ["2", "0", "0", "1"]
    assert [row.text_content() for row in page.xpath("//tbody//th//b")] == ["3", "2", "1"]
    assert "returned 1 time" in text_of(asking.get(CASES, params={"state": "open"}))
    removed = html.fromstring(asking.get(CASES, params={"state": "removed"}).text)
    assert [row.text_content() for row in removed.xpath("//tbody//th//b")] == ["2"]
    assert HOSTILE in text_of(asking.get(CASES, params={"site": HOSTILE}))
    assert "No cases match." in text_of(asking.get(CASES, params={"state": "closed"}))


def test_without_cases_it_says_where_they_come_from(asking: httpx.Client) -> None:
    assert "No cases yet." in text_of(asking.get(CASES))


def test_a_case_has_a_timeline(cases: Settings, asking: httpx.Client) -> None:
    page_text = text_of(asking.get(f"{CASES}/1"))
    assert HOSTILE in page_text
    events = ["copy found", "page requested", "copy removed", "copy is there again"]
    places = [page_text.index(event) for event in events]
    assert places[0] > places[2] > places[3]  # the latest first
    assert "HTTP 404 · gone" in page_text
    assert asking.get(f"{CASES}/9").status_code == 404
    asking.headers["Accept-Language"] = "zh"
    assert "抄袭稿重新上线" in text_of(asking.get(f"{CASES}/1"))


def test_people_record_what_they_did(cases: Settings, asking: httpx.Client) -> None:
    asking.headers["Sec-Fetch-Site"] = "same-origin"
    done = asking.post(f"{CASES}/1/events", data={"kind": "note", "note": HOSTILE}, follow_redirects=True)
    assert HOSTILE in text_of(done)
    letter = asking.post(f"{CASES}/1/notice", data={"sender": HOSTILE, "language": "en", "format": "docx"})
    assert letter.headers["Content-Disposition"] == 'attachment; filename="case-1.docx"'
    document = zipfile.ZipFile(BytesIO(letter.content)).read("word/document.xml").decode()
    assert "<script>" not in document
    assert "notice sent" in text_of(asking.get(f"{CASES}/1"))
    refused = asking.post(f"{CASES}/2/notice", data={})
    assert (refused.status_code, "case 2 is removed" in refused.text) == (422, True)
    assert "settled" in text_of(asking.post(f"{CASES}/1/events", data={"kind": "closed"}, follow_redirects=True))


def test_the_api_pages_and_records(cases: Settings, client: httpx.Client) -> None:
    first: dict[str, Any] = client.get("/v1/libraries/news/cases", params={"limit": 2}).json()
    rest = client.get("/v1/libraries/news/cases", params={"limit": 2, "cursor": first["next"]}).json()
    assert [item["number"] for item in (*first["items"], *rest["items"])] == [3, 2, 1]
    assert rest["next"] is None
    case = client.get("/v1/libraries/news/cases/1").json()
    assert (case["case"]["state"], case["article_title"], case["events"][0]["kind"]) == ("open", HOSTILE, "found")
    event = {"kind": "notice", "to": "Copies", "deadline": "2026-04-01T00:00:00+08:00"}
    noticed = client.post("/v1/libraries/news/cases/1/events", json=event).json()
    assert (noticed["state"], noticed["deadline"]) == ("noticed", "2026-03-31T16:00:00Z")
    letter = client.post("/v1/libraries/news/cases/1/letters", json={"format": "html", "language": "zh"})
    assert "关于停止侵权" in letter.text
    for wrong in ({"kind": "found"}, {"kind": "note", "extra": 1}, {}):
        assert client.post("/v1/libraries/news/cases/1/events", json=wrong).status_code == 422
    assert client.get("/v1/libraries/news/cases", params={"state": "stolen"}).status_code == 422


def test_old_audit_entries_are_removed_but_not_those_of_open_cases(cases: Settings) -> None:
    with state_of(cases) as state:
        _demand_retention(state, cases)


def _demand_retention(state: State, cases: Settings) -> None:
    for name, what in (
        ("news", "POST /v1/libraries/{library}/evidence"),
        ("news", "PUT /v1/libraries/{library}/documents/{id}"),
        ("", "DELETE /v1/keys/{number}"),
    ):
        state.audit.note("key 1", "::1", what, name, "", 200, "r")
    with whorl.open(cases.libraries["news"]) as library:
        later = datetime.now(UTC) + timedelta(days=31)
        assert apply_retention(state, {"news": library}, 60, later) == (0, 0)
        assert apply_retention(state, {"news": library}, 30, later) == (0, 2)
        assert [entry.what for entry in state.audit.list()] == ["POST /v1/libraries/{library}/evidence"]
        for number in (1, 2, 3):
            library.cases.record(number, "closed")
        assert apply_retention(state, {"news": library}, 30, later) == (0, 1)

"""Checks and cohorts by meaning: only if the operator allows them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from lxml import html
from tests.meaning import OTHER_PORT, REPORT, RETELLING, write_model
from tests.serving import served

import whorl
from whorl import Client
from whorl.service.settings import Settings

CHECK = "/v1/libraries/news/check"


@pytest.fixture
def allowing(settings: Settings, tmp_path: Path) -> Iterator[httpx.Client]:
    """Return a client of a service that compares by meaning, over a library that finds texts by their content."""
    if find_spec("tokenizers") is None or find_spec("onnxruntime") is None:
        pytest.skip("needs the extra meaning-onnx")
    model = str(write_model(tmp_path / "model"))
    address = str(tmp_path / "articles")
    with whorl.open(address, recipe="content") as library:
        library.add([{"id": "port", "text": REPORT}, {"id": "salt", "text": OTHER_PORT}])
    allowed = replace(settings, libraries={"news": address, "bare": settings.libraries["news"]}, meaning=model)
    with served(allowed) as place, httpx.Client(base_url=place, timeout=60) as client:
        yield client


def packed(files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def finished(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    late = monotonic() + 60
    while monotonic() < late:
        state: dict[str, Any] = client.get(f"/v1/jobs/{job['id']}").json()
        if state["state"] in ("done", "failed"):
            return state
        sleep(0.1)
    raise AssertionError("the job does not end")


def test_a_check_finds_a_retelling_on_request(allowing: httpx.Client) -> None:
    assert allowing.post(CHECK, json={"text": RETELLING}).json()["matches"] == []
    answer = allowing.post(CHECK, json={"text": RETELLING, "meaning": True})
    assert answer.status_code == 200, answer.text
    [match] = answer.json()["matches"]
    assert (match["id"], match["relation"], match["joins"], match["this_in_other"]) == ("port", "reworded", False, 0.0)
    assert match["same_content"] > 0.9
    with Client(str(allowing.base_url), library="news") as client:
        assert [match.id for match in client.check(RETELLING, meaning=True).matches] == ["port"]
        assert client.check(RETELLING).matches == ()


def test_a_file_is_checked_by_meaning(allowing: httpx.Client) -> None:
    upload = {"file": ("draft.txt", RETELLING.encode())}
    [article] = allowing.post(f"{CHECK}/file?meaning=true", files=upload).json()["articles"]
    assert [match["id"] for match in article["report"]["matches"]] == ["port"]
    [article] = allowing.post(f"{CHECK}/file", files=upload).json()["articles"]
    assert article["report"]["matches"] == []


def test_a_comparison_finds_a_retelling_on_request(allowing: httpx.Client) -> None:
    body = {"text": RETELLING, "sources": [{"text": OTHER_PORT}, {"name": "port", "text": REPORT}]}
    plain = allowing.post("/v1/compare", json=body).json()
    assert (plain["relation"], plain["ratios"]["meaning"]) == ("unrelated", 0.0)
    by_meaning = allowing.post("/v1/compare", json={**body, "meaning": True}).json()
    assert (by_meaning["relation"], by_meaning["ratios"]["copied"]) == ("reworded", 0.0)
    assert by_meaning["ratios"]["meaning"] > 0.5
    report = allowing.post("/v1/compare/report?format=json", json={**body, "meaning": True}).json()
    assert report["ratios"] == by_meaning["ratios"]


def test_the_check_page_finds_a_retelling_on_request(allowing: httpx.Client) -> None:
    place, as_page = "/libraries/news/check", {"Accept": "text/html"}
    form = {"text": RETELLING, "meaning": "true"}
    without = html.fromstring(allowing.post(place, data={"text": RETELLING}, headers=as_page).text)
    assert without.xpath("//input[@name='meaning' and not(@checked)]")
    assert not without.xpath("//table")
    answered = html.fromstring(allowing.post(place, data=form, headers=as_page).text)
    assert answered.xpath("//input[@name='meaning' and @checked]")
    assert answered.xpath("//table//a[contains(@href, '/documents/port')]")
    saved = allowing.post(f"{place}/export", data={**form, "format": "json"}).json()
    assert saved["compared"]["ratios"]["meaning"] > 0.5
    assert saved["compared"]["ratios"]["copied"] == 0
    bare = html.fromstring(allowing.get("/libraries/bare/check", headers=as_page).text)
    assert not bare.xpath("//input[@name='meaning']")
    refused = allowing.post("/libraries/bare/check", data=form, headers=as_page)
    assert refused.status_code == 422
    assert "content" in html.fromstring(refused.text).xpath("string(//p[@role='alert'])")


def test_each_article_of_a_file_keeps_the_request(allowing: httpx.Client) -> None:
    upload = {"file": ("drafts.csv", f"id,text\na,{RETELLING}\nb,{OTHER_PORT}\n".encode())}
    answer = allowing.post("/libraries/news/check", data={"meaning": "true"}, files=upload)
    assert len(html.fromstring(answer.text).xpath("//td/form/input[@name='meaning' and @value='true']")) == 2


def test_a_library_that_cannot_be_searched_by_meaning_is_an_error(allowing: httpx.Client) -> None:
    answer = allowing.post("/v1/libraries/bare/check", json={"text": RETELLING, "meaning": True})
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
    assert "content" in answer.json()["hint"]


def test_a_cohort_by_meaning_lists_a_retelling(allowing: httpx.Client) -> None:
    files = {"a.txt": REPORT, "b.txt": RETELLING, "c.txt": OTHER_PORT}
    place, headers = "/v1/libraries/news/jobs/cohort", {"Content-Type": "application/zip"}
    for query, pairs in (("", 0), ("?reworded=true", 0), ("?meaning=true", 1)):
        job = allowing.post(f"{place}{query}", content=packed(files), headers=headers).json()
        assert finished(allowing, job)["result"]["pairs"] == pairs
    page = html.fromstring(allowing.get("/libraries/news/cohorts", headers={"Accept": "text/html"}).text)
    assert page.xpath("//input[@name='meaning']")
    assert page.xpath("//input[@name='reworded']")


def test_a_server_that_does_not_allow_it_refuses(client: httpx.Client) -> None:
    upload = {"file": ("draft.txt", RETELLING.encode())}
    zipped, headers = packed({"a.txt": REPORT}), {"Content-Type": "application/zip"}
    answers = [
        client.post(CHECK, json={"text": RETELLING, "meaning": True}),
        client.post("/v1/compare", json={"text": RETELLING, "sources": [{"text": REPORT}], "meaning": True}),
        client.post(f"{CHECK}/file?meaning=true", files=upload),
        client.post("/v1/libraries/news/jobs/cohort?meaning=true", content=zipped, headers=headers),
        client.post(
            "/libraries/news/cohorts",
            files=[("manuscripts", ("a.txt", REPORT))],
            data={"meaning": "true"},
            headers={"Accept": "text/html"},
        ),
        client.post(
            "/libraries/news/check", data={"text": RETELLING, "meaning": "true"}, headers={"Accept": "text/html"}
        ),
    ]
    assert [answer.status_code for answer in answers] == [403] * 6
    assert all(answer.json()["code"] == "forbidden" for answer in answers[:3])
    assert "whorl serve --meaning" in answers[0].json()["hint"]
    page = html.fromstring(client.get("/libraries/news/cohorts", headers={"Accept": "text/html"}).text)
    assert not page.xpath("//input[@name='meaning']")


def test_a_server_without_the_extra_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    from whorl.matching.meaning import bundled, models

    monkeypatch.setattr(bundled, "find_spec", lambda _: None)
    models._opened.cache_clear()
    with served(replace(settings, meaning=True)) as place, httpx.Client(base_url=place, timeout=60) as client:
        answer = client.post(CHECK, json={"text": RETELLING, "meaning": True})
    models._opened.cache_clear()
    assert (answer.status_code, answer.json()["code"]) == (422, "usage")
    assert "pip install" in answer.json()["hint"]

"""Watch in the console: findings, runs, takedowns, alerts."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from lxml import html
from tests.serving import served, state_of

import whorl
from whorl.service.settings import Settings

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
HOSTILE = '"><script>alert(1)</script>'
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。" * 5
WATCH = "/libraries/news/watch"


@pytest.fixture
def asking(client: httpx.Client) -> httpx.Client:
    client.headers.update(PAGE)
    return client


@pytest.fixture
def watched(settings: Settings, tmp_path: Path) -> Settings:
    pages = {"a.html": TEXT, "b.html": f"{TEXT}另外还有一句。"}
    for name, text in pages.items():
        (tmp_path / name).write_text(f"<html><body><article><p>{text}</p></article></body></html>", "utf-8")
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "ice", "text": TEXT, "title": HOSTILE, "collection": "protected"})
        whorl.watch.watch(library, saved=[tmp_path / name for name in pages])
    return settings


def text_of(answer: httpx.Response) -> str:
    assert answer.status_code == 200
    page = html.fromstring(answer.text)
    assert not page.xpath("//script[not(@src)] | //@style | //@onclick")
    return " ".join(page.text_content().split())


def test_without_a_watch_it_says_what_to_do(asking: httpx.Client) -> None:
    page_text = text_of(asking.get(WATCH))
    assert "No watched sites yet. First move your own articles into the collection “protected”" in page_text
    assert "No alerts." in page_text


def test_findings_are_shown_and_chosen(watched: Settings, asking: httpx.Client) -> None:
    page_text = text_of(asking.get(WATCH))
    assert "Run 1 ended" in page_text
    assert HOSTILE in page_text
    page = html.fromstring(asking.get(WATCH).text)
    assert [int(count.text_content()) for count in page.xpath("//dl[@class='figures tallies']//dd")] == [2, 0, 0, 0, 0]
    assert len(page.xpath("//ul[@class='found']/li")) == 2
    chosen = html.fromstring(asking.get(WATCH, params={"containing": "b.html", "verdict": "copy"}).text)
    assert len(chosen.xpath("//ul[@class='found']/li")) == 1
    assert chosen.xpath("//input[@name='containing']/@value") == ["b.html"]
    assert "No findings match." in text_of(asking.get(WATCH, params={"verdict": "gone"}))
    assert asking.get(WATCH, params={"verdict": HOSTILE}).status_code == 404


def test_a_page_has_its_takedown_history(watched: Settings, asking: httpx.Client, tmp_path: Path) -> None:
    place = next(
        finding
        for finding in html.fromstring(asking.get(WATCH).text).xpath("//ul[@class='found']//a/@href")
        if "a.html" in finding
    )
    assert "The page has contained the text since" in text_of(asking.get(place))
    (tmp_path / "a.html").write_text("<html><body><p>今天天气很好，适合出门散步，去看海。</p></body></html>", "utf-8")
    with whorl.open(watched.libraries["news"]) as library:
        whorl.watch.watch(library, saved=tmp_path / "a.html")
    page_text = text_of(asking.get(place))
    assert "The page contained the text from" in page_text
    assert "there, without the text" in page_text
    assert asking.get(f"{WATCH}/page", params={"url": HOSTILE}).status_code == 404


def test_a_run_is_a_job(asking: httpx.Client) -> None:
    for wrong in ("[[site", "[[site]]\nstart = 'https://a.example/'\npages = ['/etc/passwd']"):
        refused = asking.post(WATCH, data={"sites": wrong})
        assert refused.status_code == 422
        page = html.fromstring(refused.text)
        assert page.xpath("//*[@role='alert']")
        assert page.xpath("//textarea")[0].text.strip() == wrong
    begun = asking.post(WATCH, data={"sites": "[[site]]\nname = 'x'\nstart = 'https://a.invalid/'"})
    assert (begun.status_code, begun.headers["location"]) == (303, f"{WATCH}#jobs")
    listed = html.fromstring(asking.get(WATCH).text).xpath("//ul[@class='jobs']/li")
    assert len(listed) == 1
    ended = asking.post(f"{WATCH}/jobs/0000000000000000/cancel")
    assert ended.status_code == 404


def test_readers_change_nothing(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("mei", "a long password", "reader")
        state.users.make("lin", "a long password", "editor")
    private = "[[site]]\nstart = 'http://127.0.0.1/'\nallow_private = true"
    with served(settings) as address, httpx.Client(base_url=address, headers=PAGE, timeout=60) as client:
        client.post("/sign-in", data={"name": "mei", "password": "a long password"})
        assert not html.fromstring(client.get(WATCH).text).xpath("//main//form[@method='post']")
        assert client.post(WATCH, data={"sites": "[[site]]\nstart = 'https://a.invalid/'"}).status_code == 403
        assert client.post(f"{WATCH}/alerts/retry").status_code == 403
        client.post("/sign-in", data={"name": "lin", "password": "a long password"})
        assert client.post(WATCH, data={"sites": private}).status_code == 403
        assert "submitted by" not in client.get(WATCH).text


def test_other_sites_start_nothing(asking: httpx.Client) -> None:
    report = {"sites": "[[site]]\nstart = 'https://a.invalid/'"}
    assert asking.post(WATCH, data=report, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert not html.fromstring(asking.get(WATCH).text).xpath("//ul[@class='jobs']")


def test_alerts_that_were_given_up_are_tried_again(settings: Settings, asking: httpx.Client) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        copy = {"original_title": HOSTILE, "url": "https://copies.example/1"}
        library.outbox.put([{"rule": "desk", "payload": {"channel": "desk", "copy": copy}} for _ in range(3)])
        library.outbox.put([{"rule": "other", "payload": {"copy": "no copy"}}])
        for number in (1, 2):
            library.outbox.failed(number, "chat.example answered 404")
        library.outbox.sent([3])
        page_text = text_of(asking.get(WATCH))
        assert HOSTILE in page_text
        assert "chat.example answered 404" in page_text
        figures = html.fromstring(asking.get(WATCH).text).xpath("//dl[@class='figures tallies three']//dd/text()")
        assert figures == ["1", "1", "2"]
        assert asking.post(f"{WATCH}/alerts/retry", data={"number": 1}).status_code == 303
        assert [record.number for record in library.outbox.of("dead")] == [2]
        asking.post(f"{WATCH}/alerts/retry")
        assert [record.number for record in library.outbox.of("waiting")] == [1, 2, 4]
        assert "They are sent by the next run" not in text_of(asking.get(WATCH))


def test_only_who_has_asked_for_a_run_ends_it(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("lin", "a long password", "editor")
        job = state.jobs.put("00ff", "watch", "news", {"sites": "[[site]]\nstart = 'https://a.invalid/'"}, "user mei")
    with served(settings) as address, httpx.Client(base_url=address, headers=PAGE, timeout=60) as client:
        client.post("/sign-in", data={"name": "lin", "password": "a long password"})
        assert client.post(f"{WATCH}/jobs/{job.id}/cancel").status_code == 403
        assert not html.fromstring(client.get(WATCH).text).xpath("//form[contains(@action, '/cancel')]")

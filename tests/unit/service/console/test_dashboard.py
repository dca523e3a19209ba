"""The dashboard: incoming articles, copies among them, and pending reviews."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from lxml import html
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.settings import Settings

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
HOSTILE = '"><script>alert(1)</script>'
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。"
DASHBOARD = "/libraries/news/dashboard"


@pytest.fixture
def filled(settings: Settings) -> Settings:
    now = datetime.now(UTC)
    with whorl.open(settings.libraries["news"]) as library:
        library.add(
            {
                "id": name,
                "text": text,
                "url": url,
                "author": HOSTILE,
                "first_seen_at": now - timedelta(days=days),
                "published_at": now - timedelta(days=days),
            }
            for name, text, url, days in (
                ("a", TEXT, "https://paper.example/1", 9),
                ("b", TEXT, "https://copies.example/1", 3),
                ("c", f"{TEXT}另有一句。", "https://copies.example/2", 3),
            )
        )
    return settings


def dashboard(client: httpx.Client, **query: object) -> html.HtmlElement:
    answer = client.get(DASHBOARD, params=query, headers=PAGE)
    assert answer.status_code == 200
    page = html.fromstring(answer.text)
    assert not page.xpath("//script[not(@src)] | //*[@style]")
    return page


def test_an_empty_library_says_what_to_do(client: httpx.Client) -> None:
    page_text = dashboard(client).text_content()
    assert "The library is empty." in page_text
    assert "No articles in this period." in page_text


def test_it_counts_copies_and_names_those_who_are_copied(filled: Settings, client: httpx.Client) -> None:
    page = dashboard(client)
    figures = [
        tally.xpath("string(text() | a)").strip() for tally in page.xpath("//dl[@class='figures tallies']/div/dd")
    ]
    assert figures[:3] == ["3", "2", "3"]
    assert "1 exact, 1 near" in page.text_content()
    copied, copying = page.xpath("//section[@id='sites']//table[@class='bars']")
    assert copied.xpath(".//tbody//th//text()") == ["paper.example"]
    assert copied.xpath(".//td[@class='n']/text()") == ["2"]
    assert copying.xpath(".//tbody//th//text()") == ["copies.example"]


def test_its_chart_has_its_table(filled: Settings, client: httpx.Client) -> None:
    page = dashboard(client)
    titles = page.xpath("//section[@id='days']//*[local-name()='title']/text()")
    assert [title.partition(": ")[2] for title in titles] == [
        "originals 1, near-duplicates 0, exact duplicates 0",
        "originals 0, near-duplicates 1, exact duplicates 1",
    ]
    rows = [row.xpath("./td/text()") for row in page.xpath("//section[@id='days']//table/tbody/tr")]
    assert rows == [["2", "1", "1"], ["1", "0", "0"]]


def test_a_period_can_be_chosen(filled: Settings, client: httpx.Client) -> None:
    page = dashboard(client, days=7)
    assert page.xpath("//a[@aria-current='true']/text()") == ["7 days"]
    assert len(page.xpath("//section[@id='days']//table/tbody/tr")) == 1
    assert client.get(DASHBOARD, params={"days": 100000}, headers=PAGE).status_code == 422


def test_a_library_begins_here(client: httpx.Client) -> None:
    answer = client.get("/libraries/news", headers=PAGE)
    assert (answer.status_code, answer.headers["location"]) == (303, DASHBOARD)
    assert client.get("/libraries/elsewhere", headers=PAGE).status_code == 404


def test_it_is_not_there_for_others(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "ours", "theirs")
    with state_of(settings) as state, served(settings) as address:
        secret, _ = state.keys.make("ours", ["read"], ["ours"])
        headers = PAGE | {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{address}/libraries/ours/dashboard", headers=headers).status_code == 200
        assert httpx.get(f"{address}/libraries/theirs/dashboard", headers=headers).status_code == 404
        assert httpx.get(f"{address}/libraries/ours/dashboard", headers=PAGE).headers["location"].startswith("/sign-in")


def test_it_tells_how_long_answers_take(client: httpx.Client) -> None:
    for _ in range(3):
        client.get("/v1/libraries")
    rows = dashboard(client).xpath("//section[@id='speed']//tbody/tr")
    answers = {row.xpath("string(th)"): row.xpath("string(td)") for row in rows}
    assert answers["GET /v1/libraries"] == "3"

"""The articles of a library as pages: found, read, moved and removed, with any content and name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from lxml import html
from tests.pages import PAGE, page_of
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.settings import Settings

ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，够港里三十条船用上一个星期。"
SCRIPT = "</title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;"
ADDRESS = "https://paper.example/1?a=b&c=d/../e#f"
LIST = "/libraries/news/documents"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of a service over a library with three articles with harmful content, and sixty others."""
    config = settings_of(tmp_path, "news")
    with whorl.open(tmp_path / "news") as library:
        library.add({"id": f"nr-{number:02}", "text": f"第{number}篇。", "source": "晚报"} for number in range(60))
        library.add({"id": ADDRESS, "text": "旧稿。" + ICE, "title": "冰厂的机器", "author": "小渡"})
        library.add({"id": ADDRESS, "text": ICE + SCRIPT, "url": ADDRESS, "collection": "protected"})
        library.add(
            {
                "id": SCRIPT,
                "text": f"{ICE}\u202e{SCRIPT}",
                "title": SCRIPT,
                "url": "javascript:alert(1)",
                "source": SCRIPT,
                "author": SCRIPT,
                "collection": SCRIPT,
                "metadata": {SCRIPT: [SCRIPT]},
                "links": ["javascript:alert(1)", ADDRESS],
            }
        )
    return config


@pytest.fixture
def client(settings: Settings) -> Iterator[httpx.Client]:
    """Return a local browser client without scripts."""
    with served(settings) as address, httpx.Client(base_url=address, timeout=60, headers=PAGE) as asking:
        yield asking


def named(page: html.HtmlElement) -> list[str]:
    """Return the titles in a list, or the ids of articles without titles."""
    return [link.text_content() for link in page.xpath("//tbody/tr/th/a")]


def at(id: str) -> str:
    """Return the page of an article."""
    return f"{LIST}/{quote(id, safe='')}"


def test_the_list_goes_from_the_latest_to_the_oldest_page_by_page(client: httpx.Client) -> None:
    page = page_of(client.get(LIST))
    first = named(page)
    assert (len(first), first[1]) == (50, "冰厂的机器")
    (older,) = page.xpath("//a[@rel='next']/@href")
    last = page_of(client.get(older))
    assert (first + named(last))[2:] == [f"nr-{number:02}" for number in reversed(range(60))]
    assert not last.xpath("//a[@rel='next']")


@pytest.mark.parametrize(
    ("query", "actual"),
    [
        ({"title": "冰厂"}, ["冰厂的机器"]),
        ({"title": "nr-07"}, ["nr-07"]),
        ({"title": f" {ADDRESS} "}, ["冰厂的机器"]),
        ({"author": "小渡"}, ["冰厂的机器"]),
        ({"collection": "protected"}, ["冰厂的机器"]),
        ({"source": "没有的报纸"}, []),
        ({"since": "2999-01-01"}, []),
        ({"title": SCRIPT, "source": SCRIPT, "author": SCRIPT, "collection": SCRIPT}, None),
    ],
)
def test_articles_are_found_by_what_is_known_of_them(
    client: httpx.Client, query: dict[str, str], actual: list[str] | None
) -> None:
    page = page_of(client.get(LIST, params=query))
    assert actual is None or named(page) == actual
    assert bool(page.xpath("//div[@class='empty']")) is (actual == [])
    fields = {box.get("name"): box.value for box in page.xpath("//form[@role='search']//*[@name]")}
    assert {name: fields[name] for name in query} == query


def test_what_is_asked_stays_asked_on_the_next_page(client: httpx.Client) -> None:
    (older,) = page_of(client.get(LIST, params={"source": "晚报"})).xpath("//a[@rel='next']/@href")
    assert named(page_of(client.get(older))) == [f"nr-{number:02}" for number in reversed(range(10))]


@pytest.mark.parametrize("query", [{"since": "gestern"}, {"after": "-1"}, {"after": "x"}, {"title": "\0"}])
def test_what_cannot_be_asked_is_told(client: httpx.Client, query: dict[str, str]) -> None:
    answer = client.get(LIST, params=query)
    assert answer.status_code == 422
    assert page_of(answer).xpath("//p[@role='alert']")


def test_an_article_is_shown_with_all_that_is_known_of_it(client: httpx.Client) -> None:
    page = page_of(client.get(at(ADDRESS)))
    assert page.xpath("string(//h1)").strip() == "冰厂的机器"
    assert page.xpath("string(//*[@id='text']/following-sibling::div)") == ICE + SCRIPT
    facts = {fact.xpath("string(dt)"): fact.xpath("string(dd)") for fact in page.xpath("//dl[@class='facts']/div")}
    assert (facts["Id"], facts["Author"], facts["Collection"]) == (ADDRESS, "小渡", "protected")
    assert "2 articles" in facts["Cluster"]
    (match,) = page.xpath("//*[@id='matches']/following-sibling::table/tbody/tr")
    assert match.xpath("string(td[1])").endswith("%")
    before = page_of(client.get(page.xpath("//a[text()='1'][contains(@href, 'revision')]/@href")[0]))
    assert before.xpath("string(//*[@id='text']/following-sibling::div)") == "旧稿。" + ICE
    assert "revision 1 of 2" in before.xpath("string(//p[@class='notice'])")
    beside = page_of(client.get(match.xpath(".//a[text()='side by side']/@href")[0]))
    assert len(beside.xpath("//article[contains(@class, 'passage')]")) >= 1
    assert [fact.text_content() for fact in beside.xpath("//dl[@class='figures']//dd")]


def test_whatever_stands_in_an_article_is_shown_as_text(client: httpx.Client) -> None:
    page = page_of(client.get(at(SCRIPT)))
    assert "RLO" in page.xpath("string(//*[@id='text']/following-sibling::div)")
    assert page.xpath("//input[@name='id']/@value") == [SCRIPT, SCRIPT]
    page_of(client.get("/libraries/news/pair", params={"id": SCRIPT, "other": ADDRESS}))
    absent = client.get(at(SCRIPT + "x"))
    assert absent.status_code == 404
    page_of(absent)


def test_an_article_or_a_revision_that_is_not_there_is_not_found(client: httpx.Client) -> None:
    assert client.get(at("none")).status_code == 404
    assert client.get(at("nr-01"), params={"revision": 2}).status_code == 404
    assert client.get("/libraries/news/pair", params={"id": "nr-01", "other": "none"}).status_code == 404


def test_a_long_text_is_cut_and_what_is_left_out_is_counted(client: httpx.Client, settings: Settings) -> None:
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "long", "text": ICE * 5000})
    answer = client.get(at("long"))
    assert len(answer.content) < 100_000
    assert page_of(answer).xpath("//*[@class='gap']")


def test_an_article_is_put_into_a_collection_and_removed(client: httpx.Client, settings: Settings) -> None:
    moved = client.post("/libraries/news/collect", data={"id": ADDRESS, "collection": " own "})
    assert (moved.status_code, moved.headers["location"]) == (303, at(ADDRESS))
    removed = client.post("/libraries/news/remove", data={"id": SCRIPT})
    assert (removed.status_code, removed.headers["location"]) == (303, LIST)
    with whorl.open(settings.libraries["news"]) as library:
        assert (library.get(ADDRESS).collection, SCRIPT in library) == ("own", False)
    for act in ("collect", "remove"):
        assert client.post(f"/libraries/news/{act}", data={"id": "none"}).status_code == 404


def test_who_may_only_read_changes_nothing(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.users.make("mei", "a long password", "reader")
        with httpx.Client(base_url=address, headers=PAGE) as client:
            client.post("/sign-in", data={"name": "mei", "password": "a long password"})
            beside = page_of(client.get("/libraries/news/pair", params={"id": SCRIPT, "other": ADDRESS}))
            assert not beside.xpath("//main//a[contains(@href, '/review')]")
            page = page_of(client.get(at(ADDRESS)))
            assert not page.xpath("//form[contains(@action, 'remove') or contains(@action, 'collect')]")
            for act in ("collect", "remove"):
                assert client.post(f"/libraries/news/{act}", data={"id": ADDRESS}).status_code == 403


def test_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    with served(settings_of(tmp_path, "none")) as address:
        page = page_of(httpx.get(f"{address}/libraries/none/documents", headers=PAGE))
    assert "whorl add none" in page.xpath("string(//div[@class='empty'])")


def test_the_list_is_small(client: httpx.Client) -> None:
    assert len(client.get(LIST).content) < 60_000

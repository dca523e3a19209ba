"""Check: what an editor sees of a text, without scripts, and injections by texts and names that must fail."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import openpyxl
import pytest
from lxml import html
from tests.pages import PAGE, page_of
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.settings import Settings

ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，够港里三十条船用上一个星期。"
RAIN = "气象台说明天有雨，出门请记得带伞，山区的道路可能会积水，学校照常上课，渡船停开一天，菜市场推迟一小时开门。"
SCRIPT = "</textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'"
CHECK = "/libraries/news/check"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of a service over a library of three articles, two of them equal."""
    config = settings_of(tmp_path, "news")
    with whorl.open(tmp_path / "news") as library:
        library.add(
            [
                {"id": "later", "text": ICE, "published_at": "2026-03-07", "url": "https://copies.example/7"},
                {"id": "https://paper.example/1?a=b", "text": ICE, "published_at": "2026-03-05", "source": "渔港日报"},
                {"id": "rain", "text": RAIN, "title": f"雨{SCRIPT}", "author": SCRIPT, "url": "javascript:alert(1)"},
            ]
        )
    return config


@pytest.fixture
def client(settings: Settings) -> Iterator[httpx.Client]:
    """Return a local browser client without scripts."""
    with served(settings) as address, httpx.Client(base_url=address, timeout=60, headers=PAGE) as asking:
        yield asking


def rows(page: html.HtmlElement) -> dict[str, str]:
    """Return the displayed share of each source, by id."""
    nodes = page.xpath("//table[contains(@class, 'sources')]/tbody/tr")
    return {
        row.xpath(".//input[@name='without']/@value")[0]: row.xpath("string(td[1])").replace("Share", "").strip()
        for row in nodes
    }


def ratios(page: html.HtmlElement) -> dict[str, str]:
    """Return the displayed ratios by name."""
    nodes = page.xpath("//dl[@class='figures']/div")
    return {item.xpath("string(dt)").strip(): item.xpath("string(dd)").strip() for item in nodes}


def test_a_pasted_text_is_told_with_its_sources_and_passages(client: httpx.Client) -> None:
    page = page_of(client.post(CHECK, data={"text": f"{ICE}\r\n{RAIN}"}))
    assert page.xpath("string(//p[@class='deck'])").startswith("100.0% of the text is in 2 sources")
    figures = ratios(page)
    assert (figures["copied"], figures["reworded"]) == ("100.0%", "0.0%")
    assert figures["without quotations and references"] == "100.0%"
    assert figures["quoted without naming a source"] == "0.0%"
    shares = rows(page)
    assert list(shares) == ["rain", "https://paper.example/1?a=b", "later"]
    assert shares["later"] == "–"
    assert len(page.xpath("//article[contains(@class, 'passage')]")) == 2
    first = page.xpath("//ul[contains(@class, 'firsts')]//a/@href")
    assert "/libraries/news/documents/https%3A%2F%2Fpaper.example%2F1%3Fa%3Db" in first


def test_every_look_has_a_colour_and_a_pattern(client: httpx.Client) -> None:
    page = page_of(client.post(CHECK, data={"text": ICE + RAIN}))
    looks = page.xpath("//*[local-name()='svg'][@class='map']//*[local-name()='a']/@class")
    patterns = page.xpath("//*[local-name()='svg'][@class='map']//*[local-name()='a']/*[last()]/@fill")
    assert len(looks) == len(set(patterns)) == 2
    assert [pattern.replace("url(#w", "t").rstrip(")") for pattern in patterns] == looks
    assert all(page.xpath(f"//*[@id='w{look[1:]}']") for look in looks)


def test_switches_compute_again_without_a_script(client: httpx.Client) -> None:
    body = {"text": f"“{ICE}”", "without": ["https://paper.example/1?a=b"], "least": "13"}
    page = page_of(client.post(CHECK, data=body))
    shares = rows(page)
    assert list(shares) == ["later", "https://paper.example/1?a=b"]
    assert shares["later"] != "–"
    assert page.xpath("//input[@name='without'][@checked]/@value") == ["https://paper.example/1?a=b"]
    assert page.xpath("//select[@name='least']/option[@selected]/@value") == ["13"]
    quoted = page_of(client.post(CHECK, data=body | {"exclude": ["quotations"]}))
    assert set(ratios(quoted).values()) == {"0.0%"}
    beside = page_of(client.post(CHECK, data={"text": f"{RAIN}“{ICE}”", "exclude": ["quotations"]}))
    assert {id for id, share in rows(beside).items() if share != "–"} == {"rain"}
    assert "Excluded: quotations" in beside.xpath("string(//main)")
    authorised = page_of(client.post(CHECK, data={"text": ICE, "authorised": ["later", "https://paper.example/1?a=b"]}))
    figures = ratios(authorised)
    assert (figures["copied"], figures["without own and authorised sources"]) == ("100.0%", "0.0%")


def test_the_text_stays_in_the_form_and_nowhere_else(client: httpx.Client, settings: Settings) -> None:
    text = f"\n  一句没有发表的话，谁也没有见过。\n{SCRIPT}"
    answer = client.post(CHECK, data={"text": text})
    page = page_of(answer)
    assert page.xpath("//textarea")[0].text.removeprefix("\n") == text
    assert answer.headers["cache-control"] == "no-store"
    assert "location" not in answer.headers
    kept = [file.read_bytes() for file in Path(settings.state).rglob("*") if file.is_file()]
    assert not any("没有发表的话".encode() in content for content in kept)
    with whorl.open(settings.libraries["news"]) as library:
        assert len(library) == 3


@pytest.mark.parametrize(("format", "begins"), [("html", b"<!doctype html>"), ("csv", b"\xef\xbb\xbfpassage"),
                                                ("xlsx", b"PK"), ("docx", b"PK"), ("json", b"{")])  # fmt: skip
def test_it_is_saved_as_a_file(client: httpx.Client, format: str, begins: bytes) -> None:
    answer = client.post(f"{CHECK}/export", data={"text": ICE, "format": format, "without": "later"})
    assert answer.headers["content-disposition"] == f'attachment; filename="check.{format}"'
    assert answer.content.startswith(begins)
    if format == "json":
        assert json.loads(answer.content)["compared"]["ratios"]["copied"] == 1
    if format == "csv":
        assert len(list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))) == 2
    if format in ("xlsx", "docx"):
        assert zipfile.ZipFile(io.BytesIO(answer.content)).testzip() is None


def test_there_is_no_other_format(client: httpx.Client) -> None:
    answer = client.post(f"{CHECK}/export", data={"text": ICE, "format": SCRIPT})
    assert answer.status_code == 422
    page_of(answer)


def test_a_file_is_read_and_may_be_called_anything(client: httpx.Client) -> None:
    names = f"../../etc/{SCRIPT}.txt"
    page = page_of(client.post(CHECK, files={"file": (names, ICE.encode("gb18030"), "text/plain")}))
    assert "100.0%" in page.xpath("string(//p[@class='deck'])")
    markup = f"<html><title>{SCRIPT}</title><body><article><p>{ICE}</p><p>{RAIN}</p></article></body></html>"
    page = page_of(client.post(CHECK, files={"file": ("a.html", markup.encode(), "text/html")}))
    assert set(rows(page)) == {"rain", "https://paper.example/1?a=b", "later"}


def test_documents_and_workbooks_are_read(client: httpx.Client) -> None:
    saved = client.post(f"{CHECK}/export", data={"text": ICE, "format": "docx"})
    page = page_of(client.post(CHECK, files={"file": ("report.docx", saved.content, "")}))
    assert "later" in rows(page)
    book = openpyxl.Workbook()
    for row in (["id", "text"], ["a", ICE], ["b", RAIN]):
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    page = page_of(client.post(CHECK, files={"file": ("表.xlsx", content.getvalue(), "")}))
    assert [row.xpath("string(td[3])") for row in page.xpath("//tbody/tr")] == ["100.0%", "100.0%"]


def test_a_file_with_many_articles_is_listed_and_each_can_be_looked_at(client: httpx.Client) -> None:
    lines = [{"id": SCRIPT, "text": ICE, "title": SCRIPT}, {"id": "2", "text": "没有来源的一句话，别处没有。"}]
    content = "\n".join(json.dumps(line) for line in lines) + "\nno json\n"
    page = page_of(client.post(CHECK, files={"file": ("many.jsonl", content.encode(), "application/json")}))
    first, second = page.xpath("//tbody/tr")
    assert "no match" in second.text_content()
    fields = dict(first.xpath(".//form")[0].fields)
    assert fields == {"text": ICE, "among": "", "title": SCRIPT}
    assert page.xpath("//h3[text()='Failed to read']/following-sibling::ul/li")
    looked = page_of(client.post(CHECK, data=fields))
    assert looked.xpath("//input[@name='title']/@value") == [SCRIPT]


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.doc", "a.exe", "a"])
def test_a_file_that_cannot_be_read_is_told_and_no_path_of_this_machine(client: httpx.Client, name: str) -> None:
    answer = client.post(CHECK, files={"file": (name, b"\0\1\2\xff" * 100, "")}, data={"text": "不丢"})
    page = page_of(answer)
    assert answer.status_code == 422
    (nodes,) = page.xpath("//p[@role='alert']")
    assert nodes.text_content().strip()
    assert not [place for place in ("/tmp", "uploads", "state") if place in answer.text]
    assert page.xpath("//textarea")[0].text.strip() == "不丢"


def test_without_a_text_it_says_what_to_do(client: httpx.Client) -> None:
    for text in ("  ", "。 "):
        answer = client.post(CHECK, data={"text": text})
        assert (answer.status_code, "paste a text" in answer.text) == (422, True)
    assert client.post(CHECK, data={"text": ICE, "least": "many"}).status_code == 422
    assert client.get(f"{CHECK}/export").headers["location"] == CHECK
    assert client.get(f"{CHECK}/add").headers["location"] == CHECK


def test_what_is_too_long_to_be_pasted_can_be_a_file(client: httpx.Client) -> None:
    long = "字" * (4 * 2**20)
    answer = client.post(CHECK, data={"text": long}, files={"file": ("", b"")})
    assert (answer.status_code, "upload it as a file" in page_of(answer).text_content()) == (422, True)


def test_nothing_found_and_nothing_there_say_what_to_do(client: httpx.Client, tmp_path: Path) -> None:
    page = page_of(client.post(CHECK, data={"text": "没有来源的一句话，别处没有。"}))
    assert "None of 3 articles" in page.xpath("string(//div[@class='empty'])")
    with served(settings_of(tmp_path, "none")) as address:
        page = page_of(httpx.get(f"{address}/libraries/none/check", headers=PAGE))
    assert "no articles yet" in page.xpath("string(//div[@class='empty'])")


def test_it_becomes_an_article_but_never_in_the_place_of_another(client: httpx.Client, settings: Settings) -> None:
    text = f"又一篇关于冰厂的稿件，没有人写过。{SCRIPT}"
    fields = {"text": text, "title": SCRIPT, "author": "小渡", "collection": "own", "published_at": "2026-05-01"}
    added = client.post(f"{CHECK}/add", data=fields)
    assert added.status_code == 303
    page = page_of(client.get(added.headers["location"]))
    assert SCRIPT[:20] in page.xpath("string(//h1)")
    again = client.post(f"{CHECK}/add", data=fields)
    assert (again.status_code, "already" in again.text) == (422, True)
    assert page_of(again).xpath("//textarea")[0].text.strip() == text
    wrong = client.post(f"{CHECK}/add", data=fields | {"id": "new", "published_at": "gestern"})
    assert wrong.status_code == 422
    with whorl.open(settings.libraries["news"]) as library:
        assert [library.get("rain").text, len(library)] == [RAIN, 4]


def test_who_may_only_read_is_not_shown_what_writes(settings: Settings) -> None:
    with state_of(settings) as state, served(settings) as address:
        state.users.make("mei", "a long password", "reader")
        with httpx.Client(base_url=address, headers=PAGE) as client:
            assert client.get(CHECK).headers["location"].startswith("/sign-in")
            assert client.post(CHECK, data={"text": ICE}).status_code == 303
            assert client.get(f"{CHECK}/add").headers["location"].startswith("/sign-in")
            client.post("/sign-in", data={"name": "mei", "password": "a long password"})
            page = page_of(client.post(CHECK, data={"text": ICE}))
            assert not page.xpath("//*[contains(@formaction, '/add')]")
            assert page.xpath("//*[contains(@formaction, '/export')]")
            assert client.post(f"{CHECK}/add", data={"text": ICE}).status_code == 403


def test_the_first_page_is_small(client: httpx.Client) -> None:
    page = client.get(CHECK)
    files = html.document_fromstring(page.text).xpath("//link[@rel='stylesheet']/@href | //script/@src")
    assert len(page.content) + sum(len(client.get(file).content) for file in files) < 100_000

"""The lab: thresholds and methods, compared with labels."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest
from lxml import html
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.settings import Settings

PAGE = {"Accept": "text/html", "Accept-Language": "en"}
HOSTILE = '"><script>alert(1)</script>'
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，外地的船也来这里加冰了。"
LAB = "/libraries/news/lab"
ARTICLES = "\n".join(
    json.dumps({"id": id, "text": text})
    for id, text in (("a", TEXT), ("b", f"{TEXT}完"), ("c", "山里的小学昨天来了一位新老师，孩子们很高兴。"))
)
TRUTH = json.dumps({"a": "a", "b": "b"})


@pytest.fixture
def asking(client: httpx.Client) -> httpx.Client:
    client.headers.update(PAGE)
    return client


@pytest.fixture
def decided(settings: Settings) -> Settings:
    with whorl.open(settings.libraries["news"]) as library:
        library.add([{"id": "a", "text": TEXT}, {"id": "b", "text": TEXT}, {"id": "c", "text": f"{TEXT}另有一句。"}])
        library.review("a", "b", "confirmed")
        library.review("a", "c", "rejected")
    return settings


def parsed(answer: httpx.Response) -> html.HtmlElement:
    page = html.fromstring(answer.text)
    assert not page.xpath("//script[not(@src)] | //*[@style]")
    return page


def figure(page: html.HtmlElement, name: str) -> str:
    return page.xpath(f"string(//*[@data-figure='{name}'])")


def handed_in(client: httpx.Client, *, documents: str = ARTICLES, truth: str = TRUTH, **more: object) -> httpx.Response:
    files = {
        "documents": (more.get("name", "articles.jsonl"), documents),
        "truth": ("truth.jsonl", truth),
    }
    data = {"methods": more.get("methods", ["minhash", "exact"]), "complete": "true"}
    return client.post(LAB, files=files, data=data)


def ended(client: httpx.Client, place: str) -> html.HtmlElement:
    late = monotonic() + 60
    while monotonic() < late:
        page = parsed(client.get(place))
        if "Reload" not in page.text_content():
            return page
        sleep(0.1)
    raise AssertionError("the trial does not end")


def test_without_decisions_it_says_what_to_do(asking: httpx.Client) -> None:
    page = parsed(asking.get(LAB))
    assert "No confirmed matches yet." in page.text_content()
    assert not page.xpath("//input[@type='range']")


def test_the_threshold_moves_without_scripts(decided: Settings, asking: httpx.Client) -> None:
    low, high = (parsed(asking.get(LAB, params={"at": at})) for at in (0.1, 1.0))
    assert [figure(low, name) for name in ("at", "recall", "precision")] == ["0.10", "1.000", "0.500"]
    assert figure(high, "recall") == "1.000"
    (slide,) = high.xpath("//input[@type='range']")
    assert (slide.get("min"), slide.get("max"), slide.get("value")) == ("0.0", "1.0", "1.0")
    assert len(high.xpath("//tr[@data-at]")) == 101
    assert asking.get(LAB, params={"at": "nan"}).status_code == 200
    assert asking.get(LAB, params={"at": HOSTILE}).status_code == 422


def test_known_copies_are_handed_in_and_compared(asking: httpx.Client) -> None:
    begun = handed_in(asking, name=f"../../{HOSTILE}.jsonl")
    assert begun.status_code == 303
    page = ended(asking, begun.headers["location"])
    names = page.xpath("//section[@id='methods']//tbody/tr/th//text()")
    assert [name.strip() for name in names if name.strip()] == ["minhash", "exact"]
    assert figure(page, "recall") == "1.000"
    assert "Articles: 3, labeled copies: 1." in page.text_content()
    other = parsed(asking.get(f"{begun.headers['location']}&method=minhash&at=0.95"))
    assert figure(other, "at") == "0.95"
    (report,) = page.xpath("//a[@download]/@href")
    assert "minhash" in asking.get(report).text


def test_what_cannot_be_tried_says_why(asking: httpx.Client) -> None:
    for wrong in (
        handed_in(asking, methods=["nothing"]),
        handed_in(asking, methods=[]),
        handed_in(asking, name="articles.exe"),
        handed_in(asking, documents=""),
        handed_in(asking, truth=" " * (2**20 + 1)),
    ):
        assert wrong.status_code == 422
        assert parsed(wrong).xpath("//*[@role='alert']")
    unknown = handed_in(asking, truth=json.dumps({"a": "a", "b": "nowhere"}))
    page_text = ended(asking, unknown.headers["location"]).text_content()
    assert "document 'nowhere' not found" in page_text
    assert "/jobs/" not in page_text


def test_trials_of_other_libraries_are_not_there(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", "theirs")
    with state_of(settings) as state, served(settings) as address:
        secrets = [state.keys.make(name, ["read"], [name])[0] for name in ("news", "theirs")]
        ours, theirs = (PAGE | {"Authorization": f"Bearer {secret}"} for secret in secrets)
        with httpx.Client(base_url=address, headers=ours, timeout=60) as client:
            id = handed_in(client).headers["location"].rpartition("=")[2]
            assert client.get(LAB, params={"on": id}).status_code == 200
        hidden = httpx.get(f"{address}/libraries/theirs/lab", params={"on": id}, headers=theirs)
        assert hidden.status_code == 404


def test_other_sites_hand_in_nothing(asking: httpx.Client) -> None:
    asking.headers["Sec-Fetch-Site"] = "cross-site"
    assert handed_in(asking).status_code == 403

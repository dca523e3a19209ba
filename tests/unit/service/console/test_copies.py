"""Who copies us in the console: the figures of the library, in the chosen time zone, and downloads of them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import httpx
import pytest
from lxml import html
from openpyxl import load_workbook
from tests.serving import served

import whorl
from whorl.service.settings import Settings

ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。老渔民说，这在从前想也不敢想。" * 2
HOSTILE = "<script>alert(1)</script>"
PAGE = "/libraries/news/copies"


@pytest.fixture
def client(settings: Settings) -> Iterator[httpx.Client]:
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "ours", "text": ICE, "title": HOSTILE, "author": HOSTILE, "collection": "protected"})
        for number, day in enumerate(("2026-02-10T00:00:00Z", "2026-02-28T16:30:00Z")):
            url = f"https://copies{number}.example/1"
            library.add({"id": url, "url": url, "text": ICE, "first_seen_at": day, "collection": "watched"})
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        client.headers["Accept"] = "text/html"
        yield client


def rows(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [" ".join(" ".join(row.itertext()).split()) for row in html.fromstring(answer.text).cssselect("tbody th")]


def test_sites_and_months_are_shown_in_the_zone(client: httpx.Client) -> None:
    assert rows(client.get(PAGE)) == ["copies0.example", "copies1.example"]
    chosen = {"period": "month", "zone": "Asia/Shanghai", "since": "2026-03-01"}
    assert rows(client.get(PAGE, params=chosen)) == ["copies1.example 2026-03"]
    answer = client.get(PAGE, params={"by": "author"})
    assert rows(answer) == [HOSTILE]
    assert HOSTILE not in answer.text
    assert PAGE in client.get("/libraries/news/watch").text


@pytest.mark.parametrize("format", ["csv", "xlsx", "html"])
def test_downloads_have_the_same_rows(client: httpx.Client, format: str) -> None:
    answer = client.get(f"{PAGE}/file", params={"by": "month", "zone": "Asia/Shanghai", "format": format})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(f'.{format}"')
    if format == "xlsx":
        sheet = load_workbook(BytesIO(answer.content)).worksheets[0]
        assert [row[0].value for row in sheet.iter_rows()][1:] == ["2026-02", "2026-03"]
    else:
        assert "2026-03" in answer.text


@pytest.mark.parametrize("wrong", [{"zone": "Mars"}, {"of": "mine"}, {"since": "soon"}])
def test_mistakes_are_shown_on_the_page(client: httpx.Client, wrong: dict[str, str]) -> None:
    answer = client.get(PAGE, params=wrong)
    assert answer.status_code == 422
    assert html.fromstring(answer.text).cssselect("[role=alert]")

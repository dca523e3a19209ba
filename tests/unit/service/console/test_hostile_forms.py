"""The forms and queries of the console that an administrator reaches, filled in with values that nobody expects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

import httpx
import pytest
from lxml import html
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service.settings import Settings

ARTICLE = "市政府周一宣布，从下月起，所有公交车改为电动，旧车将在三年内全部更换完毕。" * 12
MARKUP = "\"'><planted-element onclick=x>"
HOSTILE = {
    "markup": MARKUP,
    "template": "{{ 7 * 191 }}{% raw %}${7*191}",
    "null": "a\0b",
    "statement": "x'; DROP TABLE document; --",
    "path": "../../../../etc/passwd",
    "address": "javascript:alert(1)//http://127.0.0.1:1/",
    "number": "-99999999999999999999999",
    "infinite": "1e999",
    "digits": "١٢٣",
    "direction": "\u202egnp.exe\u2066\ufeff",
    "lines": "a\r\nSet-Cookie: x=y\r\n\r\n<planted-element>",
    "long": "长" * 70_000,
    "empty": "",
    "blank": " \t\u3000 ",
}
NOT_UTF8 = b"%ff%fe%ed%a0%80"
_ENDING = {"/sign-out", "/account/sessions/end"}
BOSS = ("boss", "a long password")


class Form(NamedTuple):
    """A form of the console: its method, address and fields."""

    method: str
    address: str
    fields: tuple[str, ...]


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Settings]]:
    """Return a signed-in client of a service whose library has copies, a decision and a permission."""
    settings = settings_of(tmp_path_factory.mktemp("hostile"), "news")
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": "a", "text": ARTICLE, "title": "公交", "collection": "protected"})
        library.add({"id": "b", "text": ARTICLE[:-9], "url": "https://copier.example/b", "collection": "web"})
        library.add({"id": "c", "text": f"转载。{ARTICLE}", "url": "https://other.example/c", "collection": "web"})
        library.review("b", "a", "confirmed", by="li")
        library.permissions.put([{"domain": "other.example"}])
    with state_of(settings) as state:
        state.users.make(*BOSS, "admin")
    headers = {"Accept": "text/html", "Accept-Language": "en"}
    with served(settings) as address, httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        assert client.post("/sign-in", data=dict(zip(("name", "password"), BOSS, strict=True))).status_code == 303
        yield client, settings


def pages_and_forms(client: httpx.Client) -> tuple[set[str], set[Form]]:
    """Follow every link of the console; return its addresses and forms."""
    waiting, visited, forms = ["/"], set[str](), set[Form]()
    while waiting and len(visited) < 150:
        path = waiting.pop(0)
        if path in visited:
            continue
        visited.add(path)
        answer = client.get(path, follow_redirects=True)
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        page = html.fromstring(answer.text)
        here = str(answer.url)
        for link in page.xpath("//a/@href"):
            target = urlsplit(urljoin(here, link))
            if target.netloc == answer.url.netloc.decode() and not target.path.startswith("/static"):
                waiting.append(target.path + (f"?{target.query}" if target.query else ""))
        for form in page.xpath("//form"):
            fields = tuple(dict.fromkeys(form.xpath(".//input/@name | .//select/@name | .//textarea/@name")))
            buttons = tuple(form.xpath(".//button/@name"))
            method = (form.get("method") or "get").lower()
            address = urlsplit(urljoin(here, form.get("action") or "")).path
            if address not in _ENDING:
                forms.add(Form(method, address, tuple(dict.fromkeys(fields + buttons))))
    return visited, forms


def submitted(client: httpx.Client, form: Form, body: bytes) -> httpx.Response:
    if form.method == "get":
        return client.get(f"{form.address}?{body[:8000].decode()}")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return client.post(form.address, content=body, headers=headers)


def bodies(fields: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for name, value in HOSTILE.items():
        yield name, urlencode(dict.fromkeys(fields, value)).encode()
    yield "bytes", b"&".join(quote(field).encode() + b"=" + NOT_UTF8 for field in fields)
    yield "repeated", urlencode([(field, "x") for field in fields for _ in range(3)]).encode()
    yield "nothing", b""


def is_sound(answer: httpx.Response) -> bool:
    """Return True if a response is no failure of the server and renders nothing of the value as markup."""
    if answer.status_code >= 500 or ("set-cookie" in answer.headers and "x=y" in answer.headers["set-cookie"]):
        return False
    if not answer.headers.get("content-type", "").startswith("text/html") or not answer.text.strip():
        return True
    page = html.fromstring(answer.text)
    addresses = page.xpath("//@href | //@src | //@action | //@formaction")
    return (
        not page.xpath("//planted-element | //*[@onclick]")
        and "1337" not in page.text_content()
        and not any(address.strip().lower().startswith("javascript:") for address in addresses)
        and "Traceback" not in answer.text
    )


def test_no_form_fails_or_renders_what_it_was_given(console: tuple[httpx.Client, Settings]) -> None:
    client, settings = console
    pages, forms = pages_and_forms(client)
    assert len(pages) > 20
    assert len({form.address for form in forms if form.method == "post"}) > 18
    unsound = []
    for form in sorted(forms):
        for name, body in bodies(form.fields):
            answer = submitted(client, form, body)
            if not is_sound(answer):
                unsound.append((form.method, form.address, name, answer.status_code))
    assert not unsound
    assert client.get("/account").url.path == "/account", "signed in to the end"
    # What was stored meanwhile is shown as text, and no article is gone.
    unsound_pages = [path for path in sorted(pages) if not is_sound(client.get(path, follow_redirects=True))]
    assert not unsound_pages
    with whorl.open(settings.libraries["news"]) as library:
        assert [library.get(id) is not None for id in ("a", "b", "c")] == [True] * 3

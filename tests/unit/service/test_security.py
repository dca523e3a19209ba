"""Attacks that must fail on every route.

Pages and exports must not run content of articles. Foreign libraries, requests from foreign sites and local files must
stay out of reach.
"""

from __future__ import annotations

import csv
import io
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import openpyxl
import pytest
from lxml import html
from tests.articles import article
from tests.serving import served, settings_of, state_of

import whorl
from whorl.service import console
from whorl.service.app import create_app
from whorl.service.http.callers import COOKIE
from whorl.service.http.middleware import POLICY
from whorl.service.settings import Settings

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 1337*1337 }}<!--"
RUN = str(1337 * 1337)
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1"]
TEXT = article(1, 400)
COPIED = f"{HOSTILE}{TEXT}"
ID = f"copy/{HOSTILE}"
PASSWORD = "a long password"
OUTSIDE = "what lies outside"
PLACES = ("../outside.txt", "../../outside.txt", "..%2foutside.txt", "..%2f..%2foutside.txt", "%2e%2e/outside.txt", "x")
INJECTED = ("' OR '1'='1", "x'; DROP TABLE document; --", '" UNION SELECT secret FROM key --', "%' ESCAPE '")


class Route(NamedTuple):
    """A route: its method and its path with names in braces."""

    method: str
    path: str

    def filled(self, **values: str) -> str:
        """Return the path with a value for each name, "1" by default."""
        return re.sub(r"\{(\w+)(?::path)?\}", lambda item: quote(values.get(item[1], "1"), safe=""), self.path)


def routes_of(router: Any) -> Iterator[Route]:
    for route in router.routes:
        if hasattr(route, "original_router"):
            yield from routes_of(route.original_router)
        else:
            yield from (Route(method, route.path) for method in sorted(route.methods))


DESCRIBED = create_app(Settings({}, "")).openapi()
API = [Route(method.upper(), path) for path, operations in DESCRIBED["paths"].items() for method in operations]
PAGES = list(routes_of(console.router))
CHANGES = [route for route in API + PAGES if route.method not in ("GET", "HEAD")]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return settings of two libraries, each with an article and a hostile copy, and one administrator."""
    chosen = settings_of(tmp_path_factory.mktemp("service"), "ours", "theirs")
    for address in chosen.libraries.values():
        with whorl.open(address) as library:
            library.add({"id": "own", "text": TEXT, "collection": "protected"})
            library.add(
                {
                    "id": ID,
                    "text": COPIED,
                    "title": HOSTILE,
                    "source": HOSTILE,
                    "author": HOSTILE,
                    "url": "javascript:alert(3)",
                    "metadata": {HOSTILE: HOSTILE},
                    "links": ["javascript:alert(4)"],
                    "collection": HOSTILE,
                }
            )
    with state_of(chosen) as state:
        state.users.make("boss", PASSWORD, "admin")
    return chosen


@pytest.fixture(scope="module")
def address(settings: Settings) -> Iterator[str]:
    with served(settings) as address:
        yield address


@pytest.fixture(scope="module")
def boss(address: str) -> Iterator[httpx.Client]:
    with signed_in(address) as client:
        yield client


@contextmanager
def signed_in(address: str) -> Iterator[httpx.Client]:
    """Return the administrator, signed in through the form."""
    with httpx.Client(base_url=address, timeout=60, headers={"Accept": "text/html"}) as client:
        assert client.post("/sign-in", data={"name": "boss", "password": PASSWORD}).status_code == 303
        yield client


@contextmanager
def key_of(settings: Settings, address: str, *scopes: str, libraries: tuple[str, ...] = ()) -> Iterator[httpx.Client]:
    """Return a client with a key."""
    with state_of(settings) as state:
        secret, _ = state.keys.make("desk", scopes, libraries)
    with httpx.Client(base_url=address, timeout=60, headers={"Authorization": f"Bearer {secret}"}) as client:
        yield client


def demand_harmless(markup: str) -> None:
    """Assert that a page runs no script except the files of the console."""
    page = html.document_fromstring(markup)
    assert RUN not in markup
    assert all(script.get("src", "").startswith("/static/") and not script.text for script in page.iter("script"))
    for element in page.iter("*"):
        for name, value in element.items():
            assert not name.startswith("on"), (element.tag, name)
            assert name != "style", element.tag
            is_followed = name in ("href", "src", "action", "formaction", "data", "srcset")
            assert not (is_followed and re.match(r"\s*(javascript:|vbscript:|data:(?!,$))", value)), element.tag
    assert not page.xpath("//img[@src='x'] | //iframe | //object | //embed | //base")


def names_of(library: whorl.Library) -> dict[str, str]:
    """Return names for addresses that open hostile content."""
    cluster = library.clusters()[0].id
    return {"library": "ours", "id": ID, "number": str(cluster), "name": HOSTILE, "answer": HOSTILE, "language": "en"}


QUERIES = (
    {},
    {"id": ID, "other": "own", "url": "javascript:alert(3)", "page": "javascript:alert(3)"},
    {"q": HOSTILE, "site": HOSTILE, "source": HOSTILE, "author": HOSTILE, "collection": HOSTILE, "among": HOSTILE},
    {"next": "javascript:alert(1)", "since": HOSTILE, "by": HOSTILE, "after": HOSTILE, "set": HOSTILE, "job": HOSTILE},
)


@pytest.mark.parametrize("query", range(len(QUERIES)))
def test_no_page_runs_what_articles_or_addresses_say(boss: httpx.Client, settings: Settings, query: int) -> None:
    with whorl.open(settings.libraries["ours"]) as library:
        names = names_of(library)
    output = 0
    for route in PAGES:
        if route.method == "GET":
            answer = boss.get(route.filled(**names), params=QUERIES[query])
            assert answer.status_code < 500, route
            assert not re.match(r"\s*(javascript:|//|https?:)", answer.headers.get("location", "/")), route
            if answer.text and answer.headers["content-type"].startswith("text/html"):
                demand_harmless(answer.text)
                output += "&lt;script&gt;alert(1)" in answer.text
    assert output >= 3


def test_no_page_runs_what_a_form_or_a_file_says(boss: httpx.Client) -> None:
    counts = {"text": COPIED, "title": HOSTILE, "url": "javascript:alert(3)", "author": HOSTILE, "name": HOSTILE}
    pages = [boss.post("/libraries/ours/check", data=counts)]
    for name in ("{}.txt", "{}.html", "{}.csv"):
        file = {"file": (name.format(HOSTILE), f"text,title\n{COPIED},{HOSTILE}\n{COPIED},b\n".encode())}
        pages.append(boss.post("/libraries/ours/check", files=file))
    for route in CHANGES:
        if route in PAGES and not route.path.endswith(("/sign-out", "/remove")):
            data = {"id": ID, "other": "own", "name": HOSTILE, "site": HOSTILE, "sites": HOSTILE, "text": HOSTILE}
            pages.append(boss.post(route.filled(library="ours", id="none", answer="x"), data=data | {"do": HOSTILE}))
    for answer in pages:
        assert answer.status_code < 500, answer.url
        if answer.headers.get("content-type", "").startswith("text/html"):
            demand_harmless(answer.text)
    assert sum("&lt;script&gt;alert(1)" in answer.text for answer in pages) >= 4


@pytest.mark.parametrize("kind", ["html", "csv", "xlsx", "json", "docx"])
def test_exports_run_nothing(boss: httpx.Client, kind: str) -> None:
    text = f"{HOSTILE}\n{TEXT}"
    fields = {"text": text, "title": HOSTILE, "author": HOSTILE, "name": HOSTILE, "format": kind}
    answers = [boss.post("/libraries/ours/check/export", data=fields)]
    body = {"text": text, "name": HOSTILE, "sources": [{"name": HOSTILE, "text": COPIED}]}
    answers.append(boss.post("/v1/compare/report", params={"format": kind, "title": HOSTILE}, json=body))
    for answer in answers:
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert kind != "html" or not re.search(f"<script>alert|<img src=x|{RUN}", answer.text)


@pytest.mark.parametrize("formula", FORMULAS)
def test_tables_hold_no_formulas(boss: httpx.Client, formula: str) -> None:
    body = {"text": f"{formula}{TEXT}", "name": formula, "sources": [{"name": formula, "text": f"{formula}{TEXT}"}]}
    table = boss.post("/v1/compare/report", params={"format": "csv"}, json=body)
    cells = [cell for row in csv.reader(io.StringIO(table.text.removeprefix("\ufeff"))) for cell in row]
    assert any(formula.strip() in cell for cell in cells)
    assert [cell for cell in cells if cell.startswith(tuple("=+@\t\r")) or re.match(r"-\D|-\d+\+", cell)] == []
    book = boss.post("/v1/compare/report", params={"format": "xlsx"}, json=body)
    sheets = openpyxl.load_workbook(io.BytesIO(book.content))
    kinds = {cell.data_type for sheet in sheets for row in sheet.iter_rows() for cell in row}
    sheets.close()
    assert "s" in kinds
    assert "f" not in kinds


def test_every_answer_tells_browsers_what_they_may_do(address: str, boss: httpx.Client) -> None:
    with signed_in(address) as other:
        answers = [other.request(route.method, route.filled(library="nowhere", id="no")) for route in (*API, *PAGES)]
    answers += [boss.get(path) for path in ("/healthz", "/readyz", "/metrics", "/nowhere", "/v1/nowhere")]
    answers += [boss.get("/", headers={"Host": "elsewhere.example"}), boss.put("/sign-in"), boss.post("/v1/compare")]
    answers += [httpx.get(f"{address}/settings"), httpx.get(f"{address}/v1/keys")]
    answers.append(boss.post("/v1/compare", content=b"{", headers={"Origin": "https://elsewhere.example"}))
    assert {answer.status_code for answer in answers} >= {200, 303, 401, 403, 404, 405, 422}
    for answer in answers:
        assert answer.status_code < 500, answer.url
        assert answer.headers["content-security-policy"] == POLICY, answer.url
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers
    assert not re.search(r"unsafe|\*|http", POLICY)


def test_a_session_is_of_whoever_signs_in_and_of_no_script(address: str, settings: Settings) -> None:
    with httpx.Client(base_url=address) as client:
        client.cookies.set(COOKIE, "planted")
        begun = client.post("/sign-in", data={"name": "boss", "password": PASSWORD})
        report = begun.headers["set-cookie"].lower()
        secret = begun.cookies[COOKIE]
        assert secret != "planted"
        assert {"httponly", "samesite=strict", "path=/"} <= {part.strip() for part in report.split(";")}
        assert httpx.get(f"{address}/v1/libraries", cookies={COOKIE: "planted"}).status_code == 401
        assert httpx.get(f"{address}/v1/libraries", cookies={COOKIE: secret}).status_code == 200
        assert httpx.post(f"{address}/sign-out", cookies={COOKIE: secret}).status_code == 303
        assert httpx.get(f"{address}/v1/libraries", cookies={COOKIE: secret}).status_code == 401


@pytest.mark.parametrize("route", CHANGES, ids=" ".join)
def test_pages_of_other_sites_change_nothing(boss: httpx.Client, route: Route) -> None:
    for headers in (
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": str(boss.base_url)},
    ):
        request = boss.request(route.method, route.filled(library="ours", id=ID), headers=headers, data={"id": ID})
        assert request.status_code == 403, (route, headers)
    assert boss.get("/v1/libraries").status_code == 200


def test_guesses_at_keys_are_told_nothing_and_slowed_down(tmp_path: Path) -> None:
    chosen = settings_of(tmp_path, "ours", rate=1.0)
    with state_of(chosen) as state, served(chosen) as address:
        secret, _ = state.keys.make("desk", ["read"])
        guesses = [f"{secret[:-1]}~", secret[:20], "x", f"{secret} OR 1=1", "é" * 40]
        report = {httpx.get(f"{address}/v1/libraries", headers=_bearing(guess)).text for guess in guesses}
        assert len(report) == 1
        answers = [httpx.get(f"{address}/v1/libraries", headers=_bearing("whorl_guess")) for _ in range(20)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
        assert httpx.get(f"{address}/v1/libraries", headers=_bearing(secret)).status_code == 200


def _bearing(secret: str) -> dict[str, bytes]:
    return {"Authorization": f"Bearer {secret}".encode()}


def body_of(route: Route) -> dict[str, Any]:
    """Return a valid body of an operation from its description."""
    content = DESCRIBED["paths"][route.path][route.method.lower()].get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    while "$ref" in schema:
        schema = DESCRIBED["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    examples = schema.get("examples")
    return {"json": examples[0]} if examples else {}


@pytest.mark.parametrize("route", [route for route in API + PAGES if "{library}" in route.path], ids=" ".join)
def test_a_library_of_others_is_not_there(settings: Settings, address: str, route: Route) -> None:
    with key_of(settings, address, "read", "review", "write", "admin", libraries=("ours",)) as client:
        body = body_of(route) if route in API else {}
        named = {name: client.request(route.method, _path_of(route, name), **body) for name in ("theirs", "nowhere")}
    hidden, absent = named["theirs"], named["nowhere"]
    # Only administrators of all libraries may create and delete them, and edit receivers of alerts.
    is_of_all = (route.path == "/v1/libraries/{library}" and route.method != "GET") or route.path.endswith(
        ("/receivers/edit", "/receivers/remove")
    )
    refused = (403,) if is_of_all else (303, 404, 422)
    assert hidden.status_code == absent.status_code in refused, route
    assert hidden.text.replace("theirs", "nowhere") == absent.text


def _path_of(route: Route, library: str) -> str:
    return route.filled(library=library, id=ID)


def test_lists_of_all_libraries_leave_others_out(settings: Settings, address: str) -> None:
    with key_of(settings, address, "read", "review", "write", "admin") as everybody:
        assert everybody.post("/v1/libraries/theirs/jobs", json={"kind": "verify"}).status_code == 202
    with key_of(settings, address, "read", "admin", libraries=("ours",)) as client:
        assert client.get("/v1/libraries").json() == {"libraries": ["ours"]}
        for path in ("/v1/jobs", "/v1/jobs?library=theirs", "/v1/audit", "/v1/audit?library=theirs", "/"):
            assert "theirs" not in client.get(path, headers={"Accept": "application/json"}).text, path


@pytest.mark.parametrize("place", PLACES)
def test_no_name_leads_out_of_its_folder(boss: httpx.Client, settings: Settings, place: str) -> None:
    above = Path(settings.state).parent
    (above / "outside.txt").write_text(OUTSIDE, encoding="utf-8")
    before_it = {path.name for path in above.iterdir()}
    for before in ("/static/", "/v1/jobs/", "/v1/libraries/", "/v1/libraries/ours/documents/", "/libraries/"):
        for after in ("", "/result", "/events"):
            answer = boss.get(f"{before}{place}{after}")
            assert answer.status_code in (303, 401, 404, 405, 422), answer.url
            assert OUTSIDE not in answer.text
    body = {"file": (f"{place}.txt", TEXT.encode())}
    assert boss.post("/v1/libraries/ours/check/file", files=body).status_code == 200
    assert boss.post("/libraries/ours/check", files=body).status_code == 200
    assert {path.name for path in above.iterdir()} == before_it
    assert not list(Path(settings.state, "uploads").iterdir())


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """Return a local address, and a log of its connections."""
    came: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        closing = False

        def wait() -> None:
            while not closing:
                try:
                    connection, result = listener.accept()
                except TimeoutError:
                    continue
                connection.close()
                came.append(str(result))

        waiting = Thread(target=wait)
        waiting.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/", came
        finally:
            closing = True
            waiting.join()


def test_the_service_fetches_no_address_that_it_is_told(settings: Settings, address: str) -> None:
    with listening() as (inner, came), key_of(settings, address, "read", "review", "write") as client:
        report = {"id": "new", "text": article(9), "url": inner, "links": [inner], "metadata": {"url": inner}}
        assert client.post("/v1/libraries/ours/documents", json=report).status_code == 201
        assert client.post("/v1/libraries/ours/check", json={"text": f"{inner} {TEXT}"}).status_code == 200
        page = f'<!doctype html><link rel=stylesheet href="{inner}a.css"><img src="{inner}b.png"><p>{TEXT}'
        files = {"file": ("page.html", page.encode())}
        assert client.post("/v1/libraries/ours/check/file", files=files).status_code == 200
        compared = {"text": page, "name": inner, "sources": [{"name": inner, "text": page}]}
        for kind in ("html", "pdf", "docx"):
            response = client.post("/v1/compare/report", params={"format": kind}, json=compared)
            assert response.status_code == 200, response.text
        sites = f'[[site]]\nstart = ["{inner}"]\n[[site]]\npages = ["{inner}a"]\n'
        begun = client.post("/v1/libraries/ours/jobs", json={"kind": "watch", "sites": sites})
        job = begun.json()
        while job.get("state") in ("queued", "running"):
            time.sleep(0.1)
            job = client.get(begun.headers["location"]).json()
        assert came == []
        assert begun.status_code == 422 or job["state"] in ("done", "failed")


def _length(answer: httpx.Response) -> int:
    body = answer.json()
    return len(body.get("items", body) if isinstance(body, dict) else body)


def _texts(route: Route) -> list[str]:
    """Return the names of the text parameters in the query of an operation."""
    report = DESCRIBED["paths"][route.path]["get"].get("parameters", ())
    return [item["name"] for item in report if item["in"] == "query"]


@pytest.mark.parametrize("route", [route for route in API if route.method == "GET" and _texts(route)], ids=" ".join)
def test_no_query_becomes_sql(boss: httpx.Client, settings: Settings, route: Route) -> None:
    for name in _texts(route):
        nonsense = boss.get(route.filled(library="ours"), params={name: "nonsense"})
        for injected in INJECTED:
            answer = boss.get(route.filled(library="ours"), params={name: injected})
            assert answer.status_code == nonsense.status_code < 500, (name, injected)
            if answer.status_code == 200:
                assert _length(answer) == _length(nonsense), (name, injected)
    assert ID in {item["id"] for item in boss.get("/v1/libraries/ours/documents").json()["items"]}
    assert boss.get("/v1/users").json()


@pytest.mark.parametrize("injected", INJECTED[:2])
def test_no_query_of_a_page_becomes_sql(boss: httpx.Client, settings: Settings, injected: str) -> None:
    with whorl.open(settings.libraries["ours"]) as library:
        names, before = names_of(library), len(library)
    for route in (route for route in PAGES if route.method == "GET"):
        for name in ("q", "site", "source", "author", "collection", "among", "containing", "url", "id", "other", "on"):
            answer = boss.get(route.filled(**names), params={"id": ID, "other": "own"} | {name: injected})
            assert answer.status_code < 500, (route, name)
    with whorl.open(settings.libraries["ours"]) as library:
        assert len(library) == before

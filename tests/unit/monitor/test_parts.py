"""Articles on several pages: one document, for any order, end or interruption of its pages."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article

import whorl
from whorl.monitor.findings.watched import findings
from whorl.monitor.frontier import _SCHEMAS, FILE, Frontier
from whorl.monitor.watching import watch
from whorl.tasks import Silent

OURS = article(900, 600)
"""The protected article."""
ONCE = """
import json, sys
from whorl.monitor.watching import watch
watch(sys.argv[1], json.loads(sys.argv[2]))
"""


@dataclass
class Site:
    """A site on loopback.

    Attributes:
        pages: by path, the text, and the path of the next page.
        listed: the links of its list.
        forbidden: paths forbidden by robots.txt.
        charset: charset of all pages.
    """

    pages: dict[str, tuple[str, str | None]]
    listed: list[str]
    forbidden: str = "/nothing"
    charset: str = "utf-8"
    requests: Counter[str] = field(default_factory=Counter)
    port: int = 0

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def sites(self, **others: Any) -> dict[str, Any]:
        return {"rate": 1000, "allow_private": True, "site": [{"name": "转载站", "start": self.at("/")}], **others}

    def html(self, path: str) -> bytes | None:
        if path == "/robots.txt":
            return f"User-agent: *\nDisallow: {self.forbidden}\n".encode()
        if path == "/":
            links = "".join(f"<a href='{item}'>更多</a>" for item in self.listed)
            return f"<html><body>{links}</body></html>".encode()
        endless = re.fullmatch(r"/endless(?:_(\d+))?\.html", path)
        if endless:
            number = int(endless[1] or 1)
            text, following = article(5000 + number, 200), f"/endless_{number + 1}.html"
        elif path in self.pages:
            text, following = self.pages[path]
        else:
            return None
        paragraphs = "".join(f"<p>{text[at : at + 100]}</p>" for at in range(0, len(text), 100))
        further = f"<div><a href='{following}'>下一页</a></div>" if following else ""
        page = (
            f'<html><head><meta charset="{self.charset}"><title>渡口的事</title></head><body><article>'
            f"<h1>渡口的事</h1>{paragraphs}</article>{further}</body></html>"
        )
        return page.encode(self.charset, "xmlcharrefreplace")

    @contextmanager
    def served(self) -> Iterator["Site"]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                """Discard the message."""

            def do_GET(self) -> None:
                site.requests[self.path] += 1
                body = site.html(self.path)
                self.send_response(200 if body else 410)
                kind = "text/plain" if self.path == "/robots.txt" else "text/html"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(body or b"")

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


@dataclass
class Notes(Silent):
    """The notices of a run."""

    messages: list[str] = field(default_factory=list)

    def note(self, message: str) -> None:
        self.messages.append(str(message))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "library") as opened:
        opened.add({"id": "ours", "text": OURS, "collection": "protected"})
    return tmp_path / "library"


def across(number: int = 7, ours: str = OURS) -> dict[str, tuple[str, str | None]]:
    """Return an article on three pages; ours begins on the first, and ends on the second."""
    value = article(number, 1200)
    return {
        f"/n/{number}.html": (value[:400] + ours[:300], f"{number}_2.html"),
        f"/n/{number}_2.html": (ours[300:] + value[400:800], f"{number}_3.html"),
        f"/n/{number}_3.html": (value[800:], None),
    }


def texts(library: Path) -> dict[str, str]:
    """Return the documents of the watch, without line ends."""
    with whorl.open(library) as opened:
        return {
            id_: "".join((opened.get(id_) or pytest.fail(id_)).text.split()) for id_ in opened.ids(collection="watched")
        }


def demand_one(site: Site, library: Path, paths: list[str]) -> None:
    """Assert that one document has these pages in order, with a unique snapshot of each existing page."""
    whole = "".join(site.pages[path][0] for path in paths)
    assert {id_: text.removeprefix("渡口的事") for id_, text in texts(library).items()} == {site.at(paths[0]): whole}
    with whorl.open(library) as opened:
        assert {item.url for item in opened.pages.of(site.at(paths[0]))} >= {site.at(path) for path in paths}
        assert {item.document for item in opened.pages} == {site.at(paths[0])}
        assert opened.verify().faults == ()


@pytest.mark.parametrize(
    ("charset", "listed"), [("utf-8", ["/n/7.html"]), ("gbk", ["/n/7_3.html", "/n/7_2.html", "/n/7.html"])]
)
def test_a_copy_that_lies_across_pages_is_one_document(charset: str, listed: list[str], library: Path) -> None:
    with Site(across(), listed, charset=charset).served() as site:
        run = watch(library, site.sites())
        demand_one(site, library, list(site.pages))
        assert [(finding.url, finding.article, finding.verdict, finding.share) for finding in run.found] == [
            (site.at("/n/7.html"), "ours", "copy", 1.0)
        ]
        assert site.requests["/n/7_2.html"] == 1
    with whorl.open(library) as opened:
        document = opened.get(site.at("/n/7.html"))
        assert document is not None
        assert document.metadata["pages"] == [site.at(path) for path in site.pages]
        assert document.revision == 1


def test_the_pack_of_such_a_copy_has_every_page(library: Path, tmp_path: Path) -> None:
    with Site(across(), ["/n/7.html"]).served() as site:
        watch(library, site.sites())
        packed = whorl.evidence.pack_evidence(library, site.at("/n/7.html"), "ours", tmp_path / "pack.zip", pdf=False)
        with zipfile.ZipFile(packed.path) as pack:
            bodies = {pack.read(name) for name in pack.namelist() if re.match(r"copy/page-\d+\.body", name)}
        assert bodies == {site.html(path) for path in site.pages}


def test_a_list_that_names_no_page_is_reported(library: Path) -> None:
    notes = Notes()
    with Site({}, []).served() as site:
        watch(library, site.sites(), progress=notes)
    assert notes.messages == [f"no links at {site.at('/')}: check that it is a list or a feed"]


def test_a_page_that_is_refused_leaves_the_article_with_what_came(library: Path) -> None:
    notes = Notes()
    with Site(across(), ["/n/7.html"], forbidden="/n/7_3.html").served() as site:
        run = watch(library, site.sites(), progress=notes)
        demand_one(site, library, ["/n/7.html", "/n/7_2.html"])
    assert [finding.share for finding in run.found] == [1.0]
    assert run.sites[0].missed == {"robots": 1}
    assert notes.messages == ["of 1 article not all pages came"]
    with whorl.open(library) as opened:
        document = opened.get(site.at("/n/7.html"))
        assert document is not None
        assert document.metadata["continued_at"] == site.at("/n/7_3.html")


def test_a_page_that_comes_in_a_later_run_is_added(library: Path) -> None:
    with Site(across(), ["/n/7.html"]).served() as site:
        watch(library, site.sites(max_pages=2))  # the list, and the first page
        demand_one(site, library, ["/n/7.html"])
        run = watch(library, site.sites())
        demand_one(site, library, list(site.pages))
    assert [finding.share for finding in run.found] == [1.0]


def test_a_page_that_was_an_article_becomes_part_of_one(library: Path) -> None:
    with Site(across(), ["/n/7_2.html"]).served() as site:
        first = watch(library, site.sites())
        assert [finding.url for finding in first.found] == [site.at("/n/7_2.html")]
        demand_one(site, library, ["/n/7_2.html", "/n/7_3.html"])
        site.listed = ["/n/7.html"]
        second = watch(library, site.sites())
        demand_one(site, library, list(site.pages))
    assert [(finding.url, finding.share) for finding in second.found] == [(site.at("/n/7.html"), 1.0)]


@pytest.mark.parametrize("apart", [["/n/7_3.html"], ["/n/7_2.html"], ["/n/7_3.html", "/n/7_2.html"]])
def test_later_pages_that_came_alone_first_do_not_make_the_article_a_compilation(
    apart: list[str], library: Path
) -> None:
    with Site(across(), []).served() as site:
        for path in apart:
            site.listed = [path]
            watch(library, site.sites())
        site.listed = ["/n/7.html"]
        watch(library, site.sites())
        demand_one(site, library, list(site.pages))
        with whorl.open(library) as opened:
            listed = [finding for _, finding in findings(opened)]
            matches = opened.report(site.at("/n/7.html")).matches
    assert [(item.url, item.article, item.kind, item.verdict, item.share) for item in listed] == [
        (site.at("/n/7.html"), "ours", "excerpt", "copy", 1.0)
    ]
    assert [(match.id, match.relation) for match in matches] == [("ours", "excerpt")]


def test_what_changes_or_goes_on_a_later_page_is_noticed(library: Path) -> None:
    with Site(across(), ["/n/7.html"]).served() as site:
        watch(library, site.sites())
        del site.pages["/n/7_3.html"]
        site.pages["/n/7_2.html"] = (OURS[300:], "7_3.html")
        watch(library, site.sites())
        demand_one(site, library, ["/n/7.html", "/n/7_2.html"])
        site.pages["/n/7.html"] = (article(7, 400), "7_2.html")
        site.pages["/n/7_2.html"] = (article(2, 400), None)
        run = watch(library, site.sites())
        demand_one(site, library, ["/n/7.html", "/n/7_2.html"])
    assert [finding.url for finding in run.gone] == [site.at("/n/7.html")]


def test_an_article_without_end_is_cut_and_pages_that_lead_back_end_it(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most_parts = 9
    monkeypatch.setattr("whorl.monitor.frontier.MOST_PARTS", most_parts)
    pages = {"/n/8.html": (article(3, 300), "8_2.html"), "/n/8_2.html": (article(4, 300), "8.html")}
    with Site(pages, ["/endless.html", "/n/8.html"]).served() as site:
        run = watch(library, site.sites(max_pages=most_parts + 6))
        kept = texts(library)
        assert sum(site.requests.values()) == most_parts + 7  # and robots.txt
        assert run.queued == 1
        assert set(kept) == {site.at(f"/{name}.html") for name in ("endless", f"endless_{most_parts + 1}", "n/8")}
        for number in range(1, most_parts + 1):
            assert article(5000 + number, 200)[:100] in kept[site.at("/endless.html")]
        assert kept[site.at("/n/8.html")].removeprefix("渡口的事") == article(3, 300) + article(4, 300)


def test_a_killed_watch_neither_loses_nor_doubles_a_page(library: Path) -> None:
    numbers = range(10, 22)
    with whorl.open(library) as opened:
        opened.add({"id": f"p{item}", "text": article(800 + item, 600), "collection": "protected"} for item in numbers)
    element = {number: across(number, article(800 + number, 600)) for number in numbers}
    pages = {path: page for value in element.values() for path, page in value.items()}
    whole = {f"/n/{number}.html": "".join(text for text, _ in value.values()) for number, value in element.items()}
    with Site(pages, list(whole)).served() as site:
        for request in (6, 20, 34):
            process = subprocess.Popen([sys.executable, "-c", ONCE, str(library), json.dumps(site.sites())])
            while process.poll() is None and site.requests.total() < request:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
        run = watch(library, site.sites())
        result = {id_: text.removeprefix("渡口的事") for id_, text in texts(library).items()}
        assert result == {site.at(path): text for path, text in whole.items()}
        assert sorted((item.url, item.article, item.share) for item in run.found) == [
            (site.at(f"/n/{number}.html"), f"p{number}", 1.0) for number in numbers
        ]
        with whorl.open(library) as opened:
            for path in whole:
                value = {item.url for item in opened.pages.of(site.at(path))}
                assert value == {site.at(item) for item in pages if item.startswith(path.removesuffix(".html"))}
            assert opened.verify().faults == ()
    with Frontier(library / FILE) as frontier:
        assert not frontier.unmade(1)


def test_what_an_earlier_version_remembered_is_known(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    with closing(sqlite3.connect(tmp_path / FILE)) as old:
        old.executescript(_SCHEMAS[0])
        values = "'c', 'a', 'https://copies.example/1', '转载站', 'exact', 'leave', 1, 1, 9, ?, ?, 1, NULL"
        old.execute(f"INSERT INTO found VALUES ({values})", (now.isoformat(), now.isoformat()))
        old.execute("PRAGMA user_version = 1")
        old.commit()
    with Frontier(tmp_path / FILE) as frontier:
        assert [(finding.article, finding.verdict) for finding in frontier.findings()] == [("a", "reprint")]
        frontier.put("转载站", "page", 0, ["https://copies.example/7.html", "https://copies.example/7_2.html"], now)
    with Frontier(tmp_path / FILE) as frontier:
        first = frontier.page("https://copies.example/7.html")
        assert first is not None
        frontier.goes_on(first, "https://copies.example/7_2.html")
        assert [page.number for page in frontier.chain("https://copies.example/7_2.html")] == [1, 2]

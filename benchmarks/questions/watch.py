"""A watch with many protected articles: from the response of a page to the alert, and a long review queue.

The pages are on a loopback site, and the alerts go to a loopback receiver. The watch is the command `whorl watch`, the
queue is the page of the console.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter
from typing import Any
from urllib.request import urlopen

from benchmarks.articles import load_articles
from benchmarks.measure import RunFailed
from benchmarks.questions import Answer, Settings, say, scratch
from benchmarks.serving.server import LIBRARY, serving
from benchmarks.strangers import BATCH, strangers

Row = dict[str, Any]

_SITES = """
[[site]]
name = "copier"
start = ["{url}/"]
rate = {rate}
allow_private = true
"""
_ALERTS = """
[channels.desk]
kind = "webhook"
url = "{url}/hook"
secret = {{ env = "HOOK_SECRET" }}
allowed = ["127.0.0.0/8"]

[[rules]]
to = ["desk"]
"""


def ask(settings: Settings) -> Answer:
    """Fill a library, watch a site with copies, and open the review queue of the copies in the library."""
    with scratch() as folder:
        protected = _fill(folder / "library", settings)
        alerts = _watch(folder, protected, settings)
        queue = _queue(folder, settings)
    return {
        "data": [f"{load_articles('zh', settings['seed']).origin}, made strangers of 700 to 1,300 characters"],
        "bounds": settings["bounds"],
        "rows": [
            {"name": "response of a page to its alert", "bound": settings["bounds"]["alert"], **alerts},
            {"name": "page of the review queue", "bound": settings["bounds"]["queue"], **queue},
        ],
    }


def guarded(answer: Answer) -> dict[str, float]:
    """Return the figures that must stay low."""
    return {row["name"]: row["median"] for row in answer["rows"]}


def table(answer: Answer) -> str:
    """Return the answer as Markdown."""
    lines = ["| | number | seconds, median | slowest | asked for |", "|---|--:|--:|--:|--:|"]
    for row in answer["rows"]:
        cells = [f"{row['number']:,}", f"{row['median']:.2f}", f"{row['slowest']:.2f}", f"≤ {row['bound']}"]
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _fill(place: Path, settings: Settings) -> list[Row]:
    """Add protected articles, and copies of some of them on other sites; return articles without a copy there."""
    import whorl

    count = settings["protected"] + settings["queue"]
    copies = settings["queue"] / count
    uncopied: dict[str, Row] = {}
    with whorl.open(place) as library:
        for number, rows in enumerate(strangers(count, settings["seed"], copies)):
            say(f"watch: {number * BATCH:,} of {count:,} articles")
            library.add([_document(row) for row in rows])
            uncopied |= {row["id"]: row for row in rows if row["copy_of"] is None}
            for row in rows:
                uncopied.pop(row["copy_of"], None)
            uncopied = dict(islice(uncopied.items(), settings["pages"]))
    return list(uncopied.values())


def _document(row: Row) -> Row:
    number, text = row["id"], row["text"]
    if row["copy_of"] is None:
        return {"id": number, "text": text, "title": f"第 {number} 篇", "collection": "protected"}
    url = f"https://copier{int(number) % 40}.example/{number}.html"
    return {"id": url, "url": url, "text": text, "collection": "web"}


def _watch(folder: Path, copied: list[Row], settings: Settings) -> Row:
    """Watch a site with a page for each article; return the seconds from the last byte of a page to its alert."""
    with _site({f"/{row['id']}.html": row["text"] for row in copied}) as site:
        sites, alerts = folder / "sites.toml", folder / "alerts.toml"
        sites.write_text(_SITES.format(url=site.url, rate=settings["rate"]), encoding="utf-8")
        alerts.write_text(_ALERTS.format(url=site.url), encoding="utf-8")
        whorl = Path(sys.executable).with_name("whorl")
        command = (whorl, "watch", folder / "library", sites, "--alerts", alerts, "--quiet")
        subprocess.run(command, check=True, env=os.environ | {"HOOK_SECRET": "s"})
    seconds = [site.alerts[path] - at for path, at in site.responses.items() if path in site.alerts]
    if len(seconds) < len(copied):
        raise RunFailed(f"{len(seconds)} of {len(copied)} pages have an alert")
    return {"number": len(seconds), "median": median(seconds), "slowest": max(seconds)}


def _queue(folder: Path, settings: Settings) -> Row:
    """Open the console page of the review queue, the first time and again; return the times in seconds."""
    with serving(folder / "library", folder / "service", workers=1) as server:
        address = f"http://{server.host}:{server.port}/libraries/{LIBRARY}/review"
        seconds = []
        for _ in range(settings["visits"]):
            began = perf_counter()
            with urlopen(address) as response:
                response.read()
            seconds.append(perf_counter() - began)
    return {"number": settings["queue"], "median": median(seconds), "slowest": max(seconds)}


class _Site(ThreadingHTTPServer):
    """A site of articles with a list of links, and the receiver of alerts about them.

    Attributes:
        responses: when the response of each page had been sent, by path.
        alerts: when the first alert about each page arrived, by path.
    """

    daemon_threads = True

    def __init__(self, texts: dict[str, str]) -> None:
        self.responses: dict[str, float] = {}
        self.alerts: dict[str, float] = {}
        links = "".join(f'<li><a href="{path}">第 {number} 篇</a></li>' for number, path in enumerate(texts))
        self.pages = {path: f"<article><p>{escape(text)}</p></article>" for path, text in texts.items()}
        self.pages["/"] = f"<ul>{links}</ul>"
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        page = self.server.pages.get(self.path)
        body = f'<!doctype html><meta charset="utf-8"><title>页</title>{page or ""}'.encode()
        self._answer(200 if page is not None else 404, body)
        if page is not None and self.path != "/":
            self.server.responses[self.path] = perf_counter()

    def do_POST(self) -> None:
        alerts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["alerts"]
        for alert in alerts:
            self.server.alerts.setdefault(alert["url"].removeprefix(self.server.url), perf_counter())
        self._answer(200, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


@contextmanager
def _site(texts: dict[str, str]) -> Iterator[_Site]:
    site = _Site(texts)
    thread = Thread(target=site.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        thread.join()
        site.server_close()

"""A small web of generated news on loopback: hosts, feeds, sitemaps, robots, and all faults that pages may have."""

from __future__ import annotations

import gzip
import random
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import whorl
from tests.articles import article, edited

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
MEGABYTE = 2**20

TRACKED = "?utm_source=feed&spm=a2.1"
TROUBLES = (
    *(
        "/private/secret.html",
        "/huge",
        "/huge-unsaid",
        "/bomb",
        "/endless",
        "/slow.html",
        "/broken",
        "/cut",
        "/missing",
    ),
    *(
        "/loop/a",
        "/chain/1",
        "/to-file",
        "/to-outside",
        "/to-nowhere",
        "/headers.html",
        "/picture.png",
        "/empty.html",
        "/fragment.html#part",
    ),
)


@cache
def bomb() -> bytes:
    """Return a page of 100 MB, packed to a hundred thousand bytes."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(100)) + packer.flush()


@dataclass
class Web:
    """The pages, and a log of the requests.

    Attributes:
        articles: number of articles per host.
        copied: the text of the protected article that a page copies, by host and path.
        is_troubled: whether its lists contain faulty pages.
        requests: how often each address was fetched with a full response, by host and path.
    """

    articles: int = 20
    seed: int = 0
    hosts: tuple[str, ...] = HOSTS
    protected: int = 40
    slow: float = 0.2
    is_troubled: bool = True
    copied: dict[tuple[str, str], int] = field(default_factory=dict)
    changed: dict[tuple[str, str], str | None] = field(default_factory=dict)
    requests: Counter[tuple[str, str]] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)
    cookies: list[str] = field(default_factory=list)
    unchanged: Counter[tuple[str, str]] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        rng = random.Random(self.seed)
        for host in self.hosts:
            for path in self.paths():
                if rng.random() < 0.2:
                    self.copied[host, path] = rng.randrange(self.protected)

    def paths(self) -> list[str]:
        """Return the paths of the articles of a host."""
        return [f"/a/{number}.html" for number in range(self.articles)]

    def at(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    def original(self, number: int) -> str:
        """Return a protected article."""
        return article(100_000 + number, 600)

    def text(self, host: str, path: str) -> str:
        """Return the text of an article."""
        if (host, path) in self.changed:
            return self.changed[host, path] or ""
        number = HOSTS.index(host) * 1_000_000 + int(path.removeprefix("/a/").removesuffix(".html"))
        ordinary = article(number, 500)
        if (host, path) not in self.copied:
            return ordinary
        text = self.original(self.copied[host, path])
        ways: tuple[Callable[[], str], ...] = (
            lambda: text,
            lambda: edited(text, 20, seed=number),
            lambda: ordinary[:200] + text,
            lambda: text[:480],
        )
        return ways[number % len(ways)]()

    def links(self) -> Iterator[str]:
        """Return the links of the list pages of a host."""
        for place, path in enumerate(self.paths()):
            yield path
            if place % 3 == 0:
                yield path + TRACKED
            if place % 5 == 0:
                yield path + "#comments"
        if self.is_troubled:
            yield from TROUBLES
        yield "javascript:alert(1)"
        yield "mailto:desk@news.example"
        yield "http://[broken"
        yield "/moved/0"

    def sites(self, **others: Any) -> dict[str, Any]:
        """Return the watched sites: all its hosts, in the format of ``sites.toml``."""
        sites = [
            {
                "name": f"site {host}",
                "start": [self.at(host, "/")],
                "feeds": [self.at(host, "/feed.xml")],
                "sitemaps": [self.at(host, "/sitemap.xml")],
            }
            for host in self.hosts
        ]
        return {
            "rate": 1000,
            "depth": 3,
            "seconds": 4,
            "max_bytes": MEGABYTE,
            "allow_private": True,
            "site": sites,
            **others,
        }

    def truth(self) -> set[tuple[str, str]]:
        """Return the address of each copy, and the id of its original."""
        return {(self.at(host, path), f"protected-{number}") for (host, path), number in self.copied.items()}

    def library(self, place: Path) -> Path:
        """Return a library with the protected articles."""
        with whorl.open(place) as library:
            library.add(
                {"id": f"protected-{number}", "text": self.original(number), "collection": "protected"}
                for number in range(self.protected)
            )
        return place

    @contextmanager
    def served(self) -> Iterator[Web]:
        """Serve it on a free port of every host."""
        servers: list[ThreadingHTTPServer] = []
        try:
            for host in self.hosts:
                server = _Server((host, self.port), _Handler)
                self.port = server.server_address[1]
                server.web = self
                servers.append(server)
                threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            yield self
        finally:
            for server in servers:
                server.shutdown()
                server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    web: Web

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close the connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Discard the message."""

    def do_GET(self) -> None:
        web, host = self.server.web, str(self.server.server_address[0])
        path = self.path.partition("#")[0]
        with web.lock:
            web.requests[host, path] += 1
            web.agents.add(self.headers.get("User-Agent", ""))
            web.times.setdefault(host, []).append(time.monotonic())
            if self.headers.get("Cookie"):
                web.cookies.append(self.headers["Cookie"])
        with suppress(OSError):
            self._answer(web, host, path)

    def _answer(self, web: Web, host: str, path: str) -> None:
        plain, _, number = path.rpartition("/")
        special = {
            "/robots.txt": self._robots,
            "/huge": lambda: self._much(100 * MEGABYTE, declared=True),
            "/huge-unsaid": lambda: self._much(100 * MEGABYTE, declared=False),
            "/bomb": self._bomb,
            "/endless": self._endless,
            "/broken": lambda: self._send(500, b"broken"),
            "/cut": self._cut,
            "/missing": lambda: self._send(404, b"missing"),
            "/loop/a": lambda: self._move("/loop/b"),
            "/loop/b": lambda: self._move("/loop/a"),
            "/to-file": lambda: self._move("file:///etc/passwd"),
            "/to-outside": lambda: self._move(f"http://127.0.0.99:{web.port}/"),
            "/to-nowhere": lambda: self._move("http://[::1"),
            "/headers.html": lambda: self._page("headers", article(79, 300), {f"X-{n}": "a" * 900 for n in range(320)}),
            "/picture.png": lambda: self._send(200, b"\x89PNG\r\n\x1a\n" + bytes(200), "image/png"),
            "/empty.html": lambda: self._send(200, b"<html><body></body></html>"),
            "/slow.html": lambda: (time.sleep(web.slow), self._page("slow", article(77, 300))),
            "/fragment.html": lambda: self._page("fragment", article(78, 300)),
            "/private/secret.html": lambda: self._page("secret", web.original(0)),
            "/feed.xml": lambda: self._feed(web),
            "/sitemap.xml": self._sitemaps,
            "/sitemap-1.xml.gz": lambda: self._sitemap(web),
            "/": lambda: self._list(web),
        }
        if path in special:
            special[path]()
        elif plain == "/chain":
            self._move(f"/chain/{int(number) + 1}")
        elif plain == "/moved":
            self._move(f"/a/{number}.html")
        elif path in web.paths():
            self._article(web, host, path)
        else:
            self._send(404, b"not here")

    def _article(self, web: Web, host: str, path: str) -> None:
        text = web.text(host, path)
        if not text:
            self._send(410, b"gone")
            return
        tag = f'"{zlib.crc32(text.encode()):x}"'
        if self.headers.get("If-None-Match") == tag:
            with web.lock:
                web.unchanged[host, path] += 1
            self._send(304, b"")
            return
        number = int(path.removeprefix("/a/").removesuffix(".html"))
        self._page(f"第{number}篇", text, {"ETag": tag, "Set-Cookie": "reader=1"}, gbk=number % 7 == 0)

    def _page(self, title: str, text: str, headers: dict[str, str] | None = None, *, gbk: bool = False) -> None:
        charset = "gbk" if gbk else "utf-8"
        paragraphs = "".join(f"<p>{escape(text[at : at + 100])}</p>" for at in range(0, len(text), 100))
        page = (
            f'<!doctype html><html><head><meta charset="{charset}"><title>{escape(title)}</title>'
            '<script>document.location = "/from-script"</script></head><body><nav><a href="/">首页</a></nav>'
            f"<article><h1>{escape(title)}</h1>{paragraphs}</article></body></html>"
        )
        self._send(200, page.encode(charset, "xmlcharrefreplace"), f"text/html; charset={charset}", headers)

    def _list(self, web: Web) -> None:
        links = "".join(f'<li><a href="{escape(link)}">更多</a></li>' for link in web.links())
        self._send(200, f"<html><body><ul>{links}</ul></body></html>".encode())

    def _feed(self, web: Web) -> None:
        items = "".join(f"<item><link>{web.at('127.0.0.1', path)}</link></item>" for path in web.paths()[:5])
        self._send(200, f"<rss><channel>{items}</channel></rss>".encode(), "application/rss+xml")

    def _sitemaps(self) -> None:
        self._send(200, b"<sitemapindex><sitemap><loc>/sitemap-1.xml.gz</loc></sitemap></sitemapindex>", "text/xml")

    def _sitemap(self, web: Web) -> None:
        host = str(self.server.server_address[0])
        urls = "".join(f"<url><loc>{web.at(host, path)}</loc></url>" for path in web.paths())
        self._send(200, gzip.compress(f"<urlset>{urls}</urlset>".encode()), "application/gzip")

    def _robots(self) -> None:
        rules = b"User-agent: *\nDisallow: /private/\n"
        self._send(200, rules + b"# idle\n" * (10 * MEGABYTE // 7), "text/plain")

    def _send(self, status: int, body: bytes, kind: str = "text/html", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _move(self, to: str) -> None:
        self._send(302, b"", headers={"Location": to})

    def _cut(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"<html>")
        self.close_connection = True

    def _much(self, size: int, *, declared: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(size)) if declared else self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for _ in range(size // MEGABYTE):
            self.wfile.write(b"a" * MEGABYTE)

    def _bomb(self) -> None:
        self._send(200, bomb(), headers={"Content-Encoding": "gzip"})

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        end = time.monotonic() + 120
        while time.monotonic() < end:
            self.wfile.write(b"<p>more</p>")
            self.wfile.flush()
            time.sleep(0.1)


__all__ = ["HOSTS", "TROUBLES", "Web"]

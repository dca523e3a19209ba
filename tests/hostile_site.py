"""A site on loopback that answers with whatever harms who reads it: one address for each harm."""

from __future__ import annotations

import gzip
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

MEBIBYTE = 2**20
_HTML = "text/html; charset=utf-8"

Write = Callable[[bytes], object]


def answer(
    body: bytes, kind: str = _HTML, *, status: str = "200 OK", length: str | None = None, headers: bytes = b""
) -> bytes:
    """The bytes of an answer, whose length may be a lie."""
    stated_length = str(len(body)) if length is None else length
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {stated_length}\r\nConnection: close\r\n"
    return head.encode("utf-8", "surrogateescape") + headers + b"\r\n" + body


def page(inside: bytes = b"") -> bytes:
    """A page with something in it."""
    return b"<html><body><p>text</p>" + inside + b"</body></html>"


def attributes(count: int, form: bytes = b"a%d=1 ") -> bytes:
    """A tag of so many attributes."""
    return page(b"<a " + b"".join(form % number for number in range(count)) + b">x</a>")


HEADERS = {
    "/headers/large": answer(page(), headers=b"".join(b"X-%d: %s\r\n" % (n, b"a" * 1000) for n in range(300))),
    "/headers/many": answer(page(), headers=b"".join(b"X-%d: a\r\n" % n for n in range(20_000))),
    "/headers/one": answer(page(), headers=b"X: " + b"a" * MEBIBYTE + b"\r\n"),
    "/headers/no-colon": answer(page(), headers=b"no colon here\r\n\x00\xff\r\n"),
    "/headers/etag": answer(page(), headers=b"ETag: " + b"\xff" * 50_000 + b"\r\n"),
    "/headers/no-status": b"200\r\n\r\n" + page(),
    "/headers/none": page(),
    "/headers/empty": b"",
}
MOVES = {
    f"/moves/{name}": answer(b"", status="302 Found", headers=b"Location: " + to + b"\r\n")
    for name, to in {
        "no-address": b"http://[::1",
        "bytes": b"\xff\xfe\x00",
        "itself": b"/moves/itself",
        "script": b"javascript:alert(1)",
        "long": b"/" + b"a" * 60_000,
        "port": b"http://127.0.0.1:99999/",
        "file": b"file:///etc/passwd",
    }.items()
}
TAGS = {
    "/tags/attributes": answer(attributes(100_000)),
    "/tags/quoted": answer(attributes(100_000, b"a%d='>' ")),
    "/tags/unspaced": answer(attributes(100_000, b'a%d="1"')),
    "/tags/nested": answer(page(b"<div>" * 100_000)),
    "/tags/formatted": answer(page(b"<b><i>" * 20_000)),
    "/tags/comment": answer(page(b"<!-- " * 100_000)),
    "/tags/base": answer(page(b'<base href="http://[::1"><a href="/x">x</a>')),
    "/tags/links": answer(page(b"".join(b'<a href="/made/%d">x</a>' % number for number in range(60_000)))),
    "/tags/entities": answer(page(b"&" * 300_000 + b"&#99999999999999999999;")),
}
CHARSETS = {
    f"/charsets/{number}": answer(page("渔港".encode() * 50), f"text/html; charset={charset}")
    for number, charset in enumerate(
        ("nonexistent", "utf-16", "utf-7", "idna", "punycode", "hex", "zlib", "unicode_escape", "\udcff", "a" * 9000)
    )
}
_ENTITIES = b'<!DOCTYPE r [<!ENTITY a0 "x">' + b"".join(
    b'<!ENTITY a%d "%s">' % (number + 1, b"&a%d;" % number * 10) for number in range(12)
)
FEEDS = {
    "/feeds/entities": answer(_ENTITIES + b"]><rss><item><link>/&a12;</link></item></rss>", "application/rss+xml"),
    "/feeds/outside": answer(
        b'<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><item><link>/&f;</link></item></rss>', "text/xml"
    ),
    "/feeds/brackets": answer(b'{"items": ' + b"[" * 200_000, "application/feed+json"),
    "/feeds/deep": answer(b"<item>" * 200_000, "application/rss+xml"),
    "/feeds/attributes": answer(attributes(100_000, b'a%d="1" ').replace(b"<a ", b"<item ", 1), "text/xml"),
    "/feeds/bomb": answer(gzip.compress(bytes(100 * MEBIBYTE)), "application/gzip"),
}
MAPS = {
    "/maps/itself": answer(b"<sitemapindex><sitemap><loc>/maps/itself</loc></sitemap></sitemapindex>", "text/xml"),
    "/maps/bomb": answer(gzip.compress(bytes(100 * MEBIBYTE)), "application/gzip"),
    "/maps/cut": answer(gzip.compress(b"<urlset><url><loc>/x</loc></url></urlset>")[:-9], "application/gzip"),
    "/maps/lines": answer(b"http://[::1\n" * 50_000, "text/plain"),
}
LENGTHS = {
    "/lengths/short": answer(page(), length="5"),
    "/lengths/long": answer(page(), length="100000"),
    "/lengths/negative": answer(page(), length="-1"),
    "/lengths/word": answer(page(), length="many"),
    "/lengths/huge": answer(page(), length="9" * 40),
    "/lengths/two": answer(page(), headers=b"Content-Length: 7\r\n"),
    "/lengths/chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + page(),
    "/lengths/no-gzip": answer(page(), headers=b"Content-Encoding: gzip\r\n"),
    "/lengths/bomb": answer(gzip.compress(bytes(100 * MEBIBYTE)), headers=b"Content-Encoding: gzip\r\n"),
}


def _slowly(write: Write) -> None:
    write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    for _ in range(200):
        write(b"<p>")
        time.sleep(0.1)


def _without_end(write: Write) -> None:
    write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(2000):
        write(b"4000\r\n" + b"a" * 0x4000 + b"\r\n")


def _headers_without_end(write: Write) -> None:
    write(b"HTTP/1.1 200 OK\r\n")
    for _ in range(200):
        write(b"X: a\r\n")
        time.sleep(0.1)


SLOW: dict[str, Callable[[Write], None]] = {
    "/slow/body": _slowly,
    "/slow/endless": _without_end,
    "/slow/headers": _headers_without_end,
}
PAGES = {**HEADERS, **MOVES, **TAGS, **CHARSETS, **LENGTHS}
HARMS = (*PAGES, *FEEDS, *MAPS, *SLOW)
"""The address of each harm."""


@dataclass
class HostileSite:
    """The site.

    Attributes:
        host: its address.
        robots: its robots.txt.
        requests: how often each path was asked for.
    """

    host: str
    robots: bytes = b""
    port: int = 0
    requests: Counter[str] = field(default_factory=Counter)

    def site(self) -> dict[str, object]:
        """How it is watched: every harm as what it is meant for."""
        at = f"http://{self.host}:{self.port}"
        return {
            "name": "hostile",
            "start": [f"{at}/"],
            "feeds": [at + path for path in FEEDS],
            "sitemaps": [at + path for path in MAPS],
            "max_pages": 120,
            "seconds": 3,
        }

    @contextmanager
    def served(self) -> Iterator[HostileSite]:
        """Serve it on a free port."""
        server = _Server((self.host, self.port), _Handler)
        server.site, self.port = self, server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    site: HostileSite

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no error here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.server.site.requests[path] += 1
        with suppress(OSError):
            if path in SLOW:
                SLOW[path](self.wfile.write)
            else:
                self.wfile.write(self._bytes(path))
        self.close_connection = True

    def _bytes(self, path: str) -> bytes:
        if path == "/":
            return answer(page(b"".join(b'<a href="%s">x</a>' % link.encode() for link in (*PAGES, *SLOW))))
        if path == "/robots.txt":
            return answer(self.server.site.robots, "text/plain")
        return {**PAGES, **FEEDS, **MAPS}.get(path) or answer(page(), status="404 Not Found")


__all__ = ["FEEDS", "HARMS", "MAPS", "PAGES", "SLOW", "HostileSite"]

"""Loopback sites whose pages appear, change, disappear and return by day."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import format_datetime
from html import escape
from zlib import crc32

from tests.scenarios.clock import noon

FORBIDDEN = 1
"""The status of a version that robots.txt forbids."""


@dataclass(frozen=True)
class Version:
    """A page from some day on.

    Attributes:
        text: the article; empty for a status other than 200.
        head: elements of its head.
        foot: text below the article.
        status: HTTP status.
        to: target of a redirect.
        stated: stated time of publication, if it is another than that of the page.
    """

    text: str = ""
    head: str = ""
    foot: str = ""
    status: int = 200
    to: str = ""
    stated: str = ""

    def body(self, title: str) -> bytes:
        """Return the HTML of the page."""
        if self.status != 200:
            return b"error"
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in self.text.splitlines())
        return (
            f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)}</title>{self.head}</head><body>'
            f'<nav><a href="/">首页</a></nav><article><h1>{escape(title)}</h1>{paragraphs}</article>'
            f"{self.foot}</body></html>"
        ).encode()


@dataclass(frozen=True)
class Page:
    """A page of a site.

    Attributes:
        host: its host.
        path: its path.
        title: its title.
        versions: its versions by the day from which they apply.
        validator: how unchanged pages are recognized: "etag", "modified" or "none".
        is_linked: whether the list of the site links to it.
    """

    host: str
    path: str
    title: str
    versions: dict[int, Version]
    validator: str = "etag"
    is_linked: bool = True

    def on(self, day: int) -> Version | None:
        """Return the version of a day; None if it has not appeared."""
        days = [start for start in self.versions if start <= day]
        return self.versions[max(days)] if days else None

    def since(self, day: int) -> int:
        """Return the day from which the version of a day applies."""
        return max(start for start in self.versions if start <= day)


@dataclass
class Web:
    """The pages of all sites on a day.

    Attributes:
        pages: the pages, by host and path.
        day: the day.
        port: the port of all hosts.
        requests: number of responses by day, host, path and status.
    """

    pages: dict[tuple[str, str], Page] = field(default_factory=dict)
    day: int = 0
    port: int = 0
    requests: Counter[tuple[int, str, str, int]] = field(default_factory=Counter)

    def url(self, page: Page) -> str:
        return self.at(page.host, page.path)

    def at(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    @contextmanager
    def served(self, hosts: list[str]) -> Iterator[Web]:
        """Serve it on the same free port of some hosts."""
        loop = asyncio.new_event_loop()
        first = loop.run_until_complete(asyncio.start_server(self._answer, hosts[0], 0))
        self.port = first.sockets[0].getsockname()[1]
        others = loop.run_until_complete(asyncio.start_server(self._answer, hosts[1:], self.port))
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            first.close()
            others.close()
            loop.run_until_complete(_cancelled(loop))
            loop.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            host = str(writer.get_extra_info("sockname")[0])
            path = head.split(" ", 2)[1]
            headers = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
            status, body, more = self._response(host, path, headers)
            self.requests[self.day, host, path, status] += 1
            lines = [f"HTTP/1.1 {status} -", f"Content-Length: {len(body)}", "Connection: close"]
            lines += [f"{name}: {value}" for name, value in more.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    def _response(self, host: str, path: str, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        html = {"Content-Type": "text/html; charset=utf-8"}
        if path == "/robots.txt":
            return 200, self._robots(host).encode(), {"Content-Type": "text/plain"}
        if path.endswith("/"):
            return 200, self._list(host, path).encode(), html
        page = self.pages.get((host, path))
        version = page.on(self.day) if page is not None else None
        if page is None or version is None:
            return 404, b"", html
        if version.to:
            return version.status, b"", {"Location": version.to}
        body = version.body(page.title)
        validators = _validators(page, body, self.day)
        if version.status == 200 and any(headers.get(_CONDITIONS[name]) == value.lower() for name, value in validators):
            return 304, b"", dict(validators)
        return version.status, body, html | dict(validators if version.status == 200 else ())

    def _robots(self, host: str) -> str:
        pages = [(page, page.on(self.day)) for page in self.pages.values() if page.host == host]
        paths = [page.path for page, version in pages if version is not None and version.status == FORBIDDEN]
        return "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in paths or ["/private/"])

    def _list(self, host: str, folder: str) -> str:
        pages = [
            page
            for page in self.pages.values()
            if page.host == host and page.path.startswith(folder) and page.is_linked
        ]
        links = "".join(f'<li><a href="{page.path}">更多</a></li>' for page in pages if page.on(self.day) is not None)
        return f"<html><body><ul>{links}</ul></body></html>"


async def _cancelled(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel open connections, such as those of killed crawlers."""
    pending = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)


_CONDITIONS = {"ETag": "if-none-match", "Last-Modified": "if-modified-since"}


def _validators(page: Page, body: bytes, day: int) -> list[tuple[str, str]]:
    if page.validator == "etag":
        return [("ETag", f'"{crc32(body):x}"')]
    if page.validator == "modified":
        return [("Last-Modified", format_datetime(noon(page.since(day)), usegmt=True))]
    return []


__all__ = ["FORBIDDEN", "Page", "Version", "Web"]

"""robots.txt according to RFC 9309: forbidden pages are skipped, and without the file nothing is fetched."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK

from whorl.monitor.crawl.pace import slow_down
from whorl.monitor.settings.sites import AGENT

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MOST_BYTES = 512 * 1024
"""Maximum size of robots.txt; RFC 9309 permits ignoring the rest from 500 KiB on."""

_ROBOTS = "robots"


class RobotsForbiddenError(IgnoreRequest):
    """robots.txt forbids the page."""


class UnknownRulesError(IgnoreRequest):
    """The server does not return its robots.txt."""


class UnreachableError(IgnoreRequest):
    """The server is unreachable, including its robots.txt."""


class Robots:
    """Downloader middleware that fetches the robots.txt of a host before its first page."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rules: dict[str, asyncio.Task[Protego | None]] = {}
        self._received: dict[Any, int] = {}
        crawler.signals.connect(self._bound, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware for Scrapy."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Check a request against robots.txt.

        Raises:
            RobotsForbiddenError: robots.txt forbids it.
            UnknownRulesError: the server does not return its robots.txt.
            UnreachableError: the server is unreachable.
        """
        if request.meta.get(_ROBOTS):
            return
        parts = urlsplit(request.url)
        place = f"{parts.scheme}://{parts.netloc}"
        if place not in self._rules:
            self._rules[place] = asyncio.ensure_future(self._fetched(place))
        rules = await self._rules[place]
        if rules is None:
            raise UnknownRulesError
        if not rules.can_fetch(request.url, AGENT):
            raise RobotsForbiddenError

    async def _fetched(self, place: str) -> Protego | None:
        """Fetch the rules of a host; None if the server does not return them.

        Raises:
            UnreachableError: the server is unreachable.
        """
        request = Request(
            f"{place}/robots.txt",
            headers={"Accept-Encoding": "identity"},
            meta={_ROBOTS: True},
            callback=NO_CALLBACK,
            dont_filter=True,
        )
        try:
            response = await self._crawler.engine.download_async(request)
        except DownloadCancelledError:
            return None
        except Exception as error:  # any failure leaves the rules unknown
            raise UnreachableError from error
        finally:
            self._received.clear()
        if 400 <= response.status < 500:
            return Protego.parse("")
        if response.status != 200:
            return None
        rules = Protego.parse(response.body[:MOST_BYTES].decode("utf-8-sig", "replace"))
        slow_down(self._crawler, urlsplit(place).hostname or "", rules.crawl_delay(AGENT))
        return rules

    def _bound(self, data: bytes, request: Request) -> None:
        """Stop the download at the size limit."""
        if request.meta.get(_ROBOTS):
            received = self._received[request] = self._received.get(request, 0) + len(data)
            if received > MOST_BYTES:
                raise StopDownload(fail=False)


__all__ = ["Robots", "RobotsForbiddenError", "UnknownRulesError", "UnreachableError"]

"""robots.txt, by RFC 9309: what it forbids is not asked for, and where it cannot be had nothing is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK

from whorl.monitor.crawl.pace import slow_down
from whorl.monitor.sites import AGENT

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MOST_BYTES = 512 * 1024
"""Of robots.txt; what comes after is not read, as RFC 9309 allows from 500 KiB on."""

_OWN = "robots"


class ForbiddenError(IgnoreRequest):
    """robots.txt forbids the page."""


class UnknownRulesError(IgnoreRequest):
    """The server does not give its robots.txt."""


class UnreachableError(IgnoreRequest):
    """The server does not answer, not even with its robots.txt."""


class Robots:
    """A middleware that asks for the robots.txt of a host before its first page."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rules: dict[str, asyncio.Task[Protego | None]] = {}
        self._received: dict[Any, int] = {}
        crawler.signals.connect(self._bound, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it, as Scrapy asks."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Let a request pass, or not.

        Raises:
            ForbiddenError: robots.txt forbids it.
            UnknownRulesError: the server does not say what it forbids.
            UnreachableError: it does not answer.
        """
        if request.meta.get(_OWN):
            return
        parts = urlsplit(request.url)
        place = f"{parts.scheme}://{parts.netloc}"
        if place not in self._rules:
            self._rules[place] = asyncio.ensure_future(self._fetched(place))
        rules = await self._rules[place]
        if rules is None:
            raise UnknownRulesError
        if not rules.can_fetch(request.url, AGENT):
            raise ForbiddenError

    async def _fetched(self, place: str) -> Protego | None:
        """The rules of a host; None where it does not say whether there are any.

        Raises:
            UnreachableError: it does not answer.
        """
        request = Request(
            f"{place}/robots.txt",
            headers={"Accept-Encoding": "identity"},
            meta={_OWN: True},
            callback=NO_CALLBACK,
            dont_filter=True,
        )
        try:
            response = await self._crawler.engine.download_async(request)
        except DownloadCancelledError:
            return None
        except Exception as error:  # whatever keeps it from being read, the host did not say
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
        """Read no more than is looked at."""
        if request.meta.get(_OWN):
            received = self._received[request] = self._received.get(request, 0) + len(data)
            if received > MOST_BYTES:
                raise StopDownload(fail=False)


__all__ = ["ForbiddenError", "Robots", "UnknownRulesError", "UnreachableError"]

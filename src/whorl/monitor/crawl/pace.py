"""How fast a host is asked: never above its rate, slower where it answers slowly, and slower still where it says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.extensions.throttle import AutoThrottle

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

LONGEST = 60.0
"""Seconds between two requests, however slowly a host answers or whatever it demands."""

_AT_ONCE = 8
_BUSY = (429, 503)


def set_rate(crawler: Crawler, url: str, rate: float) -> None:
    """Let the host of an address get so many requests a second at most."""
    slots = crawler.engine.downloader.per_slot_settings
    host = urlsplit(url).hostname or ""
    slots.setdefault(host, {"delay": 1 / rate, "concurrency": _AT_ONCE, "jitter": 0.0, "least": 1 / rate})


def slow_down(crawler: Crawler, host: str, seconds: float | None) -> None:
    """Leave so many seconds at least between two requests of a host, as its robots.txt asks."""
    settings = crawler.engine.downloader.per_slot_settings.get(host)
    if seconds and settings is not None:
        settings["least"] = settings["delay"] = min(max(settings["least"], seconds), LONGEST)
        slot = crawler.engine.downloader.slots.get(host)
        if slot is not None:
            slot.delay = max(slot.delay, settings["least"])


class Pace(AutoThrottle):
    """Scrapy's throttle, which besides keeps to the rate of each host, and backs off from those that are busy."""

    def _adjust_delay(self, slot: Any, latency: float, response: Response) -> None:
        super()._adjust_delay(slot, latency, response)
        if response.status in _BUSY:
            asked = (response.headers.get(b"Retry-After") or b"").decode("latin-1")
            wait = float(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 1.0
            slot.delay = min(max(2 * slot.delay, wait), LONGEST)

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        super()._response_downloaded(response, request, spider)
        key, slot = self._get_slot(request, spider)
        settings = self.crawler.engine.downloader.per_slot_settings.get(key or "")
        if slot is not None and settings is not None:
            slot.delay = max(slot.delay, settings["least"])


__all__ = ["LONGEST", "Pace", "set_rate", "slow_down"]

"""Request rate per host: at most its configured rate, reduced for slow or busy hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.extensions.throttle import AutoThrottle

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

LONGEST = 60.0
"""Maximum delay between two requests in seconds, regardless of what a host demands."""

_AT_ONCE = 8
_BUSY = (429, 503)


def set_rate(crawler: Crawler, url: str, rate: float) -> None:
    """Set the maximum rate of the host of an address in requests per second."""
    slots = crawler.engine.downloader.per_slot_settings
    host = urlsplit(url).hostname or ""
    slots.setdefault(host, {"delay": 1 / rate, "concurrency": _AT_ONCE, "jitter": 0.0, "least": 1 / rate})


def slow_down(crawler: Crawler, host: str, seconds: float | None) -> None:
    """Apply a minimum delay between two requests of a host, as in its robots.txt."""
    settings = crawler.engine.downloader.per_slot_settings.get(host)
    if seconds and settings is not None:
        settings["least"] = settings["delay"] = min(max(settings["least"], seconds), LONGEST)
        slot = crawler.engine.downloader.slots.get(host)
        if slot is not None:
            slot.delay = max(slot.delay, settings["least"])


class Pace(AutoThrottle):
    """Scrapy's AutoThrottle, extended by a limit per host and a back-off for busy hosts."""

    def _adjust_delay(self, slot: Any, latency: float, response: Response) -> None:
        super()._adjust_delay(slot, latency, response)
        if response.status in _BUSY:
            demanded = (response.headers.get(b"Retry-After") or b"").decode("latin-1")
            wait = float(demanded) if demanded.isascii() and demanded.isdigit() and len(demanded) < 6 else 1.0
            slot.delay = min(max(2 * slot.delay, wait), LONGEST)

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        super()._response_downloaded(response, request, spider)
        key, slot = self._get_slot(request, spider)
        settings = self.crawler.engine.downloader.per_slot_settings.get(key or "")
        if slot is not None and settings is not None:
            slot.delay = max(slot.delay, settings["least"])


__all__ = ["LONGEST", "Pace", "set_rate", "slow_down"]

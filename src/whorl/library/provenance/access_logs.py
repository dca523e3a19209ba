"""Access logs of web servers: when an address was first served to a crawler.

The combined format of Apache and nginx is read, with or without the virtual host before it. A line says that the server
answered, not what it answered with; that the article was at its address then follows only if the address was new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import NamedTuple
from urllib.parse import urlsplit

CRAWLERS = (
    *("Googlebot", "bingbot", "Baiduspider", "Sogou web spider", "Sogou News Spider", "360Spider", "HaosouSpider"),
    *("YisouSpider", "Bytespider", "PetalBot", "YandexBot", "DuckDuckBot", "Applebot", "Yahoo! Slurp", "SeznamBot"),
    *("Yeti", "coccocbot", "archive.org_bot", "ia_archiver", "CCBot", "GPTBot", "OAI-SearchBot", "ClaudeBot"),
    *("facebookexternalhit", "Twitterbot", "ToutiaoSpider", "JikeSpider", "YoudaoBot", "MojeekBot", "AhrefsBot"),
)
"""Names of crawlers as they occur in their user agents."""

_SERVED = (200, 203, 206, 304)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_LINE = re.compile(rf"(?P<before>[^\[]*)\[(?P<at>[^\]]+)\] {_QUOTED} (\d{{3}}) (?:\d+|-)(?: {_QUOTED} {_QUOTED})?")
_AT = re.compile(r"(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)")
_HOST = re.compile(r"([A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9.-]*)(?::\d+)?")
_FIELDS = 3


class LogLine(NamedTuple):
    """A request in an access log.

    Attributes:
        at: time of the request, with the zone of the server.
        host: virtual host, if the line names it or the request has an absolute address; else empty.
        path: requested path with its query.
        status: HTTP status of the response.
        method: HTTP method.
        agent: user agent; empty in the common format.
    """

    at: datetime
    host: str
    path: str
    status: int
    method: str
    agent: str

    @property
    def is_served(self) -> bool:
        """True if a page was delivered, or the crawler was told that the one it has is current."""
        return self.method in ("GET", "HEAD") and self.status in _SERVED


def read_line(line: str) -> LogLine | None:
    """Parse a line of a log; return None if it has another format.

    >>> line = '192.0.2.1 - - [05/Mar/2026:08:00:00 +0800] "GET /n/1 HTTP/1.1" 200 51 "-" "Baiduspider/2.0"'
    >>> request = read_line(line)
    >>> request.at.isoformat(), request.path, request.agent
    ('2026-03-05T08:00:00+08:00', '/n/1', 'Baiduspider/2.0')
    """
    match = _LINE.match(line)
    if match is None:
        return None
    before, stated, request, status, _, agent = match.groups()
    at, parts = _time(stated), request.split(" ")
    if at is None or len(parts) not in (2, 3) or len(before.split()) < _FIELDS:
        return None
    host, target = _virtual_host(before), parts[1]
    if "://" in target:
        host, target = _split(target)
    if not target.startswith("/"):
        return None
    return LogLine(at, host, target, int(status), parts[0], agent or "")


def crawler_of(agent: str, crawlers: Iterable[str] = CRAWLERS) -> str:
    """Return the first of the names that a user agent contains, ignoring case; empty if none is there."""
    folded = agent.casefold()
    return next((name for name in crawlers if name.casefold() in folded), "")


def _time(stated: str) -> datetime | None:
    match = _AT.fullmatch(stated)
    if match is None or match[2] not in _MONTHS:
        return None
    day, _, year, hour, minute, second, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == "-" else 1)
    try:
        zone = timezone(offset)
        return datetime(
            int(year), _MONTHS.index(match[2]) + 1, int(day), int(hour), int(minute), int(second), tzinfo=zone
        )
    except ValueError:
        return None


def _virtual_host(before: str) -> str:
    """Return the virtual host in front of client, identity and user; empty without one."""
    fields = before.split()
    match = _HOST.fullmatch(fields[0]) if len(fields) > _FIELDS else None
    return match[1].lower() if match else ""


def _split(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
        return parts.hostname or "", f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    except ValueError:
        return "", ""


__all__ = ["CRAWLERS", "LogLine", "crawler_of", "read_line"]

"""Scope of a site: patterns of addresses."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cached_property
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say

LONGEST = 2000
"""Maximum length of an address in characters; longer ones are crawler traps."""


@frozen(slots=False)
class Scope:
    """Patterns of addresses.

    A pattern is a host (``news.example``), hosts (``*.news.example``), a host with a path (``news.example/2026/*``), or
    a path on any host (``/tag/*``); ``*`` matches anything, ``?`` only itself.

    Attributes:
        include: patterns of which an address must match one.
        exclude: patterns of which an address must match none.
    """

    include: tuple[str, ...]
    exclude: tuple[str, ...] = ()

    def has(self, url: str) -> bool:
        """Return True if an address is in the scope."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > LONGEST:
            return False
        return any(item.matches(url) for item in self._included) and not any(
            item.matches(url) for item in self._excluded
        )

    @cached_property
    def _included(self) -> tuple[_Pattern, ...]:
        return tuple(map(_Pattern.of, self.include))

    @cached_property
    def _excluded(self) -> tuple[_Pattern, ...]:
        return tuple(map(_Pattern.of, self.exclude))


@frozen
class _Pattern:
    host: re.Pattern[str] | None
    path: re.Pattern[str] | None

    @classmethod
    def of(cls, pattern: str) -> _Pattern:
        host, slash, path = pattern.partition("/")
        return cls(_glob(host.lower()) if host else None, _glob(slash + path) if slash else None)

    def matches(self, url: str) -> bool:
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        hosts = {parts.netloc.rpartition("@")[2].lower(), parts.hostname or ""}
        return (self.host is None or any(map(self.host.fullmatch, hosts))) and (
            self.path is None or self.path.fullmatch(path) is not None
        )


def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[", "[[]").replace("?", "[?]")))


def host_of(url: str) -> str:
    """Return the host of an address as a pattern of a scope.

    Raises:
        UsageError: the address is invalid.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError(
            say("{url!r} is not a web address", url=url), hint=say("write it in full: https://news.example/")
        )
    return parts.netloc.rpartition("@")[2].lower()


__all__ = ["LONGEST", "Scope", "host_of"]

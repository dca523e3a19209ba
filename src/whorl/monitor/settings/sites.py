"""Settings of a watch, read from `sites.toml`. Errors name the key and a fix."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import timedelta
from os import PathLike
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError, UsageError
from whorl.i18n import say
from whorl.monitor.settings.listed import addresses_of
from whorl.monitor.settings.scope import Scope, host_of
from whorl.monitor.settings.setting_error import SettingError
from whorl.types.times import demand_zone

AGENT = "whorl"
"""User agent token for robots.txt."""

_UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_SPAN = re.compile(r"([1-9][0-9]{0,4})([mhdw])")
_MOST_BYTES = 16 * 2**20
_WAYS = ("start", "feeds", "sitemaps", "lists", "pages")
_OF_EACH = frozenset(
    ("rate", "depth", "max_pages", "max_bytes", "seconds", "every", "revisit", "allow_private", "zone")
)
"""Keys that may also be at the top level as defaults for all sites."""


@frozen
class WatchedSite:
    """A watched site.

    Attributes:
        name: display name.
        scope: addresses of the site; default: the hosts of its addresses.
        start: pages whose links are followed and that are not articles.
        feeds: addresses of RSS and Atom feeds.
        sitemaps: addresses of sitemaps or sitemap indexes.
        lists: further pages of links, such as columns and search pages of the site.
        pages: articles: addresses, or files with addresses as text, CSV, JSON, JSON Lines or saved search results.
        depth: maximum number of links from these addresses to an article.
        rate: maximum requests per second for each of its hosts.
        max_pages: maximum number of pages per run.
        max_bytes: maximum size of a page, compressed and decompressed.
        seconds: timeout per page.
        every: interval between the runs that visit it; None for each run.
        revisit: interval after which a page is fetched again; None for never.
        allow_private: True if its hosts may have private addresses.
        zone: zone of the times that its pages state without one, such as "Asia/Shanghai"; empty if unknown.
    """

    name: str
    scope: Scope
    start: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    depth: int = 2
    rate: float = 1.0
    max_pages: int = 10_000
    max_bytes: int = 4 * 2**20
    seconds: float = 30.0
    every: timedelta | None = None
    revisit: timedelta | None = timedelta(days=7)
    allow_private: bool = False
    zone: str = ""


@frozen
class Watch:
    """Settings of a watch.

    Attributes:
        sites: watched sites.
        contact: contact address for site operators, part of the user agent.
        protected: collection of protected articles.
        watched: collection for fetched pages.
    """

    sites: tuple[WatchedSite, ...]
    contact: str = ""
    protected: str = "protected"
    watched: str = "watched"

    @property
    def agent(self) -> str:
        """User agent of the watch."""
        return f"{AGENT} (+{self.contact})" if self.contact else AGENT


def read_watch(path: str | PathLike[str]) -> Watch:
    """Read the settings from a file.

    Args:
        path: a TOML file; relative file names in it refer to its folder.

    Raises:
        InputError: the file, or a list that it names, is unreadable or malformed.
        SettingError: a key or a value is invalid; the message names file, site and key.
    """
    return watch_of(read_table(path), name=str(path), folder=Path(path).parent)


def read_table(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a TOML file without interpreting it.

    Raises:
        InputError: the file is unreadable or not TOML.
    """
    path = Path(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(
            say("{path}: {reason}", path=path, reason=str(error)),
            hint=say("see the documentation of `whorl watch`"),
        ) from error


def watch_of(data: Mapping[str, Any], *, name: str = "sites", folder: Path | None = None) -> Watch:
    """Parse the settings from a table."""
    reading = _Table(data, name)
    sites = reading.tables("site")
    watch = Watch(
        tuple(_site(_Table(site, f"{name}: site {number}"), reading, folder) for number, site in enumerate(sites, 1)),
        **{key: value for key in ("contact", "protected", "watched") if (value := reading.text(key)) is not None},
    )
    reading.demand_known({"site", "contact", "protected", "watched", *_OF_EACH})
    if not watch.sites:
        raise UsageError(say("{name} has no site", name=name), hint=say("write a table [[site]] with name and start"))
    names = [site.name for site in watch.sites]
    twice = next((item for item in names if names.count(item) > 1), None)
    if twice is not None:
        raise SettingError(
            say("{name} has two sites called {site!r}", name=name, site=twice),
            hint=say("use different names"),
            key="name",
            value=twice,
        )
    if "\n" in watch.contact or "\r" in watch.contact or not watch.contact.isascii():
        raise SettingError(
            say("{name}: contact is {value!r}", name=name, value=watch.contact),
            hint=say("use a web or e-mail address"),
            key="contact",
            value=watch.contact,
        )
    return watch


def _site(table: _Table, shared: _Table, folder: Path | None) -> WatchedSite:
    ways: dict[str, Any] = {way: tuple(_addresses(table, way, folder)) for way in _WAYS}
    named = [url for urls in ways.values() for url in urls]
    if not named:
        raise SettingError(
            say("{name} has no start address", name=table.name), hint=say("set start, feeds or pages"), key="start"
        )
    hosts = tuple(dict.fromkeys(host_of(url) for url in named))
    include, exclude = table.texts("include"), table.texts("exclude")
    limits = {key: value for key, value in _limits(shared).items() if value is not None}
    limits |= {key: value for key, value in _limits(table).items() if value is not None}
    table.demand_known({"name", "include", "exclude", *_WAYS, *_OF_EACH})
    limits |= {key: None for key in ("every", "revisit") if limits.get(key) == timedelta(0)}
    return WatchedSite(table.text("name") or hosts[0], Scope(include or hosts, exclude), **ways, **limits)


def _limits(table: _Table) -> dict[str, Any]:
    return {
        "rate": table.number("rate", 0.001, 1000.0),
        "depth": table.whole("depth", 0, 1000),
        "max_pages": table.whole("max_pages", 1, 10**8),
        "max_bytes": table.whole("max_bytes", 1, _MOST_BYTES),
        "seconds": table.number("seconds", 1.0, 600.0),
        "every": table.span("every"),
        "revisit": table.span("revisit"),
        "allow_private": table.flag("allow_private"),
        "zone": table.zone("zone"),
    }


def _addresses(table: _Table, way: str, folder: Path | None) -> Iterable[str]:
    for entry in table.texts(way):
        if "://" in entry or way != "pages":
            try:
                host_of(entry)
            except UsageError as error:
                raise table.refusal(way, entry, error.hint) from None
            yield entry
        else:
            yield from addresses_of((folder or Path()) / entry)


def span_of(text: str) -> timedelta | None:
    """Parse a duration such as ``30m``, ``12h``, ``1d`` or ``2w``; None if it is invalid."""
    parts = _SPAN.fullmatch(text)
    return None if parts is None else timedelta(seconds=int(parts[1]) * _UNITS[parts[2]])


@frozen(slots=False)
class _Table:
    """A table with typed access; errors name the location."""

    values: Mapping[str, Any]
    name: str

    def refusal(self, key: str, value: object, hint: str) -> SettingError:
        message = say("{name}: {key} is {value!r:.80}", name=self.name, key=key, value=value)
        return SettingError(message, hint=hint, key=key, value=str(value))

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise self.refusal(key, value, say("use a string in quotation marks"))
        return value

    def zone(self, key: str) -> str | None:
        value = self.text(key)
        try:
            return None if value is None else demand_zone(value)
        except UsageError as error:
            raise self.refusal(key, value, error.hint) from None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, [])
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list) or not all(isinstance(item, str) and item.strip() for item in several):
            raise self.refusal(key, value, say('use a list of strings: ["…", "…"]'))
        return tuple(several)

    def tables(self, key: str) -> list[Mapping[str, Any]]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise self.refusal(key, value, say("write each site as a table [[site]]"))
        return value

    def number(self, key: str, minimum: float, maximum: float) -> float | None:
        value = self.values.get(key)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not minimum <= value <= maximum
        ):
            raise self.refusal(key, value, say("use a number from {least:g} to {most:g}", least=minimum, most=maximum))
        return value

    def whole(self, key: str, minimum: int, maximum: int) -> int | None:
        value = self.values.get(key)
        if value is not None and (type(value) is not int or not minimum <= value <= maximum):
            raise self.refusal(
                key, value, say("use a whole number from {least} to {most}", least=minimum, most=maximum)
            )
        return value

    def flag(self, key: str) -> bool | None:
        value = self.values.get(key)
        if value is not None and type(value) is not bool:
            raise self.refusal(key, value, say("use true or false"))
        return value

    def span(self, key: str) -> timedelta | None:
        value = self.values.get(key)
        if value is None:
            return None
        span = timedelta(0) if value == "never" else span_of(value) if isinstance(value, str) else None
        if span is None:
            raise self.refusal(key, value, say('use a duration such as "12h", "1d" or "2w", or "never"'))
        return span

    def demand_known(self, keys: set[str]) -> None:
        for key in self.values:
            if key not in keys:
                raise SettingError(
                    say("unknown key {key!r} in {name}", name=self.name, key=key),
                    hint=say("choose one of: {names}", names=", ".join(sorted(keys))),
                    key=key,
                )


__all__ = ["AGENT", "Watch", "WatchedSite", "read_table", "read_watch", "span_of", "watch_of"]

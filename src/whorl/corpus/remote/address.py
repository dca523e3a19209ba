"""Parse remote addresses: kind of place, path, and the parts that are safe to display."""

from __future__ import annotations

import os
import re
from functools import cached_property
from urllib.parse import unquote, urlsplit

from whorl._internal.frozen import frozen
from whorl.errors import UsageError
from whorl.i18n import say

SCHEMES = ("s3", "gs", "hdfs", "http", "https")
"""Supported URL schemes."""

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(/*)(.*)", re.DOTALL)
_SETTINGS = re.compile(r"\?(?=[^/?]*=)(.*)", re.DOTALL)
_ROW = re.compile(r":[1-9][0-9]*\Z")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")
_DATABASES = {"postgresql", "mysql", "mongodb"}
_KNOWN_SCHEMES = ", ".join(f"{scheme}://" for scheme in SCHEMES)


@frozen(slots=False)
class RemotePlace:
    """A remote file, folder or pattern.

    Attributes:
        scheme: one of ``SCHEMES``.
        host: a bucket, or a host with its port; without a user.
        path: the path without a leading slash, as spelled at the place, without decoding.
        user: user name and password as given; may be empty.
        settings: the query, without its question mark.
    """

    scheme: str
    host: str
    path: str
    user: str = ""
    settings: str = ""

    @property
    def url(self) -> str:
        """The address without secrets, for display."""
        return f"{self.scheme}://{self.host}/{self.path}" + ("?..." if self.settings else "")

    @property
    def address(self) -> str:
        """The full address, for use only."""
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.host}/{self.path}" + (f"?{self.settings}" if self.settings else "")

    @property
    def is_web(self) -> bool:
        """True if it is on the web, where folders do not exist."""
        return self.scheme in ("http", "https")

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        values = [setting.partition("=")[2] for setting in self.settings.split("&") if self.is_web]
        written = [part for part in (*self.user.split(":"), *values) if len(part) > 3]
        return (*written, *map(unquote, written))

    def without_secrets(self, text: str) -> str:
        """Remove the secrets of the address from a text, such as an error message."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def at(self, path: str) -> RemotePlace:
        """Return another path at the same place."""
        return RemotePlace(self.scheme, self.host, path, self.user, self.settings)


def place_of(location: object) -> RemotePlace | None:
    """Return the place that an input names; None for a local path.

    Raises:
        UsageError: it looks like an address, but is unusable.
    """
    if not isinstance(location, str) or os.path.lexists(location):
        return None
    match = _ADDRESS.fullmatch(location)
    if match is None or len(match[2]) == 0:
        _refuse_windows(location)
        return None
    scheme, slashes, rest = match[1].lower(), match[2], match[3]
    if scheme not in SCHEMES:
        hint = say("use a path, or one of {known}", known=_KNOWN_SCHEMES)
        if scheme.partition("+")[0] in _DATABASES:
            hint = say("if this is a library, read its articles from what `whorl library export` writes")
        raise UsageError(say("unsupported URL scheme {scheme}:{slashes}", scheme=scheme, slashes=slashes), hint=hint)
    settings = _SETTINGS.search(rest)
    path = rest if settings is None else rest[: settings.start()]
    authority, _, path = path.partition("/")
    user, _, host = authority.rpartition("@")
    if slashes != "//" or not host:
        hint = say("write {scheme}://{example}/...", scheme=scheme, example="host" if "h" in scheme else "bucket")
        raise UsageError(say("incomplete {scheme} address", scheme=scheme), hint=hint)
    place = RemotePlace(scheme, host, path, user, "" if settings is None else settings[1])
    _demand_port(place)
    return place


def _refuse_windows(path: str) -> None:
    if os.name != "nt" and _WINDOWS.match(path):
        hint = say("use the path on this machine, such as /mnt/c/...")
        raise UsageError(say("{path} is a Windows path", path=path), hint=hint)


def _demand_port(place: RemotePlace) -> None:
    try:
        urlsplit(f"//{place.host}").port  # noqa: B018 - it is read to see whether it can be
    except ValueError:
        raise UsageError(say("{url} has no valid port", url=place.url), hint=say("check the address")) from None


def redacted(location: str) -> str:
    """Return an input without secrets, for display; it may be followed by a row."""
    place = None if os.path.lexists(location) else place_of(location)
    if place is None:
        return location
    row = _ROW.search(place.settings)
    return place.url + (row[0] if row is not None else "")


__all__ = ["SCHEMES", "RemotePlace", "place_of", "redacted"]

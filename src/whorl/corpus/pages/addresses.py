"""Canonical addresses of pages, independent of how they were linked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from whorl.corpus.pages.trackers import is_tracker

MOST_CHARACTERS = 4096

_PORTS = {"http": 80, "https": 443}
_LINE_ENDS = re.compile(r"[\t\n\r]")
_BLANKS = "".join(map(chr, range(0x21)))
_UNSAFE = re.compile(r"[^!-~]")
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HOST = re.compile(r"[a-z0-9_.-]*[a-z0-9]|[0-9a-f:.]*:[0-9a-f:.]*")
_SESSION = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_JOINTS = re.compile(r"&(?:amp;)*")
_HOME = re.compile(r"/*(?:(?:index|default|home|main)(?:\.[a-z]{3,5})?)?/*", re.IGNORECASE)
_ROUTES = ("!", "/")
_NUMBER = re.compile(r"[0-9]{2}")
_LONG_NAME = re.compile(r"(?:-[^-/]+){3}")

_WECHAT = "mp.weixin.qq.com"
_WECHAT_KEYS = ("__biz", "mid", "idx", "sn")


def canonical_url(url: str) -> str:
    """Return the canonical address of a page, without parts that links add to it.

    Scheme and host are in lower case. Dropped are the default port, a name and password, a session, the fragment
    (except ``#/`` and ``#!``, which name a page), and tracking parameters: ``utm_source``, ``spm``, ``from``,
    ``scene``, ``fbclid``, ``share_token`` and more. A WeChat article is identified by its ``__biz``, ``mid``, ``idx``
    and ``sn``. All other parameters are kept in their order, which may be significant; ``http`` and ``https`` are
    different addresses.

    Returns:
        The address; a string that is not a web address is only stripped of surrounding blanks.
    """
    stripped = _stripped(url)
    parts = _web(stripped)
    if parts is None:
        return stripped
    host = parts.netloc
    path = _SESSION.sub("", _escaped(parts.path)) or "/"
    query = _JOINTS.sub("&", _escaped(parts.query))
    fragment = _escaped(parts.fragment) if parts.fragment.startswith(_ROUTES) else ""
    fields = [field for field in query.split("&") if field]
    if host == _WECHAT and (article := _article_of_wechat(path, fields)):
        return article
    query = "&".join(field for field in fields if not is_tracker(field.partition("=")[0], host))
    return urlunsplit((parts.scheme, host, path, query, fragment))


def absolute(url: str, base: str) -> str | None:
    """Return the canonical address of a link on the page at ``base``; None if it is not a web address."""
    try:
        joined = urljoin(base, _stripped(url))
    except ValueError:
        return None
    return canonical_url(joined) if len(joined) <= MOST_CHARACTERS and _web(joined) is not None else None


def plausible_canonical(stated: Iterable[str | None], url: str) -> str | None:
    """Return the first stated address that may be the page's canonical one; ``url`` is its location, or "".

    The address of a whole site is rejected, unless the page is there, and so is the script that makes all pages of a
    site (``/news.php`` for ``/news.php?id=1``). An address on another site is accepted: it is the article that the page
    reprints.
    """
    location = canonical_url(url)
    for address in stated:
        candidate = absolute(address, url) if address else None
        if candidate is not None and (
            candidate == location or not (_is_home(candidate) or _is_script(candidate, location))
        ):
            return candidate
    return None


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return not parts.query and not parts.fragment and _HOME.fullmatch(parts.path) is not None


def _is_script(candidate: str, location: str) -> bool:
    """True if an address is the page's own one without the parameters that identify it."""
    less, more = urlsplit(candidate), urlsplit(location)
    name = less.path.rpartition("/")[2]
    is_named = _NUMBER.search(name) or _LONG_NAME.search(name)
    return bool(
        more.query and not less.query and not is_named and less.netloc == more.netloc and less.path == more.path
    )


def _stripped(url: str) -> str:
    """Return an address as browsers read it: without line ends and surrounding blanks."""
    return _LINE_ENDS.sub("", url).strip(_BLANKS)


def _web(url: str) -> SplitResult | None:
    """Split a web address, with its host as servers know it; None for any other."""
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").rstrip("."), parts.port
        name = name if name.isascii() else name.encode("idna").decode("ascii").lower()
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not _HOST.fullmatch(name):
        return None
    name = f"[{name}]" if ":" in name else name
    return parts._replace(netloc=name if port in (None, _PORTS[parts.scheme]) else f"{name}:{port}")


def _article_of_wechat(path: str, fields: list[str]) -> str | None:
    """Return the address of a WeChat article; None for other WeChat pages."""
    if path.startswith("/s/") and len(path) > len("/s/"):
        return urlunsplit(("https", _WECHAT, path, "", ""))
    parameters = {
        name: value.replace("%3D", "=") for name, _, value in (field.partition("=") for field in reversed(fields))
    }
    if path not in ("/s", "/s/") or not all(parameters.get(key) for key in _WECHAT_KEYS):
        return None
    return urlunsplit(("https", _WECHAT, "/s", "&".join(f"{key}={parameters[key]}" for key in _WECHAT_KEYS), ""))


def _escaped(text: str) -> str:
    """Escape all characters that need it, and no others."""
    return _PERCENT.sub(_needed, _UNSAFE.sub(_escape, text))


def _escape(sign: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in sign[0].encode("utf-8", "surrogatepass"))


def _needed(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return "%25"
    sign = chr(int(escape[1], 16))
    return sign if sign in _UNRESERVED else escape[0].upper()


__all__ = ["MOST_CHARACTERS", "absolute", "canonical_url", "plausible_canonical"]

"""Addresses of pages: one for all the ways in which a page is linked to."""

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
    """Return the one address of a page, whatever was added to it where it was linked.

    Scheme and host are in lower case. The default port, a name and password, a session and what follows ``#`` are
    dropped (but for ``#/`` and ``#!``, which name a page), and so are parameters that tell whence a reader came:
    ``utm_source``, ``spm``, ``from``, ``scene``, ``fbclid``, ``share_token`` and more. An article of WeChat is its
    ``__biz``, ``mid``, ``idx`` and ``sn``. All other parameters stay, in their order, which may mean something;
    ``http`` and ``https`` stay apart.

    Returns:
        The address; what is no address of the web is returned without blanks around it.
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
    """The canonical address that a link on the page at ``base`` points to; None where it is none of the web."""
    try:
        joined = urljoin(base, _stripped(url))
    except ValueError:
        return None
    return canonical_url(joined) if len(joined) <= MOST_CHARACTERS and _web(joined) is not None else None


def plausible_canonical(stated: Iterable[str | None], url: str) -> str | None:
    """The first of the addresses that a page states of itself which may be its own; ``url`` is where it was, or "".

    That of a whole site is not, unless the page is there, and neither is the script that makes all pages of a site
    (``/news.php`` of ``/news.php?id=1``). One of another site is: it is that of the article which the page reprints.
    """
    own = canonical_url(url)
    for address in stated:
        found = absolute(address, url) if address else None
        if found is not None and (found == own or not (_is_home(found) or _is_script(found, own))):
            return found
    return None


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return not parts.query and not parts.fragment and _HOME.fullmatch(parts.path) is not None


def _is_script(found: str, own: str) -> bool:
    """Whether an address is the own one without the parameters that tell which page it is."""
    less, more = urlsplit(found), urlsplit(own)
    name = less.path.rpartition("/")[2]
    is_named = _NUMBER.search(name) or _LONG_NAME.search(name)
    return bool(
        more.query and not less.query and not is_named and less.netloc == more.netloc and less.path == more.path
    )


def _stripped(url: str) -> str:
    """An address as browsers take it: without line ends, and blanks around it."""
    return _LINE_ENDS.sub("", url).strip(_BLANKS)


def _web(url: str) -> SplitResult | None:
    """The parts of an address of the web, its host as servers know it; None for any other."""
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
    """The address of an article of WeChat; None for its other pages."""
    if path.startswith("/s/") and len(path) > len("/s/"):
        return urlunsplit(("https", _WECHAT, path, "", ""))
    said = {name: value.replace("%3D", "=") for name, _, value in (field.partition("=") for field in reversed(fields))}
    if path not in ("/s", "/s/") or not all(said.get(key) for key in _WECHAT_KEYS):
        return None
    return urlunsplit(("https", _WECHAT, "/s", "&".join(f"{key}={said[key]}" for key in _WECHAT_KEYS), ""))


def _escaped(text: str) -> str:
    """Text with all signs escaped that must be, and none that need not be."""
    return _PERCENT.sub(_needed, _UNSAFE.sub(_escape, text))


def _escape(sign: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in sign[0].encode("utf-8", "surrogatepass"))


def _needed(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return "%25"
    sign = chr(int(escape[1], 16))
    return sign if sign in _UNRESERVED else escape[0].upper()


__all__ = ["MOST_CHARACTERS", "absolute", "canonical_url", "plausible_canonical"]

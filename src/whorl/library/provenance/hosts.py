"""Domains, which identify sites."""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from whorl.errors import InputError
from whorl.i18n import say

_LONGEST = 253
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")


def domain_of(address: object) -> str:
    """Return the lower-case DNS domain of an address, or of a domain alone; empty if there is no domain.

    >>> domain_of("https://News.例子.CN:8080/a?b"), domain_of("news.example.org."), domain_of("a b")
    ('news.xn--fsqu00a.cn', 'news.example.org', '')
    """
    host = ""
    if not isinstance(address, str):
        return ""
    with suppress(ValueError):
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    if _is_number(host):
        return host
    with suppress(UnicodeError):
        name = host.rstrip(".").encode("idna").decode().lower()
        if len(name) <= _LONGEST and all(map(_LABEL.fullmatch, name.split("."))):
            return name
    return ""


def demand_domain(address: object) -> str:
    """Return the domain of an address.

    Raises:
        InputError: it has no domain.
    """
    domain = domain_of(address)
    if not domain:
        raise InputError(
            say("{given!r:.80} is not a domain", given=address), hint=say("use a name such as news.example.org")
        )
    return domain


def domains_above(domain: str) -> list[str]:
    """Return a domain and its parent domains, the longest first.

    >>> domains_above("news.example.org")
    ['news.example.org', 'example.org', 'org']
    """
    if _is_number(domain):
        return [domain]
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def _is_number(host: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(host))
    return False


__all__ = ["demand_domain", "domain_of", "domains_above"]

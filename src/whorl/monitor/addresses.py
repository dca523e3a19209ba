"""Filter for network addresses: public ones, and private ones that are explicitly allowed.

A page, a redirect or a setting can name a host that resolves to the internal network. Clients resolve a host once,
check the result here, and connect to one of the returned addresses: a second resolution could return another address.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from whorl.errors import InputError, UsageError
from whorl.i18n import say

_TRANSLATED = IPv6Network("64:ff9b::/96")


def demand_public(host: str, addresses: Iterable[str], allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the resolved addresses of a host if all of them are permitted.

    Args:
        host: host name, or an address literal.
        addresses: all resolved addresses.
        allowed: hosts and networks that are permitted regardless of their address: "intranet.example", "10.1.0.0/16",
            "::1".

    Raises:
        InputError: there is no address, or one of them is private, local, reserved or multicast.
        UsageError: an entry of ``allowed`` is neither a host nor a network.
    """
    names, networks = _allowed(allowed)
    resolved = tuple(dict.fromkeys(addresses))
    if not resolved:
        raise InputError(say("{host} has no address", host=host), hint=say("check the address"))
    if _name(host) in names:
        return resolved
    for address in resolved:
        try:
            meant = ip_address(address)
        except ValueError:
            raise InputError(
                say("{host} has the invalid address {address}", host=host, address=address),
                hint=say("check the address"),
            ) from None
        if not all(_is_public(end) for end in _ends(meant)) and not any(meant in network for network in networks):
            raise InputError(
                say("{host} has the address {address}, which is not public", host=host, address=address),
                hint=say("if this is intended, allow the host or its network"),
            )
    return resolved


def _allowed(entries: Sequence[str]) -> tuple[set[str], list[IPv4Network | IPv6Network]]:
    if isinstance(entries, str) or not all(entries):
        raise UsageError(
            say("expected a list of hosts or networks, got {given!r}", given=entries),
            hint=say("use a list such as 10.1.0.0/16, intranet.example"),
        )
    names, networks = set[str](), []
    for entry in entries:
        try:
            networks.append(ip_network(entry, strict=False))
        except ValueError:
            if "/" in entry:
                raise UsageError(
                    say("{network} is not a valid network", network=entry),
                    hint=say("write it as 10.1.0.0/16 or fd00::/8"),
                ) from None
            names.add(_name(entry))
    return names, networks


def _name(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _ends(address: IPv4Address | IPv6Address) -> tuple[IPv4Address | IPv6Address, ...]:
    """Return an address, or the IPv4 addresses embedded in it."""
    if isinstance(address, IPv4Address):
        return (address,)
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _TRANSLATED:
        inside.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return tuple(item for item in inside if item is not None) or (address,)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    is_of_a_site = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not address.is_multicast and not address.is_reserved and not is_of_a_site


__all__ = ["demand_public"]

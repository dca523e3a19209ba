"""Which addresses of the network may be asked: public ones, and private ones that somebody has allowed.

A page, a redirect or a setting can name a host that resolves to the inside of one's own network. Who connects resolves
a host once, asks here, and connects to an address that was returned: a second resolution may give another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from whorl.errors import InputError, UsageError
from whorl.language import say

_TRANSLATED = IPv6Network("64:ff9b::/96")


def demand_public(host: str, addresses: Iterable[str], allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the addresses that a host was resolved to, all of which may be asked.

    Args:
        host: its name, or an address that stands for itself.
        addresses: all that it was resolved to.
        allowed: hosts and networks that may be asked wherever they are: "intranet.example", "10.1.0.0/16", "::1".

    Raises:
        InputError: there are none, or one of them is private, local, reserved or for many: then none is asked.
        UsageError: something that is allowed is neither a host nor a network.
    """
    names, networks = _allowed(allowed)
    found = tuple(dict.fromkeys(addresses))
    if not found:
        raise InputError(say("{host} has no address", host=host), cure=say("check the address"))
    if _name(host) in names:
        return found
    for address in found:
        try:
            meant = ip_address(address)
        except ValueError:
            raise InputError(
                say("{host} has the address {address}, which is none", host=host, address=address),
                cure=say("check the address"),
            ) from None
        if not all(_is_public(one) for one in _ends(meant)) and not any(meant in network for network in networks):
            raise InputError(
                say("{host} has the address {address}, which is not public", host=host, address=address),
                cure=say("if it is meant, allow the host or its network"),
            )
    return found


def _allowed(given: Sequence[str]) -> tuple[set[str], list[IPv4Network | IPv6Network]]:
    if isinstance(given, str) or not all(given):
        raise UsageError(
            say("{given!r} are no hosts or networks", given=given),
            cure=say("give a list such as 10.1.0.0/16, intranet.example"),
        )
    names, networks = set[str](), []
    for one in given:
        try:
            networks.append(ip_network(one, strict=False))
        except ValueError:
            if "/" in one:
                raise UsageError(
                    say("{network} is no network", network=one), cure=say("write it as 10.1.0.0/16 or fd00::/8")
                ) from None
            names.add(_name(one))
    return names, networks


def _name(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _ends(address: IPv4Address | IPv6Address) -> tuple[IPv4Address | IPv6Address, ...]:
    """An address, or those of the older kind that it leads to."""
    if isinstance(address, IPv4Address):
        return (address,)
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _TRANSLATED:
        inside.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return tuple(one for one in inside if one is not None) or (address,)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    is_of_a_site = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not address.is_multicast and not address.is_reserved and not is_of_a_site


__all__ = ["demand_public"]

"""To which addresses of the network the process connects: those of the public network, unless a site allows more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any, Self

from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_TRANSLATED = ip_network("64:ff9b::/96")


@dataclass
class Hosts:
    """What is known of hosts.

    Attributes:
        private: those that may have any address.
        refused: those that had an address to which nothing connects.
    """

    private: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


HOSTS = Hosts()
"""Of this process, which fetches for one watch and ends with it."""


def is_public(address: str) -> bool:
    """Whether an address is one of the public network; of one that wraps another, the other decides."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else found)
    if found in _TRANSLATED:
        found = IPv4Address(int(found) & 0xFFFFFFFF)
    return found.is_global and not found.is_multicast


@implementer(IResolutionReceiver)
class _Checked:
    """Passes on the addresses that may be connected to."""

    def __init__(self, receiver: Any, host: str) -> None:
        self._receiver = receiver
        self._host = host

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - Twisted's names
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        if self._host in HOSTS.private or is_public(address.host):
            self._receiver.addressResolved(address)
        else:
            HOSTS.refused.add(self._host)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class Guard:
    """Resolves a host anew for each connection, which goes to the very address that was checked.

    Literal addresses, in whatever form, come by here too, and so do redirects and robots.txt.
    """

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._resolver = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        """Make it, as Scrapy asks."""
        del crawler
        return cls(reactor)

    def install_on_reactor(self) -> None:
        """Let every connection of this process ask it."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[Any] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        """Find the addresses of a host, and tell those that may be connected to."""
        checked = _Checked(resolutionReceiver, hostName.lower())
        found: IHostResolution = self._resolver.resolveHostName(
            checked, hostName, portNumber, addressTypes, transportSemantics
        )
        return found


__all__ = ["HOSTS", "Guard", "is_public"]

"""To which addresses of the network the process connects: those of the public network, unless a site allows more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from whorl.errors import InputError
from whorl.monitor.addresses import demand_public

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


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


@implementer(IResolutionReceiver)
class _Checked:
    """Passes on the addresses that may be connected to."""

    def __init__(self, receiver: Any, host: str) -> None:
        self._receiver = receiver
        self._host = host

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - Twisted's names
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        try:
            demand_public(self._host, [address.host.partition("%")[0]], sorted(HOSTS.private & {self._host}))
        except InputError:
            HOSTS.refused.add(self._host)
        else:
            self._receiver.addressResolved(address)

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


__all__ = ["HOSTS", "Guard"]

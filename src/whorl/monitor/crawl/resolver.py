"""Name resolution that permits only public addresses, unless a site allows private ones."""

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
    """Hosts with special treatment.

    Attributes:
        private: hosts that may have any address.
        refused: hosts that resolved to a forbidden address.
    """

    private: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


HOSTS = Hosts()
"""State of this process, which serves a single watch."""


@implementer(IResolutionReceiver)
class _Checked:
    """Passes on permitted addresses."""

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
    """Resolver that checks a host for each connection, which uses exactly the checked address.

    Literal addresses in any form, redirects and robots.txt are checked, too.
    """

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._resolver = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        """Create the resolver for Scrapy."""
        del crawler
        return cls(reactor)

    def install_on_reactor(self) -> None:
        """Install the resolver for all connections of this process."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[Any] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        """Resolve a host and report the permitted addresses."""
        checked = _Checked(resolutionReceiver, hostName.lower())
        result: IHostResolution = self._resolver.resolveHostName(
            checked, hostName, portNumber, addressTypes, transportSemantics
        )
        return result


__all__ = ["HOSTS", "Guard"]

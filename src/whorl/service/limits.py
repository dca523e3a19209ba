"""Who asks, before anything is read of what they send; and how often each may ask."""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import anyio
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.errors import WhorlError
from whorl.language import say
from whorl.service.access import caller_of
from whorl.service.settings import Settings

if TYPE_CHECKING:
    from whorl.service.problems import Answering

_BURST = 10
"""How many seconds' worth of requests may come at once."""
_MOST_CALLERS = 10_000
_ROUNDING = 1e-6
_LOOKING = 16
"""Threads that find out who asks, whatever those do that answer."""
MOST_UNKNOWN = 64 * 2**10
"""Bytes of a body that are read from somebody unknown."""
FREE = ("/healthz", "/readyz", "/static/")


class TooManyError(WhorlError):
    """Somebody asks for too much at once.

    Args:
        message: what is too much.
        cure: what to do about it.
        seconds: after which it may be asked for again.
    """

    def __init__(self, message: str, *, cure: str = "", seconds: int = 1) -> None:
        super().__init__(message, cure=cure)
        self.seconds = seconds


class Left(NamedTuple):
    """What a caller may still ask for.

    Attributes:
        limit: requests that may come at once.
        remaining: of these, how many are left; negative where this one was too many.
        reset: seconds until all are there again.
        wait: seconds until one is there.
    """

    limit: int
    remaining: int
    reset: int
    wait: int

    def headers(self) -> dict[str, str]:
        """Return how an answer tells it."""
        given = {"Limit": self.limit, "Remaining": max(0, self.remaining), "Reset": self.reset}
        return {f"RateLimit-{name}": str(value) for name, value in given.items()}


class Buckets:
    """A token bucket for each caller. Safe from threads; in memory, the latest callers only."""

    def __init__(self, rate: float) -> None:
        """Begin.

        Args:
            rate: requests a second of each caller in the long run; above 0.
        """
        self._rate = rate
        self._size = max(1, ceil(rate * _BURST))
        self._full: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def take(self, who: str) -> Left:
        """Take a token from somebody's bucket, and return what is left."""
        at = monotonic()
        with self._lock:
            full = max(at, self._full.pop(who, at)) + 1 / self._rate
            is_too_many = (full - at) * self._rate > self._size
            self._full[who] = full - 1 / self._rate if is_too_many else full
            if len(self._full) > _MOST_CALLERS:
                self._full.popitem(last=False)
        missing = (full - at) * self._rate
        remaining = -1 if is_too_many else int(self._size - missing + _ROUNDING)
        return Left(self._size, remaining, ceil(full - at), max(1, ceil((missing - self._size) / self._rate)))


def network_of(host: str | None) -> str:
    """Return the network that limits count as one client.

    A client with IPv6 usually has a whole /64, and so 2**64 addresses to come from; IPv4 addresses count one by one,
    also where they are mapped into IPv6. What is no address, as a proxy may pass on, all counts as the same client.
    """
    try:
        address = ip_address((host or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)


class Doorkeeper:
    """Finds out who asks, and turns away those who are unknown with a wrong key or who ask too often."""

    def __init__(self, app: ASGIApp, settings: Settings, answer: Answering) -> None:
        self._app = app
        self._answer = answer
        self._buckets = Buckets(settings.rate / settings.workers) if settings.rate else None
        self._looking = anyio.CapacityLimiter(_LOOKING)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or turn it away."""
        if scope["type"] != "http" or scope["path"].startswith(FREE):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused: WhorlError | None = None
        caller = None
        try:
            caller = await anyio.to_thread.run_sync(caller_of, request, limiter=self._looking)
        except WhorlError as error:
            refused = error
        if caller is None:
            request.state.most_bytes = MOST_UNKNOWN
        left = None
        if self._buckets is not None:
            left = self._buckets.take(
                caller.who if caller else f"address {network_of(request.client and request.client.host)}"
            )
            if left.remaining < 0:
                refused = TooManyError(
                    say("too many requests"), cure=say("wait {seconds:,} s", seconds=left.wait), seconds=left.wait
                )

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and left is not None:
                MutableHeaders(scope=message).update(left.headers())
            await send(message)

        if refused is None:
            await self._app(scope, receive, sending)
        else:
            await self._answer(request, refused)(scope, receive, sending)


__all__ = ["FREE", "MOST_UNKNOWN", "Buckets", "Doorkeeper", "Left", "TooManyError", "network_of"]

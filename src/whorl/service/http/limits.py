"""Authentication before the body is read, and rate limits."""

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
from whorl.i18n import say
from whorl.service.http.access import caller_of
from whorl.service.settings import Settings

if TYPE_CHECKING:
    from whorl.service.http.problems import Answering

_BURST = 10
"""Burst size of a bucket in seconds of the permitted rate."""
_MOST_CALLERS = 10_000
_ROUNDING = 1e-6
_LOOKING = 16
"""Threads reserved for authentication, independent of threads that handle requests."""
MOST_UNKNOWN = 64 * 2**10
"""Maximum body size in bytes of anonymous requests."""
FREE = ("/healthz", "/readyz", "/static/")


class TooManyError(WhorlError):
    """The caller exceeds a limit.

    Args:
        message: error message.
        hint: hint that fixes it.
        seconds: time after which the request may be repeated.
    """

    def __init__(self, message: str, *, hint: str = "", seconds: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.seconds = seconds


class Quota(NamedTuple):
    """Remaining quota of a caller.

    Attributes:
        limit: burst size in requests.
        remaining: remaining requests; negative if this request exceeds the limit.
        reset: seconds until the bucket is full.
        wait: seconds until the next request is permitted.
    """

    limit: int
    remaining: int
    reset: int
    wait: int

    def headers(self) -> dict[str, str]:
        """Return the ``RateLimit`` headers."""
        limits = {"Limit": self.limit, "Remaining": max(0, self.remaining), "Reset": self.reset}
        return {f"RateLimit-{name}": str(value) for name, value in limits.items()}


class Buckets:
    """Token buckets by caller. Thread-safe, in memory, and limited to the most recent callers."""

    def __init__(self, rate: float) -> None:
        """Create the buckets.

        Args:
            rate: sustained requests per second and caller; above 0.
        """
        self._rate = rate
        self._size = max(1, ceil(rate * _BURST))
        self._full: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def take(self, who: str) -> Quota:
        """Take a token from the bucket of a caller and return the remaining quota."""
        at = monotonic()
        with self._lock:
            full = max(at, self._full.pop(who, at)) + 1 / self._rate
            is_too_many = (full - at) * self._rate > self._size
            self._full[who] = full - 1 / self._rate if is_too_many else full
            if len(self._full) > _MOST_CALLERS:
                self._full.popitem(last=False)
        missing = (full - at) * self._rate
        remaining = -1 if is_too_many else int(self._size - missing + _ROUNDING)
        return Quota(self._size, remaining, ceil(full - at), max(1, ceil((missing - self._size) / self._rate)))


def network_of(host: str | None) -> str:
    """Return the network that limits treat as one client.

    An IPv6 client usually has a whole /64, that is 2**64 addresses. IPv4 addresses count one by one, also if they are
    mapped into IPv6. Anything other than an address, as a proxy may pass on, counts as one common client.
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


class Authenticator:
    """Middleware that authenticates callers, refuses invalid keys, and enforces rate limits."""

    def __init__(self, app: ASGIApp, settings: Settings, answer: Answering) -> None:
        self._app = app
        self._answer = answer
        self._buckets = Buckets(settings.rate / settings.workers) if settings.rate else None
        self._looking = anyio.CapacityLimiter(_LOOKING)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit or refuse a request."""
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
        quota = None
        if self._buckets is not None:
            quota = self._buckets.take(
                caller.who if caller else f"address {network_of(request.client and request.client.host)}"
            )
            if quota.remaining < 0:
                refused = TooManyError(
                    say("too many requests"),
                    hint=say("wait {seconds:,} s", seconds=quota.wait),
                    seconds=quota.wait,
                )

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and quota is not None:
                MutableHeaders(scope=message).update(quota.headers())
            await send(message)

        if refused is None:
            await self._app(scope, receive, sending)
        else:
            await self._answer(request, refused)(scope, receive, sending)


__all__ = ["FREE", "MOST_UNKNOWN", "Authenticator", "Buckets", "Quota", "TooManyError", "network_of"]

"""Rate limits of callers: token buckets, and the error of a caller that exceeds a limit."""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from threading import Lock
from time import monotonic
from typing import NamedTuple

from whorl.errors import WhorlError

_BURST = 10
"""Burst size of a bucket in seconds of the permitted rate."""
_MOST_CALLERS = 10_000
_ROUNDING = 1e-6


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


__all__ = ["Buckets", "Quota", "TooManyError", "network_of"]

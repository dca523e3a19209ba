"""Callers of the service: bearer keys, session cookies, and trusted local access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from fastapi import Request

from whorl._internal.frozen import frozen
from whorl.errors import WhorlError
from whorl.i18n import say
from whorl.service.settings import is_loopback
from whorl.service.state.keys import SCOPES
from whorl.service.state.users import SCOPES_OF

if TYPE_CHECKING:
    from whorl.service.settings import Settings
    from whorl.service.state import State

COOKIE = "whorl_session"
"""Session cookie for connections without TLS, as on the local machine."""
HOST_COOKIE = f"__Host-{COOKIE}"
"""Session cookie over TLS. The prefix binds it to this host, so other hosts of the domain cannot set it."""
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip")
"""Headers that a proxy adds. A request with one of them is not local, even if it comes from a loopback address."""


class UnknownCallerError(WhorlError):
    """The caller is not authenticated."""


class ExpiredKeyError(UnknownCallerError):
    """The key has expired."""


@frozen
class Caller:
    """An authenticated caller.

    Attributes:
        kind: "key", "user", or "local" for requests from this machine while no key or user exists.
        name: name of the key or user; empty for "local".
        scopes: allowed actions: some of "read", "review", "write", "metrics" and "admin".
        libraries: names of the libraries the scopes apply to; empty for all.
        number: number of the key, which distinguishes keys with the same name; None for other kinds.
    """

    kind: str
    name: str
    scopes: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    number: int | None = None

    @property
    def who(self) -> str:
        """Unique name in the audit log, limits and jobs, such as "user mei" or "key 3 desk"."""
        return " ".join(map(str, filter(None, (self.kind, self.number, self.name))))

    @property
    def signature(self) -> str:
        """Author name for decisions and attestations: the name of a user, or the audit name of a key."""
        return self.name if self.kind == "user" else self.who

    def may(self, scope: str) -> bool:
        """Return True if the caller has a scope."""
        return scope in self.scopes

    def sees(self, library: str) -> bool:
        """Return True if the caller may see a library."""
        return not self.libraries or library in self.libraries


class _Authority(Protocol):
    """Part of a service that callers are authenticated by."""

    @property
    def settings(self) -> Settings: ...
    @property
    def state(self) -> State: ...


def caller_of(request: Request) -> Caller | None:
    """Return the caller of a request, or None if it is anonymous. The result is cached per request.

    Raises:
        UnknownCallerError: the request carries an invalid key.
    """
    if not hasattr(request.state, "caller"):
        request.state.caller = _authenticate(request)
    caller: Caller | None = request.state.caller
    return caller


def is_secure(request: Request) -> bool:
    """Return True if the browser connects over TLS."""
    return _authority(request).settings.is_secure or request.url.scheme == "https"


def session_cookie(request: Request) -> str:
    """Return the name of the session cookie of a request. Over TLS, only the host-bound cookie is accepted."""
    return HOST_COOKIE if is_secure(request) else COOKIE


def still_may(request: Request, scope: str, library: str) -> bool:
    """Return True if the caller still has a scope in a library. Keys and users are read again on each call."""
    try:
        caller = _authenticate(request)
    except UnknownCallerError:
        return False
    return caller is not None and caller.may(scope) and caller.sees(library)


def _authenticate(request: Request) -> Caller | None:
    authority = _authority(request)
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    if kind:
        key = authority.state.keys.find(secret.strip()) if kind.lower() == "bearer" else None
        if key is None:
            raise UnknownCallerError(
                say("the key is not valid"), hint=say("ask the operator of the service for a new key")
            )
        if key.has_expired:
            request.state.expired_key = f"key {key.number} {key.name}"
            raise ExpiredKeyError(
                say("the key expired on {at:%Y-%m-%d %H:%M} UTC", at=key.expires_at),
                hint=say("ask the operator of the service for a new key"),
            )
        return Caller("key", key.name, key.scopes, key.libraries, key.number)
    if cookie := request.cookies.get(session_cookie(request)):
        user = authority.state.users.of_session(cookie)
        if user is not None:
            return Caller("user", user.name, SCOPES_OF[user.role], user.libraries)
    is_near = request.client is not None and is_loopback(request.client.host)
    is_passed_on = not authority.settings.proxies and any(name in request.headers for name in _PASSED_ON)
    if authority.settings.is_local and is_near and not is_passed_on and authority.state.is_open_to_all:
        return Caller("local", "", SCOPES)
    return None


def _authority(request: Request) -> _Authority:
    authority: _Authority = request.app.state.service
    return authority


__all__ = [
    "COOKIE",
    "HOST_COOKIE",
    "Caller",
    "ExpiredKeyError",
    "UnknownCallerError",
    "caller_of",
    "is_secure",
    "session_cookie",
    "still_may",
]

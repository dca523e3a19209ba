"""Who asks, and what they may do: by a key in ``Authorization: Bearer``, a session in a cookie, or at this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Path, Request

from whorl.errors import NotFoundError, WhorlError
from whorl.language import say
from whorl.service.settings import is_loopback
from whorl.service.state.keys import SCOPES
from whorl.service.state.users import SCOPES_OF

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.service.running import Service

COOKIE = "whorl_session"
"""The cookie of a session where browsers come without TLS, as on the machine itself."""
HOST_COOKIE = f"__Host-{COOKIE}"
"""The cookie over TLS: browsers take it from this host alone, never from another host of the same domain."""
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip")
"""What a proxy says of others for whom it asks, so that it is not whoever is at this machine."""


class UnknownCallerError(WhorlError):
    """Nobody knows who asks."""


class ExpiredKeyError(UnknownCallerError):
    """The time of a key is over."""


class ForbiddenError(WhorlError):
    """Who asks is known, and may not do this."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        kind: "key", "user", or "local" for whoever is at this machine as long as there never was a key or a user.
        name: of the key or user; empty for "local".
        scopes: what may be done: some of "read", "review", "write" and "admin".
        libraries: for which, by name; empty for all.
        number: of the key, which tells keys of one name apart; None for others.
    """

    kind: str
    name: str
    scopes: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    number: int | None = None

    @property
    def who(self) -> str:
        """How the audit log, limits and jobs call them, each differently, such as "user mei" or "key 3 desk"."""
        return " ".join(map(str, filter(None, (self.kind, self.number, self.name))))

    @property
    def signature(self) -> str:
        """How decisions and proofs name their author: users by their names, keys as in the audit log."""
        return self.name if self.kind == "user" else self.who

    def may(self, scope: str) -> bool:
        """Whether they may do such things."""
        return scope in self.scopes

    def sees(self, library: str) -> bool:
        """Whether a library is there for them."""
        return not self.libraries or library in self.libraries


def service_of(request: Request) -> Service:
    """Return the service that is asked."""
    service: Service = request.app.state.service
    return service


def caller_of(request: Request) -> Caller | None:
    """Return who asks; None where nobody knows. It is found out once a request.

    Raises:
        UnknownCallerError: a key was given that is not valid.
    """
    if not hasattr(request.state, "caller"):
        request.state.caller = _found(request)
    caller: Caller | None = request.state.caller
    return caller


def is_secure(request: Request) -> bool:
    """Whether the browser comes over TLS."""
    return service_of(request).settings.is_secure or request.url.scheme == "https"


def session_cookie(request: Request) -> str:
    """Return the name of the cookie that has the session of a request; over TLS no other one counts."""
    return HOST_COOKIE if is_secure(request) else COOKIE


def still_may(request: Request, scope: str, library: str) -> bool:
    """Whether who asked may still do such things in a library, looked up again: keys are revoked, users removed."""
    try:
        caller = _found(request)
    except UnknownCallerError:
        return False
    return caller is not None and caller.may(scope) and caller.sees(library)


def _found(request: Request) -> Caller | None:
    service = service_of(request)
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    if kind:
        key = service.state.keys.find(secret.strip()) if kind.lower() == "bearer" else None
        if key is None:
            raise UnknownCallerError(say("the key is not valid"), cure=say("ask whoever runs the service for another"))
        if key.has_expired:
            request.state.expired_key = f"key {key.number} {key.name}"
            raise ExpiredKeyError(
                say("the key expired on {at:%Y-%m-%d %H:%M} UTC", at=key.expires_at),
                cure=say("ask whoever runs the service for another"),
            )
        return Caller("key", key.name, key.scopes, key.libraries, key.number)
    if cookie := request.cookies.get(session_cookie(request)):
        user = service.state.users.of_session(cookie)
        if user is not None:
            return Caller("user", user.name, SCOPES_OF[user.role], user.libraries)
    is_near = request.client is not None and is_loopback(request.client.host)
    is_passed_on = not service.settings.proxies and any(name in request.headers for name in _PASSED_ON)
    if service.settings.is_local and is_near and not is_passed_on and service.state.is_open_to_all:
        return Caller("local", "", SCOPES)
    return None


def may(scope: str) -> Callable[[Request], Caller]:
    """Return what lets only those through who may do such things.

    The dependency raises UnknownCallerError where nobody knows who asks, and ForbiddenError where they may not.
    """

    def demand(request: Request) -> Caller:
        caller = caller_of(request)
        if caller is None:
            raise UnknownCallerError(
                say("nobody knows who asks"), cure=say("give a key: Authorization: Bearer whorl_…")
            )
        if not caller.may(scope):
            raise ForbiddenError(
                say("this needs the scope {scope}", scope=scope), cure=say("ask whoever runs the service for it")
            )
        return caller

    return demand


LibraryName = Annotated[str, Path(description="The name of the library.", examples=["newsroom"])]


def library_for(scope: str) -> Callable[[Request, str], Library]:
    """Return what gives the library that a path names to those who may do such things in it.

    The dependency raises NotFoundError also where there is one that the caller may not see, so that nobody learns its
    name.
    """
    allowed = may(scope)

    def demand(request: Request, library: LibraryName) -> Library:
        caller = allowed(request)
        service = service_of(request)
        if library not in service.shelf or not caller.sees(library):
            raise NotFoundError(
                say("there is no library {name!r}", name=library), cure=say("see which there are: GET /v1/libraries")
            )
        return service.shelf[library]

    return demand


Reads = Annotated[Caller, Depends(may("read"))]
Reviews = Annotated[Caller, Depends(may("review"))]
Writes = Annotated[Caller, Depends(may("write"))]
Admins = Annotated[Caller, Depends(may("admin"))]


def overseer(caller: Admins) -> Caller:
    """Let only those through who see to the whole service: others could give themselves more than is theirs.

    Raises:
        ForbiddenError: they see to some libraries only.
    """
    if caller.libraries:
        raise ForbiddenError(
            say("this needs the scope {scope} for all libraries", scope="admin"),
            cure=say("ask whoever runs the service for it"),
        )
    return caller


__all__ = [
    "COOKIE",
    "HOST_COOKIE",
    "Admins",
    "Caller",
    "ExpiredKeyError",
    "ForbiddenError",
    "LibraryName",
    "Reads",
    "Reviews",
    "UnknownCallerError",
    "Writes",
    "caller_of",
    "is_secure",
    "library_for",
    "may",
    "overseer",
    "service_of",
    "session_cookie",
    "still_may",
]

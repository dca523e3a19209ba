"""Authorization: what the caller of a request may do, and the library that the request is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Path, Request

from whorl.errors import NotFoundError, WhorlError
from whorl.i18n import say
from whorl.service.http.callers import Caller, UnknownCallerError, caller_of

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.service.running import Service


class ForbiddenError(WhorlError):
    """The caller is authenticated but lacks the permission."""


def service_of(request: Request) -> Service:
    """Return the service that handles a request."""
    service: Service = request.app.state.service
    return service


def model_for(request: Request, *, requested: bool) -> bool | str:
    """Return the model of a comparison by meaning; False if none was requested.

    Raises:
        ForbiddenError: the operator did not allow it.
    """
    model = service_of(request).settings.meaning
    if requested and not model:
        raise ForbiddenError(
            say("this server does not compare by meaning"),
            hint=say("the operator can allow it with `whorl serve --meaning`"),
        )
    return requested and model


def may(scope: str) -> Callable[[Request], Caller]:
    """Return a dependency that admits only callers with a scope.

    The dependency raises UnknownCallerError for anonymous callers and ForbiddenError for callers without the scope.
    """

    def demand(request: Request) -> Caller:
        caller = caller_of(request)
        if caller is None:
            raise UnknownCallerError(
                say("authentication required"), hint=say("send a key: Authorization: Bearer whorl_…")
            )
        if not caller.may(scope):
            raise ForbiddenError(
                say("the scope {scope} is required", scope=scope), hint=say("ask the operator of the service for it")
            )
        return caller

    return demand


LibraryName = Annotated[str, Path(description="Name of the library.", examples=["newsroom"])]


def library_for(scope: str) -> Callable[[Request, str], Library]:
    """Return a dependency that resolves the library in the path for callers with a scope.

    The dependency also raises NotFoundError for existing libraries that the caller may not see, so names are not
    disclosed.
    """
    allowed = may(scope)

    def demand(request: Request, library: LibraryName) -> Library:
        caller = allowed(request)
        service = service_of(request)
        if library not in service.shelf or not caller.sees(library):
            raise NotFoundError(
                say("library {name!r} not found", name=library), hint=say("list the libraries: GET /v1/libraries")
            )
        return service.shelf[library]

    return demand


Reads = Annotated[Caller, Depends(may("read"))]
Reviews = Annotated[Caller, Depends(may("review"))]
Writes = Annotated[Caller, Depends(may("write"))]
Admins = Annotated[Caller, Depends(may("admin"))]


def overseer(caller: Admins) -> Caller:
    """Admit only administrators of the whole service: others could extend their own permissions.

    Raises:
        ForbiddenError: the caller administers only some libraries.
    """
    return _of_all_libraries(caller, "admin")


def observer(request: Request) -> Caller:
    """Admit callers who may read the metrics of the whole service, administrators among them.

    Raises:
        UnknownCallerError: the caller is anonymous.
        ForbiddenError: the caller has neither scope, or only for some libraries.
    """
    caller = caller_of(request)
    if caller is not None and caller.may("admin"):
        return overseer(caller)
    return _of_all_libraries(may("metrics")(request), "metrics")


def _of_all_libraries(caller: Caller, scope: str) -> Caller:
    if caller.libraries:
        raise ForbiddenError(
            say("the scope {scope} for all libraries is required", scope=scope),
            hint=say("ask the operator of the service for it"),
        )
    return caller


__all__ = [
    "Admins",
    "ForbiddenError",
    "LibraryName",
    "Reads",
    "Reviews",
    "Writes",
    "library_for",
    "may",
    "observer",
    "overseer",
    "service_of",
]

"""Parts of requests that every endpoint handles alike: the method ``HEAD``, and names of query parameters."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.i18n import say
from whorl.service.http.bodies import RefusedError

_EVERYWHERE = frozenset(("lang",))
"""Query parameters of all requests."""


class Heads:
    """Middleware that answers ``HEAD`` like ``GET``, without the body (RFC 9110, section 9.3.2).

    The endpoint sees a client that disconnects after the head, so that streams end early.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        has_head = False

        async def receiving() -> Message:
            return {"type": "http.disconnect"} if has_head else await receive()

        async def sending(message: Message) -> None:
            nonlocal has_head
            scope["method"] = "HEAD"
            if message["type"] == "http.response.start":
                has_head = True
                await send(message)
            elif not message.get("more_body", False):
                await send({"type": "http.response.body", "body": b""})

        scope["method"] = "GET"
        try:
            await self._app(scope, receiving, sending)
        finally:
            scope["method"] = "HEAD"


async def demand_known_parameters(request: Request) -> None:
    """Refuse a query parameter that the endpoint does not have: a misspelled filter would return everything.

    Raises:
        RefusedError: a parameter is unknown.
    """
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute):
        return
    permitted = _EVERYWHERE.union(_names(route.dependant))
    unknown = sorted(set(request.query_params) - permitted)
    if unknown:
        raise RefusedError(
            400,
            say("unknown query parameter {name!r:.60}", name=unknown[0]),
            say("use one of: {known}", known=", ".join(sorted(permitted))),
        )


def _names(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        model = field.field_info.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from model.model_fields
        else:
            yield field.alias
    for part in dependant.dependencies:
        yield from _names(part)


__all__ = ["Heads", "demand_known_parameters"]

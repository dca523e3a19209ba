"""Authentication before the body is read, and rate limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whorl.errors import WhorlError
from whorl.i18n import say
from whorl.service.http.callers import caller_of
from whorl.service.settings import Settings
from whorl.service.throttling import Buckets, TooManyError, network_of

if TYPE_CHECKING:
    from whorl.service.http.problems import Answering

_LOOKING = 16
"""Threads reserved for authentication, independent of threads that handle requests."""
MOST_UNKNOWN = 64 * 2**10
"""Maximum body size in bytes of anonymous requests."""
FREE = ("/healthz", "/readyz", "/static/")


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


__all__ = ["FREE", "MOST_UNKNOWN", "Authenticator"]

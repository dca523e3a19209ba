"""Limits of connections in time and bytes, so that slow clients do not block others."""

from __future__ import annotations

import asyncio
import sys
from asyncio import TimerHandle
from typing import ClassVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from whorl.i18n import say
from whorl.service.http.bodies import RefusedError
from whorl.service.http.inflating import Inflating, Unsupported, decoder_of
from whorl.service.settings import Settings

HEAD_SECONDS, MOST_HEAD = 10.0, 64 * 2**10
"""Time limit for the head of a request, and its maximum size in bytes."""
BODY_SECONDS, LEAST_RATE = 20.0, 4 * 2**10
"""Base time limit for a body, and the rate in bytes per second at which the limit grows."""
READING_SECONDS = 60.0
"""Time limit for a client to read some of the response."""
_BUFFERED_BODIES = 8
"""Number of bodies of maximum size that a process buffers in total."""
_LINGER_SECONDS, _LINGER_BYTES = 2.0, 8 * 2**20
_SPARE = 256
"""File descriptors reserved for other purposes than connections."""

_FEW, _MANY = 4096, 2**16

if sys.platform != "win32":
    import resource


class Connection(HttpToolsProtocol):
    """Connection that is closed if the request head is late or the client stops reading.

    At the connection limit, the connection that has waited longest for a head is closed for a new one.
    """

    _silent: ClassVar[dict[Connection, None]] = {}
    _waiting: TimerHandle | None = None
    _stalled: TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection within the limit of open files."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            next(iter(self._silent), self).transport.abort()
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the timers."""
        self._forget()
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive data and limit the size of the head."""
        super().data_received(data)
        if self._waiting is not None:
            self._head += len(data)
            if self._head > MOST_HEAD:
                self.transport.abort()

    def on_message_begin(self) -> None:
        """Start the timer of a request head."""
        super().on_message_begin()
        if self._waiting is None:
            self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Process a header. Trailers are ignored."""
        if self._waiting is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop the timer of the head."""
        self._forget()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Start the timer for a client that does not read."""
        super().pause_writing()
        self._stalled = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer for reading."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _expect_head(self) -> None:
        self._silent[self] = None
        self._head = 0
        self._waiting = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _forget(self) -> None:
        self._silent.pop(self, None)
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def most_connections() -> int:
    """Return the connection limit of a process: the limit of open files minus a reserve."""
    if sys.platform == "win32":
        return _FEW
    return max(_SPARE, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE)


def raise_limits() -> None:
    """Raise the limit of open files to what the system allows, for this process and its children."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        target = _MANY if hard == resource.RLIM_INFINITY else min(hard, _MANY)
        if soft < target:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


class Bodies:
    """Middleware that limits size, duration and total memory of request bodies; gzip bodies count inflated."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._most_bytes = settings.most_bytes
        self._buffered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        body = _Body(receive, send, int(headers.get("content-length", "0")), decoder_of(scope, receive))

        async def receiving() -> Message:
            limit = min(self._most_bytes, scope.get("state", {}).get("most_bytes", self._most_bytes))
            if self._buffered > _BUFFERED_BODIES * self._most_bytes:
                raise RefusedError(503, say("too many large bodies are in transit"), say("try again in a moment"))
            had = body.received
            try:
                return await body.receive(limit)
            finally:
                self._buffered += body.received - had

        try:
            await self._app(scope, receiving, body.send)
        finally:
            self._buffered -= body.received


class _Body:
    """Request body whose unread rest is discarded after an early response."""

    def __init__(
        self, receive: Receive, send: Send, content_length: int, decoder: Inflating | Unsupported | None
    ) -> None:
        self._receive = receive
        self._decoder = decoder
        self._send = send
        self._content_length = content_length
        self._begun = asyncio.get_running_loop().time()
        self._has_ended = False
        self.received = 0

    async def receive(self, limit: int) -> Message:
        """Return the next chunk.

        Raises:
            RefusedError: the body is too large or too slow.
        """
        if self._has_ended:
            return await self._receive()
        if max(self._content_length, self.received) > limit:
            raise _too_large(limit)
        try:
            async with asyncio.timeout_at(self._begun + BODY_SECONDS + self.received / LEAST_RATE):
                message = await (self._decoder or self._receive)()
        except TimeoutError:
            raise RefusedError(
                408, say("timed out waiting for the request body"), say("send the body without pauses")
            ) from None
        self.received += len(message.get("body", b""))
        self._has_ended = not message.get("more_body", False)
        if self.received > limit:
            raise _too_large(limit)
        return message

    async def send(self, message: Message) -> None:
        """Send a chunk of the response. The last one waits until the client had time to finish sending."""
        if self._has_ended:
            await self._send(message)
        elif message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Connection"] = "close"
            await self._send(message)
        elif message.get("more_body", False):
            await self._send(message)
        else:
            await self._send({**message, "more_body": True})
            await self._pass_over()
            await self._send({"type": "http.response.body", "body": b""})

    async def _pass_over(self) -> None:
        remaining = _LINGER_BYTES
        if self._decoder is not None:
            self._has_ended = self._decoder.has_arrived
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                while remaining > 0 and not self._has_ended:
                    message = await self._receive()
                    remaining -= len(message.get("body", b""))
                    self._has_ended = not message.get("more_body", False)
        except TimeoutError:
            return


def _too_large(limit: int) -> RefusedError:
    return RefusedError(
        413, say("the body is larger than {most:,} bytes", most=limit), say("send less, or in several requests")
    )


__all__ = ["Bodies", "Connection", "most_connections", "raise_limits"]

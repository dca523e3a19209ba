"""How long a connection may take, and how much it may send: what keeps slow clients from holding up the others."""

from __future__ import annotations

import asyncio
import sys
from asyncio import TimerHandle
from typing import ClassVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from whorl.language import say
from whorl.service.bodies import RefusedError
from whorl.service.settings import Settings

HEAD_SECONDS, MOST_HEAD = 10.0, 64 * 2**10
"""In which the head of a request must be there, and its bytes."""
BODY_SECONDS, LEAST_RATE = 20.0, 4 * 2**10
"""In which a body must be there, but for a second more for so many bytes that it has."""
READING_SECONDS = 60.0
"""In which a client must read some of what it is sent."""
_HELD = 8
"""How many of the largest bodies a process holds at once."""
_LINGER_SECONDS, _LINGER_BYTES = 2.0, 8 * 2**20
_SPARE = 256
"""Files that a process opens besides connections."""

_FEW, _MANY = 4096, 2**16

if sys.platform != "win32":
    import resource


class Connection(HttpToolsProtocol):
    """A connection that is closed where a client sends no whole head in time, or reads nothing of its answer.

    Where there are too many, the one that has waited for a head the longest makes room for a new one.
    """

    _silent: ClassVar[dict[Connection, None]] = {}
    _waiting: TimerHandle | None = None
    _stalled: TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; but not beyond what files may be open."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            next(iter(self._silent), self).transport.abort()
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._forget()
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what was sent."""
        super().data_received(data)
        if self._waiting is not None:
            self._head += len(data)
            if self._head > MOST_HEAD:
                self.transport.abort()

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        if self._waiting is None:
            self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; but none that comes behind the body."""
        if self._waiting is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """End a head."""
        self._forget()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """Wait until the client reads, but not for ever."""
        super().pause_writing()
        self._stalled = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
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
    """Return how many connections a process takes: as many as files may be open, but for those of its own."""
    if sys.platform == "win32":
        return _FEW
    return max(_SPARE, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE)


def raise_limits() -> None:
    """Let this process, and those that it starts, have as many connections as the system allows them."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MANY if hard == resource.RLIM_INFINITY else min(hard, _MANY)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Bodies:
    """Reads no more of a request than it may have, nor for longer, and no more at once than there is memory for."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._most_bytes = settings.most_bytes
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        body = _Body(receive, send, int(headers.get("content-length", "0")))

        async def receiving() -> Message:
            most = min(self._most_bytes, scope.get("state", {}).get("most_bytes", self._most_bytes))
            if self._held > _HELD * self._most_bytes:
                raise RefusedError(503, say("too many large bodies are on their way"), say("try again in a moment"))
            had = body.received
            try:
                return await body.receive(most)
            finally:
                self._held += body.received - had

        try:
            await self._app(scope, receiving, body.send)
        finally:
            self._held -= body.received


class _Body:
    """The body of a request, of which the rest is passed over where the answer does not wait for it."""

    def __init__(self, receive: Receive, send: Send, told: int) -> None:
        self._receive = receive
        self._send = send
        self._told = told
        self._begun = asyncio.get_running_loop().time()
        self._has_ended = False
        self.received = 0

    async def receive(self, most: int) -> Message:
        """Return the next piece.

        Raises:
            RefusedError: it is too large or too slow.
        """
        if self._has_ended:
            return await self._receive()
        if max(self._told, self.received) > most:
            raise _too_large(most)
        try:
            async with asyncio.timeout_at(self._begun + BODY_SECONDS + self.received / LEAST_RATE):
                message = await self._receive()
        except TimeoutError:
            raise RefusedError(408, say("the body does not come"), say("send it at once, and faster")) from None
        self.received += len(message.get("body", b""))
        self._has_ended = not message.get("more_body", False)
        if self.received > most:
            raise _too_large(most)
        return message

    async def send(self, message: Message) -> None:
        """Send a piece of the answer; the last one when the client has had time to send the rest, and to listen."""
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
        left = _LINGER_BYTES
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                while left > 0 and not self._has_ended:
                    message = await self._receive()
                    left -= len(message.get("body", b""))
                    self._has_ended = not message.get("more_body", False)
        except TimeoutError:
            return


def _too_large(most: int) -> RefusedError:
    return RefusedError(
        413, say("the body is larger than {most:,} bytes", most=most), say("send less, or in several requests")
    )


__all__ = ["Bodies", "Connection", "most_connections", "raise_limits"]

"""Idempotent requests: a request with an ``Idempotency-Key`` is carried out only once."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Callable, Coroutine, Iterator
from hashlib import sha256
from typing import IO, Any

from anyio import CancelScope
from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from whorl.errors import UsageError, WhorlError
from whorl.i18n import say
from whorl.service.http.access import service_of
from whorl.service.http.bodies import Bounded
from whorl.service.http.callers import caller_of
from whorl.service.http.uploads import folder_of, spooled
from whorl.service.state.answers import LEASE, Answers, Asking, StoredResponse

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
_NAME = re.compile("[!-~]{1,255}")
_CHANGING = frozenset(("POST", "PUT", "PATCH", "DELETE"))
_PARAMETER = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Identifies this request: a repetition within a day is not carried out again and returns the first "
    "response with `Idempotency-Replayed: true`.",
    "schema": {"type": "string", "pattern": f"^{_NAME.pattern}$"},
    "example": "9f0c2a52-6f0e-4a3e-9c2b-1d8f6f1f7a11",
}
_PATIENCE = 30.0
_MOMENT = 0.1
_PIECE_BYTES = 2**16
_FAST = 1
_SUCCESS = range(200, 300)
_HEEDED = ("content-type", "if-match", "if-none-match")
"""Headers that are part of the identity of a request."""
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class BusyError(WhorlError):
    """The same request is still in progress."""


class Repeatable(Bounded):
    """Route with idempotent changes: a repeated request with the same key returns the first response for a day.

    Only successful responses are stored. A repetition during the first request waits for its response.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        if _CHANGING & (self.methods or set()):
            self.openapi_extra = {"parameters": [_PARAMETER]} | (self.openapi_extra or {})

    def get_route_handler(self) -> Handler:
        """Return the request handler."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            key = request.headers.get(HEADER)
            if key is None or request.method not in _CHANGING:
                return await answer(request)
            caller = await run_in_threadpool(caller_of, request)
            if caller is None:
                return await answer(request)
            secret = sha256(request.headers.get("authorization", "").encode("latin-1")).hexdigest()
            # If the caller's permissions have changed, the request is evaluated again and may be refused.
            rights = ",".join((*caller.scopes, *caller.libraries))
            return await _once(request, f"{caller.who} {secret} {rights}", _demanded(key), answer)

        return handle


def _demanded(key: str) -> str:
    if not _NAME.fullmatch(key):
        raise UsageError(
            say("invalid `Idempotency-Key` {key!r:.60}", key=key),
            hint=say("use a short name without spaces, such as a UUID"),
        )
    return key


async def _once(request: Request, caller: str, key: str, answer: Handler) -> Response:
    service = service_of(request)
    folder = await run_in_threadpool(folder_of, service)
    body = await spooled(request.stream(), folder)
    try:
        digest = await run_in_threadpool(_digest, request, body)
        asking = Asking(caller, key, digest)
        stored = await _begun(service.state.answers, asking)
    except BaseException:
        body.close()
        raise
    if stored is not None:
        body.close()
        return _again(stored)
    attempt = _Attempt(service.state.answers, asking, body)
    try:
        response = await answer(Request(request.scope, _from(body)))
    except BaseException:
        await attempt.end(None)
        raise
    return _Kept(response, attempt)


async def _begun(answers: Answers, asking: Asking) -> StoredResponse | None:
    """Wait for the response of an identical request; return None if this request must be carried out.

    Raises:
        BusyError: the wait timed out.
    """
    for _ in range(round(_PATIENCE / _MOMENT)):
        stored = await run_in_threadpool(answers.begin, asking)
        if isinstance(stored, StoredResponse):
            return stored
        if stored:
            return None
        await asyncio.sleep(_MOMENT)
    raise BusyError(say("the same request is in progress"), hint=say("retry later with the same key"))


class _Attempt:
    """A request in progress, protected by a lease against concurrent execution."""

    def __init__(self, answers: Answers, asking: Asking, body: IO[bytes]) -> None:
        self._answers, self._asking, self._body = answers, asking, body
        self._renewing = asyncio.create_task(self._renew())

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE.total_seconds() / 4)
            await run_in_threadpool(self._answers.renew, self._asking)

    async def end(self, answer: StoredResponse | None) -> None:
        """Store the response; None releases the key for another attempt."""
        if self._body.closed:
            return
        self._body.close()
        self._renewing.cancel()
        with CancelScope(shield=True):
            if answer is None:
                await run_in_threadpool(self._answers.drop, self._asking)
            else:
                await run_in_threadpool(self._answers.keep, self._asking, answer)


class _Kept(Response):
    """Response that is stored while it is sent. It is on disk before the client receives the last chunk."""

    def __init__(self, response: Response, attempt: _Attempt) -> None:
        self._response, self._attempt = response, attempt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        packing, packed = zlib.compressobj(_FAST), bytearray()
        response = self._response

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.body":
                packed.extend(packing.compress(message.get("body", b"")))
                if not message.get("more_body", False) and response.status_code in _SUCCESS:
                    packed.extend(packing.flush())
                    headers = response.headers
                    kept = (headers.get("content-type"), headers.get("location"), bytes(packed))
                    await self._attempt.end(StoredResponse(response.status_code, *kept))
            await send(message)

        try:
            await response(scope, receive, sending)
        finally:
            await self._attempt.end(None)


def _again(stored: StoredResponse) -> Response:
    """Return a stored response, decompressed while it is sent."""
    headers = {REPLAYED: "true"} | ({} if stored.location is None else {"Location": stored.location})
    return StreamingResponse(_unpacked(stored.body), stored.status, headers, stored.kind)


def _unpacked(body: bytes) -> Iterator[bytes]:
    unpacking = zlib.decompressobj()
    remaining = body
    while remaining:
        yield unpacking.decompress(remaining, _PIECE_BYTES)
        remaining = unpacking.unconsumed_tail


def _digest(request: Request, body: IO[bytes]) -> bytes:
    """Return a digest of a request and its body; the body is rewound."""
    headers = (request.headers.get(name, "") for name in _HEEDED)
    identity = (request.method, request.url.path, request.url.query, *headers)
    digest = sha256("\n".join(identity).encode("utf-8", "surrogatepass") + b"\n")
    while piece := body.read(_PIECE_BYTES):
        digest.update(piece)
    body.seek(0)
    return digest.digest()


def _from(body: IO[bytes]) -> Receive:
    """Return a receive function that replays a spooled body in chunks."""

    async def receive() -> Message:
        piece = await run_in_threadpool(body.read, _PIECE_BYTES)
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}

    return receive


__all__ = ["HEADER", "REPLAYED", "BusyError", "Repeatable"]

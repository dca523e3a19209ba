"""JSON bodies: limited in size and depth before they are parsed, and parsed outside the event loop."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from itertools import accumulate
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from whorl.i18n import say

MOST_VALUES = 100_000
"""Maximum number of values in a body. A value of two bytes takes up to a kilobyte in a validation error."""
MOST_DEPTH = 32
_PIECE_BYTES = 2**16
_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class RefusedError(HTTPException):
    """The rest of a request is not read.

    It derives from Starlette's HTTPException: FastAPI reports other errors raised while reading a body as malformed
    bodies.

    Args:
        status: HTTP status.
        message: error message.
        hint: hint that fixes it.
    """

    def __init__(self, status: int, message: str, hint: str) -> None:
        super().__init__(status, message, {"Connection": "close"})
        self.message = message
        self.hint = hint


class Bounded(APIRoute):
    """Route whose JSON body has at most ``MOST_VALUES`` values, nested at most ``MOST_DEPTH`` deep.

    Larger bodies are answered with 413. The length of strings is not limited here.
    """

    def get_route_handler(self) -> Handler:
        """Return the request handler."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await answer(_Json(request.scope, request.receive))

        return handle


class _Json(Request):
    async def json(self) -> Any:
        """Return the parsed body. FastAPI reports a missing body."""
        if not hasattr(self, "_json"):
            self._json = await run_in_threadpool(_parsed, await self.body())
        return self._json


def _parsed(body: bytes) -> Any:
    demand_shape(body)
    try:
        # JSON is UTF-8 (RFC 8259). From bytes, json.loads also accepts UTF-16, in which demand_shape sees no escapes.
        return json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        # FastAPI reports only this error as a client error.
        raise json.JSONDecodeError(error.reason, "", error.start) from error


def demand_shape(body: bytes, piece_bytes: int = _PIECE_BYTES) -> None:
    """Refuse a body with too many values or too deep nesting.

    The body is scanned in pieces: a single call over tens of megabytes would block the interpreter, and thus the event
    loop, for seconds. Counts after a syntax error may be wrong, which is harmless because such a body is never parsed.

    Raises:
        RefusedError: the body exceeds a limit.
    """
    values, depth, is_string = 0, 0, False
    for piece in _pieces(body, piece_bytes):
        parts = piece.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
        bare = b"".join(parts[is_string::2])
        is_string ^= len(parts) % 2 == 0
        values += sum(map(bare.count, (b",", b"[", b"{")))
        if values > MOST_VALUES:
            raise RefusedError(
                413, say("the body has more than {most:,} values", most=MOST_VALUES), say("send it in several requests")
            )
        depths = list(accumulate(map(_STEP.__getitem__, bare.translate(None, _BRACKETS)), initial=depth))
        if max(depths) > MOST_DEPTH:
            raise RefusedError(
                413,
                say("the body is nested more than {most} levels deep", most=MOST_DEPTH),
                say("send a body as described in the API reference"),
            )
        depth = depths[-1]


def _pieces(body: bytes, size: int) -> Iterator[bytes]:
    """Split a body into pieces that do not end within an escape."""
    start = 0
    while start < len(body):
        piece = body[start : start + size]
        if (len(piece) - len(piece.rstrip(b"\\"))) % 2:
            piece = body[start : start + size + 1]
        yield piece
        start += len(piece)


__all__ = ["MOST_DEPTH", "MOST_VALUES", "Bounded", "RefusedError", "demand_shape"]

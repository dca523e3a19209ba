"""JSON bodies: bounded by their shape before anything is made of them, and parsed beside the event loop."""

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

from whorl.language import say

MOST_VALUES = 100_000
"""Values of a body. A value of two bytes takes up to a kilobyte once it was read and found wrong."""
MOST_DEPTH = 32
_PIECE_BYTES = 2**16
_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class RefusedError(HTTPException):
    """The rest of a request is not read.

    It is an error of Starlette, since FastAPI takes others that come up while a body is read for damage of the body.

    Args:
        status: of HTTP.
        message: what is wrong.
        cure: what to do about it.
    """

    def __init__(self, status: int, message: str, cure: str) -> None:
        super().__init__(status, message, {"Connection": "close"})
        self.message = message
        self.cure = cure


class Bounded(APIRoute):
    """A route whose JSON body has at most ``MOST_VALUES`` values, within at most ``MOST_DEPTH`` others.

    Any other is answered with 413; what strings hold counts for nothing.
    """

    def get_route_handler(self) -> Handler:
        """Return what answers requests."""
        answer = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await answer(_Json(request.scope, request.receive))

        return handle


class _Json(Request):
    async def json(self) -> Any:
        """The body; FastAPI answers where it is none."""
        if not hasattr(self, "_json"):
            self._json = await run_in_threadpool(_parsed, await self.body())
        return self._json


def _parsed(body: bytes) -> Any:
    demand_shape(body)
    try:
        # JSON is UTF-8 (RFC 8259). From bytes, json.loads also takes UTF-16, in which escapes look otherwise.
        return json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        # FastAPI takes this error, and no other, for a mistake of whoever asks.
        raise json.JSONDecodeError(error.reason, "", error.start) from error


def demand_shape(body: bytes, piece_bytes: int = _PIECE_BYTES) -> None:
    """Refuse a body of too many values, or too deep.

    The body is looked at piece by piece: a single call over a body of tens of megabytes would keep the interpreter, and
    with it the event loop, for seconds. What follows a mistake may be counted wrongly: nobody parses it.

    Raises:
        RefusedError: it is.
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
                say("the body is nested more than {most} deep", most=MOST_DEPTH),
                say("send what the API describes"),
            )
        depth = depths[-1]


def _pieces(body: bytes, size: int) -> Iterator[bytes]:
    """The pieces of a body, none of which ends within an escape."""
    start = 0
    while start < len(body):
        piece = body[start : start + size]
        if (len(piece) - len(piece.rstrip(b"\\"))) % 2:
            piece = body[start : start + size + 1]
        yield piece
        start += len(piece)


__all__ = ["MOST_DEPTH", "MOST_VALUES", "Bounded", "RefusedError", "demand_shape"]

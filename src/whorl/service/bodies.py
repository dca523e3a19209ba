"""JSON bodies: bounded by their shape before anything is made of them, and parsed beside the event loop."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
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
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
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
        return json.loads(body)
    except UnicodeDecodeError as error:
        # FastAPI takes this error, and no other, for a mistake of whoever asks.
        raise json.JSONDecodeError(error.reason, "", error.start) from error


def demand_shape(body: bytes) -> None:
    """Refuse a body of too many values, or too deep. Linear, in a copy of the body without its strings.

    Raises:
        RefusedError: it is.
    """
    bare = _STRING.sub(b"", body)
    if sum(map(bare.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise RefusedError(
            413, say("the body has more than {most:,} values", most=MOST_VALUES), say("send it in several requests")
        )
    steps = (_STEP[bracket] for bracket in bare.translate(None, _BRACKETS))
    if max(accumulate(steps), default=0) > MOST_DEPTH:
        raise RefusedError(
            413, say("the body is nested more than {most} deep", most=MOST_DEPTH), say("send what the API describes")
        )


__all__ = ["MOST_DEPTH", "MOST_VALUES", "Bounded", "RefusedError", "demand_shape"]

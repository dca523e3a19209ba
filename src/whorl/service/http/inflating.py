"""Request bodies with ``Content-Encoding: gzip``, inflated in bounded pieces.

A megabyte of gzip can hold a gigabyte. A body is therefore never inflated as a whole: each call returns at most
``PIECE_BYTES``, and the caller counts inflated bytes against the limit of the body.
"""

from __future__ import annotations

import zlib

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from whorl.i18n import say
from whorl.service.http.bodies import RefusedError

PIECE_BYTES = 64 * 2**10
_GZIP = zlib.MAX_WBITS + 16
_NAMES = ("gzip", "x-gzip")
_IDENTITY = ("", "identity")


class Inflating:
    """Receive function that inflates a gzip body; several members in sequence are one body."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._decoder = zlib.decompressobj(_GZIP)
        self._compressed = b""
        self.has_arrived = False
        """True once the client has sent the whole body."""

    async def __call__(self) -> Message:
        """Return the next piece.

        Raises:
            RefusedError: the body is not gzip, or it is incomplete.
        """
        while True:
            if piece := self._inflate():
                return {"type": "http.request", "body": piece, "more_body": True}
            if self.has_arrived:
                if not self._decoder.eof:
                    raise _malformed()
                return {"type": "http.request", "body": b"", "more_body": False}
            message = await self._receive()
            if message["type"] != "http.request":
                return message
            self._compressed += message.get("body", b"")
            self.has_arrived = not message.get("more_body", False)

    def _inflate(self) -> bytes:
        if self._decoder.eof and self._compressed:
            self._decoder = zlib.decompressobj(_GZIP)
        try:
            piece = self._decoder.decompress(self._compressed, PIECE_BYTES)
        except zlib.error:
            raise _malformed() from None
        self._compressed = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail
        return piece


class Unsupported:
    """Receive function that refuses an encoding."""

    has_arrived = False

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding

    async def __call__(self) -> Message:
        """Refuse the body.

        Raises:
            RefusedError: always.
        """
        raise RefusedError(
            415,
            say("unsupported content encoding {encoding!r:.40}", encoding=self._encoding),
            say("send the body as gzip, or without an encoding"),
        )


def decoder_of(scope: Scope, receive: Receive) -> Inflating | Unsupported | None:
    """Return the decoder of the body of a request, or None if it is not encoded.

    The headers of an encoded body are removed from the scope, since they do not describe the inflated one.
    """
    encoding = Headers(scope=scope).get("content-encoding", "").strip().lower()
    if encoding in _IDENTITY:
        return None
    if encoding not in _NAMES:
        return Unsupported(encoding)
    described = (b"content-encoding", b"content-length")
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name not in described]
    return Inflating(receive)


def _malformed() -> RefusedError:
    return RefusedError(
        400, say("the body is not complete gzip data"), say("compress it again, or send it without an encoding")
    )


__all__ = ["PIECE_BYTES", "Inflating", "Unsupported", "decoder_of"]

"""Bodies of pages as they are stored: compressed, each digest once."""

from __future__ import annotations

from hashlib import sha256

from whorl.errors import InputError
from whorl.i18n import say
from whorl.stores.monitoring_records import BodyRecord

MOST_BYTES = 64 * 1024 * 1024
"""Maximum size of a body."""

_CODEC, _LEVEL = "zstd", 6


def demand_body(body: object) -> bytes:
    """Validate the body of a page.

    Raises:
        InputError: it is not bytes, or too long.
    """
    if not isinstance(body, bytes | bytearray | memoryview):
        raise InputError(
            say("expected the bytes of a page, got {kind}", kind=type(body).__name__),
            hint=say("use the bytes of the page"),
        )
    raw = bytes(body)
    if len(raw) > MOST_BYTES:
        raise InputError(
            say("a page has {count:,} bytes; the maximum is {most:,}", count=len(raw), most=MOST_BYTES),
            hint=say("keep only the beginning, or do not keep it"),
        )
    return raw


def packed_body(digest: bytes, body: bytes) -> BodyRecord:
    """Return a body as it is stored."""
    import pyarrow as pa

    return BodyRecord(digest, len(body), pa.Codec(_CODEC, compression_level=_LEVEL).compress(body, asbytes=True))


def unpacked_body(kept: BodyRecord) -> bytes:
    """Return the bytes of a stored body.

    Raises:
        InputError: the stored bytes are damaged.
    """
    body = readable_body(kept)
    if body is None:
        hint = say("check for more damage with `whorl library verify`, then restore a backup")
        raise InputError(say("the stored page {digest} is damaged", digest=kept.digest.hex()), hint=hint)
    return body


def readable_body(kept: BodyRecord) -> bytes | None:
    """Return the bytes of a stored body; None if they are damaged."""
    import pyarrow as pa

    if not 0 <= kept.size <= MOST_BYTES:
        return None
    try:
        body: bytes = pa.Codec(_CODEC).decompress(kept.packed, decompressed_size=kept.size, asbytes=True)
    except (OSError, pa.ArrowException):
        return None
    return body if sha256(body).digest() == kept.digest else None


__all__ = ["MOST_BYTES", "demand_body", "packed_body", "readable_body", "unpacked_body"]

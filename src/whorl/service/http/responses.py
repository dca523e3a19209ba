"""JSON responses, serialized in the worker thread without a second validation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from fastapi.responses import Response
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from whorl.types.comparison import Plain

_MEDIA = "application/json"
_ITEMS = 1_000
"""Number of list items that are serialized in one call."""


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def json_of(data: Plain) -> bytes:
    """Return frozen data as UTF-8 JSON. Unpaired surrogates stay JSON escapes, as UTF-8 cannot encode them."""
    kind: Any = type(data)
    try:
        return _adapter(kind).dump_json(data)
    except PydanticSerializationError:
        return plain_json(data.to_dict())


def plain_json(data: Any) -> bytes:
    """Return plain data as UTF-8 JSON, with the same treatment of surrogates.

    Long lists are serialized in pieces: a single call over hundreds of thousands of words would block the interpreter,
    and thus the event loop, for a quarter of a second.
    """
    return "".join(_written(data)).encode("utf-8", "backslashreplace")


def _written(data: Any) -> Iterator[str]:
    """Yield the JSON of data in pieces, in the format of ``json.dumps``."""
    if isinstance(data, dict) and all(isinstance(key, str) for key in data):
        yield "{"
        for number, (key, value) in enumerate(data.items()):
            yield f"{', ' if number else ''}{json.dumps(key, ensure_ascii=False)}: "
            yield from _written(value)
        yield "}"
    elif isinstance(data, list) and data and isinstance(data[0], list):
        yield "["
        for number, items in enumerate(data):
            yield ", " if number else ""
            yield from _written(items)
        yield "]"
    elif isinstance(data, list) and len(data) > _ITEMS:
        pieces = (data[start : start + _ITEMS] for start in range(0, len(data), _ITEMS))
        for number, piece in enumerate(pieces):
            yield ", " if number else "["
            yield json.dumps(piece, ensure_ascii=False)[1:-1]
        yield "]"
    else:
        yield json.dumps(data, ensure_ascii=False)


def plain_reply(data: Any) -> Response:
    """Return a JSON response with plain data."""
    return Response(plain_json(data), media_type=_MEDIA)


def reply(data: Plain, status: int = 200, **headers: str) -> Response:
    """Return a JSON response with frozen data.

    Args:
        data: the data.
        status: HTTP status.
        **headers: response headers, with ``_`` for ``-``.
    """
    return Response(json_of(data), status, {name.replace("_", "-"): value for name, value in headers.items()}, _MEDIA)


__all__ = ["json_of", "plain_json", "plain_reply", "reply"]

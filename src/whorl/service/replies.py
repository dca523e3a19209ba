"""Answers as JSON: frozen data, written where it was made, without being looked at a second time."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from fastapi.responses import Response
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from whorl.model import Plain

_MEDIA = "application/json"


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def json_of(data: Plain) -> bytes:
    """Return frozen data as JSON in UTF-8; a lone surrogate, which UTF-8 has not, stays a JSON escape."""
    kind: Any = type(data)
    try:
        return _adapter(kind).dump_json(data)
    except PydanticSerializationError:
        return plain_json(data.to_dict())


def plain_json(data: Any) -> bytes:
    """Return plain data as JSON in UTF-8, likewise."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")


def plain_reply(data: Any) -> Response:
    """Return an answer with plain data."""
    return Response(plain_json(data), media_type=_MEDIA)


def reply(data: Plain, status: int = 200, **headers: str) -> Response:
    """Return an answer with frozen data.

    Args:
        data: what is answered.
        status: of HTTP.
        **headers: of the answer, with ``_`` for ``-``.
    """
    return Response(json_of(data), status, {name.replace("_", "-"): value for name, value in headers.items()}, _MEDIA)


__all__ = ["json_of", "plain_json", "plain_reply", "reply"]

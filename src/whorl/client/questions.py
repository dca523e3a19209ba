"""Requests to the service, built before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from secrets import token_hex
from typing import Any, Self
from urllib.parse import quote

from whorl._internal.frozen import frozen
from whorl.types.comparison import plain
from whorl.types.library import Document

_REPEATABLE = ("GET", "HEAD", "PUT", "DELETE")
_ONCE = "Idempotency-Key"


@frozen
class Question:
    """An HTTP request.

    Attributes:
        method: HTTP method.
        path: percent-encoded path.
        params: query parameters; None values are omitted.
        body: JSON body, or None.
        content: raw body, or None.
        file: name and content of a form upload, or None.
        headers: further headers.
    """

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content: bytes | None = None
    file: tuple[str, bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_library(cls, library: str, method: str, parts: Iterable[str], **more: Any) -> Self:
        """Build a request about a library."""
        path = "/".join(["/v1/libraries", quote(library, safe=""), *(quote(part, safe="") for part in parts)])
        return cls(method, path, **more)

    @property
    def is_repeatable(self) -> bool:
        """True if repeating the request has no further effect."""
        return self.method in _REPEATABLE or _ONCE in self.headers

    def once(self) -> Self:
        """Return the request with an idempotency key, so that the service executes it once."""
        return replace(self, headers={**self.headers, _ONCE: token_hex(16)})

    def with_file(self, name: str, content: bytes) -> Self:
        """Return the request with a file."""
        return replace(self, file=(name, content))

    def plain(self) -> dict[str, Any]:
        """Return the arguments for httpx."""
        arguments: dict[str, Any] = {
            "method": self.method,
            "url": self.path,
            "params": {name: value for name, value in self.params.items() if value is not None},
            "headers": dict(self.headers),
        }
        if self.body is not None:
            arguments["content"] = _json(self.body)
            arguments["headers"]["Content-Type"] = "application/json"
        if self.content is not None:
            arguments["content"] = self.content
            arguments["headers"]["Content-Type"] = "application/x-ndjson"
        if self.file is not None:
            arguments["files"] = {"file": self.file}
        return arguments


def plain_document(document: Document | Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as JSON, without unset fields."""
    fields = plain(document) if isinstance(document, Document) else dict(document)
    fields.pop("revision", None)
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def lines_of(documents: Iterable[Document | Mapping[str, Any]]) -> bytes:
    """Return documents as JSON Lines."""
    return b"".join(_json(plain_document(document)) + b"\n" for document in documents)


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, default=timed).encode("utf-8", "surrogatepass")


def timed(at: datetime | str | None) -> str | None:
    """Return a time in the format of the service."""
    return at.isoformat() if isinstance(at, datetime) else at


__all__ = ["Question", "lines_of", "plain_document", "timed"]

"""Pagination of lists, and conditional requests (RFC 9110, section 13)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Header, Query
from pydantic import BaseModel, Field

from whorl._internal.frozen import frozen
from whorl.errors import UsageError, WhorlError
from whorl.i18n import say

T = TypeVar("T")
_DIGITS = 32
_LONGEST = 1000
_LARGEST = 2**63 - 1
"""Largest integer in the database."""


class Page(BaseModel, Generic[T]):
    """A page of a list."""

    items: list[T] = Field(description="Items of the page. Pages before the last one may also be short or empty.")
    next: str | None = Field(None, description="Cursor of the next page; null on the last page.")


Cursor = Annotated[
    str | None, Query(description="`next` of the previous page; omit for the first page.", max_length=_LONGEST)
]
Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of items.")]
DEFAULT_LIMIT = 100
"""Default page size."""


def cursor_of(position: Any) -> str | None:
    """Encode a position as a cursor; None stays None and means that no more items follow."""
    if position is None:
        return None
    return urlsafe_b64encode(json.dumps(position).encode("ascii")).rstrip(b"=").decode("ascii")


def position_of(cursor: str | None, kind: type[T]) -> T | None:
    """Decode the position of a cursor; None stays None.

    Args:
        cursor: cursor from a request.
        kind: type of the position.

    Raises:
        UsageError: the cursor is invalid.
    """
    if cursor is None:
        return None
    try:
        position = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        position = None
    if type(position) is not kind or (isinstance(position, int) and abs(position) > _LARGEST):
        raise UsageError(
            say("{cursor!r:.60} is not a valid cursor", cursor=cursor),
            hint=say("use `next` of the previous page, or omit it"),
        )
    return position


class ChangedError(WhorlError):
    """The resource does not match the condition of the request."""


def etag_of(revision: int, content: str) -> str:
    """Return the entity tag of a revision with a content. Different contents have different tags."""
    digest = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return f'"r{revision}-{digest[:_DIGITS]}"'


@frozen
class Conditions:
    """Conditions of a request.

    Attributes:
        if_match: entity tags of which the resource must have one; "*" for any existing resource; None for no condition.
        if_none_match: entity tags that the resource must not have; "*" if it must not exist.
    """

    if_match: str | None = None
    if_none_match: str | None = None

    def demand(self, etag: str | None) -> None:
        """Require that a resource with this tag matches; None stands for a missing resource.

        Raises:
            ChangedError: a condition is not met.
        """
        if self.if_match is not None and not _names(self.if_match, etag):
            raise ChangedError(
                say("the resource does not match `If-Match`"), hint=say("get it again, and review the changes")
            )
        if self.if_none_match is not None and _names(self.if_none_match, etag):
            raise ChangedError(
                say("the resource matches `If-None-Match`"), hint=say("get it, and change it with `If-Match`")
            )

    def has(self, etag: str) -> bool:
        """Return True if the caller already has the resource with this tag."""
        return self.if_none_match is not None and _names(self.if_none_match.replace("W/", ""), etag)


def _names(tags: str, etag: str | None) -> bool:
    return etag is not None and (tags.strip() == "*" or etag in map(str.strip, tags.split(",")))


def conditions(
    if_match: Annotated[
        str | None, Header(description="Proceed only if the resource has one of these entity tags; `*` if it exists.")
    ] = None,
    if_none_match: Annotated[
        str | None,
        Header(description="Proceed only if the resource has none of these entity tags; `*` if it does not exist."),
    ] = None,
) -> Conditions:
    """Return the conditions of a request."""
    return Conditions(if_match, if_none_match)


__all__ = [
    "DEFAULT_LIMIT",
    "ChangedError",
    "Conditions",
    "Cursor",
    "Limit",
    "Page",
    "conditions",
    "cursor_of",
    "etag_of",
    "position_of",
]

"""Long lists page by page, and whether a thing is still as its caller has seen it (RFC 9110, section 13)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Header, Query
from pydantic import BaseModel, Field

from whorl.errors import UsageError, WhorlError
from whorl.language import say

T = TypeVar("T")
_DIGITS = 32
_LONGEST = 1000
_LARGEST = 2**63 - 1
"""The largest number that databases take."""


class Page(BaseModel, Generic[T]):
    """Some things of many."""

    items: list[T] = Field(description="May be fewer than the limit, or none, before the last page.")
    next: str | None = Field(None, description="The cursor of the next page; null on the last one.")


Cursor = Annotated[
    str | None, Query(description="`next` of the page before; none for the first page.", max_length=_LONGEST)
]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
MOST = 100
"""How many things a page has, unless the caller says how many."""


def cursor_of(position: Any) -> str | None:
    """Return the cursor of a position, which is what JSON can hold; None for None, where no more follow."""
    if position is None:
        return None
    return urlsafe_b64encode(json.dumps(position).encode("ascii")).rstrip(b"=").decode("ascii")


def position_of(cursor: str | None, kind: type[T]) -> T | None:
    """Return the position of a cursor; None for None.

    Args:
        cursor: as a caller gives it.
        kind: what a position is.

    Raises:
        UsageError: it is none.
    """
    if cursor is None:
        return None
    try:
        position = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        position = None
    if type(position) is not kind or (isinstance(position, int) and abs(position) > _LARGEST):
        raise UsageError(
            say("{cursor!r:.60} is no cursor", cursor=cursor), cure=say("give `next` of the page before, or none")
        )
    return position


class ChangedError(WhorlError):
    """A thing is no longer as its caller has seen it."""


def etag_of(revision: int, content: str) -> str:
    """Return the entity tag of a revision of a thing with this content; any other content has another."""
    digest = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return f'"r{revision}-{digest[:_DIGITS]}"'


@dataclass(frozen=True, slots=True)
class Conditions:
    """As what a caller expects a thing.

    Attributes:
        if_match: entity tags, one of which it has; "*" for any thing; None for nothing expected.
        if_none_match: entity tags, none of which it has; "*" for nothing there.
    """

    if_match: str | None = None
    if_none_match: str | None = None

    def demand(self, etag: str | None) -> None:
        """Let only a thing with an expected tag be changed; None is that nothing is there.

        Raises:
            ChangedError: it has another one.
        """
        if self.if_match is not None and not _names(self.if_match, etag):
            raise ChangedError(
                say("it is not, or no longer, what `If-Match` names"), cure=say("get it again, and look what changed")
            )
        if self.if_none_match is not None and _names(self.if_none_match, etag):
            raise ChangedError(
                say("`If-None-Match` names what is there"), cure=say("get it, and change it with `If-Match`")
            )

    def has(self, etag: str) -> bool:
        """Whether the caller has the thing with this tag already."""
        return self.if_none_match is not None and _names(self.if_none_match.replace("W/", ""), etag)


def _names(tags: str, etag: str | None) -> bool:
    return etag is not None and (tags.strip() == "*" or etag in map(str.strip, tags.split(",")))


def conditions(
    if_match: Annotated[
        str | None, Header(description="Only if the thing has one of these entity tags; `*` if it is there at all.")
    ] = None,
    if_none_match: Annotated[
        str | None, Header(description="Only if the thing has none of these entity tags; `*` if it is not there.")
    ] = None,
) -> Conditions:
    """Return what a request expects."""
    return Conditions(if_match, if_none_match)


__all__ = [
    "MOST",
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

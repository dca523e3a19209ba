"""The content of an alert: a copy that was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl._internal.visible_text import visible
from whorl.errors import InputError
from whorl.i18n import Language, say, say_many, translated
from whorl.reports.comparison.wording import RELATIONS
from whorl.types.comparison import Plain, percent

_LONGEST = 120

EVENTS = {
    "changed": say("The copy has changed"),
    "returned": say("The copy was removed and is there again"),
    "permission": say("The copy is no longer permitted"),
    "decision": say("The page was judged to be a copy"),
}
"""First line of an alert about a copy that was found before, by event."""


@frozen
class CopyFound(Plain):
    """A copy that was found.

    >>> from whorl.results import CopyFound
    >>> alert = CopyFound("b7", "a1", share=0.9, length=420, kind="excerpt", url="https://copies.example/7")
    >>> alert.site
    'copies.example'

    Attributes:
        document: id of the copy.
        original: id of the copied article.
        share: share of the original in the copy, in [0, 1].
        length: length of the shared text in normalized code points.
        kind: relation of the copy to the original, as in a match.
        url: address of the copy.
        title: title of the copy.
        original_title: title of the original.
        original_url: address of the original.
        collection: collection of the original.
        review: state of the match: "pending", "confirmed", "rejected" or "authorised".
        found_at: when it was found.
        event: "found", or what happened to a copy that was found before: "changed", "returned", "permission" (it is no
            longer permitted) or "decision".
        case: number of the case; 0 without one.
        number: number of the event; 0 without one.
    """

    document: str
    original: str
    share: float
    length: int
    kind: str
    url: str = ""
    title: str = ""
    original_title: str = ""
    original_url: str = ""
    collection: str = ""
    review: str = "pending"
    found_at: datetime | None = None
    event: str = "found"
    case: int = 0
    number: int = 0

    @property
    def site(self) -> str:
        """Host name of the copy; empty without an address."""
        try:
            return (urlsplit(self.url).hostname or "").rstrip(".").lower()
        except ValueError:
            return ""

    @property
    def key(self) -> str:
        """Identity of an alert: a match is reported once to each channel, and once for each later event."""
        match = f"{self.document}\n{self.original}"
        return match if self.event == "found" else f"{match}\n{self.event} {self.number}"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> CopyFound:
        """Rebuild an alert from the data of ``to_dict``.

        Raises:
            InputError: the data is invalid.
        """
        field_names = {field.name for field in fields(cls)}
        try:
            values = {name: value for name, value in data.items() if name in field_names}
            at = values.get("found_at")
            return cls(**values | {"found_at": datetime.fromisoformat(at) if isinstance(at, str) else at})
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(
                say("cannot read a stored alert: {error}", error=error), hint=say("see `whorl library verify`")
            ) from error


def heading(count: int, language: Language) -> str:
    """Return the first line of a message about a number of alerts."""
    return str(translated(say_many("{count:,} copy was found", "{count:,} copies were found", count), language))


def lines(alert: CopyFound, language: Language) -> list[str]:
    """Return the lines of an alert as plain text; invisible characters are named."""
    messages = [
        say(
            "{share} of “{original}” is contained in “{copy}”",
            share=percent(alert.share),
            original=_clipped(alert.original_title or alert.original),
            copy=_clipped(alert.title or alert.document),
        ),
        say(
            "{kind}, {count:,} characters in common",
            kind=RELATIONS.get(alert.kind, alert.kind),
            count=alert.length,
        ),
    ]
    if alert.event in EVENTS:
        messages.insert(0, EVENTS[alert.event])
    if alert.url:
        messages.append(say("copy: {url}", url=_clipped(alert.url)))
    if alert.original_url:
        messages.append(say("original: {url}", url=_clipped(alert.original_url)))
    if alert.case:
        messages.append(say("case: {number}", number=alert.case))
    messages.append(say("match: {id} {other}", id=_clipped(alert.document), other=_clipped(alert.original)))
    return [str(translated(line, language)) for line in messages]


def _clipped(text: str) -> str:
    """Shorten a text to one line."""
    line = visible(" ".join(text.split()))
    limit = 4 * _LONGEST if "://" in line else _LONGEST
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


__all__ = ["CopyFound", "heading", "lines"]

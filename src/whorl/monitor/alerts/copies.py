"""An alert: a copy that was found, as whoever is told of it needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from whorl.errors import InputError
from whorl.language import Language, say, say_many, translated
from whorl.model import Plain, percent
from whorl.reports.wording import RELATIONS
from whorl.visible import visible

_LONGEST = 120


@dataclass(frozen=True, slots=True)
class CopyFound(Plain):
    """A copy that was found.

    >>> from whorl.results import CopyFound
    >>> alert = CopyFound("b7", "a1", share=0.9, length=420, kind="excerpt", url="https://copies.example/7")
    >>> alert.site
    'copies.example'

    Attributes:
        document: the id of the copy.
        original: the id of the article that it was copied from.
        share: of the original that the copy has, in [0, 1].
        length: folded code points that both share.
        kind: what the copy is to the original, as of a match.
        url: where the copy was seen.
        title: of the copy.
        original_title: of the original.
        original_url: where the original stands.
        collection: of the original.
        review: the state of the match: "pending", "confirmed", "rejected" or "authorised".
        found_at: when it was found.
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

    @property
    def site(self) -> str:
        """The host where the copy was seen; empty where it has no address."""
        try:
            return (urlsplit(self.url).hostname or "").rstrip(".").lower()
        except ValueError:
            return ""

    @property
    def key(self) -> str:
        """What makes two alerts the same: one match is told once to each channel."""
        return f"{self.document}\n{self.original}"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> CopyFound:
        """Return the alert that ``to_dict`` has made data of.

        Raises:
            InputError: it is none.
        """
        known = {field.name for field in fields(cls)}
        try:
            given = {name: value for name, value in data.items() if name in known}
            at = given.get("found_at")
            return cls(**given | {"found_at": datetime.fromisoformat(at) if isinstance(at, str) else at})
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(
                say("a kept alert cannot be read: {error}", error=error), cure=say("see `whorl library verify`")
            ) from error


def heading(count: int, language: Language) -> str:
    """Return the first line of a message of so many alerts."""
    return str(translated(say_many("{count:,} copy was found", "{count:,} copies were found", count), language))


def lines(alert: CopyFound, language: Language) -> list[str]:
    """Return what people read of an alert, in a few lines without any markup; hidden characters are named."""
    told = [
        say(
            "{share} of “{original}” stands in “{copy}”",
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
    if alert.url:
        told.append(say("copy: {url}", url=_clipped(alert.url)))
    if alert.original_url:
        told.append(say("original: {url}", url=_clipped(alert.original_url)))
    told.append(say("match: {id} {other}", id=_clipped(alert.document), other=_clipped(alert.original)))
    return [str(translated(line, language)) for line in told]


def _clipped(text: str) -> str:
    """A text on one line."""
    shown = visible(" ".join(text.split()))
    most = 4 * _LONGEST if "://" in shown else _LONGEST
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


__all__ = ["CopyFound", "heading", "lines"]

"""The first sheet of an evidence report: the copy, the original, times, operator, method and limits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from whorl._internal.frozen import frozen
from whorl.i18n import Message, say
from whorl.reports.cases import shown_time

METHOD = [
    say("Both texts were normalized (width, script, case, punctuation, invisible characters) and aligned."),
    say("The share is the part of the original that the copy contains word for word, with tricks undone."),
    say("Pages are stored as received. The ledger of the library chains the SHA-256 of each page and event."),
]
LIMITS = [
    say(
        "The pack cannot prove that the pages came from these sites: the keeper of the library could have forged them."
    ),
    say("It does not prove who wrote first: both may be copied from a third."),
    say("Times are those of the machine that keeps the library, unless an authority has time-stamped the pack."),
]


@frozen
class SheetSide:
    """The copy or the original on the first sheet.

    Attributes:
        title: its title; its id without one.
        id: its id.
        url: its address; empty without one.
        site: name of its site; empty if it is unknown.
        author: its author; empty if it is unknown.
        published_at: stated time of publication; None if it is unknown.
        first_seen_at: when it was first seen; None if it is unknown.
        revision: its revision.
        digest: SHA-256 of its text.
        iscc: Text-Code of its text, with 256 bits.
    """

    title: str
    id: str
    url: str
    site: str
    author: str
    published_at: datetime | None
    first_seen_at: datetime | None
    revision: int
    digest: str
    iscc: str


@frozen
class EvidenceSheet:
    """The first sheet of an evidence report.

    Attributes:
        original: the original.
        copy: the copy.
        made_at: when the report was made.
        operator: person who made it; empty if unnamed.
        zone: time zone; None is that of this machine.
        case: number of the case; 0 without one.
        facts: dated facts of the case, such as when the copy was first and last seen.
        checks: number of requests by HTTP status.
    """

    original: SheetSide
    copy: SheetSide
    made_at: datetime
    operator: str
    zone: tzinfo | None
    case: int
    facts: Sequence[tuple[Message, datetime]]
    checks: Sequence[tuple[int, int]]

    @property
    def method(self) -> list[Message]:
        """Sentences about the method."""
        return METHOD

    @property
    def limits(self) -> list[Message]:
        """Sentences about what is not proven."""
        return LIMITS

    def time(self, at: datetime) -> str:
        """Return a time in the zone of the sheet with its offset, and in UTC."""
        local, utc = shown_time(at, self.zone), shown_time(at, UTC)
        return local if local == utc else f"{local} ({at.astimezone(UTC):%Y-%m-%d %H:%M} UTC)"


__all__ = ["LIMITS", "METHOD", "EvidenceSheet", "SheetSide"]

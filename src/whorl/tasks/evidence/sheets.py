"""Fill the first sheet of an evidence report from a library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, tzinfo
from hashlib import sha256
from typing import TYPE_CHECKING

from whorl.i18n import Message, say
from whorl.library.provenance.hosts import domain_of
from whorl.reports.evidence_sheet import EvidenceSheet, SheetSide
from whorl.text.iscc import text_code

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.types.cases import Case
    from whorl.types.library import Document

ISCC_BITS = 256
"""Size of the Text-Codes in evidence."""


def evidence_sheet(
    library: Library,
    copy: Document,
    original: Document,
    case: Case | None,
    made_at: datetime,
    zone: tzinfo | None,
    operator: str,
) -> EvidenceSheet:
    """Return the first sheet for a copy and its original.

    Args:
        library: the library.
        copy: the copy, in the revision that was compared.
        original: the original.
        case: their case; None without one.
        made_at: when the report is made.
        zone: time zone; None is that of this machine.
        operator: person who makes it; empty if unnamed.
    """
    events = [] if case is None else library.cases.events(case.number)
    statuses = Counter(event.data["status"] for event in events if event.kind == "fetched")
    return EvidenceSheet(
        _side(library, original),
        _side(library, copy),
        made_at,
        operator,
        zone,
        0 if case is None else case.number,
        [] if case is None else list(_facts(case)),
        sorted(statuses.items()),
    )


def _facts(case: Case) -> Iterator[tuple[Message, datetime]]:
    facts = (
        (say("Copy first seen"), case.opened_at),
        (say("Copy is there again since"), case.since if case.returns else None),
        (say("Copy last seen"), case.confirmed_at),
        (say("Copy removed"), case.removed_at),
        (say("Notice sent"), case.noticed_at),
        (say("Deadline"), case.deadline),
    )
    yield from ((name, at) for name, at in facts if at is not None)


def _side(library: Library, document: Document) -> SheetSide:
    url = document.url or ""
    site = library.sites.of(url) if url else None
    return SheetSide(
        document.title or document.id,
        document.id,
        url,
        (site and site.name) or document.source or domain_of(url),
        document.author or "",
        document.published_at,
        document.first_seen_at,
        document.revision or 1,
        sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest(),
        text_code(document.text, ISCC_BITS),
    )


__all__ = ["ISCC_BITS", "evidence_sheet"]

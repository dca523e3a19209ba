"""What a library knows of the articles of a cluster, as those who judge who was first need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from whorl.library.dating import SiteDates
from whorl.library.model import Document, Match, Traced
from whorl.library.permission import permission_of
from whorl.matching.misprints import misprints
from whorl.matching.statements import Statement, statements
from whorl.matching.witness import Relation, Witness
from whorl.text import body

if TYPE_CHECKING:
    from whorl.library import Library

COMPARED = 40
_MOST_OVERLOOKED = 5
"""More misprints than these are no oversight, but a disguise."""
_SUCCESS = range(200, 300)


def witnesses(library: Library, traced: Iterable[Traced]) -> tuple[list[Witness], list[Relation]]:
    """Return what a library knows of the articles of a cluster, and what relates them.

    Args:
        library: that has them.
        traced: the articles in the order of time. Of forty or fewer each is compared with every match of it; of more,
            with the strongest before it.
    """
    known = list(traced)
    documents = {one.document.id: library.get(one.document.id) or one.document for one in known}
    dates = library.sites.datings([document.url or "" for document in documents.values()], without=documents)
    members = [_witness(library, document, dates.get(document.url or "")) for document in documents.values()]
    frames = {member.id: _framing(documents[member.id].text, member) for member in members}
    matches: dict[tuple[str, str], Match] = {}
    for one in known:
        id = one.document.id
        tied = [one.match] if one.match else []
        for match in library.matches(id) if len(known) <= COMPARED else tied:
            if match.id in documents and match.id != id:
                matches[match.id, id] = match
    pairs = [pair for pair in matches if pair[0] < pair[1] or pair[::-1] not in matches]
    return members, [_relation(documents[a], documents[b], matches, frames) for a, b in pairs]


def _witness(library: Library, document: Document, dates: SiteDates | None) -> Witness:
    address = document.url or ""
    site = library.sites.of(address) if address else None
    metadata = document.metadata
    return Witness(
        document.id,
        address,
        "|".join(name for name in (document.source, site.name if site else "") if name),
        title=document.title or "",
        author=document.author or "",
        length=len(document.text),
        published_at=document.published_at,
        first_seen_at=document.first_seen_at,
        sightings=tuple((seen.url or "", seen.at) for seen in library.sightings(document.id)),
        snapshots=tuple(page.fetched_at for page in library.pages.of(document.id) if page.status in _SUCCESS),
        canonical=_text(metadata, "canonical"),
        links=document.links,
        statements=(*_stated(metadata), *statements(document.text)),
        is_original=metadata.get("is_original") is True,
        collection=document.collection,
        proofs=tuple((proof.kind, proof.at) for proof in library.proofs.of(document.id)),
        trust=site.trust if site else None,
        since=site.since if site else None,
        update_cycle=site.update_cycle if site else None,
        authorised=bool(address) and permission_of(library, document, address, document.first_seen_at) == "given",
        visited_since=dates.visited_since if dates else None,
        dates_checked=dates.checked if dates else 0,
        dates_false=dates.false if dates else 0,
    )


def _stated(metadata: Mapping[str, Any]) -> tuple[Statement, ...]:
    """What a page says of its source outside of its text."""
    name, url = _text(metadata, "origin"), _text(metadata, "origin_url")
    return (Statement("source", name, url, (0, 0)),) if name or url else ()


def _text(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


def _framing(text: str, member: Witness) -> int:
    """Code points of a text that are no body, but for what names its own source and author."""
    own = sum(end - start for start, end in (one.span for one in member.statements))
    return max(0, len(text) - len(body(text)) - own)


def _relation(
    a: Document, b: Document, matches: Mapping[tuple[str, str], Match], frames: Mapping[str, int]
) -> Relation:
    """What two articles have in common, and what only one of them has."""
    match = matches[a.id, b.id]
    surplus = frames[a.id] - frames[b.id]
    tricks_a, tricks_b = _tricks(matches.get((b.id, a.id))), _tricks(match)
    in_a, in_b = misprints(a.text, b.text, match.passages)
    if in_a > _MOST_OVERLOOKED:
        tricks_a, in_a = tricks_a + in_a, 0
    if in_b > _MOST_OVERLOOKED:
        tricks_b, in_b = tricks_b + in_b, 0
    return Relation(
        a.id,
        b.id,
        match.other_in_this,
        match.this_in_other,
        a_added=max(0, surplus),
        b_added=max(0, -surplus),
        a_tricks=tricks_a,
        b_tricks=tricks_b,
        a_repairs=in_b,
        b_repairs=in_a,
    )


def _tricks(match: Match | None) -> int:
    """Places where an article hides that it is a copy, by the match that tells how it differs."""
    changes = match.changes if match else None
    return changes.noise + changes.look_alikes if changes else 0


__all__ = ["witnesses"]

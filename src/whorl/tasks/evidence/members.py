"""Facts about the articles of a cluster, as input for attribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from whorl.attribution.member_facts import Relation, Witness
from whorl.attribution.misprints import misprints
from whorl.attribution.statements import Statement, statements
from whorl.library.authorship import authors_at
from whorl.library.permission import permission_of
from whorl.library.provenance.dating import SiteDates
from whorl.text import body
from whorl.types.library import Document, Match, TraceStep

if TYPE_CHECKING:
    from whorl.library import Library

COMPARED = 40
_MOST_OVERLOOKED = 5
"""With more misprints than this, the changes are not oversight but disguise."""
_SUCCESS = range(200, 300)


def witnesses(library: Library, traced: Iterable[TraceStep]) -> tuple[list[Witness], list[Relation]]:
    """Return the facts about the articles of a cluster and the relations between them.

    Args:
        library: the library of the articles.
        traced: the articles in order of time. Up to forty are each compared with every match; more are compared only
            with the strongest earlier match.
    """
    steps = list(traced)
    documents = {step.document.id: library.get(step.document.id) or step.document for step in steps}
    dates = library.sites.datings([document.url or "" for document in documents.values()], without=documents)
    members = [_witness(library, document, dates.get(document.url or "")) for document in documents.values()]
    frames = {member.id: _framing(documents[member.id].text, member) for member in members}
    matches: dict[tuple[str, str], Match] = {}
    for step in steps:
        id = step.document.id
        tied = [step.match] if step.match else []
        for match in library.matches(id) if len(steps) <= COMPARED else tied:
            if match.id in documents and match.id != id:
                matches[match.id, id] = match
    pairs = [pair for pair in matches if pair[0] < pair[1] or pair[::-1] not in matches]
    addresses = {pair: (documents[pair[0]].url or "", documents[pair[1]].url or "") for pair in pairs}
    first = library.sites.precedences(addresses.values(), without=documents)
    relations = [_relation(documents[a], documents[b], matches, frames) for a, b in pairs]
    return members, [
        replace(relation, a_first=first[addresses[pair]][0], b_first=first[addresses[pair]][1])
        for pair, relation in zip(pairs, relations, strict=True)
    ]


def _witness(library: Library, document: Document, dates: SiteDates | None) -> Witness:
    address = document.url or ""
    site = library.sites.of(address) if address else None
    visits = library.visits.of(address)
    metadata = document.metadata
    return Witness(
        document.id,
        address,
        "|".join(name for name in (document.source, site.name if site else "") if name),
        title=document.title or "",
        author=document.author or "",
        accounts=authors_at(library, document),
        length=len(document.text),
        published_at=document.publication,
        first_seen_at=document.first_seen_at,
        sightings=tuple((sighting.url or "", sighting.at) for sighting in library.sightings(document.id)),
        snapshots=tuple(page.fetched_at for page in library.pages.of(document.id) if page.status in _SUCCESS),
        canonical=_text(metadata, "canonical"),
        links=document.links,
        statements=(*_stated(metadata), *statements(document.text)),
        is_original=metadata.get("is_original") is True,
        collection=document.collection,
        attestations=tuple(
            (attestation.kind, attestation.time) for attestation in library.attestations.of(document.id)
        ),
        trust=site.trust if site else None,
        since=site.since if site else None,
        update_cycle=(site.update_cycle if site else None) or visits.cycle(document.first_seen_at),
        authorised=bool(address) and permission_of(library, document, address, document.first_seen_at) == "given",
        visited_since=min(filter(None, (visits.since, dates.visited_since if dates else None)), default=None),
        dates_checked=dates.checked if dates else 0,
        dates_false=dates.false if dates else 0,
    )


def _stated(metadata: Mapping[str, Any]) -> tuple[Statement, ...]:
    """Return the statements of a page about its source, outside of its text."""
    name, url = _text(metadata, "origin"), _text(metadata, "origin_url")
    return (Statement("source", name, url, (0, 0)),) if name or url else ()


def _text(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


def _framing(text: str, member: Witness) -> int:
    """Return the code points of a text outside the body that name its source and author."""
    attributed = sum(end - start for start, end in (statement.span for statement in member.statements))
    return max(0, len(text) - len(body(text)) - attributed)


def _relation(
    a: Document, b: Document, matches: Mapping[tuple[str, str], Match], frames: Mapping[str, int]
) -> Relation:
    """Return the common text of two articles, and the text that only one of them has."""
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
    """Return the number of places where an article disguises copying, based on its match."""
    changes = match.changes if match else None
    return changes.noise + changes.look_alikes if changes else 0


__all__ = ["witnesses"]

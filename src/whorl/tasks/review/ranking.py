"""Rank all matches of a library by severity, whatever was decided about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whorl._internal.frozen import frozen
from whorl.attribution.member_facts import PROTECTED
from whorl.library.authorship import is_by_author
from whorl.library.permission import permission_of
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.tasks.compare.sides import Sides

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whorl.library import Library
    from whorl.types.library import Document
    from whorl.types.review import QueuePlace

_UNPROTECTED, _WITH_PERMISSION = 0.25, 0.1
"""Factors for matches of unprotected articles, and for sites that may reprint or belong to the author."""


class Ranked(NamedTuple):
    """A match with its position.

    Attributes:
        place: its position in the ranking.
        sides: the copy and the original.
        length: approximate number of copied code points.
        has_permission: True if the site may reprint it.
        is_by_author: True if it is at a site or account known to belong to the author of the original.
        pair: the lower and the higher number of its documents.
    """

    place: QueuePlace
    sides: Sides
    length: int
    has_permission: bool
    is_by_author: bool
    pair: tuple[int, int]


@frozen
class Ranking:
    """All matches of a library at one point in time.

    Attributes:
        matches: the most severe first.
        unlisted: number of further matches of articles with too many matches.
    """

    matches: tuple[Ranked, ...]
    unlisted: int


def rank(library: Library, collection: str | None = None) -> Ranking:
    """Return all matches, the most severe first.

    Args:
        library: an open library.
        collection: as for ``review_queue``.

    Cost: linear in matches, some microseconds each.
    """
    chosen = PROTECTED[0] if collection is None and library.collections().get(PROTECTED[0]) else collection
    matched, unlisted = library.reviews.matched(chosen)
    sides = list(map(Sides.of, matched))
    with_permission = _with_permission(library, {pair.copy.number for pair in sides})
    by_author = _by_author(library, sides)
    ranked = [_ranked(pair, pair.copy.number in with_permission, pair.match.pair in by_author) for pair in sides]
    ranked.sort(key=lambda match: match.place)
    return Ranking(tuple(ranked), unlisted)


def _ranked(pair: Sides, has_permission: bool, is_by_author: bool) -> Ranked:
    length = round(pair.share * pair.original.characters)
    weight = 1.0 if pair.original.collection in PROTECTED else _UNPROTECTED
    weight *= _WITH_PERMISSION if has_permission or is_by_author else 1.0
    place = -round(pair.larger * length * weight, 3), pair.copy.id, pair.original.id
    return Ranked(place, pair, length, has_permission, is_by_author, pair.match.pair)


def _with_permission(library: Library, copies: Iterable[int]) -> set[int]:
    """Return the numbers of the documents whose site may reprint them."""
    domains = {permission.domain for permission in library.permissions} | {
        site.domain for site in library.sites if site.authorised
    }
    if not domains:
        return set()
    return {
        number
        for number, document in library.reviews.documents(copies).items()
        if document.url
        and not domains.isdisjoint(domains_above(domain_of(document.url)))
        and _is_covered(library, document, document.url)
    }


def _by_author(library: Library, sides: Sequence[Sides]) -> set[tuple[int, int]]:
    """Return the matches whose copy is at a site or account of the author of the original."""
    domains = {account.domain for account in library.accounts}
    if not domains:
        return set()
    documents = library.reviews.documents({number for side in sides for number in side.match.pair})
    matches = set()
    for side in sides:
        copy, original = documents.get(side.copy.number), documents.get(side.original.number)
        if copy is None or original is None or domains.isdisjoint(domains_above(domain_of(copy.url))):
            continue
        if is_by_author(library, copy, original):
            matches.add(side.match.pair)
    return matches


def _is_covered(library: Library, copy: Document, url: str) -> bool:
    return permission_of(library, copy, url, copy.first_seen_at) == "given"


__all__ = ["Ranked", "Ranking", "rank"]

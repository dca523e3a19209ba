"""All matches of a library, the most severe first, whatever was decided about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.hosts import domain_of, domains_above
from whorl.library.permission import permission_of
from whorl.matching.witness import PROTECTED
from whorl.tasks.sides import Sides

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whorl.library import Library
    from whorl.library.model import Document
    from whorl.tasks.waiting import QueuePlace

_UNPROTECTED, _WITH_LEAVE = 0.25, 0.1
"""How much less a match weighs that is of no protected article, or whose site may reprint."""


class Ranked(NamedTuple):
    """A match with its place.

    Attributes:
        place: where it stands among all.
        sides: who has copied from whom.
        length: code points of the original that the copy has, about.
        has_leave: whether the site may reprint it.
        pair: the lower and the higher number of its documents.
    """

    place: QueuePlace
    sides: Sides
    length: int
    has_leave: bool
    pair: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ranking:
    """All matches of a library at one moment.

    Attributes:
        matches: the most severe first.
        unlisted: further matches of articles that have too many.
    """

    matches: tuple[Ranked, ...]
    unlisted: int


def rank(library: Library, among: str | None = None) -> Ranking:
    """Return all matches, the most severe first.

    Args:
        library: open.
        among: as of ``review_queue``.

    Cost: linear in matches, some microseconds each.
    """
    chosen = PROTECTED[0] if among is None and library.collections().get(PROTECTED[0]) else among
    matched, unlisted = library.reviews.matched(chosen)
    sides = list(map(Sides.of, matched))
    with_leave = _with_leave(library, {one.copy.number for one in sides})
    ranked = [_ranked(one, one.copy.number in with_leave) for one in sides]
    ranked.sort(key=lambda one: one.place)
    return Ranking(tuple(ranked), unlisted)


def _ranked(one: Sides, has_leave: bool) -> Ranked:
    length = round(one.share * one.original.characters)
    weight = (1.0 if one.original.collection in PROTECTED else _UNPROTECTED) * (_WITH_LEAVE if has_leave else 1.0)
    place = -round(one.larger * length * weight, 3), one.copy.id, one.original.id
    return Ranked(place, one, length, has_leave, one.match.pair)


def _with_leave(library: Library, copies: Iterable[int]) -> set[int]:
    """Which of these documents a site may reprint, by their numbers."""
    domains = {leave.domain for leave in library.leaves} | {site.domain for site in library.sites if site.authorised}
    if not domains:
        return set()
    return {
        number
        for number, document in library.reviews.documents(copies).items()
        if document.url
        and not domains.isdisjoint(domains_above(domain_of(document.url)))
        and _is_covered(library, document, document.url)
    }


def _is_covered(library: Library, copy: Document, url: str) -> bool:
    return permission_of(library, copy, url, copy.first_seen_at) == "given"


__all__ = ["Ranked", "Ranking", "rank"]

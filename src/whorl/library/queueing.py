"""All matches of a library with what was decided about them; nothing is compared again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from whorl.library.core import Core
from whorl.library.documents import document_from
from whorl.library.finder import NOTHING
from whorl.library.listing import Listed, Own, listed
from whorl.library.model import Document, Review, moment
from whorl.library.reporting import Said
from whorl.model import Plain
from whorl.stores import Reader
from whorl.stores.records import Entry

_BLOCK = 500


@dataclass(frozen=True, slots=True)
class KeptMatch(Plain):
    """A match of two documents as it is kept.

    Attributes:
        own: one of them, without its text.
        other: the other, likewise.
        characters: code points of the text of the one.
        other_characters: of the text of the other.
        this_in_other: the share of the one that the other has, in [0, 1].
        other_in_this: the share of the other that the one has, in [0, 1].
        kind: what the one is to the other, as of a match.
        joins: whether both are of one cluster by themselves or by what was decided.
        review: what counts of what was decided.
    """

    own: Document
    other: Document
    characters: int
    other_characters: int
    this_in_other: float
    other_in_this: float
    kind: str
    joins: bool
    review: Review


def matched(core: Core, reader: Reader, among: str | None = None) -> tuple[list[KeptMatch], int]:
    """Return each match once, and how many are not listed since a document has too many.

    Args:
        core: the library.
        reader: the truth.
        among: a collection, of which one of the two documents is; None for all matches.

    Cost: linear in documents and matches; some microseconds each.
    """
    found: dict[tuple[int, int], KeptMatch] = {}
    unlisted = 0
    for entries in _blocks(reader.all_entries(among)):
        for entry, (some, left) in zip(entries, _listed(core, reader, entries), strict=True):
            unlisted += left
            for one in some:
                key = (min(entry.number, one.other.number), max(entry.number, one.other.number))
                if key not in found:
                    found[key] = _kept(entry, one)
    return list(found.values()), unlisted


def _kept(own: Entry, one: Listed) -> KeptMatch:
    decided, related = one.verdict, one.related
    return KeptMatch(
        own=document_from(own, "", ()),
        other=document_from(one.other, "", ()),
        characters=own.characters,
        other_characters=one.other.characters,
        this_in_other=related.this_in_other,
        other_in_this=related.other_in_this,
        kind=related.kind,
        joins=related.joins,
        review=Review() if decided is None else Review(decided.state, decided.by, moment(decided.at), decided.note),
    )


def _listed(core: Core, reader: Reader, entries: Sequence[Entry]) -> list[tuple[list[Listed], int]]:
    contents = reader.contents({entry.content for entry in entries})
    pairs = reader.pairs(contents)
    owns = [
        (
            Own("", core.when(entry), entry.number, entry.content),
            Said(contents[entry.content], pairs.get(entry.content, []), NOTHING).related(),
        )
        for entry in entries
    ]
    return listed(core, reader, owns)


def _blocks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    rest = iter(entries)
    while block := list(islice(rest, _BLOCK)):
        yield block


__all__ = ["KeptMatch", "matched"]

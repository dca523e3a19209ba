"""All matches of a library with what was decided about them; nothing is compared again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from whorl.library.core import Core
from whorl.library.finder import NOTHING
from whorl.library.listing import Listed, Own, Related, listed
from whorl.library.reporting import Said
from whorl.stores import Reader
from whorl.stores.records import Entry, Verdict

_BLOCK = 500


class Matched(NamedTuple):
    """A match of two documents.

    Attributes:
        own: one of them.
        other: the other.
        related: what the other is to the one.
        verdict: what was decided; None for nothing.
    """

    own: Entry
    other: Entry
    related: Related
    verdict: Verdict | None


def matched(core: Core, reader: Reader, among: str | None = None) -> tuple[list[Matched], int]:
    """Return each match once, and how many are not listed since a document has too many.

    Args:
        core: the library.
        reader: the truth.
        among: a collection, of which one of the two documents is; None for all matches.

    Cost: linear in documents and matches; some microseconds each.
    """
    found: dict[tuple[int, int], Matched] = {}
    unlisted = 0
    for entries in _blocks(reader.all_entries(among)):
        for entry, (some, left) in zip(entries, _listed(core, reader, entries), strict=True):
            unlisted += left
            for one in some:
                key = (min(entry.number, one.other.number), max(entry.number, one.other.number))
                found.setdefault(key, Matched(entry, one.other, one.related, one.verdict))
    return list(found.values()), unlisted


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


__all__ = ["Matched", "matched"]

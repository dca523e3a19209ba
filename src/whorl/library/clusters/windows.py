"""Which matches hold in a library with a window.

Documents with the same text share a content for an eighth of the window, so a match of two contents stands for many
pairs of documents. It holds while some pair of documents is within the window. Individual times matter only for
contents about a window apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from whorl.library.clusters import decisions as verdicts
from whorl.library.core import Core
from whorl.stores import Reader
from whorl.stores.records import PERIODS, Content, PairRecord


def holding(
    core: Core,
    reader: Reader,
    pairs: Iterable[PairRecord],
    fresh: Mapping[int, Content] = MappingProxyType({}),
    of: Collection[int] = (),
) -> list[PairRecord]:
    """Return the pairs that join two clusters now, by their texts and by decisions.

    Args:
        core: the library.
        reader: read access to the store, including the documents of all contents.
        pairs: pairs of contents.
        fresh: contents that are about to be written.
        of: contents whose pairs joined by decision are included.
    """
    joining = verdicts.joining(reader, pairs, of)
    span = core.making.rules.span
    if span is None:
        return joining
    numbers = {number for pair in joining for number in (pair.low, pair.high)}
    contents = {**reader.contents(numbers - fresh.keys()), **fresh}
    # A decision may join a content with that of a document being revised, which is not stored yet.
    joining = [pair for pair in joining if pair.low in contents and pair.high in contents]
    placed = [sorted((contents[pair.low], contents[pair.high]), key=_period) for pair in joining]
    far = {
        content.number for first, last in placed if last.period - first.period == PERIODS for content in (first, last)
    }
    extents = reader.extents(far, core.making.rules.clock) if far else {}
    joining_pairs = []
    for pair, (first, last) in zip(joining, placed, strict=True):
        if first.number in extents and last.number in extents and last.period - first.period == PERIODS:
            is_near = extents[last.number][0] - extents[first.number][1] <= span
        else:
            is_near = last.period - first.period < PERIODS
        if is_near:
            joining_pairs.append(pair)
    return joining_pairs


def _period(content: Content) -> int:
    return content.period


__all__ = ["holding"]

"""Remove documents and update their contents, pairs and clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from whorl.library.clusters.regrouping import split
from whorl.library.clusters.windows import holding
from whorl.library.core import Core
from whorl.library.search.compilations import keep_pairs
from whorl.stores import Writer


def release(core: Core, writer: Writer, numbers: Sequence[int]) -> None:
    """Remove documents from their contents; delete a content with its pairs when no document remains.

    Args:
        core: the library.
        writer: the transaction, which has already removed the documents themselves.
        numbers: content of each removed document; contents of several documents are repeated.
    """
    if not numbers:
        return
    leaving = Counter(numbers)
    kept = writer.contents(leaving)
    contents = {number: kept[number] for number in leaving}
    remaining = [content for content in contents.values() if content.members > leaving[content.number]]
    writer.put_contents([content._replace(members=content.members - leaving[content.number]) for content in remaining])
    removed = sorted(contents.keys() - {content.number for content in remaining})
    pairs, borne = writer.pairs(removed), writer.borne(removed)
    writer.remove_contents(removed)
    keep_pairs(core, writer, (), removed=chain.from_iterable(pairs.values()))
    loose = {contents[number].cluster for number in removed if sum(pair.joins for pair in pairs.get(number, ())) > 1}
    split(core, writer, loose)
    loosen(core, writer, [content.number for content in remaining])
    writer.redirect(sorted(set(chain(*borne.values()))))


def loosen(core: Core, writer: Writer, numbers: Sequence[int]) -> None:
    """Split clusters if the remaining documents of a content are no longer within the window of the others."""
    if core.making.rules.span is None:
        return
    joining = {pair for pairs in writer.pairs(numbers).values() for pair in pairs if pair.joins}
    loose = joining.difference(holding(core, writer, joining))
    contents = writer.contents({number for pair in loose for number in (pair.low, pair.high)}.intersection(numbers))
    split(core, writer, {content.cluster for content in contents.values()})


__all__ = ["loosen", "release"]

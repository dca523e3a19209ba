"""Clusters follow what people decided: when they decide, and when documents that they decided about move."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.claims import Moved, claim, judge_again, protected_texts
from whorl.library.core import Core
from whorl.library.leaving import leave
from whorl.library.regrouping import join, split

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer


class Moving(NamedTuple):
    """What depends on decisions about documents that are about to move.

    Attributes:
        contents: that such documents leave or join.
        clusters: of those that they leave.
    """

    contents: frozenset[int]
    clusters: frozenset[int]


def moving(reader: Reader, moves: Iterable[tuple[int, int | None, int | None]]) -> Moving:
    """Return what depends on the decisions about documents that leave contents for others.

    Args:
        reader: the truth, in which all contents still are that documents leave.
        moves: the number of each document, the content that it leaves, and the one that it joins; None for none.
    """
    given = list(moves)
    about = reader.verdicts(number for number, _, _ in given)
    some = [(before, after) for number, before, after in given if number in about]
    left = reader.contents(before for before, _ in some if before is not None)
    contents = frozenset(number for number in chain.from_iterable(some) if number is not None)
    return Moving(contents, frozenset(content.cluster for content in left.values()))


def settle(core: Core, writer: Writer, moved: Moving) -> None:
    """Join and split the clusters of contents as decisions and shared texts say now.

    Cost: linear in those clusters; nothing where nothing depends on decisions.
    """
    if not moved.contents:
        return
    kept = writer.contents(moved.contents)
    pairs = {pair for own in writer.pairs(kept).values() for pair in own}
    join(core, writer, sorted(pairs), of=kept)
    now = {content.cluster for content in writer.contents(kept).values()}
    split(core, writer, now.union(map(writer.cluster, moved.clusters)))


def remove(core: Core, ids: Collection[str], demand: Callable[[Writer], None] | None = None) -> int:
    """Remove documents in one transaction; return how many there were. Linear in the size of their clusters.

    Where ``demand``, which looks at what is kept before, raises, none are removed.
    """
    with core.turn, core.notices.learning(), core.store.writing() as writer:
        if demand is not None:
            demand(writer)
        entries = writer.entries(dict.fromkeys(ids)).values()
        moved = moving(writer, ((entry.number, entry.content, None) for entry in entries))
        left = Moved(left=protected_texts(writer, entries))
        if left.left:
            core.index.catch_up(writer)
        writer.remove_entries([entry.number for entry in entries])
        leave(core, writer, [entry.content for entry in entries])
        settle(core, writer, moved)
        judge_again(core, writer, claim(core, writer, left))
    return len(entries)


__all__ = ["Moving", "moving", "remove", "settle"]

"""Reconcile clusters with decisions: when people decide, and when documents with decisions change their content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.boilerplate.protection import ProtectionChange, claim, judge_again, protected_texts
from whorl.library.cases.retention import demand_settled, keep_evidence, open_cases
from whorl.library.clusters.regrouping import join, split
from whorl.library.core import Core
from whorl.library.maintenance.removal import release

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer


class AffectedClusters(NamedTuple):
    """Contents and clusters affected by decisions about documents that change their content.

    Attributes:
        contents: contents that such documents leave or join.
        clusters: clusters of the contents that they leave.
    """

    contents: frozenset[int]
    clusters: frozenset[int]


def moving(reader: Reader, moves: Iterable[tuple[int, int | None, int | None]]) -> AffectedClusters:
    """Return the contents and clusters affected by decisions about documents that change their content.

    Args:
        reader: read access to the store, before contents are deleted.
        moves: number of each document, content that it leaves, and content that it joins, or None.
    """
    all_moves = list(moves)
    about = reader.verdicts(number for number, _, _ in all_moves)
    some = [(before, after) for number, before, after in all_moves if number in about]
    former_contents = reader.contents(before for before, _ in some if before is not None)
    contents = frozenset(number for number in chain.from_iterable(some) if number is not None)
    return AffectedClusters(contents, frozenset(content.cluster for content in former_contents.values()))


def settle(core: Core, writer: Writer, moved: AffectedClusters) -> None:
    """Join and split the clusters of contents according to decisions and shared texts.

    Cost: linear in those clusters; constant if no decisions are affected.
    """
    if not moved.contents:
        return
    kept = writer.contents(moved.contents)
    pairs = {pair for content_pairs in writer.pairs(kept).values() for pair in content_pairs}
    join(core, writer, sorted(pairs), of=kept)
    now = {content.cluster for content in writer.contents(kept).values()}
    split(core, writer, now.union(map(writer.cluster, moved.clusters)))


def remove(
    core: Core,
    ids: Collection[str],
    demand: Callable[[Writer], None] | None = None,
    *,
    force: bool = False,
    by: str = "",
) -> int:
    """Remove documents in one transaction; return how many existed. Linear in the size of their clusters.

    Args:
        core: the library.
        ids: ids of the documents.
        demand: inspects the stored state first; if it raises, no document is removed.
        force: remove documents of open cases, too, and record that in the cases.
        by: person who removes them.

    Raises:
        UsageError: a document has open cases, and ``force`` is False; then no document is removed.
    """
    with core.turn, core.notices.learning(), core.store.writing() as writer:
        if demand is not None:
            demand(writer)
        entries = writer.entries(dict.fromkeys(ids)).values()
        cases = open_cases(writer, entries)
        if not force:
            demand_settled(cases)
        moved = moving(writer, ((entry.number, entry.content, None) for entry in entries))
        lost_protection = ProtectionChange(lost=protected_texts(writer, entries))
        if lost_protection.lost:
            core.index.catch_up(writer)
        keep_evidence(writer, entries, cases, by)
        writer.remove_entries([entry.number for entry in entries])
        release(core, writer, [entry.content for entry in entries])
        settle(core, writer, moved)
        judge_again(core, writer, claim(core, writer, lost_protection))
    return len(entries)


__all__ = ["AffectedClusters", "moving", "remove", "settle"]

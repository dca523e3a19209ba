"""Update clusters to the stored pairs: merge what they join, and split what they no longer connect."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

from whorl.library.clusters.algebra import ClusterForest, parts
from whorl.library.clusters.windows import holding
from whorl.library.core import Core
from whorl.stores import Writer
from whorl.stores.records import PairRecord


def join(core: Core, writer: Writer, pairs: Iterable[PairRecord], of: Collection[int] = ()) -> None:
    """Merge the contents of pairs into one cluster each.

    Args:
        core: the library.
        writer: write access to the store.
        pairs: pairs of contents.
        of: contents whose pairs joined by decision are included.
    """
    joining_pairs = holding(core, writer, pairs, of=of)
    contents = writer.contents({number for pair in joining_pairs for number in (pair.low, pair.high)})
    joining = ClusterForest()
    for pair in joining_pairs:
        joining.join(contents[number].cluster for number in (pair.low, pair.high))
    writer.merge_clusters(joining.joined())


def split(core: Core, writer: Writer, clusters: Iterable[int]) -> None:
    """Split clusters into the components that their pairs still connect. Linear in the size of the clusters."""
    members = writer.in_clusters(sorted(clusters))
    cluster_of = {content.number: cluster for cluster, contents in members.items() for content in contents}
    pairs: dict[int, list[tuple[int, int]]] = {cluster: [] for cluster in members}
    for pair in holding(core, writer, writer.joined(cluster_of), of=cluster_of):
        cluster = cluster_of.get(pair.low)
        if cluster is not None and cluster == cluster_of.get(pair.high):
            pairs[cluster].append((pair.low, pair.high))
    others = {
        cluster: parts([content.number for content in members[cluster]], pairs[cluster])[1:] for cluster in members
    }
    apart = [part for some in others.values() for part in some]
    if not apart:
        return
    fresh = writer.next_clusters(len(apart))
    writer.move({number: cluster for part, cluster in zip(apart, fresh, strict=True) for number in part})
    aliases = writer.aliases(cluster for cluster, some in others.items() if some)
    writer.redirect(sorted(chain(*aliases.values())))


__all__ = ["join", "split"]

"""Compare all clusters of a library with its pairs, and rebuild those that differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from whorl.i18n import say
from whorl.library.clusters.algebra import ClusterForest
from whorl.library.clusters.regrouping import join, split
from whorl.library.clusters.windows import holding
from whorl.library.core import Core
from whorl.stores import Reader, Writer
from whorl.stores.records import PairRecord

_BLOCK = 1000


class ClusterDisagreements(NamedTuple):
    """Disagreements between clusters and pairs.

    Attributes:
        apart: joining pairs whose contents are in different clusters.
        loose: clusters that their pairs do not connect, ascending.
    """

    apart: list[PairRecord]
    loose: list[int]


def grouping(core: Core, reader: Reader) -> ClusterDisagreements:
    """Compare the cluster of every content with the connected components of the joining pairs.

    Cost: linear in contents and pairs; two numbers per content in memory.
    """
    cluster_of: dict[int, int] = {}
    components, apart = ClusterForest(), list[PairRecord]()
    for pairs, clusters in _blocks(core, reader):
        cluster_of |= clusters
        for pair in pairs:
            components.join((pair.low, pair.high))
            if cluster_of.get(pair.low) != cluster_of.get(pair.high):
                apart.append(pair)
    parts: dict[int, set[int]] = defaultdict(set)
    for number, cluster in cluster_of.items():
        parts[cluster].add(components.now(number))
    return ClusterDisagreements(apart, sorted(cluster for cluster, some in parts.items() if len(some) > 1))


def faults_of_clusters(core: Core, reader: Reader) -> list[str]:
    """Return a sentence for each kind of fault in the clusters; empty if they are correct."""
    wrong = grouping(core, reader)
    counted = {
        say("a match connects two clusters that are not merged"): len(wrong.apart),
        say("a cluster contains articles that no match connects"): len(wrong.loose),
    }
    return [say("{reason}: {count:,}", reason=what, count=count) for what, count in counted.items() if count]


def regroup(core: Core, writer: Writer) -> None:
    """Make every cluster a connected component of the joining pairs."""
    wrong = grouping(core, writer)
    join(core, writer, wrong.apart, of={number for pair in wrong.apart for number in (pair.low, pair.high)})
    split(core, writer, dict.fromkeys(map(writer.cluster, wrong.loose)))


def _blocks(core: Core, reader: Reader) -> Iterator[tuple[list[PairRecord], dict[int, int]]]:
    """Yield joining pairs by ascending higher content, with the clusters of their contents."""
    last = 0
    while contents := reader.contents_after(last, _BLOCK):
        last = contents[-1].number
        clusters = {content.number: content.cluster for content in contents}
        pairs = {pair for pair in chain.from_iterable(reader.pairs(clusters).values()) if pair.high in clusters}
        joining_pairs = holding(core, reader, sorted(pairs), of=clusters)
        yield [pair for pair in joining_pairs if pair.high in clusters], clusters


__all__ = ["ClusterDisagreements", "faults_of_clusters", "grouping", "regroup"]

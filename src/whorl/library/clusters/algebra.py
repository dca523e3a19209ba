"""Algebra of clusters: merging and splitting, independent of any store.

A cluster is a connected component of joining pairs. Its id is the oldest id that any of its members had. Ids ascend
with time and are never reused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence


class ClusterForest:
    """Disjoint-set forest of clusters that are merged one after the other."""

    def __init__(self) -> None:
        self._into: dict[int, int] = {}

    def join(self, clusters: Iterable[int]) -> int | None:
        """Merge clusters into the oldest of them and return its id; None if there are no clusters."""
        roots = sorted({self.now(cluster) for cluster in clusters})
        self._into |= dict.fromkeys(roots[1:], roots[0]) if roots else {}
        return roots[0] if roots else None

    def now(self, cluster: int) -> int:
        """Return the cluster that ``cluster`` was merged into, or itself."""
        while (into := self._into.get(cluster)) is not None:
            # Path halving keeps chains short (Tarjan and van Leeuwen 1984, section 2).
            self._into[cluster] = self._into.get(into, into)
            cluster = into
        return cluster

    def joined(self) -> dict[int, int]:
        """Return each merged cluster with the one that remains."""
        return {cluster: self.now(cluster) for cluster in self._into}


def parts(members: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of a cluster; the first has the oldest member and keeps the id.

    Args:
        members: all members; the lowest number is the oldest.
        pairs: pairs of members that are joined.

    Returns:
        Components in the order of their oldest members, each ascending. Linear in members and pairs.
    """
    partners: dict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        partners[a].append(b)
        partners[b].append(a)
    components: list[list[int]] = []
    reached: set[int] = set()
    for member in sorted(members):
        if member in reached:
            continue
        reached.add(member)
        part = [member]
        for node in part:
            fresh = [partner for partner in partners[node] if partner not in reached]
            reached.update(fresh)
            part += dict.fromkeys(fresh)
        components.append(sorted(part))
    return components


__all__ = ["ClusterForest", "parts"]

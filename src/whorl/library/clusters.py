"""The algebra of clusters: what joins, and what falls apart. It knows no store.

A cluster is what joining pairs connect. Its id is the oldest that any of its members ever had; ids ascend with time
and are never given twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence


class Joining:
    """Clusters that something joins, one after the other."""

    def __init__(self) -> None:
        self._into: dict[int, int] = {}

    def join(self, clusters: Iterable[int]) -> int | None:
        """Let all of some clusters become part of the oldest, and return that; None where there are none."""
        found = sorted({self.now(cluster) for cluster in clusters})
        self._into |= dict.fromkeys(found[1:], found[0]) if found else {}
        return found[0] if found else None

    def now(self, cluster: int) -> int:
        """The cluster that ``cluster`` has become part of, itself where it has not."""
        while (into := self._into.get(cluster)) is not None:
            # Path halving keeps chains short (Tarjan and van Leeuwen 1984, section 2).
            self._into[cluster] = self._into.get(into, into)
            cluster = into
        return cluster

    def joined(self) -> dict[int, int]:
        """Those that have become part of others, each with the one that stays."""
        return {cluster: self.now(cluster) for cluster in self._into}


def parts(members: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return what is left connected of a cluster: the part with the oldest member first, which keeps the id.

    Args:
        members: all of them; the lowest number is the oldest.
        pairs: those that join two of them.

    Returns:
        Parts in the order of their oldest members, each ascending. Linear in members and pairs.
    """
    partners: dict[int, list[int]] = defaultdict(list)
    for a, b in pairs:
        partners[a].append(b)
        partners[b].append(a)
    found: list[list[int]] = []
    reached: set[int] = set()
    for member in sorted(members):
        if member in reached:
            continue
        reached.add(member)
        part = [member]
        for one in part:
            fresh = [partner for partner in partners[one] if partner not in reached]
            reached.update(fresh)
            part += dict.fromkeys(fresh)
        found.append(sorted(part))
    return found


__all__ = ["Joining", "parts"]

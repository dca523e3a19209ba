"""The algebra of clusters: what joins, and what falls apart. It knows no store.

A cluster is what joining pairs connect. Its id is the oldest that any of its members ever had; ids ascend with time
and are never given twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence


def bridged(clusters: Iterable[int]) -> tuple[int, list[int]] | None:
    """Return the cluster that stays when something joins all of these, and those that become part of it.

    None where there are no clusters, and so a new one begins.
    """
    oldest, *others = sorted(set(clusters)) or [0]
    return (oldest, others) if oldest else None


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


__all__ = ["bridged", "parts"]

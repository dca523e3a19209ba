"""Documents go out: what only they held together falls apart."""

from __future__ import annotations

from collections.abc import Sequence

from whorl.library.clusters import parts
from whorl.library.core import Core
from whorl.stores import Writer


def remove(core: Core, ids: Sequence[str]) -> int:
    """Forget documents in one transaction; return how many there were. Linear in their clusters."""
    with core.turn, core.store.writing() as writer:
        entries = writer.entries(dict.fromkeys(ids))
        for entry in entries.values():
            leave(writer, entry.content)
            writer.remove_entry(entry.number)
    return len(entries)


def leave(writer: Writer, number: int) -> None:
    """Let one document fewer say a content; the last one takes it, its pairs and its place in the cluster along."""
    content = writer.contents([number])[number]
    if content.members > 1:
        writer.put_contents([content._replace(members=content.members - 1)])
        return
    partners = [pair.other(number) for pair in writer.pairs(number) if pair.joins]
    writer.remove_content(number)
    if len(partners) > 1:
        _split(writer, content.cluster)


def _split(writer: Writer, cluster: int) -> None:
    members = [content.number for content in writer.in_cluster(cluster)]
    pairs = [(pair.low, pair.high) for pair in writer.joined(members)]
    others = parts(members, pairs)[1:]
    for part, fresh in zip(others, writer.next_clusters(len(others)), strict=True):
        writer.move(part, fresh)


__all__ = ["leave", "remove"]

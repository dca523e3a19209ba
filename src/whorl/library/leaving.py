"""Documents go out: what only they held together falls apart."""

from __future__ import annotations

from collections.abc import Sequence

from whorl.library.clusters import parts
from whorl.library.core import Core
from whorl.library.windows import holding
from whorl.stores import Writer
from whorl.stores.records import Content


def remove(core: Core, ids: Sequence[str]) -> int:
    """Forget documents in one transaction; return how many there were. Linear in their clusters."""
    with core.turn, core.store.writing() as writer:
        entries = writer.entries(dict.fromkeys(ids))
        for entry in entries.values():
            writer.remove_entry(entry.number)
            leave(core, writer, entry.content)
    return len(entries)


def leave(core: Core, writer: Writer, number: int) -> None:
    """Let one document fewer, which is gone already, say a content.

    The last one takes the content, its pairs and its place in the cluster along.
    """
    content = writer.contents([number])[number]
    if content.members > 1:
        writer.put_contents([content._replace(members=content.members - 1)])
        loosen(core, writer, content)
        return
    partners = [pair.other(number) for pair in writer.pairs(number) if pair.joins]
    borne = writer.borne(number)
    writer.remove_content(number)
    if len(partners) > 1:
        split(core, writer, content.cluster)
    writer.redirect(borne)


def loosen(core: Core, writer: Writer, content: Content) -> None:
    """Let a cluster fall apart if the documents that are left of a content are no longer near the others."""
    if core.making.rules.span is None:
        return
    pairs = [pair for pair in writer.pairs(content.number) if pair.joins]
    if len(holding(core, writer, pairs)) < len(pairs):
        split(core, writer, content.cluster)


def split(core: Core, writer: Writer, cluster: int) -> None:
    """Let a cluster fall apart into what its pairs connect now. Linear in it."""
    members = [content.number for content in writer.in_cluster(cluster)]
    pairs = [(pair.low, pair.high) for pair in holding(core, writer, writer.joined(members))]
    others = parts(members, pairs)[1:]
    for part, fresh in zip(others, writer.next_clusters(len(others)), strict=True):
        writer.move(part, fresh)
    if others:
        writer.redirect(writer.aliases(cluster))


__all__ = ["leave", "loosen", "remove", "split"]

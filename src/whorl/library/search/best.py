"""Choose the best article of each story: the complete before the cut, the clean before the disguised, then the longest.

It is the keep rule "best" of deduplication. Learned boilerplate counts neither as length nor as the end of an article,
so that a notice below a copy makes it no better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_cluster
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.agency_credits import agency_credits
from whorl.library.search.queries import cluster_of
from whorl.stores import Reader
from whorl.stores.records import Entry
from whorl.text.form import best_order, blemishes
from whorl.types.stories import Stories, Story


def best_of_cluster(core: Core, cluster: int) -> Stories:
    """Return the best article of a cluster.

    Raises:
        NotFoundError: the cluster does not exist.
    """
    demand_cluster(cluster)
    with core.store.reading() as reader:
        return _best(core, reader, cluster_of(reader, cluster).documents)


def best_of(core: Core, ids: Iterable[str]) -> Stories:
    """Return the best article of each cluster that some articles belong to."""
    with core.store.reading() as reader:
        return _best(core, reader, list(dict.fromkeys(ids)))


def _best(core: Core, reader: Reader, ids: Sequence[str]) -> Stories:
    entries = reader.entries(ids)
    contents = reader.contents({entry.content for entry in entries.values()})
    stories: dict[int, list[Entry]] = {}
    for name in ids:
        if name in entries:
            stories.setdefault(contents[entries[name].content].cluster, []).append(entries[name])
    ranks = _ranks(core, reader, [entry for story in stories.values() if len(story) > 1 for entry in story])
    ordered = (
        (cluster, [entry.id for entry in sorted(story, key=lambda entry: (ranks.get(entry.number, 0.0), entry.when))])
        for cluster, story in stories.items()
    )
    credits = agency_credits(core, reader, stories)
    return Stories(
        tuple(Story(best, cluster, tuple(others), credits.get(cluster)) for cluster, (best, *others) in ordered),
        tuple(name for name in ids if name not in entries),
    )


def _ranks(core: Core, reader: Reader, entries: Sequence[Entry]) -> Mapping[int, float]:
    """Return the rank value of each document, the best lowest."""
    if not core.making.rules.texts:
        return {entry.number: -float(entry.characters) for entry in entries}
    stored = unpacked(reader.texts(entry.number for entry in entries))
    texts = [stored.get(entry.number, "") for entry in entries]
    bodies = [
        _without(text, spans) for text, spans in zip(texts, core.notices.common(reader).spans(texts), strict=True)
    ]
    values = best_order(core.making.fingerprint(bodies).lengths, blemishes(bodies)) if bodies else ()
    return {entry.number: float(value) for entry, value in zip(entries, values, strict=True)}


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, start = [], 0
    for begin, end in spans:
        parts.append(text[start:begin])
        start = end
    return "".join([*parts, text[start:]]) if spans else text


__all__ = ["best_of", "best_of_cluster"]

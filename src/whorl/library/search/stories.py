"""Choose the best article of each story: the complete before the cut, the clean before the disguised, then the longest.

It is the keep rule "best" of deduplication. Learned boilerplate counts neither as length nor as the end of an article,
so that a notice below a copy makes it no better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from whorl.errors import InputError
from whorl.i18n import say
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_cluster
from whorl.library.ingest.documents import document_of
from whorl.library.maintenance.packing import unpacked
from whorl.library.provenance.zones import DefaultZones
from whorl.library.search.agency_credits import agency_credits
from whorl.library.search.incoming import incoming, is_stored
from whorl.library.search.queries import cluster_of
from whorl.stores import Reader
from whorl.stores.records import Entry
from whorl.text.form import best_order, blemishes
from whorl.types.library import Document
from whorl.types.stories import Stories, Story

Article = str | Document | Mapping[str, Any]
"""Id of a stored article, or an article that need not be stored."""


class _Grouped(NamedTuple):
    """Articles in their stories.

    Attributes:
        stories: articles of each story, in the order of the request.
        clusters: stored clusters of each story.
        texts: texts of the articles by number.
        unknown: ids that the library does not have.
    """

    stories: Mapping[int, Sequence[Entry]]
    clusters: Mapping[int, Sequence[int]]
    texts: Mapping[int, str]
    unknown: tuple[str, ...]


def stories_of_cluster(core: Core, cluster: int) -> Stories:
    """Return the articles of a cluster as a story.

    Raises:
        NotFoundError: the cluster does not exist.
    """
    demand_cluster(cluster)
    with core.store.reading() as reader:
        return _ordered(core, reader, _grouped(core, reader, cluster_of(reader, cluster).documents))


def stories_of(core: Core, articles: Iterable[Article]) -> Stories:
    """Return the stories that some articles belong to.

    Raises:
        InputError: an article has no id or text, or two have one id.
    """
    zones = DefaultZones(core)
    named: dict[str, str | Document] = {}
    for article in articles:
        item = article if isinstance(article, str) else zones.placed(document_of(article))
        name = item if isinstance(item, str) else item.id
        if named.setdefault(name, item) != item:
            hint = say("use different ids")
            raise InputError(say("two articles have the id {id!r:.60}", id=name), hint=hint)
    with core.store.reading() as reader:
        return _ordered(core, reader, _grouped(core, reader, list(named.values())))


def _grouped(core: Core, reader: Reader, articles: Sequence[str | Document]) -> _Grouped:
    """Group articles by the clusters that they have, or would join."""
    ids = [article for article in articles if isinstance(article, str)]
    stored = reader.entries(ids)
    contents = reader.contents({entry.content for entry in stored.values()})
    fresh = incoming(core, reader, [article for article in articles if isinstance(article, Document)])
    entries = stored | {entry.id: entry for entry in fresh.entries}
    cluster_of_content = {number: content.cluster for number, content in contents.items()} | dict(fresh.clusters)
    stories: dict[int, list[Entry]] = {}
    for article in articles:
        entry = entries.get(article if isinstance(article, str) else article.id)
        if entry is not None:
            stories.setdefault(fresh.forest.now(cluster_of_content[entry.content]), []).append(entry)
    texts = unpacked(reader.texts(entry.number for entry in stored.values())) | dict(fresh.texts)
    unknown = tuple(name for name in ids if name not in stored)
    return _Grouped(stories, fresh.merged(cluster_of_content.values()), texts, unknown)


def _ordered(core: Core, reader: Reader, grouped: _Grouped) -> Stories:
    """Put the best article of each story first, and add its agency."""
    several = [entry for story in grouped.stories.values() if len(story) > 1 for entry in story]
    ranks = _ranks(core, reader, several, grouped.texts)
    credits = agency_credits(core, reader, grouped.stories, grouped.clusters, grouped.texts)
    stories = []
    for cluster, story in grouped.stories.items():
        best, *others = sorted(story, key=lambda entry: (ranks.get(entry.number, 0.0), entry.when))
        number = cluster if is_stored(cluster) else None
        stories.append(Story(best.id, number, tuple(entry.id for entry in others), credits.get(cluster)))
    return Stories(tuple(stories), grouped.unknown)


def _ranks(core: Core, reader: Reader, entries: Sequence[Entry], texts: Mapping[int, str]) -> Mapping[int, float]:
    """Return the rank value of each document, the best lowest."""
    if not core.making.rules.texts:
        return {entry.number: -float(entry.characters) for entry in entries}
    ranked = [texts.get(entry.number, "") for entry in entries]
    spans = core.notices.common(reader).spans(ranked)
    bodies = [_without(text, spans_of) for text, spans_of in zip(ranked, spans, strict=True)]
    values = best_order(core.making.fingerprint(bodies).lengths, blemishes(bodies)) if bodies else ()
    return {entry.number: float(value) for entry, value in zip(entries, values, strict=True)}


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, start = [], 0
    for begin, end in spans:
        parts.append(text[start:begin])
        start = end
    return "".join([*parts, text[start:]]) if spans else text


__all__ = ["Article", "stories_of", "stories_of_cluster"]

"""Read-only queries about a text, a document or a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from sys import maxsize

from whorl.errors import NotFoundError
from whorl.i18n import say
from whorl.library.clusters.decisions import decided, heeding, joining
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_entry
from whorl.library.ingest.documents import document_from
from whorl.library.ingest.reporting import ContentMatches
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.compilations import relabelled
from whorl.library.search.evidence import Evidence
from whorl.library.search.finder import (
    NOTHING,
    CandidateContent,
    CopyQuery,
    LookupResult,
    candidates,
    judged,
    look_up,
    pair_of,
)
from whorl.library.search.indexing import with_digests
from whorl.library.search.keys import TextKeys
from whorl.library.search.listing import ExaminedText, ListedMatch, RelatedContent, listed, matches, members_to_list
from whorl.matching.compare import compare_without, with_copied
from whorl.stores import LookingAhead, OptimisticStore, Reader, StoreChanged
from whorl.stores.records import Content, Entry, PairRecord, ReviewRecord
from whorl.text.structure import beginning
from whorl.types.comparison import Comparison
from whorl.types.library import Cluster, Document, Match, Report, TraceStep, moment

_NEXT = maxsize
"""Number of a content that is not stored: sorts after all others."""
_TOGETHER = 32
"""How many candidates are compared per batch when every candidate is compared."""


def check(core: Core, text: str, when: int, collection: str | None = None) -> Report:
    """Return the report that adding a text at a given time would give, optionally for one collection only."""
    store = core.store
    if isinstance(store, OptimisticStore):
        with suppress(StoreChanged), store.reading_optimistically() as reader:
            return _check(core, reader, text, when, collection)
    with store.reading() as reader:
        return _check(core, reader, text, when, collection)


def _check(core: Core, reader: Reader, text: str, when: int, collection: str | None) -> Report:
    query, keys, digests = _without_content(core, reader, text, when)
    holders = core.index.holders(digests, reader)
    # A content with the key of a digest has that text, unless two digests have one key. Its row is read ahead as well.
    query = query._replace(content=holders[0] if holders else None)
    (looked,) = look_up(core, reader, [query], keys, collection)
    limit = members_to_list(core, collection)
    if limit is not None and isinstance(reader, LookingAhead):
        reader.look_ahead([number for number, _ in looked.candidates], limit, holders)
    same = list(with_digests(digests, holders, reader).values())
    if query.content != (content := same[0].number if same else None):
        query = query._replace(content=content)
        (looked,) = look_up(core, reader, [query], keys, collection)
    counted, compared_before = _counted(core, reader, query, keys, looked, collection)
    related = [RelatedContent.same(content.number) for content in same]
    related += _related(core, reader, query, counted)
    examined = ExaminedText(text, when)
    ((some, remaining),) = listed(core, reader, [(examined, related)], collection)
    (own_matches,) = matches(core, reader, [(examined, some)], compared_before)
    decisions = decided(reader, [content.number for content in same])
    clusters = {
        content.number: content.cluster for content in chain(same, (candidate.content for candidate, _ in counted))
    }
    joined = (
        candidate.content
        for candidate in related
        if heeding(decisions, query.content, candidate.content, candidate.joins)
    )
    cluster = min((clusters[number] for number in joined), default=None)
    return Report(None, "checked", 0, cluster, own_matches, looked.keys, looked.cut, looked.unlisted + remaining)


def every_match(core: Core, text: str, when: int, collection: str) -> Iterator[Match]:
    """Yield all matches of a text with documents of a collection, those that share most keys first."""
    with core.store.reading() as reader:
        query, keys, same = query_of(core, reader, text, when)
        (looked,) = look_up(core, reader, [query], keys, collection, are_all=True)
        stored = _stored_pairs(reader, query.content)
    examined, met = ExaminedText(text, when), {content.number for content in same}
    related, compared_before = [RelatedContent.same(number) for number in met], dict[tuple[str, int], Evidence]()
    for first in range(0, max(1, len(looked.candidates)), _TOGETHER):
        some = looked._replace(candidates=looked.candidates[first : first + _TOGETHER])
        with core.store.reading() as reader:
            counted, compared_before = _counted(core, reader, query, keys, some, collection)
            related += [
                RelatedContent.by(stored[candidate.content.number], query.content or 0)
                if candidate.content.number in stored
                else RelatedContent.from_evidence(candidate.content.number, evidence, core)
                for candidate, evidence in counted
                if candidate.content.number not in met
            ]
            ((matches_of, _),) = listed(core, reader, [(examined, related)], collection, are_all=True)
            (own_matches,) = matches(core, reader, [(examined, matches_of)], compared_before)
        yield from own_matches
        met |= {candidate.content.number for candidate, _ in counted}
        related = []


def related_contents(core: Core, reader: Reader, text: str, when: int) -> list[RelatedContent]:
    """Return all contents that share text with a text, without a limit on their number."""
    query, keys, same = query_of(core, reader, text, when)
    (looked,) = look_up(core, reader, [query], keys, are_all=True)
    counted, _ = _counted(core, reader, query, keys, looked, None)
    related = [
        RelatedContent.from_evidence(candidate.content.number, evidence, core) for candidate, evidence in counted
    ]
    return [RelatedContent.same(content.number) for content in same] + related


def query_of(core: Core, reader: Reader, text: str, when: int) -> tuple[CopyQuery, TextKeys, list[Content]]:
    """Return the query for a text, its keys, and the contents with the same normalised text."""
    query, keys, digests = _without_content(core, reader, text, when)
    same = list(core.index.same(digests, reader).values())
    return query._replace(content=same[0].number if same else None), keys, same


def _without_content(
    core: Core, reader: Reader, text: str, when: int
) -> tuple[CopyQuery, TextKeys, list[tuple[bytes, range]]]:
    """Return the query for a text without its content, its keys, and its digest with its period, if it has one."""
    prints = core.making.fingerprint([text])
    digest = prints.digests[0].tobytes() if prints.lengths[0] else None
    period = core.period(when)
    core.index.catch_up(reader)
    query = CopyQuery(None, digest, text, when, 0, prints.codes[0].tobytes())
    digests = [] if digest is None else [(digest, range(period, period + 1))]
    return query, TextKeys(prints.keys, prints.counts), digests


def _counted(
    core: Core, reader: Reader, query: CopyQuery, keys: TextKeys, looked: LookupResult, collection: str | None
) -> tuple[list[tuple[CandidateContent, Evidence]], dict[tuple[str, int], Evidence]]:
    """Return the candidates that count as matches with their evidence, and the evidence by text and document."""
    (hits,) = candidates(core, reader, [query], [looked], at=query.when, collection=collection)
    evidence = judged(core, reader, [(query, candidate) for candidate in hits], keys)
    counted = [both for both in zip(hits, evidence, strict=True) if both[1].counts(core.making.rules)]
    return counted, {(query.text, candidate.witness.number): pair_evidence for candidate, pair_evidence in counted}


def _related(
    core: Core, reader: Reader, query: CopyQuery, counted: Sequence[tuple[CandidateContent, Evidence]]
) -> list[RelatedContent]:
    """Return the related contents as if the text were added, including compilations of it and stories in it."""
    number = _NEXT if query.content is None else query.content
    pairs = [pair_of(number, candidate.content.number, evidence, core) for candidate, evidence in counted]
    stored = _stored_pairs(reader, query.content)
    pairs = [_with_shares(pair, stored.get(pair.other(number))) for pair in pairs]
    relations = relabelled(core, reader, pairs, texts={} if query.content else {number: query.text})
    return [RelatedContent.by(pair, number) for pair in relations.pairs]


def _with_shares(pair: PairRecord, stored: PairRecord | None) -> PairRecord:
    if stored is None:
        return pair
    return pair._replace(similarity=stored.similarity, low_in_high=stored.low_in_high, high_in_low=stored.high_in_low)


def _stored_pairs(reader: Reader, content: int | None) -> dict[int, PairRecord]:
    """Return the stored pairs of a content by the other content.

    Shares may depend a little on which text is the source, and the text under examination is not always the newer one,
    which a stored pair takes for the derived text. So the shares of stored pairs are preferred.
    """
    if content is None:
        return {}
    return {pair.other(content): pair for pair in reader.pairs([content]).get(content, ())}


def compare_documents(core: Core, reader: Reader, id_: str, other: str) -> Comparison:
    """Compare a document with another one, its possible source, without learned boilerplate.

    Raises:
        NotFoundError: a document does not exist.
    """
    source, examined = (demand_entry(reader, name) for name in (other, id_))
    texts = unpacked(reader.texts({source.number, examined.number}))
    a, b = (texts.get(entry.number, "") for entry in (source, examined))
    notices = core.notices.common(reader)
    content = core.making.by_content
    comparison = compare_without(a, b, notices, content=content)
    if source.content <= examined.content:
        return comparison
    # Shares may depend a little on which text is the source. A match has those of the newer content as text b.
    of_examined, of_source = compare_without(b, a, notices, content=content).copied
    return with_copied(comparison, (of_source, of_examined))


def report_of(core: Core, reader: Reader, entry: Entry, collection: str | None = None) -> Report:
    """Return the current report of a document, optionally with matches of one collection only."""
    text = unpacked(reader.texts([entry.number])).get(entry.number, "")
    examined = ExaminedText(text, core.when(entry), entry.number, entry.content)
    content = reader.contents([entry.content])[entry.content]
    own_matches_of = ContentMatches(content, reader.pairs([entry.content]).get(entry.content, []), NOTHING)
    ((some, remaining),) = listed(core, reader, [(examined, own_matches_of.related())], collection)
    (results,) = matches(core, reader, [(examined, some)], {})
    return Report(entry.id, "known", entry.revision, content.cluster, results, 0, 0, remaining)


def cluster_of(reader: Reader, cluster: int) -> Cluster:
    """Return a cluster, or the cluster that it was merged into.

    Raises:
        UsageError: the cluster does not exist, or has no documents any more.
    """
    now = reader.cluster(cluster)
    documents = [entry.id for entry in _members(reader, _contents(reader, now))]
    if not documents:
        raise NotFoundError(
            say("cluster {cluster} not found", cluster=cluster), hint=say("list them with `whorl library clusters`")
        )
    return Cluster(now, tuple(reader.aliases([now]).get(now, ())), len(documents), tuple(documents))


def _contents(reader: Reader, cluster: int) -> list[Content]:
    """Return the contents of a cluster; empty if it does not exist."""
    return reader.in_clusters([cluster]).get(cluster, [])


def _members(reader: Reader, contents: Sequence[Content]) -> list[Entry]:
    """Return the documents of contents, in the order in which both were added."""
    members = reader.members(content.number for content in contents)
    return [entry for content in contents for entry in members.get(content.number, ())]


def titles_of(reader: Reader, clusters: Sequence[int], since: int | None) -> list[list[tuple[str, str]]]:
    """Return id and title of the documents of each cluster, optionally only those first seen at or after a time."""
    contents = reader.in_clusters(clusters)
    members = reader.members(content.number for contents_of in contents.values() for content in contents_of)
    chosen = [
        [
            entry
            for content in contents.get(cluster, ())
            for entry in members.get(content.number, ())
            if since is None or entry.first_seen_at >= since
        ]
        for cluster in clusters
    ]
    texts = unpacked(reader.texts(entry.number for entries in chosen for entry in entries if not entry.title))
    return [
        [(entry.id, entry.title or beginning(texts.get(entry.number, ""))) for entry in entries] for entries in chosen
    ]


def documents_of(reader: Reader, clusters: Sequence[int], limit: int) -> list[list[Document]]:
    """Return the first documents of each cluster without texts and links, in the order of adding."""
    contents = {cluster: in_cluster[:limit] for cluster, in_cluster in reader.in_clusters(clusters).items()}
    members = reader.members((content.number for in_cluster in contents.values() for content in in_cluster), limit)
    results = (
        chain.from_iterable(members.get(content.number, ()) for content in contents.get(cluster, ()))
        for cluster in clusters
    )
    return [[document_from(entry, "", ()) for entry in islice(entries, limit)] for entries in results]


def trace(core: Core, reader: Reader, cluster: int) -> list[TraceStep]:
    """Return the members of a cluster in chronological order, each with its strongest match to an earlier one.

    Raises:
        NotFoundError: the cluster does not exist.
    """
    contents = _contents(reader, reader.cluster(cluster))
    if not contents:
        raise NotFoundError(
            say("cluster {cluster} not found", cluster=cluster), hint=say("list them with `whorl library clusters`")
        )
    pairs: dict[int, list[RelatedContent]] = {
        content.number: [RelatedContent.same(content.number)] for content in contents
    }
    for pair in joining(reader, reader.joined(pairs), pairs):
        if pair.low in pairs and pair.high in pairs:
            pairs[pair.low].append(RelatedContent.by(pair, pair.low))
            pairs[pair.high].append(RelatedContent.by(pair, pair.high))
    members = _members(reader, contents)
    numbers = [entry.number for entry in members]
    texts, links, verdicts = unpacked(reader.texts(numbers)), reader.links(numbers), reader.verdicts(numbers)
    earlier: dict[int, list[Entry]] = {}
    tied: list[tuple[Entry, ExaminedText, list[ListedMatch]]] = []
    for entry in sorted(members, key=lambda entry: (entry.when, entry.number)):
        examined = ExaminedText(texts.get(entry.number, ""), core.when(entry), entry.number, entry.content)
        tied.append(
            (entry, examined, _ties(core, examined, pairs[entry.content], earlier, verdicts.get(entry.number, {})))
        )
        earlier.setdefault(entry.content, []).append(entry)
    results = matches(core, reader, [(examined, some) for _, examined, some in tied], {})
    return [
        TraceStep(
            document_from(entry, "", links.get(entry.number, ())), moment(entry.when), match[0] if match else None
        )
        for (entry, _, _), match in zip(tied, results, strict=True)
    ]


def _ties(
    core: Core,
    examined: ExaminedText,
    related: Sequence[RelatedContent],
    earlier: Mapping[int, Sequence[Entry]],
    verdicts: Mapping[int, ReviewRecord],
) -> list[ListedMatch]:
    """Return the strongest match to an earlier document within the window, or None."""
    for candidate in sorted(related, key=RelatedContent.order):
        other = next((entry for entry in earlier.get(candidate.content, ()) if core.near(entry, examined.when)), None)
        if other is not None:
            return [ListedMatch(candidate, other, verdicts.get(other.number))]
    return []


__all__ = [
    "check",
    "cluster_of",
    "compare_documents",
    "documents_of",
    "every_match",
    "query_of",
    "related_contents",
    "report_of",
    "titles_of",
    "trace",
]

"""Read-only queries about a text, a document or a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from sys import maxsize

from whorl.errors import NotFoundError
from whorl.language import say
from whorl.library.compilations import relabelled
from whorl.library.core import Core
from whorl.library.documents import document_from
from whorl.library.evidence import Evidence
from whorl.library.finder import (
    NOTHING,
    CandidateContent,
    CopyQuery,
    LookupResult,
    candidates,
    judged,
    look_up,
    pair_of,
)
from whorl.library.keys import TextKeys
from whorl.library.listing import ExaminedText, ListedMatch, RelatedContent, listed, matches
from whorl.library.model import Cluster, Document, Match, Report, TraceStep, moment
from whorl.library.packing import unpacked
from whorl.library.reporting import ContentMatches
from whorl.library.verdicts import decided, heeding, joining
from whorl.stores import Reader
from whorl.stores.records import Content, Entry, ReviewRecord
from whorl.text.structure import beginning

_NEXT = maxsize
"""Number of a content that is not stored: sorts after all others."""
_TOGETHER = 32
"""How many candidates are compared per batch when every candidate is compared."""


def check(core: Core, text: str, when: int, among: str | None = None) -> Report:
    """Return the report that adding a text at a given time would give, optionally for one collection only."""
    with core.store.reading() as reader:
        asked, keys, same = _asked(core, reader, text, when)
        (looked,) = look_up(core, reader, [asked], keys, among)
        counted, known = _counted(core, reader, asked, keys, looked, among)
        related = [RelatedContent.same(content.number) for content in same]
        related += _related(core, reader, asked, counted)
        own = ExaminedText(text, when)
        ((some, left),) = listed(core, reader, [(own, related)], among)
        (own_matches,) = matches(core, reader, [(own, some)], known)
        told = decided(reader, [content.number for content in same])
    clusters = {content.number: content.cluster for content in chain(same, (one.content for one, _ in counted))}
    joined = (one.content for one in related if heeding(told, asked.content, one.content, one.joins))
    cluster = min((clusters[number] for number in joined), default=None)
    return Report(None, "checked", 0, cluster, own_matches, looked.keys, looked.cut, looked.unlisted + left)


def every_match(core: Core, text: str, when: int, among: str) -> Iterator[Match]:
    """Yield all matches of a text with documents of a collection, those that share most keys first."""
    with core.store.reading() as reader:
        asked, keys, same = _asked(core, reader, text, when)
        (looked,) = look_up(core, reader, [asked], keys, among, are_all=True)
    own, met = ExaminedText(text, when), {content.number for content in same}
    related, known = [RelatedContent.same(number) for number in met], dict[tuple[str, int], Evidence]()
    for first in range(0, max(1, len(looked.candidates)), _TOGETHER):
        some = looked._replace(candidates=looked.candidates[first : first + _TOGETHER])
        with core.store.reading() as reader:
            counted, known = _counted(core, reader, asked, keys, some, among)
            related += [
                RelatedContent.found(candidate.content.number, evidence, core)
                for candidate, evidence in counted
                if candidate.content.number not in met
            ]
            ((found, _),) = listed(core, reader, [(own, related)], among, are_all=True)
            (own_matches,) = matches(core, reader, [(own, found)], known)
        yield from own_matches
        met |= {candidate.content.number for candidate, _ in counted}
        related = []


def _asked(core: Core, reader: Reader, text: str, when: int) -> tuple[CopyQuery, TextKeys, list[Content]]:
    """Return the query for a text, its keys, and the contents with the same normalised text."""
    prints = core.making.fingerprint([text])
    digest = prints.digests[0].tobytes() if prints.lengths[0] else None
    period = core.period(when)
    core.index.catch_up(reader)
    equal = [] if digest is None else [(digest, range(period, period + 1))]
    same = list(core.index.same(equal, reader).values())
    asked = CopyQuery(same[0].number if same else None, digest, text, when, 0, prints.codes[0].tobytes())
    return asked, TextKeys(prints.keys, prints.counts), same


def _counted(
    core: Core, reader: Reader, asked: CopyQuery, keys: TextKeys, looked: LookupResult, among: str | None
) -> tuple[list[tuple[CandidateContent, Evidence]], dict[tuple[str, int], Evidence]]:
    """Return the candidates that count as matches with their evidence, and the evidence by text and document."""
    (found,) = candidates(core, reader, [asked], [looked], at=asked.when, among=among)
    evidence = judged(core, reader, [(asked, candidate) for candidate in found], keys)
    counted = [both for both in zip(found, evidence, strict=True) if both[1].counts(core.making.rules)]
    return counted, {(asked.text, candidate.witness.number): own for candidate, own in counted}


def _related(
    core: Core, reader: Reader, asked: CopyQuery, counted: Sequence[tuple[CandidateContent, Evidence]]
) -> list[RelatedContent]:
    """Return the related contents as if the text were added, including compilations of it and stories in it."""
    own = _NEXT if asked.content is None else asked.content
    pairs = [pair_of(own, candidate.content.number, evidence, core) for candidate, evidence in counted]
    found = relabelled(core, reader, pairs, texts={} if asked.content else {own: asked.text})
    return [RelatedContent.by(pair, own) for pair in found.pairs]


def report_of(core: Core, reader: Reader, entry: Entry, among: str | None = None) -> Report:
    """Return the current report of a document, optionally with matches of one collection only."""
    text = unpacked(reader.texts([entry.number])).get(entry.number, "")
    own = ExaminedText(text, core.when(entry), entry.number, entry.content)
    content = reader.contents([entry.content])[entry.content]
    said = ContentMatches(content, reader.pairs([entry.content]).get(entry.content, []), NOTHING)
    ((some, left),) = listed(core, reader, [(own, said.related())], among)
    (found,) = matches(core, reader, [(own, some)], {})
    return Report(entry.id, "known", entry.revision, content.cluster, found, 0, 0, left)


def cluster_of(reader: Reader, cluster: int) -> Cluster:
    """Return a cluster, or the cluster that it was merged into.

    Raises:
        UsageError: the cluster does not exist, or has no documents any more.
    """
    now = reader.cluster(cluster)
    documents = [entry.id for entry in _members(reader, _contents(reader, now))]
    if not documents:
        raise NotFoundError(
            say("there is no cluster {cluster}", cluster=cluster), cure=say("see `whorl library clusters`")
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
    members = reader.members(content.number for said in contents.values() for content in said)
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


def documents_of(reader: Reader, clusters: Sequence[int], most: int) -> list[list[Document]]:
    """Return the first documents of each cluster without texts and links, in the order of adding."""
    contents = {cluster: own[:most] for cluster, own in reader.in_clusters(clusters).items()}
    members = reader.members((content.number for own in contents.values() for content in own), most)
    found = (
        chain.from_iterable(members.get(content.number, ()) for content in contents.get(cluster, ()))
        for cluster in clusters
    )
    return [[document_from(entry, "", ()) for entry in islice(entries, most)] for entries in found]


def trace(core: Core, reader: Reader, cluster: int) -> list[TraceStep]:
    """Return the members of a cluster in chronological order, each with its strongest match to an earlier one.

    Raises:
        NotFoundError: the cluster does not exist.
    """
    contents = _contents(reader, reader.cluster(cluster))
    if not contents:
        raise NotFoundError(
            say("there is no cluster {cluster}", cluster=cluster), cure=say("see `whorl library clusters`")
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
        own = ExaminedText(texts.get(entry.number, ""), core.when(entry), entry.number, entry.content)
        tied.append((entry, own, _ties(core, own, pairs[entry.content], earlier, verdicts.get(entry.number, {}))))
        earlier.setdefault(entry.content, []).append(entry)
    found = matches(core, reader, [(own, some) for _, own, some in tied], {})
    return [
        TraceStep(
            document_from(entry, "", links.get(entry.number, ())), moment(entry.when), match[0] if match else None
        )
        for (entry, _, _), match in zip(tied, found, strict=True)
    ]


def _ties(
    core: Core,
    own: ExaminedText,
    related: Sequence[RelatedContent],
    earlier: Mapping[int, Sequence[Entry]],
    verdicts: Mapping[int, ReviewRecord],
) -> list[ListedMatch]:
    """Return the strongest match to an earlier document within the window, or None."""
    for one in sorted(related, key=RelatedContent.order):
        other = next((entry for entry in earlier.get(one.content, ()) if core.near(entry, own.when)), None)
        if other is not None:
            return [ListedMatch(one, other, verdicts.get(other.number))]
    return []


__all__ = ["check", "cluster_of", "documents_of", "every_match", "report_of", "titles_of", "trace"]

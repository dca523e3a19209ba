"""List every copy of the articles of a collection, however many copies an article has.

The review queue may leave out matches of an article with many copies, since a person decides only some of them. A
statistic must count all. Stored pairs alone are not enough: a new text is compared with a limited number of candidates,
so the later copies of a popular article are paired with earlier copies only. For articles with that many pairs, the
text is looked up again without a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from whorl.library.core import Core
from whorl.library.ingest.documents import document_from
from whorl.library.maintenance.packing import unpacked
from whorl.library.provenance.history import texts_before
from whorl.library.search.listing import RelatedContent
from whorl.library.search.queries import check, related_contents
from whorl.stores import Reader
from whorl.stores.monitoring_records import SnapshotRecord
from whorl.stores.records import DocumentBrief, Entry, SightingRecord
from whorl.types.library import Document, Review, moment

GONE_STATUSES = (404, 410, 451)
"""HTTP statuses of a removed page."""
_BLOCK = 500


class ArticleCopy(NamedTuple):
    """A document that shares text with an article of a collection.

    Attributes:
        article: the article, without its text.
        copy: the other document, without its text.
        edition: cluster of the article: its articles are editions of one another.
        characters: length of the article in code points.
        similarity: Jaccard similarity of both texts, in [0, 1].
        share: copied share of the article, in [0, 1].
        share_of_copy: copied share of the other document, in [0, 1].
        relation: relation of the other document to the article.
        joins: True if their texts put both into one cluster.
        review: decision in effect.
        since: when the document was first seen with text of the article, in microseconds since 1970.
        until: when the page or its text was gone, in microseconds since 1970; None while it is there.
        elsewhere: further addresses of the document, each with the time when it was first seen there.
    """

    article: Document
    copy: Document
    edition: int
    characters: int
    similarity: float
    share: float
    share_of_copy: float
    relation: str
    joins: bool
    review: Review
    since: int
    until: int | None
    elsewhere: Mapping[str, int]


class _SharedTexts(NamedTuple):
    """Shares of an article and another document, whose numbers are known."""

    article: int
    copy: int
    similarity: float
    share: float
    share_of_copy: float
    relation: str
    joins: bool


class _Revision(NamedTuple):
    """A former text of a document, with its matches by the number of the article."""

    since: int
    until: int
    matches: Mapping[int, _SharedTexts]


def every_copy(core: Core, collection: str) -> list[ArticleCopy]:
    """Return every document outside a collection that shares text with one of its articles, now or in a former text.

    Args:
        core: the library.
        collection: collection of the articles.

    Cost: some microseconds per stored match; a lookup for each popular article, and for each former text of a document
        outside the collection.
    """
    with core.store.reading() as reader:
        shared = {(shares.article, shares.copy): shares for shares in _current(core, reader, collection)}
        current = frozenset(shared)
        revised = _revised(reader, collection)
    revisions = {entry.number: list(_revisions(core, entry, collection)) for entry in revised}
    for former in revisions.values():
        for revision in former:
            shared = {(shares.article, shares.copy): shares for shares in revision.matches.values()} | shared
    with core.store.reading() as reader:
        return list(_with_documents(reader, shared.values(), current, revisions))


def _current(core: Core, reader: Reader, collection: str) -> Iterator[_SharedTexts]:
    """Yield the matches of current texts."""
    related: dict[int, dict[int, RelatedContent]] = {
        content: {content: RelatedContent.same(content)} for content in reader.repeated(collection)
    }
    for pair in reader.all_pairs(collection):
        for content in (pair.low, pair.high):
            related.setdefault(content, {})[pair.other(content)] = RelatedContent.by(pair, content)
    briefs = _briefs(reader, related)
    articles = {
        content: [brief for brief in documents if brief.collection == collection]
        for content, documents in briefs.items()
    }
    for content, documents in articles.items():
        if documents and core.making.rules.texts and len(related[content]) >= core.making.rules.compared:
            related[content] = _looked_up(core, reader, documents[0]) | related[content]
    briefs |= _briefs(reader, {other for others in related.values() for other in others} - briefs.keys())
    for content, documents in articles.items():
        for other in related[content].values() if documents else ():
            for article in documents:
                for copy in briefs.get(other.content, ()):
                    if copy.collection != collection and _are_near(core, article, copy):
                        yield _shared(article.number, copy.number, other)


def _shared(article: int, copy: int, related: RelatedContent) -> _SharedTexts:
    shares = (related.similarity, related.this_in_other, related.other_in_this)
    return _SharedTexts(article, copy, *shares, related.relation, related.joins)


def _briefs(reader: Reader, contents: Collection[int]) -> dict[int, list[DocumentBrief]]:
    briefs: dict[int, list[DocumentBrief]] = {content: [] for content in contents}
    for brief in reader.briefs(contents):
        briefs[brief.content].append(brief)
    return briefs


def _looked_up(core: Core, reader: Reader, article: DocumentBrief) -> dict[int, RelatedContent]:
    """Return all contents related to a popular article: its later copies may have no stored pair with it."""
    text = unpacked(reader.texts([article.number])).get(article.number, "")
    when = core.clock(article.published_at, article.first_seen_at)
    return {related.content: related for related in related_contents(core, reader, text, when)}


def _are_near(core: Core, article: DocumentBrief, copy: DocumentBrief) -> bool:
    span = core.making.rules.span
    time, other = (core.clock(brief.published_at, brief.first_seen_at) for brief in (article, copy))
    return span is None or abs(time - other) <= span


def _revised(reader: Reader, collection: str) -> list[Entry]:
    return [entry for entry in reader.all_entries() if entry.revision > 1 and entry.collection != collection]


def _revisions(core: Core, entry: Entry, collection: str) -> Iterator[_Revision]:
    """Yield the former texts of a document, oldest first."""
    with core.store.reading() as reader:
        former = texts_before(reader, [entry.number]).get(entry.number, [])
    since = entry.first_seen_at
    for record, text in former:
        matches = check(core, text, core.when(entry), collection).matches
        with core.store.reading() as reader:
            articles = reader.entries([match.id for match in matches])
        yield _Revision(
            since,
            record.until,
            {
                articles[match.id].number: _SharedTexts(
                    articles[match.id].number,
                    entry.number,
                    match.similarity,
                    match.other_in_this,
                    match.this_in_other,
                    match.relation,
                    match.joins,
                )
                for match in matches
                if match.id in articles
            },
        )
        since = record.until


def _with_documents(
    reader: Reader,
    shared: Collection[_SharedTexts],
    current: Collection[tuple[int, int]],
    revisions: Mapping[int, Sequence[_Revision]],
) -> Iterator[ArticleCopy]:
    """Yield the copies with their documents, decisions and times, article by article."""
    for block in _blocks(sorted(shared)):
        entries = reader.numbered({number for shares in block for number in (shares.article, shares.copy)})
        clusters = reader.contents({entries[shares.article].content for shares in block if shares.article in entries})
        verdicts = reader.verdicts({min(shares.article, shares.copy) for shares in block})
        copies = [entries[number] for number in {shares.copy for shares in block} if number in entries]
        fetched = reader.snapshots_at({copy.url for copy in copies if copy.url})
        sightings = reader.sightings([copy.number for copy in copies])
        for shares in block:
            if shares.article not in entries or shares.copy not in entries:
                continue
            article, copy = entries[shares.article], entries[shares.copy]
            former = revisions.get(shares.copy, ())
            verdict = verdicts.get(min(shares.article, shares.copy), {}).get(max(shares.article, shares.copy))
            since, until = _times(shares, copy, former, is_current=(shares.article, shares.copy) in current)
            missing_since = _gone_since(fetched.get(copy.url or "", ()))
            yield ArticleCopy(
                article=document_from(article, "", ()),
                copy=document_from(copy, "", ()),
                edition=clusters[article.content].cluster,
                characters=article.characters,
                similarity=shares.similarity,
                share=shares.share,
                share_of_copy=shares.share_of_copy,
                relation=shares.relation,
                joins=shares.joins,
                review=Review()
                if verdict is None
                else Review(verdict.state, verdict.by, moment(verdict.at), verdict.note),
                since=since,
                until=min((time for time in (until, missing_since) if time is not None), default=None),
                elsewhere=_elsewhere(copy, sightings.get(copy.number, ())),
            )


def _times(
    shares: _SharedTexts, copy: Entry, former: Sequence[_Revision], *, is_current: bool
) -> tuple[int, int | None]:
    """Return since when a document has text of an article, and until when; None if its current text has it."""
    matching = [revision for revision in former if shares.article in revision.matches]
    current_since = former[-1].until if former else copy.first_seen_at
    since = matching[0].since if matching else current_since
    return since, None if is_current or not matching else matching[-1].until


def _elsewhere(copy: Entry, sightings: Iterable[SightingRecord]) -> dict[str, int]:
    """Return the addresses of a document other than the first."""
    addresses: dict[str, int] = {}
    for sighting in sightings:
        if sighting.url and sighting.url != copy.url:
            addresses.setdefault(sighting.url, sighting.at)
    return addresses


def _gone_since(snapshots: Sequence[SnapshotRecord]) -> int | None:
    """Return when a page was first missing, if its last fetch shows that it is."""
    since = None
    for snapshot in snapshots:
        if snapshot.status not in GONE_STATUSES:
            since = None
        elif since is None:
            since = snapshot.fetched_at
    return since


def _blocks(shared: Iterable[_SharedTexts]) -> Iterator[list[_SharedTexts]]:
    rest = iter(shared)
    while block := list(islice(rest, _BLOCK)):
        yield block


__all__ = ["GONE_STATUSES", "ArticleCopy", "every_copy"]

"""Store documents, match new contents, and assign them to clusters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from time import time_ns
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.boilerplate.boilerplate import judged_without
from whorl.library.boilerplate.protection import claim, judge_again, moved_by
from whorl.library.cases.transfer import restore_cases
from whorl.library.clusters.algebra import ClusterForest
from whorl.library.clusters.reconciliation import AffectedClusters, moving, settle
from whorl.library.clusters.windows import holding
from whorl.library.core import Core
from whorl.library.ingest.batches import DocumentBatch
from whorl.library.ingest.placing import NEW, UNCHANGED, PlacedDocument, Placement
from whorl.library.ingest.speculative_evidence import SpeculativeEvidence
from whorl.library.provenance.history import ExportedDocument, restore
from whorl.library.search.compilations import follow, relabelled
from whorl.library.search.evidence import Evidence
from whorl.library.search.finder import CandidateContent, CopyQuery, LookupResult, candidates, look_up, pair_of, paired
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import Notices
from whorl.stores.records import Content, PairRecord, SightingRecord, Sketch
from whorl.types.library import microseconds

if TYPE_CHECKING:
    from whorl.fingerprints import Fingerprints
    from whorl.stores import Writer

KnownEvidence = dict[tuple[str, int], Evidence]


class StoredDocuments(NamedTuple):
    """Documents that were stored.

    Attributes:
        placed: the documents.
        looked: lookup result of each new content.
        judgement: matches of these contents.
        contents: contents whose members changed.
        is_settled: whether their clusters are final as listed: no boilerplate, claim or decision is new, and no older
            match changed its relation.
    """

    placed: Sequence[PlacedDocument]
    looked: dict[int, LookupResult]
    judgement: ContentJudgement
    contents: Sequence[Content]
    is_settled: bool


class ContentJudgement(NamedTuple):
    """Matches of new contents.

    Attributes:
        pairs: pairs that are matches.
        evidence: their evidence, reused by reports.
        questions: all comparisons made.
        taught: newly learned boilerplate.
        again: number of comparisons repeated without it.
    """

    pairs: Sequence[PairRecord]
    evidence: KnownEvidence
    questions: Sequence[tuple[CopyQuery, CandidateContent]]
    taught: Notices
    again: int


def keep(core: Core, writer: Writer, batch: DocumentBatch, now: int) -> StoredDocuments:
    """Store documents within a transaction.

    Args:
        core: the library.
        writer: write access to the store.
        batch: the documents.
        now: time of arrival.
    """
    placing = Placement(core, writer, batch.digests, now)
    placed = placing.place(batch.documents)
    moves = moved_by(writer, placed)
    _put_documents(writer, placed, batch.packed)
    new = [
        (placed_document.document, placed_document.entry.number)
        for placed_document in placed
        if placed_document.state == NEW
    ]
    restore(writer, new, texts=core.making.rules.texts)
    restore_cases(writer, (document for document, _ in new))
    moved = _moving(writer, placed)
    placing.settle()
    keys = TextKeys.of(batch.prints, list(placing.fresh.values()))
    queries = _queries(core, placing, placed, batch.prints)
    if not core.making.rules.texts:
        rows = zip(queries, keys.packed(), strict=True)
        writer.put_sketches(
            [Sketch(placed_document.content or 0, packed, placed_document.code) for placed_document, packed in rows]
        )
    periods = [placing.changed[number].period for number in placing.fresh]
    stored_keys = keys.with_digests(zip((placed_document.digest for placed_document in queries), periods, strict=True))
    core.index.insert(list(placing.fresh), stored_keys, periods, writer)
    claimed = claim(core, writer, moves)
    looked = look_up(core, writer, queries, keys)
    judgement = _judgement(core, writer, queries, looked, keys, placing.changed, batch.foreseen)
    relations = relabelled(core, writer, judgement.pairs)
    judgement = judgement._replace(pairs=relations.pairs)
    contents = _clustered(core, writer, placing, judgement)
    writer.put_contents(contents)
    writer.put_pairs(judgement.pairs)
    follow(core, writer, relations.changed)
    judge_again(core, writer, claimed)
    settle(core, writer, moved)
    is_settled = not (judgement.taught or claimed.runs or moved.contents or relations.changed)
    return StoredDocuments(placed, dict(zip(placing.fresh, looked, strict=True)), judgement, contents, is_settled)


def _put_documents(writer: Writer, placed: Sequence[PlacedDocument], packed: Sequence[bytes]) -> None:
    writer.put_entries(
        [placed_document.entry for placed_document in placed if placed_document.entry != placed_document.before]
    )
    if packed:
        writer.put_texts(
            {
                placed_document.entry.number: packed[placed_document.row]
                for placed_document in placed
                if placed_document.state != UNCHANGED
            }
        )
    writer.put_links(
        {
            placed_document.entry.number: placed_document.document.links
            for placed_document in placed
            if placed_document.document.links
        }
    )
    again = [placed_document for placed_document in placed if placed_document.state != NEW]
    before = writer.sightings(placed_document.entry.number for placed_document in again)
    writer.put_sightings(
        [
            sighting
            for placed_document in again
            for sighting in _sightings(placed_document, before.get(placed_document.entry.number, ()))
        ]
    )


def _moving(writer: Writer, placed: Sequence[PlacedDocument]) -> AffectedClusters:
    """Return what depends on decisions about documents that change their content or arrive with decisions."""
    moves: list[tuple[int, int | None, int | None]] = []
    for placed_document in placed:
        before, now = placed_document.before, placed_document.entry.content
        if before is None and isinstance(placed_document.document, ExportedDocument):
            moves.append((placed_document.entry.number, None, now))
        elif before is not None and before.content != now:
            moves.append((placed_document.entry.number, before.content, now))
    return moving(writer, moves)


def _sightings(placed_document: PlacedDocument, before: Sequence[SightingRecord]) -> list[SightingRecord]:
    """Return the new sightings of a stored document; empty if the same one was reported before."""
    at, entry, url = placed_document.document.first_seen_at, placed_document.entry, placed_document.document.url
    urls = {entry.url, *(sighting.url for sighting in before)}
    if at is None and (url is None or url in urls):
        return []
    moment = time_ns() // 1000 if at is None else microseconds(at)
    return [] if (moment, url) == (entry.first_seen_at, entry.url) else [SightingRecord(entry.number, url, moment)]


def _queries(core: Core, placing: Placement, placed: Sequence[PlacedDocument], prints: Fingerprints) -> list[CopyQuery]:
    """Return the new contents as queries, with ``row`` counting them."""
    codes = prints.codes.tobytes()
    width = prints.codes.shape[1]
    return [
        CopyQuery(
            number,
            placing.digests[row],
            placed[row].document.text,
            core.when(placed[row].entry),
            position,
            codes[row * width : (row + 1) * width],
        )
        for position, (number, row) in enumerate(placing.fresh.items())
    ]


def _judgement(
    core: Core,
    writer: Writer,
    queries: Sequence[CopyQuery],
    looked: Sequence[LookupResult],
    keys: TextKeys,
    changed: dict[int, Content],
    foreseen: SpeculativeEvidence,
) -> ContentJudgement:
    questions = paired(queries, candidates(core, writer, queries, looked, fresh=changed))
    evidence, taught, again = judged_without(core, writer, questions, keys, foreseen)
    pairs, evidence_of = [], {}
    for (query, candidate), pair_evidence in zip(questions, evidence, strict=True):
        if pair_evidence.counts(core.making.rules):
            evidence_of[query.text, candidate.witness.number] = pair_evidence
            pairs.append(pair_of(query.content or 0, candidate.content.number, pair_evidence, core))
    return ContentJudgement(pairs, evidence_of, questions, taught, again)


def _clustered(core: Core, writer: Writer, placing: Placement, judgement: ContentJudgement) -> list[Content]:
    """Return the changed contents with the clusters that the new ones begin, join or bridge."""
    partners: dict[int, list[int]] = defaultdict(list)
    for pair in holding(core, writer, judgement.pairs, placing.changed, placing.fresh):
        partners[pair.high].append(pair.low)
    bridges = _bridges(core, writer, placing)
    joining = ClusterForest()
    numbers = {low for lows in partners.values() for low in lows} | placing.changed.keys() | set(chain(*bridges))
    # Clusters may have been split since these contents were read, by removed documents or by new boilerplate.
    kept = writer.contents(numbers - placing.fresh.keys())
    cluster_of = {number: content.cluster for number, content in kept.items()}
    founded = iter(writer.next_clusters(sum(not partners[number] for number in placing.fresh)))
    for number in placing.fresh:
        cluster = joining.join(cluster_of[low] for low in partners[number])
        cluster_of[number] = next(founded) if cluster is None else cluster
    for both in bridges:
        joining.join(cluster_of[number] for number in both)
    writer.merge_clusters(joining.joined())
    return [content._replace(cluster=joining.now(cluster_of[number])) for number, content in placing.changed.items()]


def _bridges(core: Core, writer: Writer, placing: Placement) -> list[tuple[int, int]]:
    """Return stored pairs that hold because one content gained a document; only possible with a window."""
    if core.making.rules.span is None:
        return []
    existing = placing.changed.keys() - placing.fresh.keys()
    pairs = set(chain(*writer.pairs(existing).values()))
    return [(pair.low, pair.high) for pair in holding(core, writer, sorted(pairs), placing.changed)]


__all__ = ["ContentJudgement", "KnownEvidence", "StoredDocuments", "keep"]

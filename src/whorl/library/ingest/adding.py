"""Add batches of documents: one transaction, written in parts, with one report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from time import time_ns
from typing import TYPE_CHECKING

from whorl.library.boilerplate.boilerplate import reconsider, renewed
from whorl.library.core import Core
from whorl.library.ingest.batches import DocumentBatch
from whorl.library.ingest.pace import PartSizes
from whorl.library.ingest.reporting import ContentMatches, PendingReports
from whorl.library.ingest.storing import KnownEvidence, StoredDocuments, keep
from whorl.library.search.finder import NOTHING
from whorl.stores.records import PairRecord

if TYPE_CHECKING:
    from whorl.stores import Writer


def add_batches(
    core: Core, batches: Sequence[DocumentBatch], demand: Callable[[Writer], None] | None = None
) -> list[PendingReports]:
    """Add documents in one transaction, earlier batches first: either all are stored or none.

    Args:
        core: the library.
        batches: the documents.
        demand: inspects the stored state within the transaction; if it raises, no document is stored.
    """
    with core.turn, core.notices.learning():
        try:
            with core.store.writing() as writer:
                if demand is not None:
                    demand(writer)
                with core.index.inserting(writer):
                    added = [_add(core, writer, batch) for batch in batches]
        except BaseException:
            core.index.take_back()
            raise
        core.index.committed()
    core.upkeep.after(sum(len(batch.documents) for batch in batches))
    return added


def _add(core: Core, writer: Writer, batch: DocumentBatch) -> PendingReports:
    """Store a batch part by part, so that boilerplate learned from one part is excluded from the next up front."""
    now, count, parts = time_ns() // 1000, len(batch.documents), list[StoredDocuments]()
    pace = PartSizes(writer.next_content() - 1)
    # A library without texts learns no boilerplate.
    for rows in pace.parts(count) if core.making.rules.texts else (slice(0, count),):
        parts.append(keep(core, writer, batch.part(rows), now))
        pace.note(len(parts[-1].judgement.questions), parts[-1].judgement.again)
    if any(part.judgement.taught for part in parts):
        reconsider(core, writer, [(part.judgement.questions, part.judgement.taught) for part in parts])
    placed = [placed_document for part in parts for placed_document in part.placed]
    matches_of = _content_matches(writer, parts)
    if batch.is_counted and core.making.rules.span is None:
        return PendingReports.counted(placed, matches_of)
    return PendingReports.read(core, writer, placed, matches_of, _evidence(parts))


def _content_matches(writer: Writer, parts: Sequence[StoredDocuments]) -> dict[int, ContentMatches]:
    """Collect pairs and lookup results for each content of the documents."""
    looked = {number: item for part in parts for number, item in part.looked.items()}
    contents = list({content.number: content for part in parts for content in part.contents}.values())
    if len(parts) > 1 or not parts[0].is_settled:
        contents = renewed(writer, contents)
    rows = {content.number: content for content in contents}
    rows |= writer.contents({item.entry.content for part in parts for item in part.placed} - rows.keys())
    pairs_of = {} if len(parts) > 1 else _pairs_of(looked, parts[0].judgement.pairs)
    pairs = {**writer.pairs(rows.keys() - pairs_of.keys()), **pairs_of}
    return {
        number: ContentMatches(content, pairs.get(number, ()), looked.get(number, NOTHING))
        for number, content in rows.items()
    }


def _pairs_of(contents: Iterable[int], pairs: Sequence[PairRecord]) -> dict[int, Sequence[PairRecord]]:
    """Group pairs by content."""
    of: dict[int, list[PairRecord]] = defaultdict(list)
    for pair in pairs:
        of[pair.low].append(pair)
        of[pair.high].append(pair)
    return {number: of[number] for number in contents}


def _evidence(parts: Sequence[StoredDocuments]) -> KnownEvidence:
    """Collect the comparisons made since the last boilerplate was learned."""
    existing: KnownEvidence = {}
    for part in parts:
        existing = dict(part.judgement.evidence) if part.judgement.taught else existing | part.judgement.evidence
    return existing


__all__ = ["add_batches"]

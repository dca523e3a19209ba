"""Speculatively compare a batch while waiting for the write lock.

Evidence is a function of two texts and of the boilerplate in them. A waiting batch is looked up and compared with the
contents already stored. With the lock held it is looked up again, including everything added since, and only new pairs
are compared. The result equals that without speculation.
"""

from __future__ import annotations

from dataclasses import replace
from time import time_ns
from typing import TYPE_CHECKING

from whorl.library.ingest.documents import times_of
from whorl.library.ingest.speculative_evidence import SpeculativeEvidence, witness_of
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.evidence import compared
from whorl.library.search.finder import CopyQuery, candidates, look_up
from whorl.library.search.keys import TextKeys

if TYPE_CHECKING:
    from whorl.library.core import Core
    from whorl.library.ingest.batches import DocumentBatch
    from whorl.stores import Reader


def foresee(core: Core, batch: DocumentBatch) -> DocumentBatch:
    """Compare documents with their current candidates; the remaining comparisons are made with the write lock held."""
    with core.store.reading() as reader:
        core.index.catch_up(reader)
        queries, keys = _queries(core, reader, batch)
        looked = look_up(core, reader, queries, keys)
        candidate_lists = candidates(core, reader, queries, looked)
        notices = core.notices.learned(reader).runs
        witnesses = {witness_of(candidate.witness) for candidates_of in candidate_lists for candidate in candidates_of}
        packed = unpacked(reader.texts(number for number, _ in witnesses))
    texts = {witness: packed.get(witness[0], "") for witness in witnesses}
    pairs = {
        (query.text, *witness): (texts[witness], query.text)
        for query, candidates_of in zip(queries, candidate_lists, strict=True)
        for witness in (witness_of(candidate.witness) for candidate in candidates_of)
    }
    compared_pairs = compared(list(pairs.values()), notices, content=core.making.by_content)
    evidence = dict(zip(pairs, compared_pairs, strict=True))
    return replace(batch, foreseen=SpeculativeEvidence(evidence, texts, notices))


def _queries(core: Core, reader: Reader, batch: DocumentBatch) -> tuple[list[CopyQuery], TextKeys]:
    """Return the distinct texts that no stored document has, and their keys."""
    now = time_ns() // 1000
    whens = [core.clock(*times_of(document, now)) for document in batch.documents]
    places = {
        (digest or row, core.period(when)): row
        for row, (digest, when) in enumerate(zip(batch.digests, whens, strict=True))
    }
    equal_texts = [(digest, range(period, period + 1)) for digest, period in places if isinstance(digest, bytes)]
    same = core.index.same(equal_texts, reader)
    rows = sorted(row for place, row in places.items() if place not in same)
    codes = batch.prints.codes
    queries = [
        CopyQuery(None, batch.digests[row], batch.documents[row].text, whens[row], place, codes[row].tobytes())
        for place, row in enumerate(rows)
    ]
    return queries, TextKeys.of(batch.prints, rows)


__all__ = ["foresee"]

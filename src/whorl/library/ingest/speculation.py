"""Speculatively compare a batch while waiting for the write lock.

Evidence is a function of two texts and of the boilerplate in them. A waiting batch is looked up and compared with the
contents already stored. With the lock held it is looked up again, including everything added since, and only new pairs
are compared. The result equals that without speculation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import time_ns
from typing import TYPE_CHECKING

from whorl.library.ingest.documents import times_of
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.evidence import Evidence, compared
from whorl.library.search.finder import CandidateContent, CopyQuery, candidates, judged, look_up
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import Notices

if TYPE_CHECKING:
    from whorl.library.core import Core
    from whorl.library.ingest.batches import DocumentBatch
    from whorl.stores import Reader
    from whorl.stores.records import Entry

_Witness = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class SpeculativeEvidence:
    """Evidence between texts and the documents that were stored when they began to wait.

    Attributes:
        evidence: by text, and number and revision of the document.
        texts: texts of these documents, by number and revision.
        notices: the boilerplate that was excluded.
    """

    evidence: Mapping[tuple[str, int, int], Evidence] = field(default_factory=dict)
    texts: Mapping[_Witness, str] = field(default_factory=dict)
    notices: Notices = field(default_factory=Notices)

    def judged(
        self,
        core: Core,
        reader: Reader,
        questions: Sequence[tuple[CopyQuery, CandidateContent]],
        keys: TextKeys,
        notices: Notices,
    ) -> list[Evidence]:
        """Return what `whorl.library.search.finder.judged` returns, comparing only pairs that were not foreseen."""
        foreseen = self._under(notices)
        evidence = {
            place: foreseen[key]
            for place, (query, candidate) in enumerate(questions)
            if (key := (query.text, *_witness(candidate.witness))) in foreseen
        }
        remaining = [place for place in range(len(questions)) if place not in evidence]
        if remaining:
            fresh_evidence = judged(core, reader, [questions[place] for place in remaining], keys, notices)
            evidence |= dict(zip(remaining, fresh_evidence, strict=True))
        return [evidence[place] for place in range(len(questions))]

    def _under(self, notices: Notices) -> Mapping[tuple[str, int, int], Evidence]:
        """Return the evidence that other boilerplate does not affect: the texts contain none of the difference."""
        if not self.evidence or notices is self.notices:
            return self.evidence
        other = (notices - self.notices) | (self.notices - notices)
        if not other:
            return self.evidence
        texts = list({*self.texts.values(), *(text for text, _, _ in self.evidence)})
        having = {text for text, spans in zip(texts, other.spans(texts), strict=True) if spans}
        return {
            (text, number, revision): pair_evidence
            for (text, number, revision), pair_evidence in self.evidence.items()
            if text not in having and self.texts[number, revision] not in having
        }


def foresee(core: Core, batch: DocumentBatch) -> DocumentBatch:
    """Compare documents with their current candidates; the remaining comparisons are made with the write lock held."""
    with core.store.reading() as reader:
        core.index.catch_up(reader)
        queries, keys = _queries(core, reader, batch)
        looked = look_up(core, reader, queries, keys)
        candidate_lists = candidates(core, reader, queries, looked)
        notices = core.notices.learned(reader).runs
        witnesses = {_witness(candidate.witness) for candidates_of in candidate_lists for candidate in candidates_of}
        packed = unpacked(reader.texts(number for number, _ in witnesses))
    texts = {witness: packed.get(witness[0], "") for witness in witnesses}
    pairs = {
        (query.text, *witness): (texts[witness], query.text)
        for query, candidates_of in zip(queries, candidate_lists, strict=True)
        for witness in (_witness(candidate.witness) for candidate in candidates_of)
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


def _witness(entry: Entry) -> _Witness:
    """Return the identity of the text of a document: its number and revision."""
    return entry.number, entry.revision


__all__ = ["SpeculativeEvidence", "foresee"]

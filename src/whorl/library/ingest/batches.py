"""Batches of documents. The next batch is prepared while the current one is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.library.ingest.documents import FileDocument
from whorl.library.ingest.speculative_evidence import SpeculativeEvidence
from whorl.library.maintenance.packing import pack_many
from whorl.library.rules import Making
from whorl.types.library import Document

if TYPE_CHECKING:
    from whorl.fingerprints import Fingerprints

_MOST_DOCUMENTS, _MOST_CHARACTERS = 2000, 4_000_000


@frozen(eq=False)
class DocumentBatch:
    """Documents with distinct ids, with everything that can be computed before the write lock is held.

    Attributes:
        documents: the documents as the caller passed them.
        prints: their fingerprints.
        digests: digests of the normalised texts; None for a text that normalises to nothing.
        packed: the texts as stored; empty if the library keeps no texts.
        foreseen: comparisons made speculatively.
        is_counted: True if the caller needs only the counts of an ``AddResult``.
    """

    documents: Sequence[Document]
    prints: Fingerprints
    digests: Sequence[bytes | None]
    packed: Sequence[bytes]
    foreseen: SpeculativeEvidence = field(default_factory=SpeculativeEvidence)
    is_counted: bool = False

    @classmethod
    def of(cls, making: Making, documents: Sequence[Document]) -> DocumentBatch:
        """Fingerprint and pack documents."""
        texts = [document.text for document in documents]
        prints = making.fingerprint(texts)
        packed = pack_many(texts) if making.rules.texts else []
        digests = prints.digests.tobytes()
        width = len(digests) // max(1, len(texts))
        digest_list = [
            digests[row * width : (row + 1) * width] if length else None
            for row, length in enumerate(prints.lengths.tolist())
        ]
        return cls(documents, prints, digest_list, packed)

    def part(self, rows: slice) -> DocumentBatch:
        """Return the documents of a range of rows."""
        if rows == slice(0, len(self.documents)):
            return self
        return replace(
            self,
            documents=self.documents[rows],
            prints=self.prints.part(rows.start, rows.stop),
            digests=self.digests[rows],
            packed=self.packed[rows],
        )


def prepared(making: Making, documents: Iterable[Document]) -> Iterator[DocumentBatch]:
    """Yield documents in fingerprinted batches, reading at most one batch ahead."""
    batches = _batches(documents)
    first = next(batches, None)
    if first is None:
        return
    second = next(batches, None)
    if second is None:
        yield DocumentBatch.of(making, first)
        return
    with ThreadPoolExecutor(1) as worker:
        waiting = worker.submit(DocumentBatch.of, making, first)
        for batch in chain([second], batches):
            ready, waiting = waiting, worker.submit(DocumentBatch.of, making, batch)
            yield ready.result()
        yield waiting.result()


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Group documents into batches of bounded size, without repeating an id or an origin within a batch."""
    batch: list[Document] = []
    met: set[str | tuple[str]] = set()
    characters = 0
    for document in documents:
        keys_of = (document.id, (document.origin,)) if isinstance(document, FileDocument) else (document.id,)
        if not met.isdisjoint(keys_of) or len(batch) >= _MOST_DOCUMENTS or characters > _MOST_CHARACTERS:
            yield batch
            batch, met, characters = [], set(), 0
        batch.append(document)
        met.update(keys_of)
        characters += len(document.text)
    if batch:
        yield batch


__all__ = ["DocumentBatch", "prepared"]

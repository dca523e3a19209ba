"""Links between related kept documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.matching.relation import RELATIONS


class Links(NamedTuple):
    """Links of kept documents to documents that were kept before them, the strongest link of a document first.

    Attributes:
        documents: uint32 (m,), the linked documents.
        others: uint32 (m,), the related document of each.
        relations: uint8 (m,), numbers of ``matching.relation.RELATIONS``.
        derived: uint8 (m,), the derived document: 0 neither or unknown, 1 the other one, 2 the document.
        confidence: float32 (m,), confidence of the relation, in [0.5, 1].
        copied: float32 (m, 2), the copied share of the other document and of the document.
        reworded: float32 (m, 2), the reworded share of both.
        bounds: uint64 (m + 1,), the bounds of the passages of each link.
        passages: uint32 (p, 4), start and end in the other document, start and end in the document, in code points.
        cut: uint64 (1,), number of omitted links of documents with more links than the run allows.
    """

    documents: NDArray[np.uint32]
    others: NDArray[np.uint32]
    relations: NDArray[np.uint8]
    derived: NDArray[np.uint8]
    confidence: NDArray[np.float32]
    copied: NDArray[np.float32]
    reworded: NDArray[np.float32]
    bounds: NDArray[np.uint64]
    passages: NDArray[np.uint32]
    cut: NDArray[np.uint64]

    @classmethod
    def none(cls) -> Self:
        """Return an empty set of links."""
        return cls.joined([])

    @classmethod
    def of(cls, probe: _core.Probe, numbers: NDArray[np.uint32], texts: Any) -> Self:
        """Return the links that a probe found.

        Args:
            probe: a probe that has decided all documents.
            numbers: uint32, the document at each rank.
            texts: source that reads texts again, as for the probe.

        Cost: linear in the texts of linked documents, in parallel.
        """
        columns = probe.links()
        ranks, others = (np.frombuffer(memoryview(column), np.uint32) for column in columns[:2])
        relations, derived = (np.frombuffer(memoryview(column), np.uint8) for column in columns[2:4])
        confidence, copied, reworded = (np.frombuffer(memoryview(column), np.float32) for column in columns[4:])
        bounds, passages = probe.linked_passages(texts)
        return cls(
            numbers[ranks],
            numbers[others],
            relations,
            derived,
            confidence,
            copied.reshape(-1, 2),
            reworded.reshape(-1, 2),
            np.frombuffer(memoryview(bounds), np.uint64),
            np.frombuffer(memoryview(passages), np.uint32).reshape(-1, 4),
            np.array([probe.cut_links()], np.uint64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Links]) -> Self:
        """Join the links of all parts of a corpus, which have no document in common."""
        empty: dict[str, NDArray[Any]] = {
            "documents": np.empty(0, np.uint32),
            "others": np.empty(0, np.uint32),
            "relations": np.empty(0, np.uint8),
            "derived": np.empty(0, np.uint8),
            "confidence": np.empty(0, np.float32),
            "copied": np.empty((0, 2), np.float32),
            "reworded": np.empty((0, 2), np.float32),
            "passages": np.empty((0, 4), np.uint32),
        }
        columns = {
            name: np.concatenate([none, *(getattr(part, name) for part in parts)]) for name, none in empty.items()
        }
        counts = [np.diff(part.bounds) for part in parts]
        bounds = np.concatenate([np.zeros(1, np.uint64), np.cumsum(np.concatenate([np.empty(0, np.uint64), *counts]))])
        cut = np.array([sum(int(part.cut[0]) for part in parts)], np.uint64)
        return cls(**columns, bounds=bounds.astype(np.uint64), cut=cut)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, as ``loads`` expects them."""
        return self._asdict()

    def renumbered(self, numbers: NDArray[np.uint32]) -> Links:
        """Return the links with renumbered documents: ``numbers`` contains the new number of each."""
        columns = self.arrays() | {"documents": numbers[self.documents], "others": numbers[self.others]}
        return Links(**columns)

    def counts(self) -> dict[str, int]:
        """Return the number of links by relation, the closest relation first."""
        counted = np.bincount(self.relations, minlength=len(RELATIONS)).tolist()
        return {RELATIONS[place]: counted[place] for place in reversed(range(len(RELATIONS))) if counted[place]}


__all__ = ["Links"]

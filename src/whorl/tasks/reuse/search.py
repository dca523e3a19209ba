"""Candidates of a corpus and of its decoys, and the comparison of both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from whorl._internal.frozen import frozen
from whorl.matching.reuse import (
    PairColumns,
    PassageColumns,
    ReuseCandidates,
    compare_candidates,
    find_candidates,
)
from whorl.matching.rewritten import find_rewritten
from whorl.tasks.reuse.chance import SMALLEST, Chance, decoys
from whorl.tasks.reuse.same_content import ContentPairs, find_same_content
from whorl.tasks.reuse.settings import ReuseSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.tasks import Progress
    from whorl.tasks.reuse.documents import OrderedDocuments


@frozen(eq=False)
class SearchResult:
    """Passages of a corpus.

    Attributes:
        pairs: the pairs of documents with a passage.
        passages: their passages.
        candidates: number of compared pairs.
        chance: passages to expect from chance; None for a corpus that is too small.
        same_content: further pairs with the same content in other words; None if they were not searched.
    """

    pairs: PairColumns
    passages: PassageColumns
    candidates: int
    chance: Chance | None
    same_content: ContentPairs | None = None


class CorpusSearch:
    """Candidates of a corpus and of its decoys."""

    def __init__(self, documents: OrderedDocuments, settings: ReuseSettings, is_against: bool) -> None:
        self._documents, self._settings = documents, settings
        self.is_against = is_against
        self.groups = self._numbers()
        self.texts: Any = documents.texts
        self._decoy_characters = 0
        self._rewritten: NDArray[np.uint32] = np.empty((0, 2), np.uint32)

    def _numbers(self) -> NDArray[np.uint32]:
        """Return equal numbers for documents that are not compared with each other."""
        documents = self._documents
        if self.is_against:
            return documents.others.astype(np.uint32)
        if self._settings.group is None:
            return np.arange(len(documents), dtype=np.uint32)
        numbers: dict[str, int] = {}
        labels = (group if group is not None else f"\0{place}" for place, group in enumerate(documents.groups))
        return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.uint32)

    def run(self, progress: Progress) -> SearchResult:
        """Find and compare the candidate pairs."""
        progress.stage("group", None, "documents")
        candidates, is_modelled = self._candidates()
        progress.stage("compare", len(candidates.pairs), "pairs")
        pairs, passages = compare_candidates(
            self.texts,
            candidates,
            least=self._settings.least,
            content=self._settings.by_content,
            on_progress=progress.advance,
        )
        pairs, passages, hits = _without_decoys(pairs, passages, len(self._documents))
        chance = self._chance(hits) if is_modelled else None
        return SearchResult(pairs, passages, len(candidates.pairs), chance, self._same_content(pairs, progress))

    def _same_content(self, pairs: PairColumns, progress: Progress) -> ContentPairs | None:
        """Compare pairs without a passage by meaning, if that was requested."""
        settings = self._settings
        if not settings.meaning:
            return None
        progress.stage("compare", len(self._rewritten), "pairs")
        return find_same_content(
            self._documents.texts,
            self._rewritten,
            pairs.texts,
            min_length=settings.least,
            model=settings.meaning,
            on_progress=progress.advance,
        )

    def _candidates(self) -> tuple[ReuseCandidates, bool]:
        """Return the candidate pairs, and whether decoys were added to the texts."""
        groups = self.groups
        total = int(self._documents.lengths.sum())
        is_modelled = total >= SMALLEST
        if is_modelled:
            added = decoys(self._documents.texts, total)
            self._decoy_characters = sum(map(len, added))
            self.texts = pa.concat_arrays([self.texts, pa.array(added, pa.large_string())])
            number = 0 if self.is_against else int(groups.max()) + 1
            groups = np.concatenate([groups, np.full(len(added), number, np.uint32)])
        settings = self._settings
        candidates = find_candidates(
            self.texts, groups, least=settings.least, hot=settings.hot or 0, noisy=bool(settings.noisy)
        )
        if settings.by_content:
            self._rewritten = find_rewritten(self._documents.texts, self.groups)
            every_pair = np.concatenate([candidates.pairs, self._rewritten])
            candidates = replace(candidates, pairs=np.unique(every_pair, axis=0))
        return candidates, is_modelled

    def _chance(self, hits: int) -> Chance:
        """Scale the hits of decoys to the corpus."""
        lengths = self._documents.lengths.astype(np.float64)
        if self.is_against:
            return Chance.of(hits, self._decoy_characters, int(lengths[~self._documents.others].sum()), 1.0)
        of_groups = np.bincount(self.groups, lengths) / lengths.sum()
        share = (1 - float((of_groups**2).sum())) / 2
        return Chance.of(hits, self._decoy_characters, int(lengths.sum()), share)


def _without_decoys(
    pairs: PairColumns, passages: PassageColumns, count: int
) -> tuple[PairColumns, PassageColumns, int]:
    """Split off the pairs with decoys, whose numbers begin at ``count``; return their number of passages."""
    real = pairs.texts[:, 1] < count
    kept = real[passages.pair]
    number = np.cumsum(real) - 1
    return (
        PairColumns(
            pairs.texts[real], pairs.relation[real], pairs.direction[real], pairs.shares[real], pairs.passages[real]
        ),
        PassageColumns(
            number[passages.pair[kept]],
            passages.spans[kept],
            passages.edits[kept],
            passages.similarity[kept],
            passages.kind[kept],
            passages.moved[kept],
        ),
        int((~kept).sum()),
    )


__all__ = ["CorpusSearch", "SearchResult"]

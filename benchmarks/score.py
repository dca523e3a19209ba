"""Scores of removals against the labels."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import Corpus
from benchmarks.similarity import jaccard
from whorl.evaluation.scoring import share_at_most_one_kept, share_found

Removals = Mapping[int, int]
"""Row number of a removed document → that of the document kept in its place."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The planted pairs of a corpus.

    Attributes:
        pairs: int64 (n, 2), the rows of the copy and of its base.
        similarity: their exact Jaccard similarity.
    """

    pairs: NDArray[np.int64]
    similarity: NDArray[np.float64]

    @classmethod
    def of(cls, corpus: Corpus) -> Truth:
        """Read the planted pairs with their exact similarities, which are cached next to the corpus.

        The first computation takes 1 ms per pair.
        """
        import pyarrow.parquet as pq

        table = pq.read_table(corpus.truth_path)
        pairs = np.column_stack([table["copy"].to_numpy(), table["base"].to_numpy()])
        saved = corpus.path.with_name("similarity.npy")
        if not saved.exists():
            np.save(saved, similarities(corpus.path, pairs))
        return cls(pairs, np.load(saved))

    def similarity_of(self, pairs: NDArray[np.int64], corpus: Corpus) -> NDArray[np.float64]:
        """Return the exact similarity of any pairs, cached for planted ones."""
        cached = dict(zip(map(tuple, self.pairs.tolist()), self.similarity.tolist(), strict=True))
        others = [pair for pair in map(tuple, pairs.tolist()) if pair not in cached]
        computed = similarities(corpus.path, np.array(others, np.int64).reshape(-1, 2))
        cached |= zip(others, computed.tolist(), strict=True)
        return np.array([cached[pair] for pair in map(tuple, pairs.tolist())], np.float64)


@dataclass(frozen=True, slots=True)
class Score:
    """Recall and precision of removals.

    Attributes:
        true_pairs: planted pairs at or above the threshold.
        recall: share of them in one cluster: one removed for the other, or both for the same document.
        at_most_one_kept: share of them with one document removed, for any reason.
        removed: number of removed documents.
        precision: share of removals whose similarity with the kept document reaches the threshold.
        below: number of removals below the threshold.
    """

    true_pairs: int
    recall: float
    at_most_one_kept: float
    removed: int
    precision: float
    below: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def score(corpus: Corpus, truth: Truth, removals: Removals, threshold: float) -> Score:
    """Judge removals by exact similarities."""
    true = truth.pairs[truth.similarity >= threshold]
    pairs = np.array(list(removals.items()), np.int64).reshape(-1, 2)
    below = int((truth.similarity_of(pairs, corpus) < threshold).sum())
    precision = 1 - below / len(pairs) if len(pairs) else 1.0
    return Score(len(true), *shares_found(true, removals), len(pairs), precision, below)


def shares_found(pairs: NDArray[np.int64], removals: Removals) -> tuple[float, float]:
    """Return the share of pairs in one cluster, and of pairs with at most one kept document; 1 for no pairs."""
    counted = (share(pairs.tolist(), removals).value for share in (share_found, share_at_most_one_kept))
    recall, at_most_one_kept = (1.0 if share is None else share for share in counted)
    return recall, at_most_one_kept


def similarities(path: Path, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the exact similarity of pairs of rows of a JSON Lines file."""
    texts = _texts(path, set(pairs.ravel().tolist()))
    return np.array([jaccard(texts[a], texts[b]) for a, b in pairs.tolist()], np.float64)


def _texts(path: Path, rows: set[int]) -> dict[int, str]:
    with path.open("rb") as file:
        return {row: json.loads(line)["text"] for row, line in enumerate(file) if row in rows}


def removals_of_whorl(out: Path) -> dict[int, int]:
    """Read the removals of whorl; ids are row numbers."""
    import pyarrow.parquet as pq

    table = pq.read_table(out / "duplicates.parquet", columns=["id", "duplicate_of"])
    return _numbers(zip(table["id"].to_pylist(), table["duplicate_of"].to_pylist(), strict=True))


def links_of_whorl(out: Path) -> set[frozenset[int]]:
    """Read the links of whorl between documents that stay; ids are row numbers."""
    import pyarrow.parquet as pq

    table = pq.read_table(out / "related.parquet", columns=["id", "related_to"])
    pairs = zip(table["id"].to_pylist(), table["related_to"].to_pylist(), strict=True)
    return {frozenset((int(id_), int(related_to))) for id_, related_to in pairs}


def share_removed_or_linked(
    pairs: Iterable[tuple[int, int]], removals: Removals, links: Container[frozenset[int]]
) -> float:
    """Return the share of pairs in one cluster or with a link between their kept documents; 1 for no pairs."""

    def kept(row: int) -> int:
        while row in removals:
            row = removals[row]
        return row

    results = [kept(a) == kept(b) or frozenset((kept(a), kept(b))) in links for a, b in pairs]
    return sum(results) / len(results) if results else 1.0


def removals_of_rival(out: Path) -> dict[int, int]:
    """Read the removals of a rival."""
    with (out / "removed.tsv").open(encoding="ascii") as file:
        return _numbers(line.split() for line in file)


def _numbers(pairs: Iterable[Any]) -> dict[int, int]:
    return {int(removed): int(kept) for removed, kept in pairs}

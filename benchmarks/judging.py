"""Relations of pairs and removals of deduplications, as the measurements of benchmarks compare them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import whorl
from benchmarks.articles import data_folder, read_rows
from benchmarks.similarity import shingles
from whorl.evaluation.scoring import pair

Figures = dict[str, Any]
Row = dict[str, Any]

COPIES = frozenset({"exact", "near_duplicate", "version", "excerpt", "partial"})
"""Relations of texts that share stretches word for word."""

DUPLICATES = frozenset({"exact", "near_duplicate", "version", "excerpt"})
"""Relations of texts that are the same document as a whole."""

NO_COPIES = frozenset({"template", "reworded", "translation", "unrelated"})

MAIN_METHODS = ("news", "web", "library", "minhash")


@dataclass(frozen=True, slots=True)
class Judgment:
    """Result of ``whorl.compare`` for a pair, as relations."""

    relation: str
    direction: str | None
    similarity: float
    copied: float
    reworded: float | None
    reprint: bool


def compare_pairs(pairs: Iterable[tuple[str, str]]) -> list[Judgment]:
    """Return the judgments of ``whorl.compare_many`` for pairs of texts."""
    return [
        Judgment(
            comparison.relation,
            comparison.direction,
            comparison.similarity,
            comparison.ratios.copied,
            comparison.ratios.reworded,
            comparison.reprint,
        )
        for comparison in whorl.compare_many(pairs)
    ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of ``whorl.dedup`` for documents.

    Attributes:
        removals: removed document → the kept one.
        links: relation of each linked pair of documents, the lower id first.
        run: counts and warnings.
    """

    removals: dict[str, str]
    links: dict[tuple[str, str], str]
    run: Mapping[str, Any]

    def clusters(self) -> dict[str, str]:
        """Return the kept document of each document that is in a cluster."""
        return self.removals | {kept: kept for kept in self.removals.values()}

    def copies(self) -> set[tuple[str, str]]:
        """Return the linked pairs that share text word for word."""
        return {linked for linked, relation in self.links.items() if relation not in NO_COPIES}

    def finds(self, a: str, b: str) -> bool:
        """Return True if two documents are in one cluster or linked as copies."""
        clusters = self.clusters()
        return self.links.get(pair(a, b), "unrelated") not in NO_COPIES or clusters.get(a, a) == clusters.get(b, b)

    def related(self) -> set[str]:
        """Return the documents that are in a cluster with another document, or linked as copies."""
        return set(self.clusters()).union(*self.copies())


def run_dedup(documents: Sequence[Row], method: str | None, **options: Any) -> Outcome:
    """Return the outcome of ``whorl.dedup`` on documents that have an ``id``; None selects the default method."""
    result = whorl.dedup(documents, method=method, **{"keep": "longest"} | options)
    removals = {row["id"]: row["duplicate_of"] for row in result.duplicates.to_pylist()}
    rows = result.related.to_pylist()
    links = {pair(row["id"], row["related_to"]): row["relation"] for row in rows}
    return Outcome(removals, links, result.run)


def all_methods() -> list[str]:
    """Return every name that ``whorl dedup --method`` takes."""
    from whorl.fingerprints import families
    from whorl.recipe import PRESETS

    return [*families(), *PRESETS]


def containment(a: str, b: str) -> float:
    """Return the share of the distinct 5-grams of tokens of ``a`` that are in ``b``; 0 if ``a`` is empty."""
    runs = shingles(a)
    return len(runs & shingles(b)) / max(1, len(runs))


def smaller_containment(a: str, b: str) -> float:
    """Return the share of the distinct 5-grams of tokens of the smaller text that are in the larger one."""
    first, second = shingles(a), shingles(b)
    return len(first & second) / max(1, min(len(first), len(second)))


def data_rows(name: str) -> list[Row]:
    """Return the rows of a file of ``WHORL_DATA``, or no rows if it does not exist."""
    folder = data_folder()
    return list(read_rows(folder / name)) if folder and (folder / name).exists() else []


def texts_of(rows: Iterable[Row]) -> list[Row]:
    """Return only the ids and texts of rows."""
    return [{"id": row["id"], "text": row["text"]} for row in rows]


def rows_by_id(rows: Iterable[Row]) -> dict[str, Row]:
    """Return rows by their id."""
    return {row["id"]: row for row in rows}


def share_of(hits: int, of: int) -> float | None:
    """Return a share rounded to four digits, or None of nothing."""
    return round(hits / of, 4) if of else None


def counts_of(values: Iterable[str]) -> dict[str, int]:
    """Return how often each value occurs, the most frequent first."""
    return dict(Counter(values).most_common())


def digest_of(text: str) -> bytes:
    """Return a digest that orders texts independently of their content."""
    return blake2b(text.encode(), digest_size=16).digest()

"""Trial of one recipe on documents: its removals and its cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.engines.caveats import largest_cluster, near_removals
from whorl.engines.decide import POSTING
from whorl.engines.links import Links
from whorl.engines.memory.rows import decide_rows, gather, rows_of_texts
from whorl.evaluation.documents import Documents
from whorl.matching.relation import RELATIONS
from whorl.recipe import Recipe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.fingerprints import Fingerprints

_PROBED = 500
_FIXED_BYTES = 24


@frozen
class Cost:
    """The cost of a recipe.

    Attributes:
        seconds: duration of the in-memory run, with dictionaries loaded beforehand.
        documents_per_second: throughput on all threads.
        keys: mean number of keys per document.
        candidates: mean number of documents that share enough keys with a document to be compared with it, over at
            most 500 documents; a key leads to at most 64 documents. A run compares fewer: only kept documents.
        state_bytes: mean size of the state of a document without its text: digest, length, count, code and keys.
    """

    seconds: float
    documents_per_second: float
    keys: float
    candidates: float
    state_bytes: float

    def as_dict(self) -> dict[str, float]:
        """Return every figure, ready for JSON."""
        return asdict(self)


@frozen(eq=False)
class Trial:
    """The result of a trial.

    Attributes:
        removals: removed document → the kept document that replaces it, by id.
        similarity: removed document → the deciding score.
        cost: cost of the run.
        lengths: folded code points of each document.
        largest: maximum number of distinct texts removed in favor of one document, without exact duplicates.
        relations: removed document → its relation to the kept document.
        links: kept document, related kept document, and their relation.
        comparisons: number of compared pairs of texts.
    """

    removals: Mapping[str, str]
    similarity: Mapping[str, float]
    cost: Cost
    lengths: Mapping[str, int]
    largest: int
    relations: Mapping[str, str]
    links: Sequence[tuple[str, str, str]]
    comparisons: int

    @property
    def work(self) -> int:
        """Approximate code points fingerprinted or compared: the cost of the run, equal on every machine."""
        total = sum(self.lengths.values())
        return total + 2 * self.comparisons * total // max(1, len(self.lengths))

    def linked(self, relations: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the pairs of kept documents that are linked by one of these relations."""
        return ((document, other) for document, other, relation in self.links if relation in relations)


def try_recipe(documents: Documents, recipe: Recipe) -> Trial:
    """Run a recipe on documents in memory, as ``whorl.dedup`` does.

    The longest copy is always kept, independent of the recipe, so that the result does not depend on the order of the
    documents.

    Raises:
        UsageError: the recipe has an unknown method, or a parameter out of range.
    """
    chosen = recipe.changed(keep="longest")
    maker = chosen.fingerprinter()
    maker.fingerprint(list(documents.texts[:1]))
    started = perf_counter()
    gathered = gather(documents.rows(), rows_of_texts([]), chosen)
    decisions, _ = decide_rows(gathered, chosen)
    fingerprints = gathered.fingerprints
    seconds = perf_counter() - started
    removed = np.flatnonzero(~decisions.kept).tolist()
    ids = documents.ids
    min_shared = min(judgement.family.min_shared for judgement in chosen.judgements())
    return Trial(
        {ids[document]: ids[decisions.duplicate_of[document]] for document in removed},
        {ids[document]: float(decisions.similarity[document]) for document in removed},
        _cost(fingerprints, seconds, min_shared),
        dict(zip(ids, fingerprints.lengths.tolist(), strict=True)),
        largest_cluster(decisions, near_removals(decisions, fingerprints.digests)),
        {ids[document]: RELATIONS[decisions.relation[document]] for document in removed},
        _named(decisions.links, ids),
        decisions.comparisons,
    )


def _named(links: Links, ids: Sequence[str]) -> list[tuple[str, str, str]]:
    columns = (column.tolist() for column in (links.documents, links.others, links.relations))
    return [
        (ids[document], ids[other], RELATIONS[relation]) for document, other, relation in zip(*columns, strict=True)
    ]


def _cost(fingerprints: Fingerprints, seconds: float, min_shared: int) -> Cost:
    documents = len(fingerprints.lengths)
    keys = len(fingerprints.keys) / documents
    state = _FIXED_BYTES + fingerprints.codes.shape[1] + keys * POSTING.itemsize
    speed = documents / seconds if seconds else 0.0
    return Cost(seconds, speed, keys, candidates(fingerprints, min_shared), state)


def candidates(fingerprints: Fingerprints, min_shared: int) -> float:
    """Return the mean number of documents that share at least ``min_shared`` keys with a document.

    At most 500 documents, evenly spaced, are sampled; of each key, only the first 64 documents are considered.
    """
    documents = len(fingerprints.lengths)
    owners = np.repeat(np.arange(documents), fingerprints.counts)
    order = np.argsort(fingerprints.keys, kind="stable")
    keys, holders = fingerprints.keys[order], owners[order]
    ends = np.cumsum(fingerprints.counts, dtype=np.int64)
    probed = np.unique(np.linspace(0, documents - 1, min(documents, _PROBED)).astype(np.int64))
    total = 0
    for document in probed.tolist():
        document_keys = np.unique(fingerprints.keys[ends[document] - fingerprints.counts[document] : ends[document]])
        total += _sharing(document_keys, keys, holders, min_shared, document)
    return total / len(probed)


def _sharing(
    document_keys: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    holders: NDArray[np.int64],
    min_shared: int,
    document: int,
) -> int:
    first = np.searchsorted(keys, document_keys, "left")
    last = np.minimum(np.searchsorted(keys, document_keys, "right"), first + _core.LISTED)
    lists = [np.unique(holders[start:end]) for start, end in zip(first.tolist(), last.tolist(), strict=True)]
    if not lists:
        return 0
    others, shared = np.unique(np.concatenate(lists), return_counts=True)
    return int(((shared >= min_shared) & (others != document)).sum())


def describe(recipe: Recipe) -> dict[str, Any]:
    """Return the method, threshold and parameters of a recipe, ready for JSON."""
    described = recipe.as_dict()
    return {name: described[name] for name in ("method", "threshold", "verify", "parameters")} | {
        "measure": recipe.measure
    }


__all__ = ["Cost", "Trial", "candidates", "describe", "try_recipe"]

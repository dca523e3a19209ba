"""One recipe tried on documents: what it removes, and what it costs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
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


@dataclass(frozen=True, slots=True)
class Cost:
    """What a recipe costs.

    Attributes:
        seconds: of the whole run in memory, dictionaries loaded before.
        documents_per_second: on all threads.
        keys: a document, on average.
        candidates: documents that share enough keys with a document to be compared with it, on average over at most
            500 documents; a key leads to 64 documents at most. A run compares fewer: those that it keeps.
        state_bytes: what is kept of a document besides its text: digest, length, count, code and keys, on average.
    """

    seconds: float
    documents_per_second: float
    keys: float
    candidates: float
    state_bytes: float

    def as_dict(self) -> dict[str, float]:
        """Return every figure, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What came of a recipe.

    Attributes:
        removals: removed document → the one kept for it, by id.
        similarity: removed document → the figure that decided.
        cost: what it took.
        lengths: folded code points of each document.
        largest: how many different texts were removed for one document, exact copies of it apart.
        relations: removed document → its relation to the one kept for it.
        links: kept document, related kept document, and their relation.
        comparisons: how many pairs of texts were compared.
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
        """Code points that were fingerprinted or compared, about: what the run costs, the same on every machine."""
        total = sum(self.lengths.values())
        return total + 2 * self.comparisons * total // max(1, len(self.lengths))

    def linked(self, relations: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the pairs of kept documents that are linked by one of some relations."""
        return ((document, other) for document, other, relation in self.links if relation in relations)


def try_recipe(documents: Documents, recipe: Recipe) -> Trial:
    """Run a recipe on documents in memory, as ``whorl.dedup`` does.

    The longest copy is kept whatever the recipe says: which one it is does not matter here, and the order of the
    documents shall not.

    Raises:
        UsageError: the recipe has an unknown method, or a parameter that is out of range.
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
    least = min(judgement.family.min_shared for judgement in chosen.judgements())
    return Trial(
        {ids[document]: ids[decisions.duplicate_of[document]] for document in removed},
        {ids[document]: float(decisions.similarity[document]) for document in removed},
        _cost(fingerprints, seconds, least),
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
    """Return how many documents share at least ``min_shared`` keys with a document, on average.

    At most 500 documents, evenly spaced, are looked at, and of each key at most the first 64 documents that have it.
    """
    documents = len(fingerprints.lengths)
    owners = np.repeat(np.arange(documents), fingerprints.counts)
    order = np.argsort(fingerprints.keys, kind="stable")
    keys, holders = fingerprints.keys[order], owners[order]
    ends = np.cumsum(fingerprints.counts, dtype=np.int64)
    probed = np.unique(np.linspace(0, documents - 1, min(documents, _PROBED)).astype(np.int64))
    found = 0
    for document in probed.tolist():
        own = np.unique(fingerprints.keys[ends[document] - fingerprints.counts[document] : ends[document]])
        found += _sharing(own, keys, holders, min_shared, document)
    return found / len(probed)


def _sharing(
    own: NDArray[np.uint64], keys: NDArray[np.uint64], holders: NDArray[np.int64], min_shared: int, document: int
) -> int:
    first = np.searchsorted(keys, own, "left")
    last = np.minimum(np.searchsorted(keys, own, "right"), first + _core.LISTED)
    lists = [np.unique(holders[start:end]) for start, end in zip(first.tolist(), last.tolist(), strict=True)]
    if not lists:
        return 0
    others, shared = np.unique(np.concatenate(lists), return_counts=True)
    return int(((shared >= min_shared) & (others != document)).sum())


def describe(recipe: Recipe) -> dict[str, Any]:
    """Return what a recipe decides by: method, threshold and parameters, ready for JSON."""
    described = recipe.as_dict()
    return {name: described[name] for name in ("method", "threshold", "verify", "parameters")} | {
        "measure": recipe.measure
    }


__all__ = ["Cost", "Trial", "candidates", "describe", "try_recipe"]

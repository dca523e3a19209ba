"""Whether the method of a run suits its corpus: a few of its removals compared, and its largest cluster."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from whorl.engines.decide import Decisions
from whorl.matching.removals import EXAMINED, caveats, copied_shares, within_reach

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TextOf(Protocol):
    """Anything that knows the text of a document."""

    def text(self, document: int) -> str:
        """Return the text of one document."""
        ...


def near_removals(decisions: Decisions, digests: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the removed documents that are no exact copies of the one kept, one of each text.

    They are in the order of their digests: as good as random, and the same whatever the order of the files.
    """
    removed = np.flatnonzero(~decisions.kept)
    differing = (digests[removed] != digests[decisions.duplicate_of[removed]]).any(axis=1)
    near = removed[differing]
    _, first = np.unique(digests[near, 0], return_index=True)
    return np.asarray(near[first], np.int64)


def largest_cluster(decisions: Decisions, near: NDArray[np.int64]) -> int:
    """Return how many of some removed documents were removed for the one document that most were removed for."""
    return int(np.unique(decisions.duplicate_of[near], return_counts=True)[1].max(initial=0))


def describe_caveats(
    decisions: Decisions, digests: NDArray[np.uint64], texts: TextOf, references: int
) -> list[dict[str, Any]]:
    """Return what speaks against the method of a run, ready for JSON.

    Cost: at most 100 comparisons, of four million code points in all.
    """
    near = near_removals(decisions, digests)
    shares = copied_shares(within_reach(_pairs(decisions, near, texts)))
    removed = len(decisions.kept) - int(decisions.kept.sum())
    found = caveats(shares, largest_cluster(decisions, near), removed, len(decisions.kept) - references)
    return [caveat.as_dict() for caveat in found]


def _pairs(decisions: Decisions, near: NDArray[np.int64], texts: TextOf) -> Iterator[tuple[str, str]]:
    """Kept and removed texts; without those kept in a library that has no texts."""
    for document in islice(near.tolist(), EXAMINED):
        kept = texts.text(int(decisions.duplicate_of[document]))
        if kept:
            yield kept, texts.text(document)


__all__ = ["TextOf", "describe_caveats", "largest_cluster", "near_removals"]

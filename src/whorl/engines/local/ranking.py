"""Which of several copies stays: the rank of every document by each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.local.read import Segment
from whorl.engines.progress import Progress
from whorl.recipe import Recipe

_TRICKS_BITS = 16
_LENGTH_COUNTS = np.array([25, 15, 10, 6], np.int64)
"""Of how many 25ths of its length a text counts by "best": all; full of tricks; cut; cut and full of tricks.

A form decides among texts of like length. Of a text more than twice as long the shorter one is an excerpt, which can be
removed for it, and not the other way round.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Identifiers:
    """The ids of documents: n strings one after the other, empty where a document has none."""

    values: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> Identifiers:
        """Join the ids of several segments."""
        values = [segment.column("id") for segment in segments]
        begins = np.cumsum([0, *map(len, values)])
        ends = [np.zeros(1, np.int64)]
        ends += [segment.column("id_end") + begin for segment, begin in zip(segments, begins, strict=False)]
        return cls(np.concatenate([np.empty(0, np.uint8), *values]), np.concatenate(ends))


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """What rules rank documents by, references left out.

    Attributes:
        lengths: uint32 (n,), folded code points.
        blemishes: uint32 (n,), how bad the form of each is, as the core says; (0,) where the recipe asks for no form.
        order: float64 (n,), the value of the column that is read for ranks or times, NaN for none; (0,) without one.
    """

    lengths: NDArray[np.uint32]
    blemishes: NDArray[np.uint32]
    order: NDArray[np.float64]


def rank_documents(recipe: Recipe, traits: Traits, ids: Identifiers, progress: Progress) -> NDArray[np.uint32]:
    """Return the documents by rank: by the rule of the recipe, then by id, then by file and row. O(n log n)."""
    progress.stage("rank", None, "documents")
    return np.frombuffer(memoryview(_core.rank(preference(recipe.keep, traits), ids.values, ids.bounds)), np.uint32)


def preference(keep: str, traits: Traits) -> NDArray[np.float64]:
    """Return what ranks each document by a rule, the lowest first; NaN last."""
    if keep == "longest":
        return -traits.lengths.astype(np.float64)
    if keep == "best":
        grade, tricks = traits.blemishes >> _TRICKS_BITS, traits.blemishes & ((1 << _TRICKS_BITS) - 1)
        counted: NDArray[np.int64] = traits.lengths * _LENGTH_COUNTS[grade]
        return np.asarray(tricks - (counted << _TRICKS_BITS), np.float64)
    if keep == "first":
        return np.arange(len(traits.lengths), dtype=np.float64)
    return traits.order if keep == "earliest" else -traits.order


__all__ = ["Identifiers", "Traits", "preference", "rank_documents"]

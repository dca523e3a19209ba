"""Which of several copies stays: the rank of every document by each rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.corpus import Identifiers
from whorl.engines.progress import Progress
from whorl.recipe import Recipe

_TRICKS_BITS = 16
_LENGTH_COUNTS = np.array([25, 15, 10, 6], np.int64)
"""Of how many 25ths of its length a text counts by "best": all; full of tricks; cut; cut and full of tricks.

A form decides among texts of like length. Of a text more than twice as long the shorter one is an excerpt, which can be
removed for it, and not the other way round.
"""


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


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_DAY = 86_400.0


def _seconds(kind: Any) -> float:
    """How long the unit of a type of times is."""
    import pyarrow as pa

    if pa.types.is_date(kind):
        return _DAY if pa.types.is_date32(kind) else _SECONDS["ms"]
    return _SECONDS[kind.unit]


def order_values(column: Any) -> NDArray[np.float64]:
    """Return what ranks each row: numbers as they are, dates as seconds since 1970, NaN for what is neither."""
    import pyarrow as pa

    if isinstance(column, np.ndarray):
        return column
    kind = column.type
    if pa.types.is_temporal(kind):
        number = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
        return np.asarray(number.to_numpy(zero_copy_only=False), np.float64) * _seconds(kind)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    return np.frombuffer(memoryview(_core.order_values(column.cast(pa.string()).to_pylist())), np.float64)


__all__ = ["Traits", "order_values", "preference", "rank_documents"]

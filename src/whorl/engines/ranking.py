"""Keep rules: the rank of every document by each rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.corpus.dates import times_of
from whorl.engines.corpus import Identifiers
from whorl.engines.progress import Progress
from whorl.recipe import AUTO, Recipe
from whorl.text.form import best_order


@frozen(eq=False)
class Traits:
    """Properties that the keep rules rank documents by, without references.

    Attributes:
        lengths: uint32 (n,), folded code points.
        blemishes: uint32 (n,), how bad the form of each text is, as computed by the core; (0,) if the recipe does not
            use it.
        order: float64 (n,), the value of the rank or date column, NaN if missing; (0,) without one.
        date_columns: number of documents with a date in each date column, if date columns were searched for.
    """

    lengths: NDArray[np.uint32]
    blemishes: NDArray[np.uint32]
    order: NDArray[np.float64]
    date_columns: Mapping[str, int] = field(default_factory=dict)

    @property
    def dated(self) -> int:
        """Return the number of documents with a value in that column."""
        return int(np.count_nonzero(~np.isnan(self.order)))


def rank_documents(recipe: Recipe, traits: Traits, ids: Identifiers, progress: Progress) -> NDArray[np.uint32]:
    """Return the documents by rank: by the rule of the recipe, then by id, then by file and row. O(n log n)."""
    progress.stage("rank", None, "documents")
    ranks = preference(keep_rule(recipe, traits), traits)
    return np.frombuffer(memoryview(_core.rank(ranks, ids.values, ids.bounds)), np.uint32)


def keep_rule(recipe: Recipe, traits: Traits) -> str:
    """Return the keep rule; "auto" depends on the share of documents with a date.

    Half is enough: then most clusters have a dated article, and an undated article rarely yields to a dated copy of it.
    A choice per cluster would make the rule of an article depend on the copies that were found.
    """
    if recipe.keep != AUTO:
        return recipe.keep
    return "earliest" if traits.dated and 2 * traits.dated >= len(traits.lengths) else "longest"


def times(recipe: Recipe, traits: Traits) -> NDArray[np.float64]:
    """Return the time of each document, NaN if unknown; (0,) if the column that was read has no times."""
    return traits.order if recipe.reads_times else np.empty(0)


def preference(keep: str, traits: Traits) -> NDArray[np.float64]:
    """Return the rank value of each document by a rule, the lowest first; NaN last."""
    if keep == "longest":
        return -traits.lengths.astype(np.float64)
    if keep == "best":
        return best_order(traits.lengths, traits.blemishes)
    if keep == "first":
        return np.arange(len(traits.lengths), dtype=np.float64)
    if keep in ("earliest", "latest"):
        return _then_longest(traits.order if keep == "earliest" else -traits.order, traits.lengths)
    return -traits.order


def _then_longest(values: NDArray[np.float64], lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return the position of each document by value, NaN last, and among equal values by length."""
    shorter = -lengths.astype(np.int64)
    order = np.lexsort((shorter, values))
    values, shorter = values[order], shorter[order]
    is_same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    places = np.empty(len(order))
    places[order] = np.cumsum(np.append(0, ~is_same | (shorter[1:] != shorter[:-1])))[: len(order)]
    return places


def order_values(column: Any) -> NDArray[np.float64]:
    """Return the rank value of each row: numbers as they are, dates as seconds since 1970, NaN for other values."""
    import pyarrow as pa

    if isinstance(column, np.ndarray):
        return column
    kind = column.type
    if pa.types.is_temporal(kind):
        return times_of(column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    return np.frombuffer(memoryview(_core.order_values(column.cast(pa.string()).to_pylist())), np.float64)


__all__ = ["Traits", "keep_rule", "order_values", "preference", "rank_documents", "times"]

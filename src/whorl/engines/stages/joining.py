"""Join the decisions of all parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.engines.changes import COUNTED, ComparedRemovals
from whorl.engines.decide import KEPT, Decisions
from whorl.engines.links import Links
from whorl.engines.stages.deciding import Decided
from whorl.engines.stages.parting import Learned
from whorl.recipe import Recipe


def join_decided(
    recipe: Recipe, decided: Sequence[Decided], documents: int, learned: Learned
) -> tuple[Decisions, ComparedRemovals | None]:
    """Return the decisions on all documents, and the changes of removed documents if the recipe reports them.

    Args:
        recipe: recipe of the run.
        decided: all parts, in any order.
        documents: total number of documents.
        learned: boilerplate learned before any decision.

    Cost: linear; memory 20 bytes per document.
    """
    removed = _joined([part.removed for part in decided], np.uint32)

    def spread(name: str, fill: Any, kind: type[np.generic]) -> NDArray[Any]:
        column = np.full(documents, fill, kind)
        column[removed] = _joined([getattr(part, name) for part in decided], kind)
        return column

    by_field = np.empty((0, 2))
    if recipe.fields is not None and documents:
        by_field = np.full((documents, 2), np.nan)
        by_field[removed] = np.concatenate([by_field[:0], *(part.by_field for part in decided)])
    histograms = sum((part.histograms for part in decided), np.zeros((2, 101), np.int64))
    hot: list[tuple[int, int, int, int]] = [tuple(row) for part in decided for row in part.hot_keys.tolist()]
    decisions = Decisions(
        spread("duplicate_of", KEPT, np.uint32),
        spread("shared", 0, np.uint32),
        spread("united", 0, np.uint32),
        spread("relation", 0, np.uint8),
        spread("similarity", 0.0, np.float64),
        by_field,
        histograms[0].tolist(),
        histograms[1].tolist(),
        sorted(hot, key=lambda row: (-row[1], row[0])),
        learned.notices,
        learned.phrases,
        sum(int(part.comparisons[0]) for part in decided),
        Links.joined([part.links for part in decided]),
    )
    return decisions, _compared(decided, removed) if recipe.tells_changes else None


def _compared(decided: Sequence[Decided], removed: NDArray[np.uint32]) -> ComparedRemovals:
    order = np.argsort(removed)

    def column(name: str, kind: Any) -> NDArray[Any]:
        return np.concatenate([np.empty(0, kind), *(part.changed[name] for part in decided)])[order]

    counts = np.concatenate([np.empty((0, len(COUNTED)), np.uint32), *(part.changed["counts"] for part in decided)])
    title, titled, byline = (column(name, np.bool_) for name in ("title", "titled", "byline"))
    return ComparedRemovals(removed[order].astype(np.int64), title, titled, byline, counts[order])


def _joined(parts: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts])


__all__ = ["join_decided"]

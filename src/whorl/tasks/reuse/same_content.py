"""Pairs of documents without a passage that have the same content in other words or in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
from whorl.matching.compare import compare_many
from whorl.matching.reuse import EDITS, PairColumns, PassageColumns
from whorl.types.comparison import Comparison

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.matching.meaning import Model

_BATCH = 32


@frozen(eq=False)
class ContentPairs:
    """Pairs with the same content.

    Attributes:
        pairs: the pairs; nothing of them is copied.
        passages: their aligned sentences.
        shares: share of the second document of each pair that has the content of the first, in [0, 1].
    """

    pairs: PairColumns
    passages: PassageColumns
    shares: NDArray[np.float64]


def find_same_content(
    texts: Any,
    candidates: NDArray[np.uint32],
    related: NDArray[np.uint32],
    *,
    min_length: int,
    model: Model,
    on_progress: Callable[[int], None],
) -> ContentPairs:
    """Compare candidate pairs by meaning, and return those with the same content.

    Args:
        texts: the texts, as an Arrow string array.
        candidates: uint32 (n, 2), pairs with many rare words in common, ordered.
        related: uint32 (n, 2), pairs with a passage, which are not compared.
        min_length: minimum length of a passage in characters.
        model: the model.
        on_progress: receives the number of compared pairs.

    Cost: see ``whorl.compare``.
    """
    connected = set(map(tuple, related.tolist()))
    numbers = [(a, b) for a, b in candidates.tolist() if (a, b) not in connected]
    kept: list[tuple[int, int]] = []
    comparisons: list[Comparison] = []
    for start in range(0, len(numbers), _BATCH):
        batch = numbers[start : start + _BATCH]
        pairs = [(texts[a].as_py(), texts[b].as_py()) for a, b in batch]
        for pair, comparison in zip(batch, compare_many(pairs, least=min_length, meaning=model), strict=True):
            if comparison.relation in ("reworded", "translation") and not comparison.ratios.copied:
                kept.append(pair)
                comparisons.append(comparison)
        on_progress(len(batch))
    return _columns(kept, comparisons)


def _columns(texts: Sequence[tuple[int, int]], comparisons: Sequence[Comparison]) -> ContentPairs:
    passages = [passage for comparison in comparisons for passage in comparison.passages]
    counts = [len(comparison.passages) for comparison in comparisons]
    spans = [(passage.a_start, passage.a_end, passage.b_start, passage.b_end) for passage in passages]
    edits = [tuple(getattr(passage, name) for name in EDITS) for passage in passages]
    shares = [(0.0, 0.0, 0.0, 0.0, comparison.confidence) for comparison in comparisons]
    return ContentPairs(
        PairColumns(
            np.array(texts, np.uint32).reshape(-1, 2),
            np.array([comparison.relation for comparison in comparisons], np.str_),
            np.array([""] * len(comparisons), np.str_),
            np.array(shares, np.float64).reshape(-1, 5),
            np.array(counts, np.int64),
        ),
        PassageColumns(
            np.repeat(np.arange(len(counts), dtype=np.int64), counts),
            np.array(spans, np.uint32).reshape(-1, 4),
            np.array(edits, np.uint32).reshape(-1, len(EDITS)),
            np.array([passage.similarity for passage in passages], np.float64),
            np.array([passage.kind for passage in passages], np.str_),
            np.array([passage.moved for passage in passages], np.bool_),
        ),
        np.array([comparison.ratios.same_content for comparison in comparisons], np.float64),
    )


__all__ = ["ContentPairs", "find_same_content"]

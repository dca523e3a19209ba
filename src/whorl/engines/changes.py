"""How each removed document differs from the one kept for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl import _core
from whorl.engines.decide import Decisions, Texts
from whorl.engines.progress import Progress
from whorl.errors import InputError
from whorl.i18n import say
from whorl.matching.compare import compare
from whorl.types.comparison import Changes, Comparison

COUNTED = tuple(field.name for field in fields(Changes) if field.name not in ("title", "byline"))
"""The counted changes, in the order of the columns of ``Compared.counts``."""
_CODE_POINTS_AT_ONCE = 16_000_000
_MISSING = 2
_COMPARED = 1_000_000


class ComparedRemovals(NamedTuple):
    """Every removed document compared with the kept one, as ``whorl.compare`` does; ordered by document.

    Attributes:
        removed: int64 (n,), the documents.
        title: bool (n,), True where the titles differ.
        titled: bool (n,), True where both have a title.
        byline: bool (n,), True where the bylines differ.
        counts: uint32 (n, 8), the changes of ``COUNTED``.
    """

    removed: NDArray[np.int64]
    title: NDArray[np.bool_]
    titled: NDArray[np.bool_]
    byline: NDArray[np.bool_]
    counts: NDArray[np.uint32]

    def describe(self) -> dict[str, Any]:
        """Return the number of removed documents with each change, ready for JSON."""
        changed = {"title": int(self.title.sum()), "byline": int(self.byline.sum())}
        of_each = np.count_nonzero(self.counts, axis=0).tolist()
        changed |= dict(zip(COUNTED, of_each, strict=True))
        return {"changed": changed}


def compare_removed(
    decisions: Decisions, lengths: NDArray[np.uint32], texts: Texts, progress: Progress
) -> ComparedRemovals:
    """Compare every removed document with its kept document, in parallel.

    Documents whose changes were determined with the decisions are not read again; the result is the same.

    Args:
        decisions: decisions of the run.
        lengths: folded code points of every document.
        texts: source that reads the texts again.
        progress: receives the progress.

    Raises:
        InputError: a text has changed since it was read.

    Cost: linear in the texts; memory for some millions of code points, or the longest pair.
    """
    removed = np.flatnonzero(~decisions.kept)
    title, byline = np.empty((2, len(removed)), np.uint8)
    counts = np.empty((len(removed), len(COUNTED)), np.uint32)
    is_open = np.ones(len(removed), np.bool_)
    if decisions.changes is not None:
        places = np.searchsorted(removed, decisions.changes.documents)
        title[places], byline[places] = decisions.changes.title, decisions.changes.byline
        counts[places], is_open[places] = decisions.changes.counts, False
    rows = np.flatnonzero(is_open)
    kept = decisions.duplicate_of[removed[rows]]
    progress.stage("changes", len(rows), "documents")
    by_kept = np.argsort(kept, kind="stable")
    for block in _blocks(by_kept, lengths[removed[rows]].astype(np.int64) + lengths[kept]):
        chosen = rows[block]
        try:
            columns = _core.removals(texts, kept[block], removed[chosen].astype(np.uint32))
        except ValueError as error:
            raise InputError(
                str(error), hint=say("do not change the input while whorl runs, and start again")
            ) from error
        title[chosen], byline[chosen] = (np.frombuffer(memoryview(column), np.uint8) for column in columns[:2])
        counts[chosen] = np.frombuffer(memoryview(columns[2]), np.uint32).reshape(-1, len(COUNTED))
        progress.advance(len(block))
    return ComparedRemovals(removed, title == 1, title != _MISSING, byline == 1, counts)


def _blocks(order: NDArray[np.int64], lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield blocks of an order of pairs, each of bounded total length or a single pair."""
    ends = np.cumsum(lengths[order])
    start = 0
    while start < len(order):
        reached = ends[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(ends, reached + _CODE_POINTS_AT_ONCE, "right")))
        yield order[start:end]
        start = end


def compare_texts(kept: str, removed: str) -> Comparison:
    """Compare a removed document with its kept document, up to the first million code points of each."""
    return compare(kept[:_COMPARED], removed[:_COMPARED])


__all__ = ["COUNTED", "ComparedRemovals", "compare_removed", "compare_texts"]

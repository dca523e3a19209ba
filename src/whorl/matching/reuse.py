"""Text reuse across a corpus: candidate pairs, their passages as tables, and clusters of passages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.matching.crosswise import LETTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

PROVEN = 13
"""Length of the shortest passage that a comparison proves, in Han characters; shorter ones are equal runs."""
EDITS = ("matched", "replaced", "homophones", "inserted", "deleted", "script", "noise")
"""The counts of a passage."""
_BATCH = 8192
_BLOCK = 200_000
"""Code points of a block of texts. A thread caches more than twice as many."""
_KIND = 5 + len(EDITS)
_WIDTH = _KIND + 2


@frozen(eq=False)
class ReuseCandidates:
    """Pairs of texts that may share a passage.

    Attributes:
        pairs: uint32 (n, 2), the lower text first, ordered.
        runs: uint32 (n, 7): both texts, start and end in each, and the matched length of each equal run; only below
            ``PROVEN`` characters.
        hot: number of k-grams in so many texts that these are paired with the earliest ones only.
    """

    pairs: NDArray[np.uint32]
    runs: NDArray[np.uint32]
    hot: int


@frozen(eq=False)
class PairColumns:
    """Compared pairs with a passage.

    Attributes:
        texts: uint32 (n, 2), the numbers of both.
        relation: name of the relation of the second text to the first.
        direction: "a", "b" or "": which text derives from the other.
        shares: float64 (n, 5): copied and reworded share of the first text, of the second, and the confidence.
        passages: number of passages.
    """

    texts: NDArray[np.uint32]
    relation: NDArray[np.str_]
    direction: NDArray[np.str_]
    shares: NDArray[np.float64]
    passages: NDArray[np.int64]


@frozen(eq=False)
class PassageColumns:
    """Passages of pairs.

    Attributes:
        pair: number of the pair.
        spans: uint32 (n, 4): start and end in the first text, start and end in the second, in code points.
        edits: uint32 (n, 7): the counts of ``EDITS``, in folded code points.
        similarity: equal share of both stretches.
        kind: how the second stretch differs.
        moved: True if it stands in another order than its neighbors.
    """

    pair: NDArray[np.int64]
    spans: NDArray[np.uint32]
    edits: NDArray[np.uint32]
    similarity: NDArray[np.float64]
    kind: NDArray[np.str_]
    moved: NDArray[np.bool_]


def find_candidates(texts: Any, groups: NDArray[np.uint32], *, least: int, hot: int, noisy: bool) -> ReuseCandidates:
    """Find the pairs of texts that may share a passage. Linear in the texts and in their common k-grams.

    Args:
        texts: strings, or an Arrow string array, in order of time.
        groups: a number for each text; texts with equal numbers are not a pair.
        least: minimum length of a passage in Han characters, or a third of the letters.
        hot: number of texts with a k-gram above which they are paired with the earliest of them only.
        noisy: also find candidates by short rare k-grams.
    """
    pairs, runs, count = _core.reuse_candidates(texts, groups.tolist(), LETTERS * least, hot, noisy)
    return ReuseCandidates(_numbers(pairs, 2), _numbers(runs, 7), count)


def compare_candidates(
    texts: Any,
    candidates: ReuseCandidates,
    *,
    least: int,
    content: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> tuple[PairColumns, PassageColumns]:
    """Compare candidate pairs, and return those with a passage. The first text of a pair is the source.

    An equal run is a passage of its own unless it lies in another one.

    Args:
        texts: the same texts.
        candidates: the pairs.
        least: minimum length of a passage in Han characters, or a third of the letters.
        content: also align sentences by their content where texts have hardly a passage in common.
        on_progress: receives the number of compared pairs.
    """
    comparer = _core.Comparer(texts, [], None, False, False, least)
    names: list[str] = []
    pairs: list[NDArray[np.uint32]] = []
    shares: list[NDArray[np.float64]] = []
    passages: list[NDArray[np.uint32]] = []
    similarities: list[NDArray[np.float64]] = []
    order = _neighborly(candidates.pairs, _lengths(texts))
    for start in range(0, len(order), _BATCH):
        batch = order[start : start + _BATCH]
        columns = _core.reused_passages(comparer, np.ascontiguousarray(candidates.pairs[batch]), content)
        codes = np.array([_code(names, name) for name in columns.names] or [0], np.uint32)
        of_pairs, rows = _numbers(columns.pairs, 3).copy(), _numbers(columns.passages, _WIDTH).copy()
        of_pairs[:, :2] = codes[of_pairs[:, :2]]
        rows[:, _KIND] = codes[rows[:, _KIND]]
        rows[:, 0] = batch[rows[:, 0]]
        pairs.append(of_pairs)
        shares.append(np.frombuffer(memoryview(columns.shares), "<f8").reshape(-1, 5))
        passages.append(rows)
        similarities.append(np.frombuffer(memoryview(columns.similarities), "<f8"))
        on_progress(len(batch))
    exact = _code(names, "verbatim")
    rows, similarity = (
        np.concatenate([*passages, np.empty((0, _WIDTH), np.uint32)]),
        np.concatenate([*similarities, []]),
    )
    ascending = np.argsort(rows[:, 0], kind="stable")
    rows, similarity = rows[ascending], similarity[ascending]
    runs = _runs_outside(candidates, rows, exact)
    rows, similarity = np.concatenate([rows, runs]), np.concatenate([similarity, np.ones(len(runs))])
    by_place = np.lexsort((rows[:, 3], rows[:, 0]))
    rows, similarity = rows[by_place], similarity[by_place]
    counts = np.bincount(rows[:, 0].astype(np.int64), minlength=len(candidates.pairs))
    kept = np.flatnonzero(counts)
    number = np.cumsum(counts > 0) - 1
    place_of = np.argsort(order)[kept]
    of_pairs = np.concatenate([*pairs, np.empty((0, 3), np.uint32)])[place_of]
    labels = np.array(names or [""])
    return (
        PairColumns(
            candidates.pairs[kept],
            labels[of_pairs[:, 0]],
            labels[of_pairs[:, 1]],
            np.concatenate([*shares, np.empty((0, 5))])[place_of],
            counts[kept],
        ),
        PassageColumns(
            number[rows[:, 0].astype(np.int64)],
            rows[:, 1:5],
            rows[:, 5:_KIND],
            similarity,
            labels[rows[:, _KIND]],
            rows[:, _KIND + 1].astype(np.bool_),
        ),
    )


def cluster_passages(pairs: PairColumns, passages: PassageColumns) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Join passages that share places.

    Returns:
        The cluster of each passage; and (n, 4) text, start, end and cluster of each place, ordered by cluster and text.
    """
    texts, spans = pairs.texts[passages.pair], passages.spans
    sides = np.concatenate([texts[:, :1], spans[:, :2], texts[:, 1:], spans[:, 2:]], axis=1)
    of_passages, places = _core.passage_clusters(np.ascontiguousarray(sides, np.uint32))
    return np.frombuffer(memoryview(of_passages), "<u4"), _numbers(places, 4)


def _neighborly(pairs: NDArray[np.uint32], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order of pairs in which a text recurs soon, so that it is read once.

    Pairs of a group of copies are together; most groups are connected by their first text. Within a group that is too
    large for the cache, pairs are ordered by blocks of texts: those of two blocks are together.
    """
    first = np.arange(len(lengths), dtype=np.uint32)
    np.minimum.at(first, pairs[:, 1], pairs[:, 0])
    blocks = np.cumsum(lengths) // _BLOCK
    low, high = pairs[:, 0], pairs[:, 1]
    return np.lexsort((high, low, blocks[high], blocks[low], first[low]))


def _lengths(texts: Any) -> NDArray[np.int64]:
    array = pa.array(texts, pa.large_string()) if isinstance(texts, list) else texts
    lengths = pc.utf8_length(array)
    return np.asarray(lengths, np.int64)


def _runs_outside(candidates: ReuseCandidates, rows: NDArray[np.uint32], exact: int) -> NDArray[np.uint32]:
    """Return the equal runs that do not lie in a passage of their pair, as rows of passages."""
    runs = candidates.runs
    if not len(runs):
        return np.empty((0, _WIDTH), np.uint32)
    keys = candidates.pairs[:, 0].astype(np.uint64) << np.uint64(32) | candidates.pairs[:, 1]
    pair = np.searchsorted(keys, runs[:, 0].astype(np.uint64) << np.uint64(32) | runs[:, 1])
    first = np.searchsorted(rows[:, 0], pair)
    last = np.searchsorted(rows[:, 0], pair, side="right")
    inside = np.zeros(len(runs), np.bool_)
    for step in range(int((last - first).max(initial=0))):
        at = np.minimum(first + step, len(rows) - 1)
        spans = rows[at, 1:5]
        overlaps = (spans[:, 2] < runs[:, 5]) & (runs[:, 4] < spans[:, 3])
        inside |= (first + step < last) & overlaps & (spans[:, 0] < runs[:, 3]) & (runs[:, 2] < spans[:, 1])
    kept, pair = runs[~inside], pair[~inside]
    zeros = np.zeros(len(kept), np.uint32)
    columns = (pair.astype(np.uint32), *kept[:, 2:7].T, *[zeros] * (_KIND - 6), zeros + np.uint32(exact), zeros)
    return np.stack(columns, axis=1)


def _code(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _numbers(buffer: _core.Buffer, width: int) -> NDArray[np.uint32]:
    return np.frombuffer(memoryview(buffer), "<u4").reshape(-1, width)


__all__ = [
    "EDITS",
    "PROVEN",
    "PairColumns",
    "PassageColumns",
    "ReuseCandidates",
    "cluster_passages",
    "compare_candidates",
    "find_candidates",
]

"""Alignment of sentences by their vectors: in order, with jumps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whorl._internal.frozen import frozen

SIMILAR = 0.25
"""Minimum cosine of aligned sentences, after what all sentences have in common was removed."""
_JUMP = 0.15
_SKIPPED = 2
_MERGED = 3
"""Maximum number of sentences of a text in a group: more would be a paragraph on the same subject."""


@frozen
class Group:
    """Consecutive sentences of both texts that say the same.

    Attributes:
        a_start: number of the first sentence of text a.
        a_end: number after the last.
        b_start: number of the first sentence of text b.
        b_end: number after the last.
        similarity: cosine, in [0, 1].
    """

    a_start: int
    a_end: int
    b_start: int
    b_end: int
    similarity: float


def align(similarities: NDArray[np.float32], joined: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> list[Group]:
    """Align the sentences of two texts, in order of text b.

    Each sentence of b is aligned with at most one of a, so that the sum of the similarities above ``SIMILAR``, minus a
    cost for each pair that does not follow the previous one, is largest. Then neighbors that are similar as well join:
    a retelling merges and divides sentences.

    Args:
        similarities: of the sentences of a with those of b, of shape (a, b).
        joined: for each sentence of a and of b, True if nothing lies between it and the previous one.

    Cost: proportional to the product of both numbers of sentences.
    """
    return _grouped(similarities, joined, _chain(similarities - SIMILAR))


def _chain(gains: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return the best pairs of sentences of b and a, in order of b."""
    of_a, of_b = gains.shape
    before = np.full((of_b, of_a), -1, np.int64)
    ending, ended_by = np.full(of_a, -np.inf, np.float32), np.full(of_a, -1, np.int64)
    top, top_at = -np.inf, -1
    for sentence in range(of_b):
        best, source = np.zeros(of_a, np.float32), np.full(of_a, -1, np.int64)
        for skipped in range(min(_SKIPPED + 1, of_a)):
            earlier = ending[: of_a - skipped]
            better = earlier > best[skipped:]
            best[skipped:][better], source[skipped:][better] = earlier[better], ended_by[: of_a - skipped][better]
        jumps = top - _JUMP > best
        best[jumps], source[jumps] = top - _JUMP, top_at
        sums = np.where(gains[:, sentence] > 0, gains[:, sentence] + best, -np.inf)
        before[sentence] = source
        better = sums > ending
        ending[better], ended_by[better] = sums[better], (sentence * of_a + np.arange(of_a))[better]
        if sums.max(initial=-np.inf) > top:
            top, top_at = float(sums.max()), sentence * of_a + int(sums.argmax())
    pairs = []
    while top_at >= 0:
        sentence, other = divmod(top_at, of_a)
        pairs.append((sentence, other))
        top_at = int(before[sentence, other])
    return pairs[::-1]


def _grouped(
    similarities: NDArray[np.float32],
    joined: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    pairs: Sequence[tuple[int, int]],
) -> list[Group]:
    used_a, used_b = (np.zeros(count, bool) for count in similarities.shape)
    spans: list[list[int]] = []
    for b, a in pairs:
        last = spans[-1] if spans else [0, 0, 0, -_MERGED]
        if last[3] == b and joined[1][b] and b - last[2] < _MERGED and last[0] <= a < last[1]:
            last[3] = b + 1
        elif not used_a[a]:
            spans.append([a, a + 1, b, b + 1])
        else:
            continue
        used_a[a] = used_b[b] = True
    for span in spans:
        _extend(span, 0, similarities, joined[0], used_a)
        _extend(span, 2, similarities.T, joined[1], used_b)
    return [
        Group(a, a_end, b, b_end, min(1.0, float(similarities[a:a_end, b:b_end].max()))) for a, a_end, b, b_end in spans
    ]


def _extend(
    span: list[int],
    side: int,
    similarities: NDArray[np.float32],
    joined: NDArray[np.bool_],
    used: NDArray[np.bool_],
) -> None:
    """Add free neighbors on a side of a group, if they are more similar to its sentences than to all others."""
    others = slice(span[2 - side], span[3 - side])
    for place, step in ((side + 1, 1), (side, -1)):
        while span[side + 1] - span[side] < _MERGED:
            border = span[place]
            sentence = border if step > 0 else border - 1
            if not 0 <= sentence < len(used) or used[sentence] or not joined[border]:
                break
            row = similarities[sentence]
            if row[others].max() < max(SIMILAR, row.max()):
                break
            used[sentence] = True
            span[place] += step


__all__ = ["SIMILAR", "Group", "align"]

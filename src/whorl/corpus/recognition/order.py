"""Reading order of the lines of a page: column by column, from top to bottom.

The detector returns frames without order. Frames of a rotated page are turned back, by the angle that most of them
have. A gutter is a strip that few frames cross, between frames as wide as columns; narrow cells of a table are not
columns. A frame that crosses a gutter, such as a title, ends the columns above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAME_LINE = 0.5
_MIN_COLUMN_LINES = 3
_MIN_COLUMN = 0.2
_MIN_GUTTER = 0.4
_MOST_CROSSING = 0.2


def reading_order(frames: NDArray[np.float64]) -> list[list[int]]:
    """Return the indexes of frames, grouped to lines, in reading order.

    Args:
        frames: for each frame the corners from the upper left clockwise, of shape (n, 4, 2), in pixels.

    Cost: quadratic in the frames.
    """
    if not len(frames):
        return []
    turned = _upright(frames)
    boxes = np.concatenate([turned.min(axis=1), turned.max(axis=1)], axis=1)
    height = float(np.median(boxes[:, 3] - boxes[:, 1]))
    return [line for block in _blocks(boxes, np.arange(len(boxes)), height) for line in _lines(boxes, block)]


def _upright(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn frames by the median angle of their upper sides, weighted by length."""
    sides = frames[:, 1] - frames[:, 0]
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    angles = np.arctan2(sides[:, 1], sides[:, 0])
    order = np.argsort(angles, kind="stable")
    middle = int(np.searchsorted(np.cumsum(lengths[order]), lengths.sum() / 2))
    angle = -angles[order[min(middle, len(order) - 1)]]
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(frames @ turn)


def _blocks(boxes: NDArray[np.float64], members: NDArray[np.int64], height: float) -> list[NDArray[np.int64]]:
    """Divide frames into blocks of one column each, in reading order."""
    gutter = _gutter(boxes[members], height)
    if gutter is None:
        return [members]
    middle_x, middle_y = boxes[members, 0::2].mean(axis=1), boxes[members, 1::2].mean(axis=1)
    crosses = (boxes[members, 0] < gutter) & (gutter < boxes[members, 2])
    across = members[crosses][np.argsort(middle_y[crosses], kind="stable")]
    blocks = []
    top = -np.inf
    for bottom, title in [*zip(np.sort(middle_y[crosses]), across, strict=True), (np.inf, None)]:
        is_between = ~crosses & (top < middle_y) & (middle_y <= bottom)
        for side in (middle_x < gutter, middle_x >= gutter):
            column = members[is_between & side]
            blocks += _blocks(boxes, column, height) if len(column) else []
        if title is not None:
            blocks.append(np.array([title]))
        top = bottom
    return blocks


def _gutter(boxes: NDArray[np.float64], height: float) -> float | None:
    """Return the position of the gutter that the fewest frames cross, the widest of several; None without columns."""
    x0, x1 = boxes[:, 0], boxes[:, 2]
    width = x1.max() - x0.min()
    edges = np.unique(np.concatenate([x0, x1]))
    best: tuple[int, float, float] | None = None
    for start, end in pairwise(edges):
        x = (start + end) / 2
        crossing = int(((x0 < x) & (x < x1)).sum())
        sides = [x1 <= x, x0 >= x]
        if end - start < _MIN_GUTTER * height or crossing > _MOST_CROSSING * min(side.sum() for side in sides):
            continue
        if all(_is_column(boxes[side], width) for side in sides):
            best = min(best or (crossing, start - end, x), (crossing, start - end, x))
    return None if best is None else float(best[2])


def _is_column(boxes: NDArray[np.float64], width: float) -> bool:
    return len(boxes) >= _MIN_COLUMN_LINES and float(np.median(boxes[:, 2] - boxes[:, 0])) >= _MIN_COLUMN * width


def _lines(boxes: NDArray[np.float64], members: NDArray[np.int64]) -> list[list[int]]:
    """Join frames of the same line, from left to right; lines go from top to bottom."""
    lines: list[list[int]] = []
    for member in sorted(map(int, members), key=lambda number: (boxes[number, 1] + boxes[number, 3], number)):
        if lines and all(_is_beside(boxes[other], boxes[member]) for other in lines[-1]):
            lines[-1].append(member)
        else:
            lines.append([member])
    return [sorted(line, key=lambda number: (boxes[number, 0], number)) for line in lines]


def _is_beside(box: Sequence[float], other: Sequence[float]) -> bool:
    """True if two frames share most of their height, and are not above each other."""
    shared = min(box[3], other[3]) - max(box[1], other[1])
    overlap = min(box[2], other[2]) - max(box[0], other[0])
    is_level = shared > _SAME_LINE * min(box[3] - box[1], other[3] - other[1])
    return is_level and overlap < _SAME_LINE * min(box[2] - box[0], other[2] - other[0])


__all__ = ["reading_order"]

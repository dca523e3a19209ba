"""Heat map and network of text reuse as drawings for SVG, without a script."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from whorl._internal.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.types.reuse import ReuseGraph

MAP_NODES, NETWORK_NODES = 40, 60
"""Maximum number of nodes: those with the most common characters."""
SHADES = 5
WIDTH, HEIGHT = 900, 620
"""Size of the network, in drawing units."""
CELL, LABEL = 16, 20
"""Size of a cell of the heat map in drawing units, and the longest label in characters."""
_MARGIN = 50
_STEPS = 300


@frozen
class HeatCell:
    """A cell of the heat map: common characters of the documents of a row and of a column.

    Attributes:
        row: number of the row.
        column: number of the column.
        x: left border.
        y: upper border.
        shade: 1 to ``SHADES``, by the logarithm of the value.
        value: number of matched characters.
    """

    row: int
    column: int
    x: int
    y: int
    shade: int
    value: int


@frozen
class HeatMap:
    """A heat map.

    Attributes:
        labels: the nodes in order.
        cells: cells with a value.
        side: length of a side without labels.
        room: length of the labels.
        limits: smallest value of each shade.
        left_out: number of nodes that are not shown.
    """

    labels: tuple[str, ...]
    cells: tuple[HeatCell, ...]
    side: int
    room: int
    limits: tuple[int, ...]
    left_out: int


@frozen
class NetworkNode:
    """A node of the network.

    Attributes:
        label: its label.
        x: horizontal position.
        y: vertical position.
        radius: by the number of its neighbors.
        neighbors: this number.
    """

    label: str
    x: float
    y: float
    radius: float
    neighbors: int


@frozen
class NetworkLine:
    """An edge of the network.

    Attributes:
        a: its first node.
        b: its second node.
        width: by the logarithm of the weight.
        weight: number of matched characters.
    """

    a: NetworkNode
    b: NetworkNode
    width: float
    weight: int


@frozen
class Network:
    """A network.

    Attributes:
        nodes: the nodes.
        lines: the edges.
        left_out: number of nodes that are not shown.
    """

    nodes: tuple[NetworkNode, ...]
    lines: tuple[NetworkLine, ...]
    left_out: int


@frozen
class _Strongest:
    """The nodes with the most common characters, and the edges between them.

    Attributes:
        labels: the nodes, the strongest first.
        edges: numbers of both nodes, and matched characters.
    """

    labels: tuple[str, ...]
    edges: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, graph: ReuseGraph, limit: int) -> _Strongest:
        ids, ends = [id_ for id_, _ in graph.nodes], graph.ends
        weights = np.bincount(ends[:, 0], graph.weights, len(ids))
        others = ends[:, 1] != ends[:, 0]
        weights += np.bincount(ends[others, 1], graph.weights[others], len(ids))
        chosen = sorted(range(len(ids)), key=lambda number: (-weights[number], ids[number]))[:limit]
        places = np.full(len(ids), -1)
        places[chosen] = np.arange(len(chosen))
        is_shown = (places[ends] >= 0).all(axis=1)
        rows = zip(places[ends[is_shown]].tolist(), graph.weights[is_shown].tolist(), strict=True)
        labels = tuple(str(graph.nodes[number][1]["label"]) for number in chosen)
        return cls(labels, tuple((a, b, weight) for (a, b), weight in rows))


def _label_width(label: str) -> int:
    """Return the width of a label in drawing units; characters of dense scripts are wide."""
    return sum(10 if ord(sign) >= 0x2E80 else 6 for sign in label)


def heat_map(graph: ReuseGraph) -> HeatMap:
    """Lay out the heat map of the nodes with the most common characters."""
    strongest = _Strongest.of(graph, MAP_NODES)
    labels = strongest.labels
    values: dict[tuple[int, int], int] = {}
    for a, b, weight in strongest.edges:
        for pair in {(a, b), (b, a)}:
            values[pair] = values.get(pair, 0) + weight
    highest = log1p(max(values.values(), default=1))
    lowest = log1p(min(values.values(), default=0))
    step = max(1e-9, (highest - lowest) / SHADES)
    room = 12 + max((_label_width(label[:LABEL]) for label in labels), default=0)
    cells = tuple(
        HeatCell(
            row,
            column,
            room + CELL * column,
            room + CELL * row,
            min(SHADES, 1 + int((log1p(value) - lowest) / step)),
            value,
        )
        for (row, column), value in sorted(values.items())
    )
    limits = tuple(max(1, round(float(np.expm1(lowest + step * shade)))) for shade in range(SHADES))
    return HeatMap(labels, cells, CELL * len(labels), room, limits, len(graph.nodes) - len(labels))


def network(graph: ReuseGraph) -> Network:
    """Lay out the network of the nodes with the most common characters. Deterministic."""
    strongest = _Strongest.of(graph, NETWORK_NODES)
    labels = strongest.labels
    weights: dict[tuple[int, int], int] = {}
    for a, b, weight in strongest.edges:
        if a != b:
            pair = (min(a, b), max(a, b))
            weights[pair] = weights.get(pair, 0) + weight
    positions = _positions(len(labels), list(weights))
    neighbors = np.bincount(np.array(list(weights), np.int64).reshape(-1), minlength=len(labels)).tolist()
    circles = tuple(
        NetworkNode(label, round(x, 1), round(y, 1), round(4 + 2 * count**0.5, 1), count)
        for label, (x, y), count in zip(labels, positions.tolist(), neighbors, strict=True)
    )
    highest = log1p(max(weights.values(), default=1))
    lines = tuple(
        NetworkLine(circles[a], circles[b], round(0.5 + 4 * log1p(weight) / highest, 2), weight)
        for (a, b), weight in sorted(weights.items())
    )
    return Network(circles, lines, len(graph.nodes) - len(labels))


def _positions(count: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return positions by the forces of Fruchterman and Reingold, from a circle."""
    if count == 0:
        return np.empty((0, 2))
    angles = 2 * np.pi * np.arange(count) / count
    positions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ends = np.array(edges, np.int64).reshape(-1, 2)
    distance = 1 / max(1.0, count**0.5)
    for step in range(_STEPS if count > 2 else 0):
        between = positions[:, None] - positions[None]
        length = np.maximum(np.sqrt((between**2).sum(axis=2)), 1e-3)
        forces = (between * (distance**2 / length**2)[:, :, None]).sum(axis=1)
        along = positions[ends[:, 0]] - positions[ends[:, 1]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) / distance)[:, None]
        np.add.at(forces, ends[:, 0], -pull)
        np.add.at(forces, ends[:, 1], pull)
        # A weak pull to the center keeps unconnected parts on the sheet.
        forces -= 0.3 * positions
        size = np.maximum(np.sqrt((forces**2).sum(axis=1)), 1e-9)
        positions += forces * (np.minimum(size, 0.1 * (1 - step / _STEPS)) / size)[:, None]
    low, high = positions.min(axis=0), positions.max(axis=0)
    room = np.array([WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN])
    scaled: NDArray[np.float64] = _MARGIN + (positions - low) / np.maximum(high - low, 1e-9) * room
    return scaled


__all__ = [
    "CELL",
    "HEIGHT",
    "LABEL",
    "SHADES",
    "WIDTH",
    "HeatCell",
    "HeatMap",
    "Network",
    "NetworkLine",
    "NetworkNode",
    "heat_map",
    "network",
]

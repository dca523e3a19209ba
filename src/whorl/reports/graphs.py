"""The graph of a cluster: the kept article in the middle, around it the removed ones, the nearer the more alike."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Self

from whorl.reports.evidence import ClusterSample, Member

SIZE = 360
"""Width and height, in the units of the drawing."""

_MIDDLE = SIZE / 2
_NEAREST, _FARTHEST = 84.0, 160.0
_LABELLED = 8
_LABEL_AT = 0.58


@dataclass(frozen=True, slots=True)
class Node:
    """A removed article; the line to the kept one is the comparison that removed it.

    Attributes:
        number: from 1.
        x: where it is drawn.
        y: the same.
        label_x: where the similarity is written on its line.
        label_y: the same.
        member: the article.
    """

    number: int
    x: float
    y: float
    label_x: float
    label_y: float
    member: Member


@dataclass(frozen=True, slots=True)
class Graph:
    """A cluster as a drawing.

    Attributes:
        name: of the cluster.
        size: width and height.
        middle: where the kept article is drawn, both ways.
        nodes: the removed articles that are drawn.
        ring: how far from the middle the threshold lies; None where no threshold is known.
        labelled: whether there is room for the similarity on each line.
    """

    name: str
    size: int
    middle: float
    nodes: tuple[Node, ...]
    ring: float | None
    labelled: bool

    @classmethod
    def of(cls, cluster: ClusterSample, threshold: float | None) -> Self | None:
        """Draw the removed articles that are known; None where there is only one."""
        removed = cluster.removed
        if len(removed) < 2:
            return None
        least = min([member.similarity for member in removed] + ([threshold] if threshold is not None else []))
        nodes = tuple(_node(number, len(removed), member, least) for number, member in enumerate(removed, start=1))
        ring = None if threshold is None else _distance(threshold, least)
        return cls(cluster.cluster_id, SIZE, _MIDDLE, nodes, ring, len(nodes) <= _LABELLED)


def _node(number: int, count: int, member: Member, least: float) -> Node:
    angle = 2 * pi * (number - 0.5) / count - pi / 2
    far = _distance(member.similarity, least)
    x, y, label_x, label_y = (
        round(_MIDDLE + away * turn(angle), 1) for away in (far, _LABEL_AT * far) for turn in (cos, sin)
    )
    return Node(number, x, y, label_x, label_y, member)


def _distance(similarity: float, least: float) -> float:
    part = (1 - similarity) / (1 - least) if least < 1 else 0
    return round(_NEAREST + (_FARTHEST - _NEAREST) * part, 1)


__all__ = ["SIZE", "Graph", "Node"]

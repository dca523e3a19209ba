"""Graph of a cluster: the kept article in the center, the removed ones around it, closer if more similar."""

from __future__ import annotations

from math import cos, pi, sin
from typing import NamedTuple, Self

from whorl.reports.evidence import ClusterSample, Member

SIZE = 360
"""Width and height, in drawing units."""

_MIDDLE = SIZE / 2
_NEAREST, _FARTHEST = 84.0, 160.0
_LABELLED = 8
_LABEL_AT = 0.58


class Node(NamedTuple):
    """A removed article; its line to the kept one is the comparison that removed it.

    Attributes:
        number: position, from 1.
        x: horizontal position.
        y: vertical position.
        label_x: horizontal position of the similarity label.
        label_y: vertical position of the similarity label.
        member: the article.
    """

    number: int
    x: float
    y: float
    label_x: float
    label_y: float
    member: Member


class Graph(NamedTuple):
    """A cluster as a drawing.

    Attributes:
        name: identifier of the cluster.
        size: width and height.
        middle: both coordinates of the kept article.
        nodes: the removed articles.
        ring: distance of the threshold from the center; None if there is no threshold.
        labelled: True if there is room for a similarity label on each line.
    """

    name: str
    size: int
    middle: float
    nodes: tuple[Node, ...]
    ring: float | None
    labelled: bool

    @classmethod
    def of(cls, cluster: ClusterSample, threshold: float | None) -> Self | None:
        """Lay out the sampled removed articles; return None if there is only one."""
        removed = cluster.removed
        if len(removed) < 2:
            return None
        lowest = min([member.similarity for member in removed] + ([threshold] if threshold is not None else []))
        nodes = tuple(_node(number, len(removed), member, lowest) for number, member in enumerate(removed, start=1))
        ring = None if threshold is None else _distance(threshold, lowest)
        return cls(cluster.cluster_id, SIZE, _MIDDLE, nodes, ring, len(nodes) <= _LABELLED)


def _node(number: int, count: int, member: Member, lowest: float) -> Node:
    angle = 2 * pi * (number - 0.5) / count - pi / 2
    far = _distance(member.similarity, lowest)
    x, y, label_x, label_y = (
        round(_MIDDLE + away * turn(angle), 1) for away in (far, _LABEL_AT * far) for turn in (cos, sin)
    )
    return Node(number, x, y, label_x, label_y, member)


def _distance(similarity: float, lowest: float) -> float:
    part = (1 - similarity) / (1 - lowest) if lowest < 1 else 0
    return round(_NEAREST + (_FARTHEST - _NEAREST) * part, 1)


__all__ = ["SIZE", "Graph", "Node"]

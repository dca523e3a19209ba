"""Derivation tree of a cluster: one row for each article, derived articles below their probable sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from whorl._internal.frozen import frozen

WIDTH = 980
"""Width of the drawing, in its own units."""

_TOP, _ROW = 18.0, 28.0
_MARGIN, _STEP = 16.0, 26.0
_DEEPEST = 14


class Borrowing(NamedTuple):
    """A probable derivation of one article from another.

    Attributes:
        id: the derived article.
        origin: its probable source.
        share: share of its text that the source contains, in [0, 1].
    """

    id: str
    origin: str
    share: float


class TreeNode(NamedTuple):
    """An article in the drawing.

    Attributes:
        id: identifier of the article.
        x: horizontal position of the mark.
        y: vertical position of the mark.
        path: line from the main source; empty for a root.
        further: lines from the other sources.
        share: share of its text that the main source contains; None for a root.
        unshown: number of derived articles that are not drawn.
    """

    id: str
    x: float
    y: float
    path: str
    further: tuple[str, ...]
    share: float | None
    unshown: int


@frozen
class Tree:
    """Articles with their derived articles below them.

    Attributes:
        width: width of the drawing.
        height: height of the drawing.
        nodes: articles from top to bottom.
    """

    width: int
    height: float
    nodes: tuple[TreeNode, ...]

    @classmethod
    def of(cls, ids: Sequence[str], borrowings: Sequence[Borrowing], limit: int) -> Self:
        """Lay out the articles.

        Args:
            ids: all articles, in the order of siblings.
            borrowings: derivations without cycles; the first one of an article determines its parent.
            limit: maximum number of articles drawn; the others are counted at their nearest drawn ancestor.
        """
        above: dict[str, list[Borrowing]] = {}
        for borrowing in borrowings:
            above.setdefault(borrowing.id, []).append(borrowing)
        visible_ids = _visible(ids, above, limit)
        below: dict[str, list[str]] = {}
        unshown: dict[str, int] = {}
        for id in ids:
            if id in visible_ids:
                below.setdefault(above[id][0].origin if id in above else "", []).append(id)
            else:
                nearest = _nearest(id, above, visible_ids)
                unshown[nearest] = unshown.get(nearest, 0) + 1
        nodes = _placed(below, above, unshown)
        return cls(WIDTH, _TOP + _ROW * len(nodes), nodes)


def _visible(ids: Sequence[str], above: Mapping[str, Sequence[Borrowing]], limit: int) -> set[str]:
    """Return the articles to draw: roots first, then sources of others, each only with all its ancestors."""
    origins = {parents[0].origin for parents in above.values()}
    visible_ids: set[str] = set()
    for id in sorted(ids, key=lambda candidate: (candidate in above, candidate not in origins)):
        way = []
        at: str | None = id
        while at is not None and at not in visible_ids:
            way.append(at)
            at = above[at][0].origin if at in above else None
        if len(visible_ids) + len(way) <= limit:
            visible_ids.update(way)
    return visible_ids


def _nearest(id: str, above: Mapping[str, Sequence[Borrowing]], visible_ids: set[str]) -> str:
    while id in above and id not in visible_ids:
        id = above[id][0].origin
    return id


def _placed(
    below: Mapping[str, Sequence[str]], above: Mapping[str, Sequence[Borrowing]], unshown: Mapping[str, int]
) -> tuple[TreeNode, ...]:
    order: list[tuple[str, int]] = []
    rest = [(id, 0) for id in reversed(below.get("", ()))]
    while rest:
        id, depth = rest.pop()
        order.append((id, depth))
        rest += [(item, depth + 1) for item in reversed(below.get(id, ()))]
    places = {id: (_MARGIN + _STEP * min(depth, _DEEPEST), _TOP + _ROW * row) for row, (id, depth) in enumerate(order)}
    nodes = []
    for id, (x, y) in places.items():
        first, *others = above.get(id, [None])
        path = f"M{places[first.origin][0]} {places[first.origin][1]}V{y}H{x}" if first else ""
        further = tuple(_curve(*places[item.origin], x, y) for item in others if item and item.origin in places)
        nodes.append(TreeNode(id, x, y, path, further, first.share if first else None, unshown.get(id, 0)))
    return tuple(nodes)


def _curve(from_x: float, from_y: float, x: float, y: float) -> str:
    return f"M{from_x} {from_y}C{from_x - 14} {(from_y + y) / 2} {x - 40} {y} {x} {y}"


__all__ = ["WIDTH", "Borrowing", "Tree", "TreeNode"]

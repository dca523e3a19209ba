"""The evidence that a report shows: pairs of articles with the passages they have in common, and unreadable rows.

A long article is never shown whole. `excerpt` keeps its beginning and the places where the shared passages begin and
end, for that is where two versions part; `opening` keeps its first characters. Both say how much they leave out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]

_LEAST_CONTEXT = 40
_SMALLEST_GAP = 12


@dataclass(frozen=True, slots=True)
class Side:
    """One article of a pair.

    `spans` are the passages that the other side has too, in code points of `text`, end excluded; they may overlap or
    reach past the end, and are then clipped.
    """

    id: str
    file: str
    row: int
    title: str | None
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A removed article, the kept article it was compared with, and the figure that decided."""

    removed: Side
    kept: Side
    similarity: float
    measure: str


@dataclass(frozen=True, slots=True)
class ClusterSample:
    """Some pairs of one cluster; `size` counts all its articles, the kept one included."""

    cluster_id: str
    size: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class RejectedSample:
    """A row that could not be read, with the beginning of what stands there."""

    file: str
    line: int
    reason: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of an article that is shared or not, or, where `skipped` is not 0, so many code points left out."""

    text: str
    shared: bool = False
    skipped: int = 0


def excerpt(side: Side, limit: int) -> tuple[Piece, ...]:
    """Return at most `limit` code points of an article: its opening and the edges of its shared passages."""
    spans = _merged(side.spans, len(side.text))
    return tuple(_cut(side.text, spans, _windows(len(side.text), spans, limit)))


def opening(side: Side, limit: int) -> tuple[Piece, ...]:
    """Return the first `limit` code points of an article."""
    spans = _merged(side.spans, len(side.text))
    return tuple(_cut(side.text, spans, [(0, min(limit, len(side.text)))]))


def _merged(spans: Iterable[Span], length: int, gap: int = 0) -> list[Span]:
    """Sort, clip to the text, and join spans that overlap or stand at most `gap` apart."""
    merged: list[Span] = []
    for start, end in sorted((max(0, start), min(end, length)) for start, end in spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _windows(length: int, spans: list[Span], limit: int) -> list[Span]:
    """Choose the stretches of a text of this length to show, `limit` code points in all."""
    edges = [edge for span in spans for edge in span if 0 < edge < length]
    if length <= limit or not edges:
        return [(0, min(length, limit))]
    head = limit // 4
    context = max(_LEAST_CONTEXT, (limit - head) // (2 * len(edges)))
    wanted = [(0, head), *((edge - context, edge + context) for edge in edges)]
    windows: list[Span] = []
    room = limit
    for start, end in _merged(wanted, length, _SMALLEST_GAP):
        if room <= 0:
            break
        windows.append((start, min(end, start + room)))
        room -= end - start
    return windows


def _cut(text: str, spans: list[Span], windows: list[Span]) -> Iterator[Piece]:
    """Yield the windows of a text in order, split where sharing begins and ends, and the gaps between them."""
    shown = 0
    for start, end in windows:
        if start > shown:
            yield Piece("", skipped=start - shown)
        yield from _split(text, spans, start, end)
        shown = end
    if shown < len(text):
        yield Piece("", skipped=len(text) - shown)


def _split(text: str, spans: list[Span], start: int, end: int) -> Iterator[Piece]:
    for span_start, span_end in spans:
        if span_end <= start or span_start >= end:
            continue
        if span_start > start:
            yield Piece(text[start:span_start])
            start = span_start
        yield Piece(text[start : min(span_end, end)], shared=True)
        start = min(span_end, end)
    if start < end:
        yield Piece(text[start:end])


__all__ = ["ClusterSample", "Pair", "Piece", "RejectedSample", "Side", "Span", "excerpt", "opening"]

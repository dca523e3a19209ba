"""Cut hits out of texts, at sentence borders."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from whorl import _core

Span = tuple[int, int]


def cut_ranges(text: str, hits: Iterable[Span]) -> list[Span]:
    """Return the ranges to delete: the sentences that hits touch, with white space that would be left over.

    Args:
        text: the text.
        hits: ranges of it.

    Returns:
        Ranges of code points, ascending and apart.
    """
    ranges: list[Span] = []
    for start, end in _sentences_of(text, hits):
        begin, stop = _with_space(text, start, end)
        if ranges and begin <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(ranges[-1][1], stop)
        else:
            ranges.append((begin, stop))
    return ranges


def is_blank_without(text: str, ranges: Sequence[Span]) -> bool:
    """Return True if nothing but white space is left."""
    ends = [0, *(end for _, end in ranges)]
    starts = [*(start for start, _ in ranges), len(text)]
    return all(not text[end:start].strip() for end, start in zip(ends, starts, strict=True))


def _sentences_of(text: str, hits: Iterable[Span]) -> list[Span]:
    """Return the sentences that hits touch, joined where they adjoin."""
    sentences = _core.sentences(text)
    starts = [start for start, _ in sentences]
    spans: list[Span] = []
    for start, end in sorted(hits):
        first = max(0, bisect_right(starts, start) - 1)
        last = max(first, bisect_right(starts, end - 1) - 1)
        begins = min(start, sentences[first][0]) if sentences else start
        ends = max(end, sentences[last][1]) if sentences else end
        if spans and begins <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], ends)
        else:
            spans.append((begins, ends))
    return spans


def _with_space(text: str, start: int, end: int) -> Span:
    """Extend a cut so that it leaves no empty line, no doubled space, and no space at the end of a line."""
    before, behind = text[:start], text[end:]
    if not before.strip() or before.endswith("\n"):
        stop = len(text) - len(behind.lstrip())
        return (start, stop) if behind.strip() else (len(before.rstrip()), stop)
    if behind[:1] in (" ", "\t") and before[-1:] in (" ", "\t"):
        return start, len(text) - len(behind.lstrip(" \t"))
    return (len(before.rstrip(" \t")), end) if behind[:1] in ("\n", "\r", "") else (start, end)


__all__ = ["Span", "cut_ranges", "is_blank_without"]

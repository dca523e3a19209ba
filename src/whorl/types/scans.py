"""Places on the pages of a scanned document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from whorl._internal.frozen import frozen
from whorl.types.serialization import Plain


@frozen
class PageLine(Plain):
    """A recognized line: its place in the text, and its frame on the page.

    >>> from whorl.results import PageLine
    >>> PageLine(0, 14, 1, (0.1, 0.2, 0.9, 0.22)).page
    1

    Attributes:
        start: index of its first code point in the text.
        end: index after its last code point.
        page: number of its page or picture, from 1.
        box: left, top, right and bottom of its frame, as shares of the width and height of the page.
    """

    start: int
    end: int
    page: int
    box: tuple[float, float, float, float]

    def row(self) -> list[Any]:
        """Return the line as a list of numbers, for `lines_of`."""
        return [self.start, self.end, self.page, *self.box]


def lines_of(rows: Sequence[Sequence[Any]]) -> tuple[PageLine, ...]:
    """Return the lines of lists of numbers.

    Raises:
        ValueError: a list has the wrong length, or contains anything but numbers.
    """
    return tuple(
        PageLine(int(start), int(end), int(page), (float(x0), float(y0), float(x1), float(y1)))
        for start, end, page, x0, y0, x1, y1 in rows
    )


def lines_between(lines: Sequence[PageLine], start: int, end: int) -> Sequence[PageLine]:
    """Return the lines with text from ``start`` to ``end``; the lines are in the order of the text."""
    first = bisect_right(lines, start, key=attrgetter("end"))
    return lines[first : bisect_left(lines, end, key=attrgetter("start"))]


def pages_between(lines: Sequence[PageLine], start: int, end: int) -> list[int]:
    """Return the numbers of the pages with text from ``start`` to ``end``."""
    return sorted({line.page for line in lines_between(lines, start, end)})


__all__ = ["PageLine", "lines_between", "lines_of", "pages_between"]

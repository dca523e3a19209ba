"""Maps of scanned pages: the frames of their lines, with those of passages in the colors of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whorl._internal.frozen import frozen
from whorl.reports.comparison.passages import tone
from whorl.types.comparison import Passage
from whorl.types.scans import PageLine, lines_between

MAX_MAPS = 60
"""Maximum number of pages that are shown."""


@frozen
class MappedLine:
    """A line on a page; positions in percent of the page.

    Attributes:
        x: distance from the left edge.
        y: distance from the upper edge.
        width: its width.
        height: its height.
        tone: color of its passage; 0 without one.
        number: number of its first passage, from 1; 0 without one.
    """

    x: float
    y: float
    width: float
    height: float
    tone: int = 0
    number: int = 0


@frozen
class PageMap:
    """The lines of a page."""

    page: int
    lines: tuple[MappedLine, ...]


def page_maps(
    lines: Sequence[PageLine], passages: Sequence[Passage], sources: int, ranks: Mapping[int, int]
) -> list[PageMap]:
    """Return the pages of a recognized text that have passages, at most ``MAX_MAPS``.

    Args:
        lines: the recognized lines of the text.
        passages: its passages, in order.
        sources: number of sources.
        ranks: ranks of the contributing sources, by source number.
    """
    looks: dict[PageLine, tuple[int, int]] = {}
    for number, passage in enumerate(passages, start=1):
        for line in lines_between(lines, passage.b_start, passage.b_end):
            looks.setdefault(line, (tone(passage, number, sources, ranks), number))
    pages = sorted({line.page for line in looks})[:MAX_MAPS]
    by_page: dict[int, list[MappedLine]] = {page: [] for page in pages}
    for line in lines:
        if line.page in by_page:
            x0, y0, x1, y1 = (100 * side for side in line.box)
            look = looks.get(line, (0, 0))
            place = (round(x0, 2), round(y0, 2), round(x1 - x0, 2), round(y1 - y0, 2))
            by_page[line.page].append(MappedLine(*place, *look))
    return [PageMap(page, tuple(by_page[page])) for page in pages]


__all__ = ["MAX_MAPS", "MappedLine", "PageMap", "page_maps"]

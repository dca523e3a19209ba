"""Paragraphs for a terminal that may break between any two Chinese characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_OPENING = r"（《“「【〔"
_CLOSING = r"，。；：、！？）》”」】〕…%"
_PIECE = re.compile(rf"[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPENING}]+)[{_CLOSING}]*\s*|\s+")


class Flow:
    """A paragraph with CJK line breaking: no line begins with closing punctuation or ends with opening punctuation."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widths = [cell_len(piece.rstrip()) for piece in _PIECE.findall(self._text.plain)]
        return Measurement(max(widths, default=0), cell_len(self._text.plain)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for line in self._text.divide(self._breaks(options.max_width)):
            line.rstrip()
            line.overflow = "fold"
            yield line

    def _breaks(self, width: int) -> list[int]:
        """Return the positions of line starts except the first."""
        breaks, filled = [], 0
        for piece in _PIECE.finditer(self._text.plain):
            if filled and filled + cell_len(piece[0].rstrip()) > width:
                breaks.append(piece.start())
                filled = 0
            filled += cell_len(piece[0])
        return breaks


__all__ = ["Flow"]

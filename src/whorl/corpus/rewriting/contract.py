"""The interface of modules that rewrite files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from whorl.corpus.contract import ReadOptions, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Edits:
    """What is changed in a file.

    Attributes:
        keep: True for each row that is written, by its number less 1. Rows beyond its end are dropped.
        rows: int64, the numbers of the rows whose texts are changed, ascending; all of them are kept.
        bounds: int64 (n + 1,), the ranges of each of them.
        ranges: uint32 (m, 2), ranges of code points of the whole text of a row.
        mask: what replaces each range.
    """

    keep: NDArray[np.bool_]
    rows: NDArray[np.int64]
    bounds: NDArray[np.int64]
    ranges: NDArray[np.uint32]
    mask: str = ""

    def between(self, first: int, last: int) -> tuple[int, int]:
        """Return the positions in ``rows`` of the changed rows from number ``first`` to before ``last``."""
        start, stop = np.searchsorted(self.rows, (first, last)).tolist()
        return start, stop

    def of_row(self, row: int) -> list[tuple[int, int]]:
        """Return the ranges of a row; empty if it is not changed."""
        place, stop = self.between(row, row + 1)
        if place == stop:
            return []
        ranges: list[list[int]] = self.ranges[self.bounds[place] : self.bounds[place + 1]].tolist()
        return [(start, end) for start, end in ranges]


class Rewriter(Protocol):
    """A module that rewrites files of one format."""

    def write(self, source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
        """Write the kept rows with their changes; see ``whorl.corpus.rewriting.rewrite``."""
        ...


def apply(text: str, ranges: Sequence[tuple[int, int]], mask: str) -> str:
    """Return a text with its ranges replaced by ``mask``."""
    pieces, last = [], 0
    for start, end in ranges:
        pieces += [text[last:start], mask]
        last = end
    return "".join([*pieces, text[last:]])


def apply_to_parts(parts: Sequence[str], ranges: Sequence[tuple[int, int]], mask: str) -> list[str]:
    """Apply ranges of the text that ``parts`` make up, joined by newlines, to each part.

    A range over several parts deletes from each what is in it; the mask replaces the first piece.
    """
    changed, first = [], 0
    for part in parts:
        end = first + len(part)
        cuts = [(max(start, first) - first, min(stop, end) - first, start >= first) for start, stop in ranges]
        cuts = [(start, stop, begins) for start, stop, begins in cuts if start < stop]
        pieces, last = [], 0
        for start, stop, begins in cuts:
            pieces += [part[last:start], mask if begins else ""]
            last = stop
        changed.append("".join([*pieces, part[last:]]))
        first = end + 1
    return changed


__all__ = ["Edits", "Rewriter", "apply", "apply_to_parts"]

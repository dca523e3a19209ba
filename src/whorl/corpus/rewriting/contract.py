"""The interface of modules that rewrite files."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from whorl._internal.frozen import frozen
from whorl.corpus.contract import ReadOptions, Source
from whorl.errors import InputError
from whorl.i18n import say

if TYPE_CHECKING:
    from numpy.typing import NDArray


@frozen(eq=False)
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


@frozen
class AddedColumn:
    """A column that is added to a file.

    Attributes:
        name: its name.
        values: its values by the number of the row; other rows have none.
    """

    name: str
    values: Mapping[int, Any]


class Rewriter(Protocol):
    """A module that rewrites files of one format."""

    def write(self, source: Source, target: Path, edits: Edits, columns: Sequence[str], options: ReadOptions) -> int:
        """Write the kept rows with their changes; see ``whorl.corpus.rewriting.rewrite``."""
        ...

    def add_column(
        self, source: Source, target: Path, keep: NDArray[np.bool_], column: AddedColumn, options: ReadOptions
    ) -> int:
        """Write the kept rows with another column; see ``whorl.corpus.rewriting.add_column``."""
        ...


def demand_new(column: AddedColumn, names: Container[str], label: str) -> None:
    """Check that a file does not have the added column.

    Raises:
        InputError: it has.
    """
    if column.name in names:
        raise InputError(
            say("{label} already has a column {column!r}", label=label, column=column.name),
            hint=say("choose another name: `column`"),
        )


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


__all__ = ["AddedColumn", "Edits", "Rewriter", "apply", "apply_to_parts", "demand_new"]

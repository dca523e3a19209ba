"""Sheets of cells, independent of the file format: rows, and the position of the header.

The header is the first row with a text column, among the first rows of the sheet. A title, a note or the date of a
report may precede it; such rows have fewer cells than the header. Merged cells join a header of several rows.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from datetime import date, datetime, time
from itertools import islice
from typing import Any, Protocol

from whorl._internal.frozen import frozen

HIGHEST_COLUMN = 2**14
"""Maximum number of columns of a sheet."""

_MOST_HEADER_ROWS = 32
_EXACT = 2**53
"""From here on, a double may differ from the written integer."""

_BREAK_IN_WORD = re.compile(r"(?<=[\u2e80-\U0003ffff])[^\S\r\n]*[\r\n]\s*(?=[\u2e80-\U0003ffff])")


class CellError(str):
    """Result of a failed formula, such as #N/A. It is displayed, but is not text."""

    __slots__ = ()


@frozen
class SheetLine:
    """A row of a sheet.

    Attributes:
        number: its number in the file, from 1.
        values: the cell values; None for a blank cell and for a formula without a result.
        formulas: the formulas without a result, by column index from 0.
    """

    number: int
    values: tuple[Any, ...]
    formulas: Mapping[int, str] = field(default_factory=dict)

    @property
    def filled(self) -> int:
        """Number of cells that are not blank."""
        return sum(value is not None for value in self.values) + len(self.formulas)


@frozen
class MergedCells:
    """Merged cells: rows and columns from 1, the last ones included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


@frozen
class SheetHeader:
    """The header of a sheet.

    Attributes:
        names: the column names, empty for an unnamed column.
        above: number of non-blank rows before the first data row.
        merges: the merged cells of these rows, which are numbered from 1 without blank ones.
    """

    names: tuple[str, ...]
    above: int
    merges: tuple[MergedCells, ...] = ()


class Sheet(Protocol):
    """A sheet of a book."""

    @property
    def title(self) -> str:
        """Its name, unique in the book."""
        ...

    def lines(self) -> Generator[SheetLine, None, None]:
        """Yield the rows that are not blank, including hidden ones, in file order."""
        ...

    def merges(self) -> Sequence[MergedCells]:
        """Return the merged cells."""
        ...


def header_of(sheet: Sheet, names: Sequence[str]) -> SheetHeader:
    """Return the header of a sheet: the row with any of these columns, else the first row."""
    with closing(sheet.lines()) as lines:
        first = list(islice(lines, _MOST_HEADER_ROWS))
    if not first:
        return SheetHeader((), 0)
    headers = {plain_header(name) for name in names}
    rows = [[plain_header(spelling(value) or "") for value in line.values] for line in first]
    matching = (place for place, row in enumerate(rows) if headers.intersection(row))
    merges: Sequence[MergedCells] | None = None
    for place in matching:
        if merges is None:
            merges = sheet.merges()
        start, end = _band(first, place, merges)
        if all(line.filled < first[place].filled for line in first[:start]):
            return SheetHeader(
                _joined(rows[start : end + 1]), end + 1, tuple(_without_blanks(merges, first[: end + 1]))
            )
    return SheetHeader(tuple(rows[0]), 1)


def _band(lines: Sequence[SheetLine], place: int, merges: Sequence[MergedCells]) -> tuple[int, int]:
    """Return the first and last row of the header that contains a row, extended by cells merged over rows."""
    top = bottom = lines[place].number
    for merge in sorted(merges, key=lambda merge: merge.first_row):
        is_tall = merge.first_row < merge.last_row <= bottom + _MOST_HEADER_ROWS
        if is_tall and merge.first_row <= bottom and merge.last_row >= top:
            top, bottom = min(top, merge.first_row), max(bottom, merge.last_row)
    within = [at for at, line in enumerate(lines) if top <= line.number <= bottom]
    return within[0], within[-1]


def _without_blanks(merges: Sequence[MergedCells], lines: Sequence[SheetLine]) -> Iterator[MergedCells]:
    for merge in merges:
        rows = [place for place, line in enumerate(lines, 1) if merge.first_row <= line.number <= merge.last_row]
        if rows:
            yield MergedCells(rows[0], merge.first_column, rows[-1], merge.last_column)


def _joined(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the names of a header of several rows: the lowest one in each column."""
    names = [""] * max(map(len, rows))
    for row in rows:
        for place, name in enumerate(row):
            names[place] = name or names[place]
    return tuple(names)


def plain_header(name: str) -> str:
    r"""Return the name of a column without line breaks and without blanks at its ends.

    >>> plain_header(" 正\n文 "), plain_header("full\r\ntext")
    ('正文', 'full text')
    """
    return " ".join(_BREAK_IN_WORD.sub("", name).split())


def spelling(value: Any) -> str | None:
    """Format a cell as it is displayed: dates without a time of day, integers without a decimal point.

    >>> spelling(7.0), spelling(0.1), spelling(True), spelling(18446744073709551615)
    ('7', '0.1', 'TRUE', '18446744073709551615')
    """
    if value is None or isinstance(value, CellError):
        return None
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


__all__ = [
    "HIGHEST_COLUMN",
    "CellError",
    "MergedCells",
    "Sheet",
    "SheetHeader",
    "SheetLine",
    "header_of",
    "plain_header",
    "spelling",
]

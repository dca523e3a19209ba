"""Sheets of cells, whatever file they come from: rows, and where the header of a sheet is.

The header is the first row with a text column, among the first rows of the sheet. A title, a note or the date of a
report may stand above it; such rows have fewer cells than the header. Merged cells join a header of several rows.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, time
from itertools import islice
from typing import Any, Protocol

HIGHEST_COLUMN = 2**14
"""The last column that a sheet can have."""

_MOST_HEADER_ROWS = 32
_EXACT = 2**53
"""From here on a double is no longer the whole number that was written."""

_BREAK_IN_WORD = re.compile(r"(?<=[\u2e80-\U0003ffff])[^\S\r\n]*[\r\n]\s*(?=[\u2e80-\U0003ffff])")


class CellError(str):
    """What a formula gave that failed, such as #N/A. It is shown, and is no text."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a sheet.

    Attributes:
        number: as the file numbers it, from 1.
        values: of its cells; None for a blank cell and for a formula without a result.
        formulas: the cells that are such formulas, by their place from 0.
    """

    number: int
    values: tuple[Any, ...]
    formulas: Mapping[int, str] = field(default_factory=dict)

    @property
    def filled(self) -> int:
        """How many cells are not blank."""
        return sum(value is not None for value in self.values) + len(self.formulas)


@dataclass(frozen=True, slots=True)
class Merge:
    """Cells that were merged into one: rows and columns from 1, the last ones included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a sheet.

    Attributes:
        names: of its columns, empty for one without a name.
        above: how many rows that are not blank stand before the first row of data.
        merges: the merged cells of these rows, which are numbered from 1 without blank ones.
    """

    names: tuple[str, ...]
    above: int
    merges: tuple[Merge, ...] = ()


class Sheet(Protocol):
    """A sheet of a book."""

    @property
    def title(self) -> str:
        """Its name, which no other sheet of the book has."""
        ...

    def lines(self) -> Generator[Line, None, None]:
        """Yield the rows that are not blank, hidden ones too, in file order."""
        ...

    def merges(self) -> Sequence[Merge]:
        """Return the merged cells."""
        ...


def header_of(sheet: Sheet, names: Sequence[str]) -> Header:
    """Return the header of a sheet, the row that has one of these columns; where none has, the first row."""
    with closing(sheet.lines()) as lines:
        first = list(islice(lines, _MOST_HEADER_ROWS))
    if not first:
        return Header((), 0)
    wanted = {plain_header(name) for name in names}
    rows = [[plain_header(spelling(value) or "") for value in line.values] for line in first]
    matching = (place for place, row in enumerate(rows) if wanted.intersection(row))
    merges: Sequence[Merge] | None = None
    for place in matching:
        if merges is None:
            merges = sheet.merges()
        start, end = _band(first, place, merges)
        if all(line.filled < first[place].filled for line in first[:start]):
            return Header(_joined(rows[start : end + 1]), end + 1, tuple(_without_blanks(merges, first[: end + 1])))
    return Header(tuple(rows[0]), 1)


def _band(lines: Sequence[Line], place: int, merges: Sequence[Merge]) -> tuple[int, int]:
    """The first and the last row of the header that a row belongs to, through cells merged over several rows."""
    top = bottom = lines[place].number
    for merge in sorted(merges, key=lambda merge: merge.first_row):
        is_tall = merge.first_row < merge.last_row <= bottom + _MOST_HEADER_ROWS
        if is_tall and merge.first_row <= bottom and merge.last_row >= top:
            top, bottom = min(top, merge.first_row), max(bottom, merge.last_row)
    within = [at for at, line in enumerate(lines) if top <= line.number <= bottom]
    return within[0], within[-1]


def _without_blanks(merges: Sequence[Merge], lines: Sequence[Line]) -> Iterator[Merge]:
    for merge in merges:
        rows = [place for place, line in enumerate(lines, 1) if merge.first_row <= line.number <= merge.last_row]
        if rows:
            yield Merge(rows[0], merge.first_column, rows[-1], merge.last_column)


def _joined(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The names of a header of several rows: in each column the lowest that is there."""
    names = [""] * max(map(len, rows))
    for row in rows:
        for place, name in enumerate(row):
            names[place] = name or names[place]
    return tuple(names)


def plain_header(name: str) -> str:
    r"""Return the name of a column without what only lays it out: line breaks, and blanks at its ends.

    >>> plain_header(" 正\n文 "), plain_header("full\r\ntext")
    ('正文', 'full text')
    """
    return " ".join(_BREAK_IN_WORD.sub("", name).split())


def spelling(value: Any) -> str | None:
    """Return a cell as text, as it is shown: a day without a time of day, a whole number without a point.

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
    "Header",
    "Line",
    "Merge",
    "Sheet",
    "header_of",
    "plain_header",
    "spelling",
]

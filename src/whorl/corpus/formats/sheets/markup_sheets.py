"""Markup workbooks, which many systems export under the name .xls: HTML tables and XML Spreadsheet 2003."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, time
from html import escape
from html.parser import HTMLParser
from io import BytesIO
from typing import IO, Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.corpus.formats.office.zip_parts import events
from whorl.corpus.formats.sheets.ooxml import DamagedError
from whorl.corpus.formats.sheets.sheets import HIGHEST_COLUMN, CellError, MergedCells, SheetLine, spelling
from whorl.i18n import say

_SPREADSHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"
_TEXT_ONLY = frozenset(("script", "style", "title", "xml"))
_CELLS = frozenset(("td", "th"))
_MOST_SPAN = 1000
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True)
class MarkupTable:
    """A sheet in memory; implements ``sheets.Sheet``."""

    title: str
    rows: list[SheetLine] = field(default_factory=list)
    merged: list[MergedCells] = field(default_factory=list)

    def lines(self) -> Generator[SheetLine, None, None]:
        """Yield the rows that are not blank."""
        yield from self.rows

    def merges(self) -> Sequence[MergedCells]:
        """Return the merged cells."""
        return self.merged

    def add(self, number: int, values: dict[int, Any]) -> None:
        """Add a row; its cells are keyed by column index from 0."""
        width = max((place for place, value in values.items() if value is not None), default=-1)
        if width >= HIGHEST_COLUMN:
            raise DamagedError(
                say("a cell lies in column {column}; the last column is {last}", column=width + 1, last=HIGHEST_COLUMN)
            )
        if width >= 0:
            self.rows.append(SheetLine(number, tuple(values.get(place) for place in range(width + 1))))


@frozen
class MarkupBook:
    """A workbook in memory."""

    sheets: Sequence[MarkupTable]


def html_book(text: str) -> MarkupBook:
    """Return the outermost tables of an HTML page that have cells.

    Raises:
        DamagedError: the page has no table.
    """
    reader = _Tables()
    reader.feed(text)
    reader.close()
    reader.finish()
    if not reader.tables:
        raise DamagedError(say("expected an XLSX file, an HTML table or an XML Spreadsheet"))
    tables = [table for table in reader.tables if table.rows]
    for number, table in enumerate(tables, 1):
        table.title = f"table {number}"
    return MarkupBook(tables)


class _Tables(HTMLParser):
    """Table parser; end tags may be missing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[MarkupTable] = []
        self._depth = 0
        self._silent = 0
        self._row: dict[int, Any] | None = None
        self._number = 0
        self._cell: list[str] | None = None
        self._next = 0
        self._covered: dict[int, int] = {}
        self._spans = (1, 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _TEXT_ONLY:
            self._silent += 1
        elif tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append(MarkupTable(""))
                self._number, self._covered = 0, {}
        elif self._depth == 1 and tag == "tr":
            self._end_row()
            self._row, self._next = {}, 0
            self._number += 1
        elif self._depth == 1 and tag in _CELLS:
            self._end_cell()
            if self._row is None:
                self._row, self._next = {}, 0
                self._number += 1
            spans = dict(attrs)
            self._cell = []
            self._spans = _span(spans.get("rowspan")), _span(spans.get("colspan"))
        elif self._cell is not None and (tag in ("br", "p", "div", "li", "tr") or tag in _CELLS):
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _TEXT_ONLY:
            self._silent = max(0, self._silent - 1)
        elif tag == "table" and self._depth:
            if self._depth == 1:
                self._end_row()
            self._depth -= 1
        elif self._depth == 1 and tag == "tr":
            self._end_row()
        elif self._depth == 1 and tag in _CELLS:
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._silent:
            self._cell.append(re.sub(r"\s+", " ", data))

    def finish(self) -> None:
        if self._depth:
            self._end_row()

    def _end_cell(self) -> None:
        if self._cell is None or self._row is None:
            return
        text = "".join(self._cell)
        value = "\n".join(line.strip(" ") for line in text.split("\n")).strip().replace("\xa0", " ")
        while self._covered.get(self._next, 0) >= self._number:
            self._next += 1
        self._row[self._next] = value or None
        high, wide = self._spans
        if high > 1 or wide > 1:
            merge = MergedCells(self._number, self._next + 1, self._number + high - 1, self._next + wide)
            self.tables[-1].merged.append(merge)
        for place in range(self._next, self._next + wide):
            self._covered[place] = self._number + high - 1
        self._next += wide
        self._cell = None

    def _end_row(self) -> None:
        self._end_cell()
        if self._row is not None:
            self.tables[-1].add(self._number, self._row)
            self._row = None


def _span(written: str | None) -> int:
    return min(int(written), _MOST_SPAN) if written is not None and written.strip().isdecimal() else 1


def xml_book(data: bytes) -> MarkupBook:
    """Return the sheets of an XML Spreadsheet 2003.

    Raises:
        DamagedError: a number or time in it is invalid.
        xml.etree.ElementTree.ParseError: the data is not XML.
    """
    tables: list[MarkupTable] = []
    number = 0
    with closing(_elements(BytesIO(data))) as elements:
        for event, name, element in elements:
            if name == "Worksheet" and event == "start":
                tables.append(MarkupTable(_attribute(element, "Name") or f"table {len(tables) + 1}"))
                number = 0
            elif name == "Row" and tables:
                if event == "start":
                    number = _index(element, number)
                else:
                    tables[-1].add(number, _xml_row(element, number, tables[-1].merged))
                    element.clear()
    return MarkupBook(tables)


def _elements(stream: IO[bytes]) -> Generator[tuple[str, str, Any], None, None]:
    for event, element in events(stream, "start", "end"):
        yield event, element.tag.rpartition("}")[2], element


def _attribute(element: Any, name: str) -> str | None:
    value: str | None = element.get(f"{_SPREADSHEET}{name}", element.get(name))
    return value


def _index(element: Any, before: int) -> int:
    written = _attribute(element, "Index")
    if written is None:
        return before + 1
    if not written.isdecimal() or len(written) > 20:
        raise DamagedError(say("expected a row number, found {number!r}", number=written[:40]))
    return int(written)


def _xml_row(row: Any, number: int, merged: list[MergedCells]) -> dict[int, Any]:
    values: dict[int, Any] = {}
    column = 0
    for cell in row:
        if cell.tag.rpartition("}")[2] != "Cell":
            continue
        column = _index(cell, column)
        across, down = (_attribute(cell, name) or "0" for name in ("MergeAcross", "MergeDown"))
        wide, high = (min(int(span), _MOST_SPAN) if span.isdecimal() else 0 for span in (across, down))
        if wide or high:
            merged.append(MergedCells(number, column, number + high, column + wide))
        data = next((child for child in cell if child.tag.rpartition("}")[2] == "Data"), None)
        if column > HIGHEST_COLUMN:
            raise DamagedError(
                say("a cell lies in column {column}; the last column is {last}", column=column, last=HIGHEST_COLUMN)
            )
        if data is not None:
            values[column - 1] = _typed("".join(data.itertext()), _attribute(data, "Type") or "String")
        column += wide
    return values


def _typed(written: str, kind: str) -> Any:
    if kind == "String" or not written.strip():
        return written or None
    try:
        match kind:
            case "Number":
                return int(written) if written.strip().lstrip("+-").isdecimal() else float(written)
            case "Boolean":
                return written.strip() in ("1", "true")
            case "Error":
                return CellError(written.strip())
            case "DateTime":
                moment = datetime.fromisoformat(written.strip())
                return moment.date() if moment.time() == time() else moment
    except ValueError:
        raise DamagedError(say("expected a number in a cell, found {number!r}", number=written[:40])) from None
    return written


class WrittenSheet(NamedTuple):
    """A sheet to write: its title, rows and merged cells; rows are numbered from 1."""

    title: str
    rows: Iterator[Sequence[Any]]
    merges: Sequence[MergedCells]

    def cells(self) -> Iterator[list[tuple[int, Any, int, int]]]:
        """Yield the cells of each row: column from 1, value, and number of merged columns and rows."""
        starts = {(merge.first_row, merge.first_column): merge for merge in self.merges}
        covered = {
            (row, column)
            for merge in self.merges
            for row in range(merge.first_row, merge.last_row + 1)
            for column in range(merge.first_column, merge.last_column + 1)
        }.difference(starts)
        for number, values in enumerate(self.rows, 1):
            cells = []
            for column, value in enumerate(values, 1):
                if (number, column) not in covered:
                    merge = starts.get((number, column), MergedCells(number, column, number, column))
                    wide, high = merge.last_column - column + 1, merge.last_row - number + 1
                    cells.append((column, value, wide, high))
            yield cells


def html_written(sheets: Iterable[WrittenSheet]) -> Iterator[bytes]:
    """Yield an HTML page with a table for each sheet."""
    yield b'<html><head><meta charset="utf-8"></head><body>\n'
    is_empty = True
    for sheet in sheets:
        is_empty = False
        yield b"<table>\n"
        for cells in sheet.cells():
            yield ("<tr>" + "".join(_html_cell(*cell) for cell in cells) + "</tr>\n").encode("utf-8", "replace")
        yield b"</table>\n"
    if is_empty:
        yield b"<table></table>\n"
    yield b"</body></html>\n"


def _html_cell(_: int, value: Any, wide: int, high: int) -> str:
    spans = (f' colspan="{wide}"' if wide > 1 else "") + (f' rowspan="{high}"' if high > 1 else "")
    return f"<td{spans}>" + escape(_spelled(value)).replace("\n", "<br>") + "</td>"


def xml_written(sheets: Iterable[WrittenSheet]) -> Iterator[bytes]:
    """Yield an XML Spreadsheet 2003."""
    space = _SPREADSHEET.strip("{}")
    yield b'<?xml version="1.0" encoding="utf-8"?>\n<?mso-application progid="Excel.Sheet"?>\n'
    yield f'<Workbook xmlns="{space}" xmlns:ss="{space}">\n'.encode()
    for sheet in sheets:
        yield f'<Worksheet ss:Name="{escape(sheet.title)}"><Table>\n'.encode("utf-8", "replace")
        for cells in sheet.cells():
            yield ("<Row>" + "".join(_xml_cell(*cell) for cell in cells) + "</Row>\n").encode("utf-8", "replace")
        yield b"</Table></Worksheet>\n"
    yield b"</Workbook>\n"


def _xml_cell(column: int, value: Any, wide: int, high: int) -> str:
    spans = (f' ss:MergeAcross="{wide - 1}"' if wide > 1 else "") + (f' ss:MergeDown="{high - 1}"' if high > 1 else "")
    if value is None:
        return f'<Cell ss:Index="{column}"{spans}/>'
    kind, text = "String", _CONTROLS.sub("\ufffd", _spelled(value))
    if isinstance(value, bool):
        kind, text = "Boolean", str(int(value))
    elif isinstance(value, int | float):
        kind = "Number"
    elif isinstance(value, CellError):
        kind = "Error"
    elif isinstance(value, datetime | date):
        kind, text = "DateTime", value.isoformat() + ("" if isinstance(value, datetime) else "T00:00:00")
    return f'<Cell ss:Index="{column}"{spans}><Data ss:Type="{kind}">{escape(text)}</Data></Cell>'


def _spelled(value: Any) -> str:
    return str(value) if isinstance(value, CellError) else spelling(value) or ""


__all__ = ["MarkupBook", "MarkupTable", "WrittenSheet", "html_book", "html_written", "xml_book", "xml_written"]

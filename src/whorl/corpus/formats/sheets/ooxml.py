"""The cells of XLSX packages (ECMA-376, transitional and strict), read as a stream.

openpyxl trusts the metadata of a package: rows end at its ``dimension``, a row with a high number follows that many
blank rows, a strict package has no sheets, and a broken style is an error. Generators get all of these wrong. Here rows
are read until the part ends, and only data that decides the value of a cell is read.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from datetime import datetime, time
from posixpath import join, normpath
from typing import IO, Any, Literal

from whorl._internal.frozen import frozen
from whorl.corpus.formats.office.zip_parts import events
from whorl.corpus.formats.sheets.sheets import HIGHEST_COLUMN, CellError, MergedCells, SheetLine
from whorl.i18n import Message, say

_REFERENCE = re.compile(r"([A-Za-z]{1,8})\$?([0-9]*)\Z")
_MERGE = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref\s*=\s*["']([A-Z]{1,3})(\d{1,9}):([A-Z]{1,3})(\d{1,9})["']""")
_MERGE_BYTES = 256
_SCAN_BYTES = 2**20
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_TIME_OF_DAY = re.compile(r"[hsHS]")
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_MOST_MERGES = 4096
_EXACT = 2**53
_EAST_ASIAN_DATES = {
    **dict.fromkeys(map(str, (*range(27, 32), 36, *range(50, 55), 57, 58)), "yyyy-m-d"),
    **dict.fromkeys(map(str, (*range(32, 36), 55, 56)), "h:mm"),
}
"""Built-in date formats of Chinese, Japanese and Korean programs, which a package does not contain."""


class DamagedError(Exception):
    """A package is damaged; the message has the reason."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


class XlsxPackage:
    """A workbook.

    Args:
        file: the package.

    Attributes:
        sheets: its worksheets in order, including hidden ones.

    Raises:
        DamagedError: the file is not a workbook.
        zipfile.BadZipFile: the package is damaged; so are the other errors of ``parts.DAMAGE``.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file)
        self._names = {_plain(name): name for name in self._archive.namelist()}
        main = next(iter(self._targets("", "officedocument").values()), "xl/workbook.xml")
        if _plain(main) not in self._names:
            raise DamagedError(say("part {main} is missing", main=main))
        self._since_1904 = False
        listed = self._listed(main)
        sheets = self._targets(main, "worksheet")
        strings = next(iter(self._targets(main, "sharedstrings").values()), "xl/sharedStrings.xml")
        styles = next(iter(self._targets(main, "styles").values()), "xl/styles.xml")
        self._strings_part, self._strings_held = strings, None if _plain(strings) in self._names else list[str]()
        self._dates = self._date_styles(styles) if _plain(styles) in self._names else {}
        self.sheets = [WorkSheet(self, title, sheets[key]) for title, key in listed if key in sheets]
        if listed and not sheets:
            # No relationships: the parts are in the order of the sheets.
            parts = sorted((name for name in self._names if name.startswith("xl/worksheets/")), key=_by_number)
            self.sheets = [WorkSheet(self, title, part) for (title, _), part in zip(listed, parts, strict=False)]

    @property
    def properties(self) -> bytes | None:
        """The part with title, author and dates; None if it is missing."""
        part = next(iter(self._targets("", "core-properties").values()), "docProps/core.xml")
        return self._archive.read(self._names[_plain(part)]) if _plain(part) in self._names else None

    def close(self) -> None:
        """Close the package."""
        self._archive.close()

    def events(self, part: str, *kinds: Literal["start", "end"]) -> Generator[tuple[str, str, Any], None, None]:
        """Yield the elements of a part with their kinds and their names without the namespace."""
        with self.open(part) as stream:
            for event, element in events(stream, *kinds):
                yield event, element.tag.rpartition("}")[2], element

    def open(self, part: str) -> IO[bytes]:
        """Open a part by its name, ignoring case."""
        if _plain(part) not in self._names:
            raise DamagedError(say("part {main} is missing", main=part))
        return self._archive.open(self._names[_plain(part)])

    def value(self, element: Any) -> tuple[Any, str | None]:
        """Return the value of a cell, and its formula if that has no result."""
        kind, style = element.get("t", "n"), element.get("s")
        written: str | None = None
        formula: str | None = None
        inline: Any = None
        for child in element:
            match child.tag.rpartition("}")[2]:
                case "v":
                    written = child.text or ""
                case "f":
                    formula = "=" + (child.text or "")
                case "is":
                    inline = child
        if inline is not None and (kind == "inlineStr" or not written):
            return _text_of(inline), None
        if written is None or (not written.strip() and kind != "str"):
            return None, formula
        return self._typed(written, kind, style), None

    def _typed(self, written: str, kind: str, style: str | None) -> Any:
        match kind:
            case "s":
                return self._string(written)
            case "str" | "inlineStr":
                return _unescaped(written)
            case "b":
                return written.strip().lower() in ("1", "true")
            case "e":
                return CellError(written.strip())
            case "d":
                return _moment(written)
            case _:
                return self._number(written.strip(), style)

    def _string(self, written: str) -> str:
        if self._strings_held is None:
            self._strings_held = list(self._read_strings())
        try:
            place = int(written)
            if place >= 0:
                return self._strings_held[place]
        except (ValueError, IndexError):
            pass
        count = len(self._strings_held)
        raise DamagedError(
            say("a cell refers to shared string {place!r}; there are {count}", place=written[:20], count=count)
        )

    def _read_strings(self) -> Iterator[str]:
        whole: Any = None
        with closing(self.events(self._strings_part, "start", "end")) as elements:
            for event, name, element in elements:
                whole = element if whole is None else whole
                if name == "si" and event == "end":
                    yield _text_of(element)
                    del whole[:]

    def _number(self, written: str, style: str | None) -> Any:
        try:
            number: int | float = int(written) if _INTEGER.match(written) else float(written)
        except ValueError:
            raise DamagedError(say("expected a number in a cell, found {number!r}", number=written[:40])) from None
        if isinstance(number, float) and number.is_integer() and abs(number) < _EXACT:
            number = int(number)  # some programs write 7.0
        kind = self._dates.get(style or "")
        return number if kind is None else self._date(number, kind)

    def _date(self, number: float, kind: str) -> Any:
        """Return the time of a number; the number itself if it is outside the calendar."""
        from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

        epoch = MAC_EPOCH if self._since_1904 else WINDOWS_EPOCH
        with suppress(ValueError, OverflowError, TypeError):
            moment = from_excel(number, epoch, timedelta=kind == "duration")
            if kind == "day" and isinstance(moment, datetime) and moment.time() == time():
                return moment.date()
            return moment
        return number

    def _listed(self, main: str) -> list[tuple[str, str]]:
        """Return the titles of the sheets and the ids of their relationships."""
        listed = []
        with closing(self.events(main, "end")) as elements:
            for _, name, element in elements:
                if name == "workbookPr":
                    self._since_1904 = element.get("date1904", "0").lower() in ("1", "true")
                elif name == "sheet":
                    keys = (value for key, value in element.items() if key.rpartition("}")[2] == "id")
                    listed.append((element.get("name", ""), next(keys, "")))
        return listed

    def _targets(self, part: str, kind: str) -> dict[str, str]:
        """Return the parts of one kind that a part refers to, by relationship id."""
        folder, _, name = part.rpartition("/")
        relations = join(folder, "_rels", f"{name}.rels")
        if _plain(relations) not in self._names:
            return {}
        targets = {}
        with closing(self.events(relations, "end")) as elements:
            for _, tag, element in elements:
                if tag == "Relationship" and element.get("Type", "").lower().endswith(f"/{kind}"):
                    target = element.get("Target", "").replace("\\", "/")
                    targets[element.get("Id", "")] = normpath(join("/", folder, target)).lstrip("/")
        return targets

    def _date_styles(self, part: str) -> dict[str, str]:
        """Return the cell styles that show dates: "day", "moment" or "duration"."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

        formats = {**_EAST_ASIAN_DATES, **{str(number): code for number, code in BUILTIN_FORMATS.items()}}
        styles: list[str] = []
        within = False
        with closing(self.events(part, "start", "end")) as elements:
            for event, name, element in elements:
                if name == "cellXfs":
                    within = event == "start"
                elif name == "numFmt" and event == "end":
                    formats[element.get("numFmtId", "")] = element.get("formatCode", "")
                elif name == "xf" and within and event == "start":
                    styles.append(element.get("numFmtId", "0"))
        dates = {}
        for place, number in enumerate(styles):
            code = formats.get(number, "")
            if is_timedelta_format(code):
                dates[str(place)] = "duration"
            elif is_date_format(code):
                dates[str(place)] = "moment" if _TIME_OF_DAY.search(_LITERAL.sub("", code)) else "day"
        return dates


@frozen
class WorkSheet:
    """A sheet of a package; implements ``sheets.Sheet``."""

    package: XlsxPackage
    title: str
    part: str

    def lines(self) -> Generator[SheetLine, None, None]:
        """Yield the rows that are not blank."""
        number = 0
        parents: list[Any] = []
        with closing(self.package.events(self.part, "start", "end")) as elements:
            for event, name, element in elements:
                if event == "start":
                    parents.append(element)
                    if name == "row":
                        number = _row_number(element, number)
                    continue
                parents.pop()
                if name == "row":
                    line = self._line(element, number)
                    if line.filled:
                        yield line
                if name in ("row", "sheetData") or len(parents) == 1:
                    # A part may have more rows than fit into memory.
                    element.clear()
                    if parents:
                        del parents[-1][:]

    def merges(self) -> list[MergedCells]:
        """Return the merged cells, which follow the rows in the XML; the rows are not parsed."""
        merges: list[MergedCells] = []
        before = b""
        with self.package.open(self.part) as part:
            while (piece := part.read(_SCAN_BYTES)) and len(merges) < _MOST_MERGES:
                data = before + piece
                end = 0
                for match in _MERGE.finditer(data):
                    first_column, first_row, last_column, last_row = match.groups()
                    merge = MergedCells(int(first_row), _column(first_column), int(last_row), _column(last_column))
                    merges.append(merge)
                    end = match.end()
                before = data[max(end, len(data) - _MERGE_BYTES) :]
        return merges

    def _line(self, row: Any, number: int) -> SheetLine:
        values: dict[int, Any] = {}
        formulas: dict[int, str] = {}
        column = 0
        for cell in row:
            if cell.tag.rpartition("}")[2] != "c":
                continue
            column = _cell_column(cell, column)
            value, formula = self.package.value(cell)
            values[column - 1] = value
            if formula is not None:
                formulas[column - 1] = formula
        width = max((place for place, value in values.items() if value is not None or place in formulas), default=-1)
        return SheetLine(number, tuple(values.get(place) for place in range(width + 1)), formulas)


def _row_number(row: Any, before: int) -> int:
    written = row.get("r")
    if written is None:
        return before + 1
    if not written.isdecimal() or len(written) > 20:
        raise DamagedError(say("expected a row number, found {number!r}", number=written[:40]))
    return int(written)


def _cell_column(cell: Any, before: int) -> int:
    """Return the column of a cell from 1; if it is not stated, the column after the previous cell."""
    written = cell.get("r")
    match = None if written is None else _REFERENCE.match(written.lstrip("$"))
    if written is not None and match is None:
        raise DamagedError(say("expected a cell reference, found {place!r}", place=written[:40]))
    column = before + 1 if match is None else _column(match[1].upper().encode())
    if column > HIGHEST_COLUMN:
        raise DamagedError(
            say("a cell lies in column {column}, beyond the last column, XFD", column=match[1] if match else column)
        )
    return column


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _text_of(element: Any) -> str:
    """Return the text of a string with all its runs, without phonetic guides."""
    pieces: list[str] = []
    for child in element:
        name = child.tag.rpartition("}")[2]
        if name == "t":
            pieces.append(child.text or "")
        elif name == "r":
            pieces += [part.text or "" for part in child if part.tag.rpartition("}")[2] == "t"]
    return _unescaped("".join(pieces))


def _unescaped(text: str) -> str:
    """Decode characters that XML cannot hold, which a package writes as _xHHHH_."""
    if "_x" not in text:
        return text
    unescaped = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escaped(text: str) -> str:
    r"""Escape text as in a package; the inverse of reading.

    >>> escaped("a\x0b_x0041_")
    'a_x000B__x005F_x0041_'
    """
    text = _ESCAPE.sub(lambda match: f"_x005F{match[0]}", text)
    return "".join(f"_x{ord(sign):04X}_" if _is_control(sign) else sign for sign in text)


def _is_control(sign: str) -> bool:
    return (sign < " " and sign not in "\t\n") or "\ud800" <= sign <= "\udfff" or sign in "\ufffe\uffff"


def _moment(written: str) -> Any:
    """Return a time in ISO 8601, or a date if it has no time of day."""
    from openpyxl.utils.datetime import from_ISO8601

    try:
        return from_ISO8601(written.strip())  # type: ignore[no-untyped-call]
    except (ValueError, TypeError) as error:
        raise DamagedError(say("expected a date in a cell, found {time!r}", time=written[:40])) from error


def _plain(name: str) -> str:
    """Normalize the name of a part for comparison."""
    return name.replace("\\", "/").lstrip("/").lower()


def _by_number(name: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", name)
    return int(digits or 0), name


__all__ = ["DamagedError", "WorkSheet", "XlsxPackage", "escaped"]

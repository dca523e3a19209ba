"""Workbooks: every sheet has a header, and its other rows are documents. Needs the extra ``xlsx``.

The content of a file decides its type, not its name: XLSX packages, and HTML tables and XML Spreadsheets 2003, which
many systems export as ``.xls``. Hidden rows, columns and sheets are read like all others.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from whorl._internal.frozen import frozen
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import RowDates, first_dates
from whorl.corpus.encoding import decode_page
from whorl.corpus.formats.office.zip_parts import DAMAGE, DeclaresEntitiesError
from whorl.corpus.formats.sheets.markup_sheets import (
    MarkupBook,
    WrittenSheet,
    html_book,
    html_written,
    xml_book,
    xml_written,
)
from whorl.corpus.formats.sheets.ooxml import DamagedError, XlsxPackage, escaped
from whorl.corpus.formats.sheets.sheets import (
    CellError,
    Sheet,
    SheetHeader,
    SheetLine,
    header_of,
    plain_header,
    spelling,
)
from whorl.corpus.formats.tables.columns import USUAL_TEXTS, ColumnPositions, distinct, locate, with_usual_text
from whorl.corpus.rejects import Rejects
from whorl.corpus.signature import BIFF, OLE
from whorl.errors import InputError
from whorl.i18n import say
from whorl.release import missing_package

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_PROPERTIES = "docProps/core.xml"
_MOST_ROWS = 2**14
_CELL_BYTES = 64
_HEAD_BYTES = 4096
_ZIP = b"PK"
_OPEN_DOCUMENT = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
_BINARY_PART = b"xl/workbook.bin"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SPREADSHEET = b"urn:schemas-microsoft-com:office:spreadsheet"
_TITLE_WITH = re.compile(r"[\\*?:/\[\]]")
_DAMAGE = (*DAMAGE, struct.error, DamagedError, DeclaresEntitiesError)
"""Errors raised by the readers of a damaged workbook."""


@frozen
class _SheetRow:
    """A row that is not blank.

    Attributes:
        number: 0 for rows up to the header of its sheet, else its running number over all sheets.
        sheet: its title.
        place: the position of the row in messages.
        values: the cell values; None for a formula without a result.
        formulas: the formulas without a result, by column.
    """

    number: int
    sheet: str
    place: str
    values: tuple[Any, ...]
    formulas: Mapping[int, str]


@frozen
class _OpenWorkbook:
    """An open workbook.

    Attributes:
        book: its sheets.
        headers: the headers by sheet title.
        label: the file.
    """

    book: XlsxPackage | MarkupBook
    headers: Mapping[str, SheetHeader]
    label: str


@frozen
class _RowDocument:
    row: int
    text: str
    id: str | None
    order: str | None
    dated: RowDates | None = None
    others: dict[str, Any] | None = None


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the data rows of all sheets, without blank rows. Numbers and dates become text as displayed.

    Rejected: rows without text, rows of a sheet that lacks the text column, rows longer than ``max_row_bytes``, and
    rows with a formula that has no result. They are kept in a workbook.

    Raises:
        UsageError: openpyxl is not installed.
        InputError: the file is not a workbook or damaged, or no sheet has the text column.
    """
    columns = _plain_columns(columns)
    options = options._replace(text=columns.text)
    bad: list[int] = []
    with _opened(source, options) as opened:
        positions = _locate(opened, columns)
        notices = {name: value for place in positions.values() if place for name, value in place.notices.items()}
        group: list[_RowDocument] = []
        size = 0
        for row in _rows(opened):
            if row.number == 0:
                continue
            place = positions[row.sheet]
            document = _document(row, place, columns, options, rejects, source)
            if document is None:
                bad.append(row.number)
                continue
            names = distinct(opened.headers[row.sheet].names)
            if columns.others:
                document = replace(document, others=_named(row, names))
            if columns.dated and place is not None:
                dates = {names[at]: [_value(row, at)] for at in place.dates}
                document = replace(document, dated=first_dates(dates, 1))
            group.append(document)
            size += _size(document)
            if size >= options.block_bytes or len(group) >= _MOST_ROWS:
                yield replace(_batch(group, columns), notices=notices)
                group, size = [], 0
        if group:
            yield replace(_batch(group, columns), notices=notices)
    if bad:
        rejected = np.zeros(bad[-1], np.bool_)
        rejected[np.array(bad) - 1] = True
        rejects.keep_rows(source, rejected, write, options)


def _plain_columns(columns: Columns) -> Columns:
    """Return the columns with their names normalized like headers."""
    id_, order = (None if name is None else plain_header(name) for name in (columns.id, columns.order))
    return columns._replace(text=tuple(map(plain_header, columns.text)), id=id_, order=order)


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:
    """Write all sheets with their headers and the kept rows: values only, formulas as their last results.

    A formula without a result is written as text: reading has rejected such rows. Markup workbooks keep their kind of
    markup.

    Equal content gives equal bytes: the time of writing is left out. Return the number of rows written.
    """
    written = 0

    def kept(sheet: str) -> Iterator[Sequence[Any]]:
        nonlocal written
        for row in rows.get(sheet, ()):
            written += row.number > 0
            yield [row.formulas.get(place, value) for place, value in enumerate(row.values)]

    with _opened(source, options) as opened:
        if isinstance(opened.book, MarkupBook):
            rows: dict[str, list[_SheetRow]] = {}
            for row in _rows(opened):
                if not row.number or (row.number <= len(keep) and keep[row.number - 1]):
                    rows.setdefault(row.sheet, []).append(row)
            titles = [sheet.title for sheet in opened.book.sheets]
            sheets = [WrittenSheet(title, kept(title), opened.headers[title].merges) for title in titles]
            form = xml_written if _is_xml(source) else html_written
            with target.open("wb") as file:
                file.writelines(form(sheets))
            return written
        return _write_package(opened, opened.book, target, keep)


def _is_xml(source: Source) -> bool:
    with Path(source.path or "").open("rb") as file:
        return _SPREADSHEET in file.read(_HEAD_BYTES).replace(b"\0", b"")


def _write_package(opened: _OpenWorkbook, package: XlsxPackage, target: Path, keep: NDArray[np.bool_]) -> int:
    from openpyxl import Workbook
    from openpyxl.utils import get_column_letter

    written = 0
    output = Workbook(write_only=True)
    sheets = {sheet.title: output.create_sheet(sheet.title) for sheet in package.sheets}
    for title, header in opened.headers.items():
        for merge in header.merges:
            first, last = (merge.first_column, merge.first_row), (merge.last_column, merge.last_row)
            cells = f"{get_column_letter(first[0])}{first[1]}:{get_column_letter(last[0])}{last[1]}"
            sheets[title].merged_cells.add(cells)
    for row in _rows(opened):
        if row.number and not (row.number <= len(keep) and keep[row.number - 1]):
            continue
        values = (row.formulas.get(place, value) for place, value in enumerate(row.values))
        sheets[row.sheet].append([_cell(sheets[row.sheet], value) for value in values])
        written += row.number > 0
    _save(output, package.properties, target)
    return written


def _cell(sheet: Any, value: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell

    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number and not isinstance(value, str):
        return WriteOnlyCell(sheet, value)
    cell: Any = WriteOnlyCell(sheet)
    if is_number:
        # openpyxl writes 16 digits, which would merge ids that differ later.
        cell._value, cell.data_type = repr(value), "n"  # noqa: SLF001
        return cell
    # Setting `value` would cut the text to 32,767 characters, and refuse control characters.
    cell._value, cell.data_type = (str(value), "e") if isinstance(value, CellError) else (escaped(value), "s")  # noqa: SLF001
    return cell


@contextmanager
def _opened(source: Source, options: ReadOptions) -> Iterator[_OpenWorkbook]:
    """Open the workbook of ``source``, with the last results of its formulas."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise missing_package(
            say("{what} needs {package}", what=say("reading {path}", path=source.label), package="openpyxl"), "xlsx"
        ) from None
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(source.path or "").open("rb"))
            book = _book(file, source.label, options)
        except _DAMAGE as error:
            raise _unreadable(source.label, error) from error
        _demand_titles(book, source.label)
        try:
            headers = {sheet.title: _header(sheet, options.text) for sheet in book.sheets}
        except _DAMAGE as error:
            raise _damaged(source.label, _reason(error)) from error
        yield _OpenWorkbook(book, headers, source.label)


def _book(file: IO[bytes], label: str, options: ReadOptions) -> XlsxPackage | MarkupBook:
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    _refuse_others(file, head, label)
    if head.startswith(_ZIP):
        return XlsxPackage(file)
    data = file.read()
    if _SPREADSHEET in head.replace(b"\0", b""):
        return xml_book(data)
    if b"<" not in head.replace(b"\0", b"").strip()[:8]:
        raise DamagedError(say("expected an XLSX file, an HTML table or an XML Spreadsheet"))
    return html_book(decode_page(data, options.encoding).text)


def _refuse_others(file: IO[bytes], head: bytes, label: str) -> None:
    """Refuse proprietary workbooks, each with how to convert it."""
    reason = None
    if head.startswith(OLE) and any(_ENCRYPTED in piece for piece in _pieces(file)):
        raise InputError(
            say("cannot read {label}: {reason}", label=label, reason=say("the workbook is encrypted")),
            hint=say("save it without a password, as .xlsx"),
        )
    if head.startswith(OLE) or BIFF.match(head):
        reason = say("it is a binary workbook from Excel 97-2003 (.xls)")
    elif _OPEN_DOCUMENT in head:
        reason = say("it is an OpenDocument spreadsheet (.ods)")
    elif head.startswith(_ZIP) and any(_BINARY_PART in piece for piece in _pieces(file)):
        reason = say("it is a binary Excel workbook (.xlsb)")
    elif head.lstrip().lower().startswith((b"mime-version:", b"from: ")):
        reason = say("it is a single-file web page (.mht)")
    file.seek(0)
    if reason is not None:
        raise InputError(say("cannot read {label}: {reason}", label=label, reason=reason), hint=say("save it as .xlsx"))


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file from its beginning, in overlapping pieces."""
    file.seek(0)
    before = b""
    while piece := file.read(2**20):
        yield before + piece
        before = piece[-len(_ENCRYPTED) :]


def _unreadable(label: str, error: Exception) -> InputError:
    return InputError(
        say("cannot read {label} as a workbook: {error}", label=label, error=_reason(error)),
        hint=say("save it again as .xlsx"),
    )


def _demand_titles(book: XlsxPackage | MarkupBook, label: str) -> None:
    """Refuse sheet titles that are ambiguous or could not be written again."""
    titles = [sheet.title for sheet in book.sheets]
    for title in titles:
        if not title or _TITLE_WITH.search(title) or titles.count(title) > 1:
            raise _damaged(label, say("invalid sheet name {title!r}", title=title))


def _header(sheet: Sheet, text_columns: Sequence[str]) -> SheetHeader:
    names = tuple(text_columns) or ("text",)
    header = header_of(sheet, names)
    return header_of(sheet, USUAL_TEXTS) if names == ("text",) and "text" not in header.names else header


def _locate(opened: _OpenWorkbook, columns: Columns) -> dict[str, ColumnPositions | None]:
    """Return the positions of the columns per sheet; None for a sheet without the text columns.

    If no sheet has them, each sheet uses its usual text column.
    """
    positions: dict[str, ColumnPositions | None] = {}
    headers = [name for header in opened.headers.values() for name in header.names]
    is_named = any(name in headers for name in columns.text)
    for title, header in opened.headers.items():
        label = f"{opened.label}, sheet {title}"
        chosen = columns if is_named else with_usual_text(columns, header.names, label)
        has_text = any(name in header.names for name in chosen.text)
        positions[title] = locate(columns, header.names, label) if has_text else None
    if headers and not any(positions.values()):
        locate(columns, list(dict.fromkeys(headers)), opened.label)
    return positions


def _rows(opened: _OpenWorkbook) -> Iterator[_SheetRow]:
    number = 0
    for sheet in opened.book.sheets:
        above = opened.headers[sheet.title].above
        for line in _lines(sheet, opened.label):
            number += above <= 0
            yield _SheetRow(
                number if above <= 0 else 0, sheet.title, f"{sheet.title}!{line.number}", line.values, line.formulas
            )
            above -= 1


def _lines(sheet: Sheet, label: str) -> Iterator[SheetLine]:
    try:
        yield from sheet.lines()
    except _DAMAGE as error:
        raise _damaged(label, _reason(error)) from error


def _damaged(label: str, reason: str) -> InputError:
    return InputError(
        say("{label} is damaged: {reason}", label=label, reason=reason), hint=say("save it again as .xlsx")
    )


def _reason(error: Exception) -> str:
    if isinstance(error, DeclaresEntitiesError):
        return say("it declares XML entities, which no office program writes")
    return error.reason if isinstance(error, DamagedError) else str(error) or type(error).__name__


def _document(
    row: _SheetRow,
    positions: ColumnPositions | None,
    columns: Columns,
    options: ReadOptions,
    rejects: Rejects,
    source: Source,
) -> _RowDocument | None:
    """Return the document of a row; a row without one is recorded as rejected."""
    column_names = ", ".join(map(repr, columns.text))
    parts = [] if positions is None else [_value(row, place) for place in positions.text]
    text = "\n".join(part or "" for part in parts)
    fault = None
    if positions is None:
        fault = say("sheet {sheet!r} has no column {asked}", sheet=row.sheet, asked=column_names)
    elif row.formulas:
        fault = say(
            "{count} formulas have no result: save it in a program that calculates them", count=len(row.formulas)
        )
    elif all(part is None for part in parts):
        fault = say("column {asked} is empty", asked=column_names)
    elif len(text.encode()) > options.max_row_bytes:
        fault = say("the text exceeds the maximum size of a row")
    if fault is not None or positions is None:
        rejects.note(source, row=row.number, line=row.place, reason=fault or "", size=len(text.encode()))
        return None
    return _RowDocument(row.number, text, _value(row, positions.id), _value(row, positions.order))


def _named(row: _SheetRow, names: Sequence[str]) -> dict[str, Any]:
    """Return the cells by the column names of their sheet; cells beyond the header by their position."""
    width = max(len(names), len(row.values))
    return dict(zip(distinct([*names, *[""] * (width - len(names))]), row.values, strict=False))


def _size(document: _RowDocument) -> int:
    """Estimate the memory of a document in bytes."""
    others = () if document.others is None else document.others.values()
    cells = sum(_CELL_BYTES + (len(value) if isinstance(value, str) else 0) for value in others)
    return len(document.text.encode()) + cells


def _value(row: _SheetRow, place: int | None) -> str | None:
    return None if place is None or place >= len(row.values) else spelling(row.values[place])


def _batch(documents: list[_RowDocument], columns: Columns) -> Batch:
    order: Any = None
    dates: Counter[str] = Counter()
    if columns.dated:
        dated = [document.dated for document in documents if document.dated is not None]
        order = np.concatenate([row_dates.values for row_dates in dated])
        for row_dates in dated:
            dates.update(row_dates.rows_by_column())
    elif columns.order is not None:
        order = pa.array([document.order for document in documents], pa.string())
    return Batch(
        texts=pa.array([document.text for document in documents], pa.string()),
        ids=pa.array([document.id for document in documents], pa.string()),
        order=order,
        rows=np.array([document.row for document in documents], np.int64),
        others=[document.others or {} for document in documents] if columns.others else None,
        dates=dates,
    )


def _save(output: Any, properties: bytes | None, target: Path) -> None:
    """Save without the time of day, which openpyxl writes into the archive and the properties."""
    plain = BytesIO()
    output.save(plain)
    with zipfile.ZipFile(plain) as plain_archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as final:
        for name in plain_archive.namelist():
            data = properties if name == _PROPERTIES and properties is not None else plain_archive.read(name)
            final.writestr(zipfile.ZipInfo(name, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)


__all__ = ["read", "write"]

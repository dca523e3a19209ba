"""XLSX workbooks: every sheet has a header row, and its other rows are documents. Needs the extra ``xlsx``."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import numpy as np
import pyarrow as pa

from whorl.corpus.columns import Positions, distinct, locate
from whorl.corpus.contract import Batch, Columns, ReadOptions, Source
from whorl.corpus.dates import Dated, first_dates
from whorl.corpus.rejected import Rejects
from whorl.errors import InputError
from whorl.language import say
from whorl.release import missing_package

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_PROPERTIES = "docProps/core.xml"
_MOST_ROWS = 2**14
_CELL_BYTES = 64
_FORMULA = b"<f"
_SCAN_BYTES = 2**20
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    SyntaxError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
)
"""What openpyxl, and what it reads with, raise at a workbook that is broken inside; at nothing else they are asked."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that is not blank.

    Attributes:
        number: 0 for the header of its sheet, else its running number over all sheets.
        sheet: its title.
        place: of the row, for people.
        values: of its cells; None for a formula without a result.
        formulas: the cells that are such formulas, by their place.
    """

    number: int
    sheet: str
    place: str
    values: tuple[Any, ...]
    formulas: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Document:
    row: int
    text: str
    id: str | None
    order: str | None
    dated: Dated | None = None
    others: dict[str, Any] | None = None


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the data rows of all sheets; blank rows are none. Numbers and dates become their strings.

    Rejected: rows without text, rows of a sheet that lacks the text column, rows longer than ``max_row_bytes``, and
    rows with a formula that has no result. They are kept in a workbook.

    Raises:
        UsageError: openpyxl is not installed.
        InputError: the file is not a workbook or damaged, or no sheet has the text column.
    """
    bad: list[int] = []
    with _opened(source) as workbook:
        positions = _locate(workbook, columns, source.label)
        held: list[_Document] = []
        names: list[str] = []
        size = 0
        for row in _rows(workbook, source):
            if row.number == 0:
                names = distinct([_string(value) or "" for value in row.values])
                continue
            document = _document(row, positions[row.sheet], columns, options, rejects, source)
            if document is None:
                bad.append(row.number)
                continue
            if columns.others:
                document = replace(document, others=_named(row, names))
            place = positions[row.sheet]
            if columns.dated and place is not None:
                dates = {names[at]: [_value(row, at)] for at in place.dates}
                document = replace(document, dated=first_dates(dates, 1))
            held.append(document)
            size += _size(document)
            if size >= options.block_bytes or len(held) >= _MOST_ROWS:
                yield _batch(held, columns)
                held, size = [], 0
        if held:
            yield _batch(held, columns)
    target = rejects.path_of(source) if bad else None
    if target is not None:
        rejected = np.zeros(bad[-1], np.bool_)
        rejected[np.array(bad) - 1] = True
        write(source, target, rejected, options)


def write(source: Source, target: Path, keep: NDArray[np.bool_], options: ReadOptions) -> int:  # noqa: ARG001
    """Write all sheets with their headers and the kept rows: values only, formulas as their last results.

    Where there is none, the formula itself is written, as text: reading has set such rows aside.

    Equal content gives equal bytes: the time of writing is left out. Return how many rows were written.
    """
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    written = 0
    output = Workbook(write_only=True)
    with _opened(source) as workbook:
        sheets = {sheet.title: output.create_sheet(sheet.title) for sheet in workbook.worksheets}
        for row in _rows(workbook, source):
            if row.number and not (row.number <= len(keep) and keep[row.number - 1]):
                continue
            values = [row.formulas.get(place, value) for place, value in enumerate(row.values)]
            cells: list[Any] = [WriteOnlyCell(sheets[row.sheet], value) for value in values]
            for cell, value in zip(cells, values, strict=True):
                if isinstance(value, str):
                    # What is set as `value` is cut to 32,767 characters.
                    cell._value, cell.data_type = value, "s"  # noqa: SLF001
            sheets[row.sheet].append(cells)
            written += row.number > 0
        _save(output, workbook.properties, target)
    return written


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """The workbook of ``source``, with the last results of its formulas."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise missing_package(
            say("{what} needs {package}", what=say("reading {path}", path=source.label), package="openpyxl"), "xlsx"
        ) from None
    with ExitStack() as stack:
        stack.enter_context(catch_warnings(action="ignore", category=UserWarning))
        try:
            file = stack.enter_context(Path(source.path or "").open("rb"))
            workbook = load_workbook(file, read_only=True, data_only=True)
        except (OSError, *_DAMAGE) as error:
            raise InputError(
                say("cannot read {label} as a workbook: {error}", label=source.label, error=error),
                cure=say("save it again as .xlsx"),
            ) from error
        stack.callback(workbook.close)
        _demand_titles(workbook, source.label)
        yield workbook


def _demand_titles(workbook: Any, label: str) -> None:
    """Refuse sheets that cannot be told apart, or could not be written again."""
    from openpyxl.workbook.child import INVALID_TITLE_REGEX

    titles = [sheet.title for sheet in workbook.worksheets]
    for title in titles:
        if not title or INVALID_TITLE_REGEX.search(title) or titles.count(title) > 1:
            raise _damaged(label, say("a sheet is called {title!r}", title=title))


def _locate(workbook: Any, columns: Columns, label: str) -> dict[str, Positions | None]:
    """Where the columns are, sheet by sheet; None for a sheet without the text columns."""
    found: dict[str, Positions | None] = {}
    headers: list[str] = []
    for sheet in workbook.worksheets:
        names = _header(sheet, label)
        headers += names
        known = any(name in names for name in columns.text)
        found[sheet.title] = locate(columns, names, f"{label}, sheet {sheet.title}") if known else None
    if headers and not any(found.values()):
        locate(columns, list(dict.fromkeys(headers)), label)
    return found


def _header(sheet: Any, label: str) -> list[str]:
    with closing(_lines(sheet, label)) as rows:
        first = next((values for values in rows if any(value is not None for value in values)), ())
    return [_string(value) or "" for value in first]


def _rows(workbook: Any, source: Source) -> Iterator[_Row]:
    number = 0
    with _formulas(source) as formulas:
        for sheet in workbook.worksheets:
            headed = False
            written = repeat(()) if formulas is None else _lines(formulas[sheet.title], source.label)
            for line, (values, own) in enumerate(zip(_lines(sheet, source.label), written, strict=False), 1):
                unknown = {
                    place: str(getattr(own[place], "text", own[place]))
                    for place, value in enumerate(values[: len(own)])
                    if value is None and own[place] is not None
                }
                if not unknown and all(value is None for value in values):
                    continue
                number += headed
                yield _Row(number if headed else 0, sheet.title, f"{sheet.title}!{line}", values, unknown)
                headed = True


@contextmanager
def _formulas(source: Source) -> Iterator[Any]:
    """The workbook with its formulas in place of their results; None if there are none, which is soon seen."""
    from openpyxl import load_workbook

    if not _has_formulas(source):
        yield None
        return
    with Path(source.path or "").open("rb") as file, closing(load_workbook(file, read_only=True)) as workbook:
        yield workbook


def _has_formulas(source: Source) -> bool:
    try:
        with zipfile.ZipFile(source.path or "") as archive:
            return any(_holds(archive, name) for name in archive.namelist() if name.startswith("xl/worksheets/"))
    except _DAMAGE as error:
        raise _damaged(source.label, _told(error)) from error


def _holds(archive: zipfile.ZipFile, name: str) -> bool:
    """Whether a sheet has an element of formulas, or another whose name begins like it."""
    last = b""
    with archive.open(name) as sheet:
        while piece := sheet.read(_SCAN_BYTES):
            if _FORMULA in last + piece:
                return True
            last = piece[-1:]
    return False


def _lines(sheet: Any, label: str) -> Generator[tuple[Any, ...], None, None]:
    """The values of all lines of a sheet, blank ones among them."""
    try:
        for values in sheet.iter_rows(values_only=True):
            yield tuple(values)
    except _DAMAGE as error:
        raise _damaged(label, _told(error)) from error


def _damaged(label: str, reason: str) -> InputError:
    return InputError(
        say("{label} is damaged: {reason}", label=label, reason=reason), cure=say("save it again as .xlsx")
    )


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


def _document(
    row: _Row,
    positions: Positions | None,
    columns: Columns,
    options: ReadOptions,
    rejects: Rejects,
    source: Source,
) -> _Document | None:
    """The document of a row; a row that has none is noted as rejected."""
    asked = ", ".join(map(repr, columns.text))
    parts = [] if positions is None else [_value(row, place) for place in positions.text]
    text = "\n".join(part or "" for part in parts)
    fault = None
    if positions is None:
        fault = say("sheet {sheet!r} has no column {asked}", sheet=row.sheet, asked=asked)
    elif row.formulas:
        fault = say(
            "{count} formulas without a result: save it in a program that works them out", count=len(row.formulas)
        )
    elif all(part is None for part in parts):
        fault = say("column {asked} is empty", asked=asked)
    elif len(text.encode()) > options.max_row_bytes:
        fault = say("the text is longer than a row may be")
    if fault is not None or positions is None:
        rejects.note(source, row=row.number, line=row.place, reason=fault or "", size=len(text.encode()))
        return None
    return _Document(row.number, text, _value(row, positions.id), _value(row, positions.order))


def _named(row: _Row, names: Sequence[str]) -> dict[str, Any]:
    """The cells by the names of their sheet, those beyond the header by their places."""
    width = max(len(names), len(row.values))
    return dict(zip(distinct([*names, *[""] * (width - len(names))]), row.values, strict=False))


def _size(document: _Document) -> int:
    """About how much is held for a document, in bytes."""
    others = () if document.others is None else document.others.values()
    cells = sum(_CELL_BYTES + (len(value) if isinstance(value, str) else 0) for value in others)
    return len(document.text.encode()) + cells


def _value(row: _Row, place: int | None) -> str | None:
    return None if place is None or place >= len(row.values) else _string(row.values[place])


def _string(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _batch(documents: list[_Document], columns: Columns) -> Batch:
    order: Any = None
    dates: Counter[str] = Counter()
    if columns.dated:
        dated = [document.dated for document in documents if document.dated is not None]
        order = np.concatenate([one.values for one in dated])
        for one in dated:
            dates.update(one.rows_by_column())
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


def _save(output: Any, properties: Any, target: Path) -> None:
    """Save without the time of day, which openpyxl writes into the archive and the properties."""
    from openpyxl.xml.functions import tostring

    plain = BytesIO()
    output.save(plain)
    with zipfile.ZipFile(plain) as made, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as final:
        for name in made.namelist():
            data = tostring(properties.to_tree()) if name == _PROPERTIES else made.read(name)
            final.writestr(zipfile.ZipInfo(name, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)


__all__ = ["read", "write"]

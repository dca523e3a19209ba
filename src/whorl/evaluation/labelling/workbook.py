"""The labeling workbook: two sheets of questions, and a hidden sheet with the data that ``score`` needs.

Sheets and columns are named in the current language when the workbook is written; both languages are read.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl._internal.atomic_file import appearing
from whorl._internal.frozen import frozen
from whorl._internal.visible_text import visible
from whorl.errors import InputError, UsageError
from whorl.evaluation.labelling.labels import ACCEPTED, read_label
from whorl.evaluation.labelling.sample import JUDGED, WIDER, LabelSide, Sample, describe_sample
from whorl.i18n import LANGUAGES, Message, say, translated
from whorl.release import missing_package

if TYPE_CHECKING:
    from collections.abc import Sequence

SHEETS = {JUDGED: say("judged a copy"), WIDER: say("found with a wider threshold")}
DEVELOPMENT, PRODUCT = say("development"), say("product")
_NUMBER = say("No.")
_SIDES = (say("removed"), say("kept"))
_PARTS = (say("id"), say("title"), say("content"), say("address"))
_HEADER = (
    _NUMBER,
    DEVELOPMENT,
    PRODUCT,
    say("similarity"),
    *(say("{side}: {part}", side=side, part=part) for part in _PARTS for side in _SIDES),
)
_RUN = "run"
_LONGEST_CELL = 32_000
_WIDTHS = (8, 10, 10, 10, 16, 16, 30, 30, 60, 60, 30, 30)


@frozen
class PairLabels:
    """Labels of one pair by both labelers: True for a copy, None if a labeler did not label."""

    development: bool | None
    product: bool | None

    @property
    def verdict(self) -> bool:
        """The deciding label: that of the product team, which labels last, or that of the development team."""
        return bool(self.development if self.product is None else self.product)


@frozen
class Labelled:
    """A labeled workbook.

    Attributes:
        answers: labels by stratum.
        run: the result of ``describe_sample`` when the sample was drawn.
    """

    answers: Mapping[str, tuple[PairLabels, ...]]
    run: Mapping[str, Any]


def write_book(sample: Sample, path: Path) -> None:
    """Write the workbook. Cells are always plain text, never formulas; hidden characters are named.

    Raises:
        UsageError: openpyxl is not installed, or the file already exists.
    """
    openpyxl = _openpyxl("writing a workbook")
    if path.exists():
        raise UsageError(
            say("{path} already exists", path=path),
            hint=say("choose another name: existing labels are never overwritten"),
        )
    book = openpyxl.Workbook(write_only=True)
    for name, title in SHEETS.items():
        sheet = book.create_sheet(translated(title))
        sheet.freeze_panes = "E2"
        for number, width in enumerate(_WIDTHS):
            sheet.column_dimensions[chr(ord("A") + number)].width = width
        sheet.append(_cells(sheet, [translated(name) for name in _HEADER]))
        for number, question in enumerate(sample.questions[name], 1):
            sides = zip(_parts(question.removed), _parts(question.kept), strict=True)
            sheet.append(
                _cells(sheet, (number, None, None, question.figure, *(part for side in sides for part in side)))
            )
    hidden = book.create_sheet(_RUN)
    hidden.sheet_state = "hidden"
    hidden.append(_cells(hidden, (json.dumps(describe_sample(sample), ensure_ascii=True),)))
    with appearing(path) as place:
        book.save(place)


def _parts(side: LabelSide) -> tuple[str, ...]:
    return side.id, side.title, side.text, side.url


def _cells(sheet: Any, values: Sequence[Any]) -> list[Any]:
    from openpyxl.cell import WriteOnlyCell

    cells = [WriteOnlyCell(sheet, _safe(value) if isinstance(value, str) else value) for value in values]
    for cell, value in zip(cells, values, strict=True):
        if isinstance(value, str):
            cell.data_type = "s"
    return cells


def _safe(text: str) -> str:
    visible_text = visible(text)
    return visible_text if len(visible_text) <= _LONGEST_CELL else f"{visible_text[:_LONGEST_CELL]}…"


def read_book(path: Path) -> Labelled:
    """Read a labeled workbook.

    Raises:
        UsageError: openpyxl is not installed.
        InputError: the file is not a workbook of ``whorl eval sample``, or its labels are incomplete, unreadable or
            contradictory.
    """
    values = _values(path)
    titles = {
        name: next((candidate for candidate in values if _is(candidate, title)), None) for name, title in SHEETS.items()
    }
    if _RUN not in values or None in titles.values():
        hint = say("use a workbook written by `whorl eval sample`, with all its sheets")
        raise InputError(say("{path} has the sheets {names}", path=path, names=", ".join(values)), hint=hint)
    try:
        run = json.loads(values[_RUN][0][0])
        counts = {name: int(run["strata"][name]["asked"]) for name in SHEETS}
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise InputError(
            say("{path}: the sheet '{name}' is damaged", path=path, name=_RUN),
            hint=say("use an undamaged copy of the file"),
        ) from error
    sheets = {name: _Sheet(path, title, values[title], counts[name]) for name, title in titles.items() if title}
    labellers = _labellers(path, list(sheets.values()))
    return Labelled({name: tuple(sheet.answers(labellers)) for name, sheet in sheets.items()}, run)


def _is(written: object, name: Message) -> bool:
    """Return True if a sheet or column has this name in either language."""
    return written in [translated(name, language) for language in LANGUAGES]


def _values(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the cell values of a workbook, by sheet and row."""
    openpyxl = _openpyxl(say("reading {path}", path=path))
    try:
        with path.open("rb") as file, closing(openpyxl.load_workbook(file, read_only=True, data_only=True)) as book:
            return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(
            say("cannot read {path} as a workbook: {error}", path=path, error=error), hint=say("save it again as .xlsx")
        ) from error


class _Sheet:
    """The rows of a sheet by number, each exactly once."""

    def __init__(self, path: Path, title: str, rows: Sequence[tuple[Any, ...]], count: int) -> None:
        self._path, self._title = path, title
        names = rows[0] if rows else ()
        columns = (_NUMBER, DEVELOPMENT, PRODUCT)
        places = {column: [place for place, name in enumerate(names) if _is(name, column)] for column in columns}
        missing = [name for name, positions in places.items() if not positions]
        if missing:
            raise InputError(
                say("{path}, sheet {title}: there is no column {missing}", path=path, title=title, missing=missing[0]),
                hint=say("restore it"),
            )
        self._places = {name: positions[0] for name, positions in places.items()}
        self._rows: dict[int, tuple[int, dict[Message, bool | None]]] = {}
        for line, values in enumerate(rows[1:], 2):
            if any(value is not None for value in values):
                self._add(line, values)
        lost = sorted(set(range(1, count + 1)) - self._rows.keys())
        if lost or len(self._rows) != count:
            hint = say("keep every row of the sample, and add none")
            message = say(
                "{path}, sheet {title}: {found} of {count} rows",
                path=path,
                title=title,
                found=len(self._rows),
                count=count,
            )
            if lost:
                message = say("{message}; number {number} is missing", message=message, number=lost[0])
            raise InputError(message, hint=hint)

    def _add(self, line: int, values: Sequence[Any]) -> None:
        number = values[self._places[_NUMBER]]
        if not isinstance(number, int):
            raise self.refused(
                line, say("the number is {number!r}", number=number), say("keep the numbers as they were")
            )
        labels = {name: self._label(line, values, name) for name in (DEVELOPMENT, PRODUCT)}
        before = self._rows.setdefault(number, (line, labels))
        if before[0] != line:
            message = say("number {number} is already in row {row}", number=number, row=before[0])
            if before[1] != labels:
                message = say("{message} with other labels", message=message)
            raise self.refused(line, message, say("keep one of them"))

    def _label(self, line: int, values: Sequence[Any], name: Message) -> bool | None:
        place = self._places[name]
        value = values[place] if place < len(values) else None
        if value is None or not str(value).strip():
            return None
        label = read_label(value)
        if label is None:
            raise self.refused(
                line, say("{name} is {value!r}", name=name, value=value), say("write {accepted}", accepted=ACCEPTED)
            )
        return label

    def refused(self, line: int, message: str, hint: str) -> InputError:
        return InputError(
            say(
                "{path}, sheet {title}, row {line}: {message}",
                path=self._path,
                title=self._title,
                line=line,
                message=message,
            ),
            hint=hint,
        )

    def labels(self, name: Message) -> Iterator[tuple[int, bool | None]]:
        """Yield the line of each row with the label of one labeler."""
        return ((line, labels[name]) for line, labels in self._rows.values())

    def answers(self, labellers: Sequence[Message]) -> Iterator[PairLabels]:
        for _, (_, labels) in sorted(self._rows.items()):
            yield PairLabels(*(labels[name] if name in labellers else None for name in (DEVELOPMENT, PRODUCT)))


def _labellers(path: Path, sheets: Sequence[_Sheet]) -> list[Message]:
    """Return the labelers; one who labeled any row must have labeled all rows."""
    begun = [
        name
        for name in (DEVELOPMENT, PRODUCT)
        if any(label is not None for sheet in sheets for _, label in sheet.labels(name))
    ]
    for name in begun:
        for sheet in sheets:
            for line, label in sheet.labels(name):
                if label is None:
                    raise sheet.refused(
                        line,
                        say("{name} is empty, and filled elsewhere", name=name),
                        say("label every row: {accepted}", accepted=ACCEPTED),
                    )
    if not begun:
        raise InputError(
            say("{path} has no labels", path=path),
            hint=say(
                "fill the column {development} or {product}: {accepted}",
                development=DEVELOPMENT,
                product=PRODUCT,
                accepted=ACCEPTED,
            ),
        )
    return begun


def _openpyxl(purpose: str) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise missing_package(say("{what} needs {package}", what=purpose, package="openpyxl"), "xlsx") from None
    return openpyxl


__all__ = ["DEVELOPMENT", "PRODUCT", "SHEETS", "Labelled", "PairLabels", "read_book", "write_book"]

"""Statistics of copies as a page, as CSV and Excel tables, and for the terminal."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from datetime import datetime
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

from whorl._internal.visible_text import visible
from whorl.i18n import Language, Message, say, say_many, translated
from whorl.release import __version__, missing_package
from whorl.reports.comparison.wording import RELATIONS
from whorl.reports.html import render

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.types.copies import CopyFigures, CopyRecord, CopyStatistics

CSV_MARK = b"name,site,period,articles,"
"""Beginning of statistics in CSV."""
XLSX_MARK = b"whorl statistics"
"""Mark at the end of workbooks with statistics."""
VERDICTS: Mapping[str, Message] = {
    "copy": say("without permission"),
    "reprint": say("with permission"),
    "syndication": say("published by the owner"),
    "undetermined": say("undetermined"),
}
GROUPS: Mapping[str, Message] = {
    "site": say("site"),
    "author": say("author"),
    "work": say("work"),
    "day": say("day"),
    "month": say("month"),
    "year": say("year"),
}
_COUNTS: Mapping[str, Message] = {
    "articles": say("articles copied"),
    "registered": say("of articles"),
    "copies": say("copies and reprints"),
    "addresses": say("addresses"),
    "characters": say("characters copied"),
    "unpermitted": VERDICTS["copy"],
    "permitted": VERDICTS["reprint"],
    "syndicated": VERDICTS["syndication"],
    "undetermined": VERDICTS["undetermined"],
    "confirmed": say("confirmed"),
    "removed": say("taken down"),
    "median_days": say("median days to removal"),
}
_BRIEF: Mapping[str, Message] = {
    "articles": say("articles"),
    "unpermitted": say("unpermitted"),
    "permitted": say("permitted"),
    "removed": say("taken down"),
    "median_days": say("days"),
}
"""Columns for the terminal, with short headings."""
_ON_PAGE = (
    *("articles", "characters", "unpermitted", "permitted", "syndicated", "undetermined"),
    *("confirmed", "removed", "median_days"),
)
COLUMNS: Mapping[str, Message] = {name: _COUNTS[name] for name in _ON_PAGE}
"""Columns of pages with their headings."""
_IN_HEAD = ("copies", "articles", "characters", "unpermitted", "permitted", "confirmed", "removed", "median_days")
_RECORD: Mapping[str, Message] = {
    "article": say("article"),
    "title": say("title"),
    "author": say("author"),
    "work": say("work"),
    "site": say("site"),
    "addresses": say("addresses"),
    "relation": say("relation"),
    "share": say("copied share"),
    "characters": say("characters copied"),
    "verdict": say("verdict"),
    "is_confirmed": say("confirmed"),
    "found_at": say("found"),
    "removed_at": say("taken down"),
    "days_to_removal": say("days to removal"),
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LIMIT = 500
_LONGEST_CELL = 32_000
_NAME_WIDTH = 20


def render_copies(statistics: CopyStatistics, language: Language | None = None) -> str:
    """Render statistics of copies as a self-contained HTML page with at most 500 rows and 500 copies."""
    return render(
        "copies.html.j2",
        language,
        command="whorl library statistics",
        version=__version__,
        at=shown_time(statistics.made_at),
        statistics=statistics,
        title=headline(statistics),
        group=GROUPS[statistics.by],
        period=None if statistics.period is None else GROUPS[statistics.period],
        columns=COLUMNS,
        totals=[(_COUNTS[name], shown_figure(getattr(statistics.total, name))) for name in _IN_HEAD],
        relations=RELATIONS,
        verdicts=VERDICTS,
        figure=shown_figure,
        time=shown_time,
        rows=statistics.rows[:_LIMIT],
        copies=statistics.copies[:_LIMIT],
        limit=_LIMIT,
    )


def csv_copies(statistics: CopyStatistics) -> bytes:
    """Return the rows as CSV in UTF-8 with a byte order mark and English columns."""
    file = StringIO()
    writer = csv.writer(file)
    writer.writerow(["name", "site", "period", *_COUNTS, *(f"relation_{name}" for name in RELATIONS), "zone"])
    for row in statistics.rows:
        values = [row.name, row.site, row.period, *(getattr(row, name) for name in _COUNTS)]
        values += [row.relations.get(name, 0) for name in RELATIONS]
        writer.writerow(["" if value is None else _harmless(value) for value in (*values, statistics.zone)])
    return file.getvalue().encode("utf-8-sig")


def xlsx_copies(statistics: CopyStatistics, language: Language | None = None) -> bytes:
    """Return a workbook with sheets of the figures, of all copies, and of the scope of the figures.

    Raises:
        UsageError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise missing_package(say("Excel tables need openpyxl"), "xlsx") from None
    import zipfile

    book = Workbook()
    sheets = ((say("Figures"), _figure_rows(statistics)), (say("Copies"), _copy_rows(statistics)))
    for place, (name, rows) in enumerate((*sheets, (say("Scope"), _scope_rows(statistics)))):
        sheet: Any = book.active if not place else book.create_sheet()
        sheet.title = translated(name, language)
        sheet.freeze_panes = "A2" if place < len(sheets) else None
        for line, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                _fill(sheet.cell(line, column), value, language)
    file = BytesIO()
    book.save(file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = XLSX_MARK
    return file.getvalue()


def copies_table(statistics: CopyStatistics) -> Table:
    """Return the rows as a table for the terminal."""
    from rich.text import Text

    from whorl.reports.tables import new_table

    table = new_table(title_justify="left", padding=(0, 1, 0, 0))
    names = _names(statistics)
    for heading, _ in names:
        table.add_column(heading, overflow="fold", min_width=_NAME_WIDTH // len(names))
    for heading in _BRIEF.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for row in statistics.rows:
        labels = (Text(visible(value(row)) or translated(say("not known"))) for _, value in names)
        table.add_row(*labels, *(shown_figure(getattr(row, column)) for column in _BRIEF))
    return table


def headline(statistics: CopyStatistics) -> Message:
    """Return a sentence with the totals and the time zone."""
    total = statistics.total
    return say(
        "{copies} of {articles:,} of {registered:,} articles, {unpermitted:,} without permission, {removed:,} removed "
        "(times in {zone})",
        copies=say_many("{count:,} copy", "{count:,} copies", total.copies),
        articles=total.articles,
        registered=total.registered,
        unpermitted=total.unpermitted,
        removed=total.removed,
        zone=statistics.zone,
    )


def shown_figure(value: int | float | None) -> str:  # noqa: PYI041  # the type decides the format
    """Format a figure; None is a dash."""
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def shown_time(time: datetime | None) -> str:
    """Format a time with its offset; None is empty."""
    if time is None:
        return ""
    return f"{time:%Y-%m-%d %H:%M} {time.strftime('%z') or '+0000'}".replace("+0000", "UTC")


def _names(statistics: CopyStatistics) -> list[tuple[Message, Callable[[CopyFigures], str]]]:
    """Return the columns that identify a row."""
    names: list[tuple[Message, Callable[[CopyFigures], str]]] = []
    if statistics.period is not None:
        names.append((GROUPS[statistics.period], lambda row: row.period))
    names.append((GROUPS[statistics.by], lambda row: row.name))
    if statistics.by == "work":
        names.append((GROUPS["site"], lambda row: row.site))
    return names


def _figure_rows(statistics: CopyStatistics) -> list[list[Any]]:
    names = _names(statistics)
    relations = [name for name in RELATIONS if statistics.total.relations.get(name)]
    rows: list[list[Any]] = [[heading for heading, _ in names] + list(_COUNTS.values())]
    rows[0] += [RELATIONS[name] for name in relations]
    for row in statistics.rows:
        values: list[Any] = [value(row) for _, value in names]
        values += [getattr(row, name) for name in _COUNTS]
        rows.append(values + [row.relations.get(name, 0) for name in relations])
    return rows


def _copy_rows(statistics: CopyStatistics) -> list[list[Any]]:
    return [list(_RECORD.values()), *(list(map(_cell_of(copy), _RECORD)) for copy in statistics.copies)]


def _cell_of(copy: CopyRecord) -> Callable[[str], Any]:
    def cell(name: str) -> Any:
        value = getattr(copy, name)
        match name:
            case "addresses":
                return "\n".join(value)
            case "relation":
                return RELATIONS.get(value, value)
            case "verdict":
                return VERDICTS.get(value, value)
            case "is_confirmed":
                return "✓" if value else ""
            case "found_at" | "removed_at":
                return shown_time(value)
            case _:
                return value

    return cell


def _scope_rows(statistics: CopyStatistics) -> list[list[Any]]:
    return [
        [say("collection"), statistics.of],
        [say("time zone"), statistics.zone],
        [say("found at or after"), shown_time(statistics.since)],
        [say("found before"), shown_time(statistics.until)],
        [say("computed at"), shown_time(statistics.made_at)],
        [say("An article counts once for each site, whatever the number of its addresses and revisions there."), ""],
    ]


def _fill(cell: Any, value: Any, language: Language | None) -> None:
    text = translated(value, language) if isinstance(value, str) else value
    cell.value = visible(text)[:_LONGEST_CELL] if isinstance(text, str) else text
    if isinstance(text, str):
        cell.data_type = "s"
    elif isinstance(text, float):
        cell.number_format = "0.0"


def _harmless(value: Any) -> Any:
    """Return a value that no spreadsheet evaluates."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def copies_file(statistics: CopyStatistics, suffix: str) -> bytes:
    """Return statistics in the format of a file suffix: .csv, .xlsx, .pdf, or else HTML.

    Raises:
        UsageError: a package for the format is not installed.
        ResourceError: a PDF cannot be made.
    """
    if suffix == ".csv":
        return csv_copies(statistics)
    if suffix == ".xlsx":
        return xlsx_copies(statistics)
    page = render_copies(statistics)
    if suffix != ".pdf":
        return page.encode()
    from whorl.reports.pdf.printing import as_pdf

    return as_pdf(page)


__all__ = [
    "COLUMNS",
    "CSV_MARK",
    "GROUPS",
    "VERDICTS",
    "XLSX_MARK",
    "copies_file",
    "copies_table",
    "csv_copies",
    "headline",
    "render_copies",
    "shown_figure",
    "shown_time",
    "xlsx_copies",
]

"""``whorl library statistics --of``: count who copies the articles of a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.ui.report_options import HANDING_IN
from whorl.i18n import say

if TYPE_CHECKING:
    from whorl.types.copies import CopyStatistics

COPIES = "Copies of a collection"
Of = Annotated[
    str | None,
    typer.Option(
        "--of", metavar="COLLECTION", rich_help_panel=COPIES, help="Count who copies the articles of this collection."
    ),
]
Period = Annotated[
    str | None,
    typer.Option(metavar="day|month|year", rich_help_panel=COPIES, help="Divide the rows by the time of finding."),
]
Zone = Annotated[
    str | None,
    typer.Option(metavar="NAME", rich_help_panel=COPIES, help="Time zone, such as Asia/Shanghai. (default: UTC)"),
]
Sites = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", rich_help_panel=COPIES, help="Settings of the watch with the names of sites: sites.toml."
    ),
]
Table = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        rich_help_panel=HANDING_IN,
        help="Write a table: a .csv or .xlsx file.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "--html",
        metavar="REPORT",
        rich_help_panel=HANDING_IN,
        help="Write a report: an HTML page, or a PDF if the name ends with .pdf.",
    ),
]
_TABLES = (".csv", ".xlsx")


def show_copies(library: str, outputs: tuple[Path | None, Path | None], *, json: bool, **options: Any) -> None:
    """Count the copies of a collection, write them to files, and display them."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.monitor.findings.copy_statistics import copy_statistics
    from whorl.reports.copy_statistics import copies_table, headline
    from whorl.reports.tables import message_text

    _demand_writable(*outputs)
    statistics = copy_statistics(library, **{name: value for name, value in options.items() if value is not None})
    for path in filter(None, outputs):
        _write(path, statistics)
    if json:
        print_json(statistics.to_dict())
    else:
        print_view(message_text(headline(statistics), "bold"), copies_table(statistics))


def demand_of(**options: Any) -> None:
    """Refuse options that need ``--of``.

    Raises:
        UsageError: one of the options is used.
    """
    from whorl.errors import UsageError

    for name, value in options.items():
        if value is not None:
            raise UsageError(say("{option} needs a collection", option=f"--{name}"), hint=say("add --of protected"))


def _demand_writable(out: Path | None, table: Path | None) -> None:
    from whorl.errors import UsageError
    from whorl.reports.copy_statistics import CSV_MARK, XLSX_MARK
    from whorl.tasks.dedup.outputs import OutputKind, demand_free, kind_of

    if table is not None:
        if table.suffix.lower() not in _TABLES:
            raise UsageError(
                say("{path}: expected a table file name", path=table),
                hint=say("use one of the suffixes {suffixes}", suffixes=", ".join(_TABLES)),
            )
        mark = CSV_MARK if table.suffix.lower() == ".csv" else XLSX_MARK
        demand_free(table, OutputKind(say("table"), mark), [])
    if out is not None:
        if out.suffix.lower() in _TABLES:
            raise UsageError(
                say("{path}: expected a report file name, got that of a table", path=out),
                hint=say("use `table`, or the suffix .pdf or .html"),
            )
        demand_free(out, kind_of(out), [])


def _write(path: Path, statistics: CopyStatistics) -> None:
    from whorl.reports.copy_statistics import copies_file
    from whorl.tasks.dedup.outputs import write_whole

    write_whole(path, copies_file(statistics, path.suffix.lower()))


__all__ = ["Of", "Out", "Period", "Sites", "Table", "Zone", "demand_of", "show_copies"]

"""Options for submitted reports: a page or PDF, and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HANDING_IN = "Reports"

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "--html",
        metavar="REPORT",
        rich_help_panel=HANDING_IN,
        help="Write the report: an HTML page, or a PDF if the name ends with .pdf.",
    ),
]
Tables = Annotated[
    Path | None,
    typer.Option(
        "--table",
        metavar="FILE",
        rich_help_panel=HANDING_IN,
        help="Write the sources and passages as a table: a .csv, .xlsx or .docx file.",
    ),
]
Short = Annotated[
    bool,
    typer.Option("--short", rich_help_panel=HANDING_IN, help="Write only the summary of the report, without passages."),
]
Title = Annotated[
    str, typer.Option(metavar="TEXT", rich_help_panel=HANDING_IN, help="Title of the text. (default: its first line)")
]
Author = Annotated[str, typer.Option(metavar="NAME", rich_help_panel=HANDING_IN, help="Author of the text.")]
Date = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=HANDING_IN,
        help="Date column of the sources, so that the report can show their period.",
    ),
]

__all__ = ["HANDING_IN", "Author", "Date", "Out", "Short", "Tables", "Title"]

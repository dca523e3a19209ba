"""Options for repeated text within documents, of ``whorl strip`` and ``whorl dedup --inside``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

REPETITION = "Repeated text"
REVIEW = "Review before cutting"

KindName = Literal["lines", "sentences", "paragraphs", "passages"]
ActionName = Literal["cut", "mask", "tag"]

MinLength = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        rich_help_panel=REPETITION,
        help="Minimum length in letters (a Han character is three), or '20 tokens'. (default: 60, passages 150)",
    ),
]
Inside = Annotated[
    KindName | None,
    typer.Option(
        metavar="UNIT",
        rich_help_panel=REPETITION,
        help="Unit of repeated text: lines, sentences, paragraphs or passages. "
        "(default: passages; with --learn lines, with --approved as listed)",
    ),
]
MinLengthOrShort = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        rich_help_panel=REPETITION,
        help="Minimum length in letters (a Han character is three), or '20 tokens'. (default: 60, passages 150; "
        "with --learn 6, passages 60)",
    ),
]
RepeatsOrDocuments = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        rich_help_panel=REPETITION,
        help="Minimum number of occurrences, with --learn of documents. (default: 2, with --learn 3)",
    ),
]
Repeats = Annotated[
    int, typer.Option(min=2, metavar="N", rich_help_panel=REPETITION, help="Minimum number of occurrences.")
]
Per = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=REPETITION,
        help="Only compare documents with the same value in this column; an address counts as its host.",
    ),
]
KeepOccurrence = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        rich_help_panel=REPETITION,
        help="Text to keep: earliest, latest, longest, best, first, a column, or none. (default: earliest or longest)",
    ),
]
ActionOption = Annotated[
    ActionName,
    typer.Option(
        metavar="cut|mask|tag",
        rich_help_panel=REPETITION,
        help="Cut repeated text, mask it, or only list it in cuts.parquet (tag).",
    ),
]
Mask = Annotated[str, typer.Option(metavar="TEXT", rich_help_panel=REPETITION, help="Replacement of masked text.")]
DropBelow = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        rich_help_panel=REPETITION,
        help="Drop documents with cuts of which less than this length is left, in the measure of --least.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=REPETITION,
        help="Report what is removed from, and shared by, the values of this column, such as a source. "
        "(default: files)",
    ),
]
RepetitionMode = Annotated[
    Literal["measure", "filter"] | None,
    typer.Option(
        "--repetition",
        metavar="measure|filter",
        rich_help_panel=REPETITION,
        help="Measure the repetition within each document, or first drop those above the limits of Gopher.",
    ),
]
Learn = Annotated[
    bool,
    typer.Option(
        "--learn",
        rich_help_panel=REVIEW,
        help="Remove nothing; write a list for review, .csv or .jsonl, of the text that --repeats documents have, with "
        "--per url by site.",
    ),
]
Approved = Annotated[
    Path | None,
    typer.Option(
        metavar="LIST",
        rich_help_panel=REVIEW,
        help="Remove every occurrence of the text that a reviewed list of `whorl strip --learn` marks with cut, and "
        "nothing else.",
    ),
]


__all__ = [
    "REPETITION",
    "ActionName",
    "ActionOption",
    "Approved",
    "By",
    "DropBelow",
    "Inside",
    "KeepOccurrence",
    "KindName",
    "Learn",
    "Mask",
    "MinLength",
    "MinLengthOrShort",
    "Per",
    "Repeats",
    "RepeatsOrDocuments",
    "RepetitionMode",
]

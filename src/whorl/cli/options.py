"""Options shared by several commands.

Recipe options default to None, so that they override a recipe file only if they are used; the defaults are those of a
recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from csv import reader
from pathlib import Path
from typing import Annotated, Any

import typer

JUDGEMENT = "What is a copy"
READING = "What is read"
RUNNING = "How it runs"

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", show_default=False, help="Files, folders and quoted globs."),
]
Place = Annotated[
    str, typer.Argument(metavar="LIB", show_default=False, help="The folder of the library, or its address.")
]
Among = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only articles of this collection, such as protected. (default: all)"),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN,...",
        rich_help_panel=READING,
        help="Columns that make the text, joined by a newline; comma-separated or repeated. (default: text)",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=READING, help="Column that names an article. (default: id)"),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=READING,
        help="Encoding of text, HTML, JSONL and CSV files, such as gb18030 or big5. (default: found out)",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="GLOB",
        rich_help_panel=READING,
        help="Of folders and globs, read only files whose path below them matches, such as '**/*.jsonl'; repeatable.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="GLOB",
        rich_help_panel=READING,
        help="Of folders and globs, leave out files and folders whose path below them matches; repeatable.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="How copies are found: a method or preset of `whorl methods`. (default: minhash)",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="From which exact similarity on a text is a copy, above 0 and up to 1. (default: 0.8)",
    ),
]
Verify = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE",
        rich_help_panel=JUDGEMENT,
        help="The exact figure to reach: copied, jaccard, containment, cosine, euclidean or edit; none for the rule of "
        "the method alone.",
    ),
]
VerifyThreshold = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="From which value of it on a text is a copy. (default: --threshold)",
    ),
]
VerifyOver = Annotated[
    str | None,
    typer.Option(
        metavar="UNITS",
        rich_help_panel=JUDGEMENT,
        help="What it compares: shingles, code_points, or words by a mode of `whorl segment`. (default: shingles)",
    ),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE.toml",
        rich_help_panel=JUDGEMENT,
        help="Everything that decides, rarer parameters too; options on the command line override it.",
    ),
]
UserDictionary = Annotated[
    str | None,
    typer.Option(
        "--user-dict",
        metavar="FILE",
        help="Words on top of jieba's dictionary, a line each: word, frequency, tag; the last two may be left out.",
    ),
]
Hmm = Annotated[bool, typer.Option("--hmm/--no-hmm", help="Let jieba's model guess words that the dictionary lacks.")]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=RUNNING,
        help="Threads, and parsers, to use. (default: one a core)",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Say nothing of what goes well.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def verification(measure: str | None, threshold: float | None, over: str | None) -> dict[str, Any] | None:
    """Return the fields of ``[verify]`` set by options; None if no such option is used."""
    given = {"measure": measure, "threshold": threshold, "over": over}
    return {name: value for name, value in given.items() if value is not None} or None


def column_names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Split repeated, comma-separated names; None if the option is not used.

    A name in double quotes may contain commas.

    >>> column_names(["title, text", '"full text, edited"'])
    ('title', 'text', 'full text, edited')
    """
    if not given:
        return None
    # A list of columns for some files, such as qa/**=question,answer, stays one entry.
    parts = [[part] if "=" in part else next(reader([part], skipinitialspace=True), []) for part in given]
    return tuple(name.strip() for names in parts for name in names if name.strip())


__all__ = [
    "JUDGEMENT",
    "READING",
    "RUNNING",
    "Among",
    "Encoding",
    "Exclude",
    "Files",
    "Hmm",
    "Id",
    "Include",
    "Json",
    "Method",
    "Place",
    "Quiet",
    "RecipeFile",
    "Text",
    "Threshold",
    "UserDictionary",
    "Verify",
    "VerifyOver",
    "VerifyThreshold",
    "Workers",
    "column_names",
    "verification",
]

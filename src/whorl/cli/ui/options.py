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

JUDGEMENT = "Method"
READING = "Input"
RUNNING = "Execution"

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", show_default=False, help="Files, folders and quoted globs."),
]
Place = Annotated[
    str, typer.Argument(metavar="LIB", show_default=False, help="The folder of the library, or its address.")
]
InCollection = Annotated[
    str | None,
    typer.Option("--among", metavar="NAME", help="Only articles of this collection, such as protected. (default: all)"),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN,...",
        rich_help_panel=READING,
        help="Columns that make up the text, joined by a newline; comma-separated or repeated. (default: text)",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", rich_help_panel=READING, help="Column of document ids. (default: id)"),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=READING,
        help="Encoding of text, HTML, JSONL and CSV files, such as gb18030 or big5. (default: detected)",
    ),
]
Ocr = Annotated[
    bool,
    typer.Option(
        "--ocr",
        rich_help_panel=READING,
        help="Recognize the text of scanned pages and pictures, at 4 to 9 s a page; needs the extra ocr.",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="GLOB",
        rich_help_panel=READING,
        help="In folders and globs, read only files whose relative path matches, such as '**/*.jsonl'; repeatable.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="GLOB",
        rich_help_panel=READING,
        help="In folders and globs, skip files and folders whose relative path matches; repeatable.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A method or preset of `whorl methods`. (default: minhash)",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Minimum similarity of a duplicate, in (0, 1]. (default: by method; 0.8 for minhash)",
    ),
]
Verify = Annotated[
    str | None,
    typer.Option(
        metavar="MEASURE",
        rich_help_panel=JUDGEMENT,
        help="Exact measure to reach: copied, content, jaccard, containment, cosine, euclidean, edit, or none.",
    ),
]
VerifyThreshold = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Minimum value of this measure. (default: --threshold)",
    ),
]
VerifyOver = Annotated[
    str | None,
    typer.Option(
        metavar="UNITS",
        rich_help_panel=JUDGEMENT,
        help="Units to compare: shingles, code_points, or words of a mode of `whorl segment`. (default: shingles)",
    ),
]
Meaning = Annotated[
    bool,
    typer.Option(
        "--meaning",
        rich_help_panel=JUDGEMENT,
        help="Also find the same content in other words, or in another language, at 30 ms a sentence; needs the extra "
        "meaning.",
    ),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--meaning-model",
        metavar="FOLDER",
        rich_help_panel=JUDGEMENT,
        help="The same, with the model in a folder: model.onnx and tokenizer.json; needs the extra meaning-onnx.",
    ),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE.toml",
        rich_help_panel=JUDGEMENT,
        help="A recipe file with all parameters, including rare ones; command line options override it.",
    ),
]
UserDictionary = Annotated[
    str | None,
    typer.Option(
        "--user-dict",
        metavar="FILE",
        help="Words to add to the dictionary of jieba, one a line: word, and optionally frequency and tag.",
    ),
]
Hmm = Annotated[
    bool, typer.Option("--hmm/--no-hmm", help="Use the model of jieba to guess words that are not in the dictionary.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=RUNNING,
        help="Number of threads and parser processes. (default: one per core)",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Suppress all output except errors.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def verification(measure: str | None, threshold: float | None, over: str | None) -> dict[str, Any] | None:
    """Return the fields of ``[verify]`` set by options; None if no such option is used."""
    options = {"measure": measure, "threshold": threshold, "over": over}
    return {name: value for name, value in options.items() if value is not None} or None


def column_names(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Split repeated, comma-separated names; None if the option is not used.

    A name in double quotes may contain commas.

    >>> column_names(["title, text", '"full text, edited"'])
    ('title', 'text', 'full text, edited')
    """
    if not values:
        return None
    # A list of columns for some files, such as qa/**=question,answer, stays one entry.
    parts = [[part] if "=" in part else next(reader([part], skipinitialspace=True), []) for part in values]
    return tuple(name.strip() for names in parts for name in names if name.strip())


__all__ = [
    "JUDGEMENT",
    "READING",
    "RUNNING",
    "Encoding",
    "Exclude",
    "Files",
    "Hmm",
    "Id",
    "InCollection",
    "Include",
    "Json",
    "Meaning",
    "Method",
    "ModelFolder",
    "Ocr",
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

"""``whorl compare``: find what one text copied from one or many others, with every passage side by side."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.ui.localization import Lang
from whorl.cli.ui.options import (
    JUDGEMENT,
    RUNNING,
    Encoding,
    Json,
    Meaning,
    ModelFolder,
    Ocr,
    Quiet,
    RecipeFile,
    Text,
    column_names,
)
from whorl.cli.ui.report_options import Author, Date, Out, Short, Tables, Title
from whorl.i18n import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whorl.tasks.compare.run import Compared

COMPARE_EPILOG = Epilog(
    examples(
        ("whorl compare a.txt b.txt", say("text of a in b")),
        ("whorl compare a.txt b.txt --html report.html", say("a report as a web page")),
        ("whorl compare draft.txt --against corpus/", say("find its sources")),
        ("whorl compare a.txt b.txt corpus/ draft.txt", say("the same, sources first")),
        "whorl compare published.txt - --fail-on 0.3 < draft.txt",
        "whorl compare a.txt b.txt --exclude quotations,references --json",
    ),
    Section(
        say("The six shares of the characters of the examined text"),
        [
            (say("copied"), say("word for word in a source")),
            (say("reworded"), say("in a source, with other words")),
            say("without quotations and references"),
            say("without own and authorised sources"),
            say("largest single source"),
            say("quoted without naming a source"),
        ],
    ),
    Section(say("Without colors"), ["[replaced] {+inserted+} [-deleted-]"]),
    paragraph(
        say(
            "`whorl explain a.txt b.txt` shows whether `whorl dedup` would remove one of two texts; "
            "this command shows what was copied."
        )
    ),
)

Texts = Annotated[
    list[str],
    typer.Argument(
        metavar="TEXT",
        show_default=False,
        help="The source, then the examined text: a file with one article (HTML, DOCX, RTF, PDF, text "
        "...), FILE:ROW (a row of JSONL, Parquet, CSV, XLSX or WARC), or `-` for stdin. For "
        "several sources, see --against.",
    ),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCES",
        help="Possible sources of TEXT: files, folders, quoted globs and libraries; repeatable.",
    ),
]
Authorised = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCES",
        help="Sources by the same author or with permission, counted separately; repeatable.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT,...",
        rich_help_panel=JUDGEMENT,
        help="Exclude quotations, references, or both; the excluded amount is reported.",
    ),
]
Boilerplate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Exclude the contents of these texts, such as notices; repeatable.",
    ),
]
Learn = Annotated[
    list[str] | None,
    typer.Option(
        "--learn-boilerplate",
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Exclude sentences that five or more of these texts contain; repeatable.",
    ),
]
MinLength = Annotated[
    int | None,
    typer.Option(
        "--least", min=0, metavar="N", rich_help_panel=JUDGEMENT, help="Minimum length of a passage in characters."
    ),
]
Reprint = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="Minimum copied share of a reprint. (default: 0.7)",
    ),
]
TermFile = Annotated[
    Path | None,
    typer.Option(
        "--terms",
        metavar="FILE",
        rich_help_panel=JUDGEMENT,
        help="Terms of two languages, in two columns, as further evidence of translations.",
    ),
]
FailOn = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help="Exit with 1 if the copied share, without own and authorised sources, reaches this value.",
    ),
]
MaxSources = Annotated[
    int,
    typer.Option(
        "--most",
        min=1,
        metavar="N",
        rich_help_panel=RUNNING,
        help="Maximum number of sources to compare, chosen by shared keys; the rest is counted.",
    ),
]

Scan = Annotated[
    bool,
    typer.Option(
        "--scan",
        rich_help_panel=RUNNING,
        help="Read all texts of a library in --against instead of looking them up in its index.",
    ),
]


def compare(
    context: typer.Context,
    texts: Texts,
    against: Against = None,
    authorised: Authorised = None,
    exclude: Exclude = None,
    boilerplate: Boilerplate = None,
    learn: Learn = None,
    min_length: MinLength = None,
    reprint: Reprint = None,
    terms: TermFile = None,
    meaning: Meaning = False,
    meaning_model: ModelFolder = None,
    recipe: RecipeFile = None,
    text: Text = None,
    encoding: Encoding = None,
    ocr: Ocr = False,
    fail_on: FailOn = None,
    out: Out = None,
    table: Tables = None,
    short: Short = False,
    title: Title = "",
    author: Author = "",
    date: Date = None,
    lang: Lang = None,
    max_sources: MaxSources = 1000,
    scan: Scan = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare a text with one or many sources: how much was copied, which passages, and what was changed.

    Sources come first, the examined text last: `whorl compare A B` shows what B copied from A. With several sources,
    `whorl compare SOURCE... TEXT` or `whorl compare TEXT --against SOURCES` shows the source of each part of the text.
    """
    from whorl.cli.ui.output import columns, print_hint, print_json, print_view, takes_output
    from whorl.cli.ui.progress import show_progress
    from whorl.reports.terminal import comparison
    from whorl.tasks.compare.run import compare_files, demand_writable

    is_taken = takes_output(out, table, json=json)
    groups = (texts, against, authorised, boilerplate, learn)
    demand_writable(out, table, [*chain.from_iterable(group or () for group in groups)])
    options: dict[str, Any] = {
        "exclude": column_names(exclude),
        "boilerplate": boilerplate or (),
        "learn": learn or (),
        "least": min_length,
        "reprint": reprint,
        "language": lang,
        "terms": terms,
        "meaning": meaning_model or meaning or None,
        "text": column_names(text),
        "encoding": encoding,
        "ocr": ocr or None,
        "recipe": recipe,
    }
    *first, last = texts
    if len(first) == 1 and not authorised and not against:
        with show_progress(quiet=quiet or not ocr):
            compared = compare_files(first[0], last, **options)
    else:
        searched = _sources(first, against)
        compared = _against(
            last, searched, authorised or (), options | {"most": max_sources, "scan": scan, "date": date}, quiet=quiet
        )
    comparisons, examined, sources = compared.result, compared.text, compared.sources
    handed = {"title": title, "author": author, "short": short, "language": lang, "command": context.obj or ""}
    for place in filter(None, (out, table)):
        compared.write(place, **handed)
    if json:
        print_json(compared.to_dict())
    elif not is_taken:
        width, plain = columns()
        print_view(comparison(comparisons, examined, sources, width, plain=plain))
        print_hint(None if quiet or out else compared.hint)
    if fail_on is not None and comparisons.ratios.foreign >= fail_on:
        raise typer.Exit(1)


def _sources(first: Sequence[str], against: Sequence[str] | None) -> Sequence[str]:
    """Return the sources, which precede the text or follow --against."""
    from whorl.errors import UsageError

    if first and against:
        raise UsageError(
            say("sources are named both before the text and with `against`"),
            hint=say("name all of them in the same way"),
        )
    return first or against or ()


def _against(
    text: str, against: Sequence[str], authorised: Sequence[str], options: dict[str, Any], *, quiet: bool
) -> Compared:
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.compare.run import compare_against

    with show_progress(quiet=quiet) as progress:
        return compare_against(against, text, authorised=authorised, progress=progress, **options)


__all__ = ["COMPARE_EPILOG", "compare"]

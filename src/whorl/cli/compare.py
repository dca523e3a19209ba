"""``whorl compare``: what one text has from another, or from many, with every passage side by side."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.epilogs import Epilog, Section, examples, paragraph
from whorl.cli.handing_in import Author, Date, Out, Short, Tables, Title
from whorl.cli.options import (
    JUDGEMENT,
    RUNNING,
    Encoding,
    Json,
    Quiet,
    RecipeFile,
    Text,
    column_names,
)
from whorl.cli.speech import Lang
from whorl.language import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whorl.tasks.compare import Compared

COMPARE_EPILOG = Epilog(
    examples(
        ("whorl compare a.txt b.txt", say("what b has from a")),
        ("whorl compare a.txt b.txt --html report.html", say("a page to hand in")),
        ("whorl compare draft.txt --against corpus/", say("from which texts")),
        "whorl compare published.txt - --fail-on 0.3 < draft.txt",
        "whorl compare draft.txt --against corpus/ --exclude quotations,references --json",
    ),
    Section(
        say("The four ratios, of the characters of the examined text"),
        [
            (say("copied"), say("that lie in passages")),
            say("without quotations and references"),
            say("without own and authorised sources"),
            say("largest single source"),
        ],
    ),
    Section(say("Without colours"), ["[replaced] {+inserted+} [-deleted-]"]),
    paragraph(
        say(
            "`whorl explain a.txt b.txt` says whether `whorl dedup` would remove one of two texts; "
            "this command says what was copied."
        )
    ),
)

A = Annotated[
    str,
    typer.Argument(
        metavar="A",
        show_default=False,
        help="The source: a file of one article (HTML, DOCX, RTF, PDF, text ...), FILE:ROW (a row of JSONL, Parquet, "
        "CSV, XLSX or WARC), or `-` for stdin. With --against, the text that is examined.",
    ),
]
B = Annotated[
    str | None,
    typer.Argument(metavar="B", show_default=False, help="The text that is examined, named likewise."),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCES",
        help="Files, folders and quoted globs whose texts A may have been copied from; repeatable.",
    ),
]
Authorised = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SOURCES",
        help="The same, of the author's own or with leave; counted apart; repeatable.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT,...",
        rich_help_panel=JUDGEMENT,
        help="Leave out quotations, references, or both; how much, is said.",
    ),
]
Boilerplate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Leave out what these texts have, such as notices; repeatable.",
    ),
]
Learn = Annotated[
    list[str] | None,
    typer.Option(
        "--learn-boilerplate",
        metavar="FILES",
        rich_help_panel=JUDGEMENT,
        help="Leave out sentences that five or more of these texts have; repeatable.",
    ),
]
Least = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", rich_help_panel=JUDGEMENT, help="Leave out passages of fewer characters."),
]
Reprint = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        rich_help_panel=JUDGEMENT,
        help="From which copied share on a text counts as a reprint. (default: 0.7)",
    ),
]
FailOn = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        metavar="SHARE",
        help="Exit with 1 if so much or more is copied, without own and authorised sources.",
    ),
]
Most = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        rich_help_panel=RUNNING,
        help="Compare with at most so many sources, those that share most keys; the rest is counted.",
    ),
]


def compare(
    context: typer.Context,
    a: A,
    b: B = None,
    against: Against = None,
    authorised: Authorised = None,
    exclude: Exclude = None,
    boilerplate: Boilerplate = None,
    learn: Learn = None,
    least: Least = None,
    reprint: Reprint = None,
    recipe: RecipeFile = None,
    text: Text = None,
    encoding: Encoding = None,
    fail_on: FailOn = None,
    out: Out = None,
    table: Tables = None,
    short: Short = False,
    title: Title = "",
    author: Author = "",
    date: Date = None,
    lang: Lang = None,
    most: Most = 1000,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say what one text has from another, or from many: how much, which passages, and what was changed.

    `whorl compare A B` shows what B has from A, `whorl compare A --against SOURCES` where A comes from.
    """
    from whorl.cli.output import columns, print_hint, print_json, print_view, takes_output
    from whorl.reports.terminal import comparison
    from whorl.tasks.compare import demand_writable

    is_taken = takes_output(out, table, json=json)
    groups = ([a], [b] if b else [], against, authorised, boilerplate, learn)
    demand_writable(out, table, [*chain.from_iterable(group or () for group in groups)])
    options: dict[str, Any] = {
        "exclude": column_names(exclude),
        "boilerplate": boilerplate or (),
        "learn": learn or (),
        "least": least,
        "reprint": reprint,
        "language": lang,
        "text": column_names(text),
        "encoding": encoding,
        "recipe": recipe,
    }
    if b is None:
        compared = _against(a, against or (), authorised or (), options | {"most": most, "date": date}, quiet=quiet)
    else:
        compared = _pair(a, b, [*(against or ()), *(authorised or ())], options)
    found, examined, sources = compared.found, compared.text, compared.sources
    handed = {"title": title, "author": author, "short": short, "language": lang, "command": context.obj or ""}
    for place in filter(None, (out, table)):
        compared.write(place, **handed)
    if json:
        print_json(compared.to_dict())
    elif not is_taken:
        width, plain = columns()
        print_view(comparison(found, examined, sources, width, plain=plain))
        print_hint(None if quiet or out else compared.hint)
    if fail_on is not None and found.ratios.foreign >= fail_on:
        raise typer.Exit(1)


def _pair(a: str, b: str, others: Sequence[str], options: dict[str, Any]) -> Compared:
    from whorl.errors import UsageError
    from whorl.language import say
    from whorl.tasks.compare import compare_files

    if others:
        raise UsageError(
            say("a second text and sources are both given"), cure=say("give {path} as --against too", path=b)
        )
    return compare_files(a, b, **options)


def _against(
    a: str, against: Sequence[str], authorised: Sequence[str], options: dict[str, Any], *, quiet: bool
) -> Compared:
    from whorl.cli.progress import show_progress
    from whorl.tasks.compare import compare_against

    with show_progress(quiet=quiet) as progress:
        return compare_against(against, a, authorised=authorised, progress=progress, **options)


__all__ = ["COMPARE_EPILOG", "compare"]

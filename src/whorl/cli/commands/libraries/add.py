"""``whorl add`` and ``whorl check``: add articles to a library, or check them against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, Section, examples
from whorl.cli.ui.options import (
    READING,
    Encoding,
    Exclude,
    Include,
    InCollection,
    Json,
    Meaning,
    ModelFolder,
    Ocr,
    Place,
    Quiet,
    RecipeFile,
    Text,
    column_names,
)
from whorl.i18n import say

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.library.add import AddRun, Report

ADD_EPILOG = Epilog(
    examples(
        "whorl add newsroom today.jsonl",
        "whorl add recent today.jsonl --window 30d --date published",
        "whorl add newsroom today.jsonl --collection protected",
        "zcat dump.jsonl.gz | whorl add newsroom - --json",
    )
)
CHECK_EPILOG = Epilog(
    examples(
        "whorl check newsroom draft.txt",
        "whorl check newsroom draft.txt --among protected",
        "whorl check newsroom today.jsonl --json",
        "whorl check newsroom - < draft.txt",
    ),
    Section(say("Exit codes"), [("1", say("matches found, only with --fail-on"))]),
)
Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", show_default=False, help="Files, folders and quoted globs; `-` is JSONL on stdin."),
]
Texts = Annotated[
    list[str],
    typer.Argument(metavar="FILE", show_default=False, help="Files, folders and quoted globs; `-` is a text on stdin."),
]


def _column(help: str) -> Any:
    return typer.Option(metavar="COLUMN", rich_help_panel=READING, show_default=False, help=help)


Id = Annotated[str | None, _column("Column of ids. (default: id)")]
Title = Annotated[str | None, _column("Column of titles. (default: title, 标题)")]
Url = Annotated[str | None, _column("Column of addresses. (default: url, link, 网址)")]
SourceColumn = Annotated[str | None, _column("Column of publishers. (default: source, site, 来源)")]
Author = Annotated[str | None, _column("Column of authors. (default: author, byline, 作者)")]
Date = Annotated[str | None, _column("Column of dates of publication. (default: published_at, date, 发布时间)")]
DateZone = Annotated[
    str | None,
    typer.Option(
        metavar="ZONE",
        help="Zone of dates without one, such as Asia/Shanghai or +08:00; kept as the default of the library.",
    ),
]
Window = Annotated[
    str | None,
    typer.Option(
        metavar="SPAN", help="For a new library: never match articles further apart than this span, such as 30d."
    ),
]

Collection = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The collection of all these articles, such as protected or watched. (default: the column collection)",
    ),
]

Statements = Annotated[
    bool,
    typer.Option(
        "--statements/--no-statements",
        help="Store the decisions, attestations and cases in an export; --no-statements refuses such a file.",
    ),
]


def add(
    library: Place,
    files: Files,
    text: Text = None,
    id: Id = None,
    title: Title = None,
    url: Url = None,
    source: SourceColumn = None,
    author: Author = None,
    date: Date = None,
    date_zone: DateZone = None,
    encoding: Encoding = None,
    ocr: Ocr = False,
    include: Include = None,
    exclude: Exclude = None,
    recipe: RecipeFile = None,
    window: Window = None,
    collection: Collection = None,
    statements: Statements = True,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Add articles to a library, which is created if it does not exist.

    Reported articles are on disk. Adding an article again changes nothing; --json prints a line for each article.
    """
    from whorl.tasks.library.arguments import demand_inputs

    demand_inputs(files)
    from whorl.cli.ui.output import print_hint, print_json_line, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.library.add import add_files

    with show_progress(quiet=quiet) as progress:
        added = add_files(
            library,
            files,
            text=column_names(text),
            id=id,
            title=title,
            url=url,
            source=source,
            author=author,
            date=date,
            date_zone=date_zone,
            encoding=encoding,
            ocr=ocr or None,
            include=include,
            exclude=exclude,
            recipe=recipe,
            window=window,
            collection=collection,
            statements=statements,
            on_report=(lambda report: print_json_line(report.to_dict())) if json else None,
            progress=progress,
        )
    if not json and not quiet:
        print_view(_counts(added))
        print_hint(added.hint)


def check(
    library: Place,
    files: Texts,
    text: Text = None,
    id: Id = None,
    date: Date = None,
    encoding: Encoding = None,
    ocr: Ocr = False,
    include: Include = None,
    exclude: Exclude = None,
    collection: InCollection = None,
    meaning: Meaning = False,
    meaning_model: ModelFolder = None,
    fail_on: Annotated[
        Literal["copy", "match"] | None,
        typer.Option(metavar="copy|match", help="Exit with 1 if there is a copy (in the same cluster), or any match."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check articles against a library without adding them.

    --json prints a line for each article.
    """
    from whorl.tasks.library.arguments import demand_inputs

    demand_inputs(files)
    from whorl.cli.ui.matches import report_table
    from whorl.cli.ui.output import print_hint, print_json_line, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.library.add import check_files

    def tell(report: Report) -> None:
        if json:
            print_json_line(report.to_dict())
        else:
            print_view(report_table(report))

    with show_progress(quiet=quiet) as progress:
        checked = check_files(
            library,
            files,
            text=column_names(text),
            id=id,
            date=date,
            encoding=encoding,
            ocr=ocr or None,
            include=include,
            exclude=exclude,
            collection=collection,
            meaning=meaning_model or meaning,
            on_report=tell,
            progress=progress,
        )
    if not json and not quiet:
        print_hint(checked.hint)
    if (fail_on == "copy" and checked.copies) or (fail_on == "match" and checked.matched):
        raise typer.Exit(1)


def _counts(added: AddRun) -> Table:
    from whorl.reports.tables import new_grid

    table = new_grid()
    table.add_row(say("new"), f"{added.new:,}")
    table.add_row(say("known"), f"{added.known:,}")
    table.add_row(say("revised"), f"{added.revised:,}")
    table.add_row(say("with matches"), f"{added.matched:,}")
    if added.statements:
        table.add_row(say("decisions, attestations and cases from the file"), f"{added.statements:,}")
    return table


__all__ = ["ADD_EPILOG", "CHECK_EPILOG", "add", "check"]

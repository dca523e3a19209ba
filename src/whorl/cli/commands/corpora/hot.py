"""``whorl hot``: show the most reprinted articles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import (
    JUDGEMENT,
    READING,
    Encoding,
    Exclude,
    Include,
    Json,
    Quiet,
    RecipeFile,
    Text,
    Threshold,
    Workers,
    column_names,
)
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

HOT_EPILOG = Epilog(
    examples(
        "whorl hot articles.jsonl",
        "whorl hot news.xlsx --text 內容 --title 標題 --top 10",
        "whorl hot newsroom --since 1d",
    )
)

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="A library; or files, folders and quoted globs: JSONL (.gz, .zst), Parquet, CSV, TSV, XLSX, WARC, "
        "HTML, DOCX, RTF, PDF, EPUB, Markdown, text ...",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=READING,
        help="Column of titles. (default: title, else the beginning of the text)",
    ),
]
HotMethod = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help="A method; see `whorl methods`. (default: nshash)",
    ),
]
Top = Annotated[int, typer.Option(min=1, metavar="N", help="Number of groups to show.")]
Since = Annotated[
    str | None,
    typer.Option(metavar="SPAN", help="For a library: only articles first seen within this span, such as 1d."),
]

Html = Annotated[Path | None, typer.Option("--html", metavar="REPORT", help="Write an HTML page of the groups.")]


def hot(
    inputs: Inputs,
    top: Top = 30,
    since: Since = None,
    text: Text = None,
    title: Title = None,
    encoding: Encoding = None,
    include: Include = None,
    exclude: Exclude = None,
    method: HotMethod = None,
    threshold: Threshold = None,
    recipe: RecipeFile = None,
    workers: Workers = None,
    quiet: Quiet = False,
    html: Html = None,
    json: Json = False,
) -> None:
    """Show the most reprinted articles: the largest groups of duplicates in files or a library, with titles."""
    from whorl.cli.ui.output import print_hint, print_json, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.dedup.hot import hot as find_hot
    from whorl.tasks.dedup.outputs import PAGE, demand_free, write_whole

    demand_free(html, PAGE, inputs)
    with show_progress(quiet=quiet) as progress:
        clusters = find_hot(
            inputs,
            top=top,
            since=since,
            text=column_names(text),
            title=title,
            encoding=encoding,
            include=include,
            exclude=exclude,
            method=method,
            threshold=threshold,
            recipe=recipe,
            workers=workers,
            progress=progress,
        )
    if html is not None:
        write_whole(html, clusters.report())
    if json:
        print_json(clusters.to_dict())
    else:
        print_view(_table(clusters.articles, clusters.groups, clusters.titles()))
        print_hint(None if quiet else clusters.hint)


def _table(articles: int, groups: int, largest: Sequence[Sequence[str]]) -> Table:
    from rich.text import Text as Styled

    from whorl.reports.tables import message_text, new_table

    table = new_table(title_justify="left")
    article_count = say_many("{count:,} article", "{count:,} articles", articles)
    copied = say_many("{count:,} group of duplicates", "{count:,} groups of duplicates", groups)
    table.title = message_text(say("{articles}, {groups}", articles=article_count, groups=copied), "bold")
    table.add_column("#", justify="right", style="dim")
    table.add_column(say("count"), justify="right", style="bold red")
    table.add_column(say("titles"), overflow="fold")
    for rank, group in enumerate(largest, 1):
        table.add_row(f"{rank}", f"{len(group):,}", Styled("\n".join(_titles(group))))
    return table


def _titles(group: Sequence[str]) -> list[str]:
    """Return the distinct titles of a group, the most frequent first."""
    from whorl._internal.visible_text import visible
    from whorl.reports.hot import TITLES, counted_titles

    counts = counted_titles(group)
    lines = [visible(title) if count == 1 else f"{visible(title)} ×{count:,}" for title, count in counts[:TITLES]]
    rest = len(counts) - TITLES
    return [*lines, translated(say("… {count:,} more", count=rest))] if rest > 0 else lines


__all__ = ["HOT_EPILOG", "hot"]

"""``whorl hot``: what is reprinted most."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.options import (
    JUDGEMENT,
    READING,
    RUNNING,
    Encoding,
    Exclude,
    Include,
    Json,
    RecipeFile,
    Text,
    Threshold,
    chosen_recipe,
    column_names,
    selected,
)
from whorl.cli.show import is_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

HOT_METHOD = "nshash"
HOT_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl hot articles.jsonl[/cyan]
  [cyan]whorl hot news.xlsx --text 內容 --title 標題 --top 10[/cyan]
  [cyan]whorl hot newsroom --since 1d[/cyan]
"""

_TITLES_SHOWN = 5

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="A library; or files, folders and quoted globs: JSONL (.gz, .zst), Parquet, CSV, TSV, XLSX, HTML, DOCX, "
        "PDF, text. · 输入",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=READING,
        help="Column of titles. (default: title, else the beginning of the text) · 标题列",
    ),
]
HotMethod = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=JUDGEMENT,
        help=f"How copies are found; see `whorl methods`. (default: {HOT_METHOD}) · 方法",
    ),
]
Top = Annotated[int, typer.Option(min=1, metavar="N", help="How many groups to show. · 组数")]
Since = Annotated[
    str | None,
    typer.Option(metavar="SPAN", help="Of a library: what was first seen within this span, such as 1d. · 多久以来"),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", rich_help_panel=RUNNING, help="Threads to use. (default: one a core) · 线程数"),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=RUNNING, help="Show no progress. · 不显示进度")]


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
    json: Json = False,
) -> None:
    """Show what is reprinted most: the largest groups of copies of files or of a library, with their titles.

    热点：转载最多的文章，按组列出篇数与标题。
    """
    from dataclasses import asdict

    from whorl.cli.output import print_json, print_view
    from whorl.cli.progress import show_progress
    from whorl.engines.hot import hottest
    from whorl.errors import UsageError

    if len(inputs) == 1 and is_library(Path(inputs[0])):
        _hot_in_library(inputs[0], top, since, json=json)
        return
    if since is not None:
        raise UsageError("--since is of libraries", cure="name a library, or leave it away")
    usual = HOT_METHOD if recipe is None else None
    names = {"text": column_names(text), "encoding": encoding}
    chosen = chosen_recipe(recipe, method=method or usual, threshold=threshold, **names)
    with show_progress(quiet=quiet) as progress:
        options: dict[str, Any] = {"title": title, "top": top, "workers": workers, "progress": progress}
        found = hottest(inputs, chosen, selection=selected(include, exclude), **options)
    if json:
        print_json(asdict(found))
    else:
        titles = [[article.title for article in group] for group in found.largest]
        print_view(_table(found.articles, found.groups, titles))


def _hot_in_library(place: str, top: int, since: str | None, *, json: bool) -> None:
    from datetime import UTC, datetime, timedelta

    from whorl.cli.output import print_json, print_view
    from whorl.library import open as open_library
    from whorl.library.rules import span

    begin = None if since is None else datetime.now(UTC) - timedelta(microseconds=span(since))
    with open_library(place, create=False) as library:
        sizes = library.clusters(since=begin)
        groups: list[dict[str, Any]] = [
            {
                "cluster": size.id,
                "articles": [{"id": id_, "title": title} for id_, title in library.titles(size.id, begin)],
            }
            for size in sizes[:top]
        ]
        articles = len(library)
    if json:
        print_json({"articles": articles, "groups": len(sizes), "largest": groups})
    else:
        titles = [[article["title"] for article in group["articles"]] for group in groups]
        print_view(_table(articles, len(sizes), titles))


def _table(articles: int, groups: int, largest: Sequence[Sequence[str]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text as Styled

    table = Table(box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    table.title = Styled(f"{articles:,} 篇 · articles, {groups:,} 组 · groups of copies", style="bold")
    table.add_column("#", justify="right", style="dim")
    table.add_column("篇数 · count", justify="right", style="bold red")
    table.add_column("标题 · titles", overflow="fold")
    for rank, group in enumerate(largest, 1):
        table.add_row(f"{rank}", f"{len(group):,}", Styled("\n".join(_titles(group))))
    return table


def _titles(group: Sequence[str]) -> list[str]:
    """The titles of a group, most frequent first, each once."""
    from whorl.reports.visible import visible

    counts = Counter(group).most_common()
    lines = [
        visible(title) if count == 1 else f"{visible(title)} ×{count:,}" for title, count in counts[:_TITLES_SHOWN]
    ]
    rest = len(counts) - _TITLES_SHOWN
    return [*lines, f"… {rest:,} more"] if rest > 0 else lines


__all__ = ["HOT_EPILOG", "HOT_METHOD", "hot"]

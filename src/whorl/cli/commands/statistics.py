"""``whorl library statistics``: count published and copied articles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whorl.cli.ui.options import Json, Place
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from whorl.tasks.library.statistics import ReprintStats

By = Annotated[Literal["site", "author", "day"], typer.Option(metavar="site|author|day", help="Group by.")]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="Only articles first seen at or after this time.")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Only articles first seen before this time.")]
_LEAST_WIDTH = 24

Top = Annotated[int, typer.Option(min=1, metavar="N", help="Number of sites, authors or days.")]


def statistics(
    library: Place, by: By = "site", since: Since = None, until: Until = None, top: Top = 20, json: Json = False
) -> None:
    """Count articles and copies by site, author or day, and rank the most copied and the most copying."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.reports.tables import message_text
    from whorl.tasks.library.statistics import statistics as count

    counts = count(library, by=by, since=since, until=until, top=top)
    if json:
        print_json(counts.to_dict())
        return
    articles = say_many("{count:,} article", "{count:,} articles", counts.articles)
    counted = say(
        "{articles}: {exact:,} exact copies, {near:,} near copies",
        articles=articles,
        exact=counts.exact,
        near=counts.near,
    )
    rankings = ((counts.most_copied, say("most copied")), (counts.most_copying, say("most copying")))
    tables = [_table(rows, title) for rows, title in rankings if rows]
    print_view(message_text(counted, "bold"), _table(counts.rows), *tables)


def _table(rows: Iterable[ReprintStats], title: str = "") -> Table:
    from whorl.cli.commands.library import shown_line
    from whorl.reports.tables import message_text, new_table

    view = new_table(title_justify="left")
    view.title = message_text(title, "bold") if title else None
    view.add_column("", overflow="fold", min_width=_LEAST_WIDTH)
    for heading in (say("articles"), say("exact"), say("near"), say("copied by"), say("copied from")):
        view.add_column(heading, justify="right")
    for row in rows:
        figures = (row.articles, row.exact, row.near, row.copied, row.copying)
        view.add_row(shown_line(row.name or translated(say("not known"))), *(f"{figure:,}" for figure in figures))
    return view


__all__ = ["statistics"]

"""``whorl library statistics``: count published and copied articles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from whorl.cli.commands.libraries.copy_statistics import Of, Out, Period, Sites, Table, Zone, demand_of, show_copies
from whorl.cli.ui.options import Json, Place
from whorl.i18n import say, say_many, translated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table as RichTable

    from whorl.tasks.library.statistics import By as GroupBy
    from whorl.tasks.library.statistics import ReprintStats

By = Annotated[
    Literal["site", "author", "day", "month", "year", "work"],
    typer.Option(metavar="site|author|day|month|year|work", help="Group by; work only with --of."),
]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="Only articles first seen at or after this time.")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Only articles first seen before this time.")]
_LEAST_WIDTH = 24

Top = Annotated[int, typer.Option(min=1, metavar="N", help="Number of sites, authors or days.")]


def statistics(
    library: Place,
    by: By = "site",
    since: Since = None,
    until: Until = None,
    top: Top = 20,
    of: Of = None,
    period: Period = None,
    zone: Zone = None,
    sites: Sites = None,
    table: Table = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Count articles and copies by site, author or day; with --of, who copies a collection, and what was removed."""
    if of is not None:
        show_copies(
            library,
            (out, table),
            json=json,
            of=of,
            by=by,
            period=period,
            zone=zone,
            sites=sites,
            since=since,
            until=until,
            top=top,
        )
        return
    demand_of(period=period, zone=zone, sites=sites, table=table, out=out)
    from whorl.cli.ui.output import print_json, print_view
    from whorl.reports.tables import message_text
    from whorl.tasks.library.statistics import statistics as count

    counts = count(library, by=cast("GroupBy", by), since=since, until=until, top=top)
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


def _table(rows: Iterable[ReprintStats], title: str = "") -> RichTable:
    from whorl.cli.commands.libraries.library import shown_line
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

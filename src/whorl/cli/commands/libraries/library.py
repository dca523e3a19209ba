"""``whorl library``: inspect and maintain a library."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import InCollection, Json, Place, Quiet
from whorl.cli.ui.zones import shows_times
from whorl.i18n import as_message, say, say_many, translated
from whorl.types.times import shown_time

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.library.maintenance import Match

LIBRARY_EPILOG = Epilog(
    examples(
        "whorl library create wire --recipe news",
        "whorl library clusters newsroom --top 10",
        "whorl library trace newsroom 1",
        "whorl library collect newsroom own nr-064 nr-018",
        "whorl library statistics newsroom --by day",
        "whorl library sites newsroom --export sites.jsonl",
        "whorl library verify newsroom",
        "whorl library export newsroom all.jsonl.zst --order cluster",
        "whorl library backup newsroom copy-of-newsroom",
        "whorl library copy newsroom postgresql://host/news",
        "whorl library upgrade newsroom --check",
    )
)

Cluster = Annotated[int, typer.Argument(metavar="CLUSTER", show_default=False, help="Cluster number.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID", show_default=False, help="Ids of articles.")]
Top = Annotated[int | None, typer.Option(min=1, metavar="N", help="Maximum number. (default: all)")]
Repair = Annotated[bool, typer.Option("--repair", help="Search again for every article and add missing matches.")]
Force = Annotated[
    bool, typer.Option("--force", help="Remove evidence of open cases, too; the cases record the removal.")
]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Person who does this.")]
Order = Annotated[
    Literal["added", "time", "cluster"],
    typer.Option(metavar="added|time|cluster", help="Order of the articles; `cluster` compresses best."),
]

_LABELS = {
    "recipe": say("recipe"),
    "documents": say("articles"),
    "contents": say("different texts"),
    "pairs": say("matching pairs"),
    "sightings": say("sightings"),
    "notices": say("learned boilerplate"),
    "clusters": say("clusters of copies"),
    "bytes": say("bytes"),
    "sites": say("sites"),
    "permissions": say("permissions to reprint"),
    "accounts": say("accounts of authors"),
    "attestations": say("attestations"),
    "snapshots": say("page snapshots"),
    "bodies": say("distinct page bodies"),
    "noted": say("ledger entries"),
    "decisions": say("decisions about matches"),
    "alerts": say("alerts"),
    "cases": say("cases"),
    "case_events": say("events of cases"),
    "removed": say("removed"),
    "segments": say("segments"),
    "postings": say("entries"),
    "queries": say("queries"),
    "keys": say("keys looked up"),
    "cut": say("keys cut"),
    "postings_read": say("entries read"),
    "unlisted": say("not listed"),
    "bytes_per_posting": say("bytes an entry"),
}
"""Labels of the statistics in `whorl library stats`."""


def list_articles(library: Place, collection: InCollection = None, json: Json = False) -> None:
    """List the articles."""
    from whorl.cli.ui.output import print_json_line, print_view
    from whorl.tasks.library.maintenance import articles

    for id_ in articles(library, collection=collection):
        if json:
            print_json_line({"id": id_})
        else:
            print_view(shown_line(id_))


def zone(
    library: Place,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[ZONE]", show_default=False, help="New default, such as Asia/Shanghai, or none."),
    ] = None,
    json: Json = False,
) -> None:
    """Show or set the default zone of dates that are written without one.

    A new default applies to articles that are added later, and to those that are added again.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import default_zone

    default = default_zone(library, name)
    if json:
        print_json(default.to_dict())
    else:
        print_view(shown_line(default.zone or translated(say("no default zone"))))


def clusters(
    library: Place,
    top: Top = None,
    at_least: Annotated[int, typer.Option(min=1, metavar="N", help="Minimum number of articles per cluster.")] = 2,
    json: Json = False,
) -> None:
    """List the clusters, the largest first."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import clusters as list_clusters

    listed = list_clusters(library, top=top, at_least=at_least)
    if json:
        print_json([cluster.to_dict() for cluster in listed])
    else:
        rows = ((cluster.id, f"{cluster.size:,}", " ".join(cluster.documents[:5])) for cluster in listed)
        print_view(table((say("cluster"), say("articles"), say("ids")), rows))


@shows_times
def trace(library: Place, cluster: Cluster, json: Json = False) -> None:
    """Show the articles of a cluster in order of time, each with its links to earlier ones."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import trace as follow

    steps = follow(library, cluster)
    if json:
        print_json([step.to_dict() for step in steps])
        return
    rows = (
        (
            shown_time(step.at),
            step.document.id,
            step.document.source or "",
            step.document.title or "",
            _tie(step.match),
        )
        for step in steps
    )
    print_view(table((say("seen"), say("id"), say("source"), say("title"), say("linked by")), rows))


def collect(
    library: Place,
    collection: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTION",
            show_default=False,
            help="Name of the collection; '' removes articles from their collection.",
        ),
    ],
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", show_default=False, help="Ids of articles.")
    ] = None,
    ids_from: Annotated[
        str | None, typer.Option(metavar="FILE|-", help="File with further ids, one per line, or `-` for stdin.")
    ] = None,
    json: Json = False,
) -> None:
    """Move articles into a collection."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import collect as put

    result = put(library, collection, ids or (), ids_from=ids_from)
    if json:
        print_json(result.to_dict())
        return
    summary = say_many("{count:,} article collected", "{count:,} articles collected", result.collected)
    unknown = say_many(
        "{count:,} id is unknown: {first}",
        "{count:,} ids are unknown, the first {first}",
        len(result.unknown),
        first=next(iter(result.unknown), ""),
    )
    print_view(*map(shown_line, map(translated, [summary, unknown] if result.unknown else [summary])))


def remove(library: Place, ids: Ids, force: Force = False, by: By = "", json: Json = False) -> None:
    """Remove articles.

    The copies and protected articles of open cases are evidence, and are removed only with `--force`.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import remove as forget

    result = forget(library, ids, force=force, by=by)
    if json:
        print_json(result.to_dict())
    else:
        print_view(translated(say_many("{count:,} article removed", "{count:,} articles removed", result.removed)))


def stats(library: Place, json: Json = False) -> None:
    """Show the statistics of a library."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import stats as count

    totals = count(library)
    if json:
        print_json(totals.to_dict())
    else:
        of_index = {say("index: {name}", name=_LABELS.get(name, name)): value for name, value in totals.index.items()}
        flat = {_LABELS.get(name, name): value for name, value in totals.counts.items()} | of_index
        rows = ((name, value if isinstance(value, str) else f"{round(value, 1):,}") for name, value in flat.items())
        print_view(table(("", ""), rows))


def verify(library: Place, repair: Repair = False, json: Json = False) -> None:
    """Verify a library and rebuild an index that disagrees with the texts.

    Exits with 3 if the library is damaged.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import verify as check

    report = check(library, repair=repair)
    if json:
        print_json(report.to_dict())
    else:
        summary: list[str] = [say_many("{count:,} article verified", "{count:,} articles verified", report.documents)]
        summary += [
            *map(as_message, report.faults),
            *(say("repaired: {message}", message=repair) for repair in report.healed),
        ]
        again = say_many("{count:,} match restored", "{count:,} matches restored", report.repaired)
        print_view(*map(translated, [*summary, again] if repair else summary))
    if report.faults:
        raise typer.Exit(3)


def reindex(library: Place, json: Json = False) -> None:
    """Rebuild the index from the texts."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import reindex as build

    result = build(library)
    if json:
        print_json(result.to_dict())
    else:
        summary = say_many("{count:,} article reindexed", "{count:,} articles reindexed", result.documents)
        print_view(translated(summary))


def backup(
    library: Place,
    to: Annotated[
        str,
        typer.Argument(
            metavar="COPY", show_default=False, help="A new folder, or an address on the same kind of server."
        ),
    ],
    json: Json = False,
) -> None:
    """Write a consistent snapshot during reads and writes."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import backup as copy

    result = copy(library, to)
    if json:
        print_json(result.to_dict())
    else:
        print_view(translated(say("copied to {place}", place=result.copy)))


def create(
    library: Place,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.toml", help="A preset, a method or a recipe file. (default: the preset library)"
        ),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Zone of publication times that have none, such as Asia/Shanghai."),
    ] = None,
    json: Json = False,
) -> None:
    """Create an empty library."""
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import create as create_library

    created = create_library(library, recipe=recipe, zone=zone)
    if json:
        print_json(created.to_dict())
    else:
        print_view(
            translated(say("created {library}, recipe {recipe}", library=created.library, recipe=created.recipe))
        )


def upgrade(
    library: Place,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 if the tables are of an older version.")
    ] = False,
    json: Json = False,
) -> None:
    """Upgrade the tables of a library to this version, in one transaction.

    Opening a library does the same. `--check` says whether processes of the older version can go on beside this one.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import upgrade as upgrade_tables

    result = upgrade_tables(library, check=check)
    if json:
        print_json(result.to_dict())
    elif result.upgraded:
        print_view(translated(say("tables upgraded from version {a} to {b}", a=result.existing, b=result.current)))
    elif result.is_needed:
        print_view(
            translated(say("tables of version {a}; this whorl has version {b}", a=result.existing, b=result.current))
        )
        if result.shared:
            print_view(translated(say("processes of the older version can go on after the upgrade")))
        else:
            print_view(translated(say("stop processes of the older version first: they cannot use the new tables")))
    else:
        print_view(translated(say("tables of version {a}: nothing to do", a=result.existing)))
    if result.is_needed:
        raise typer.Exit(1)


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", show_default=False, help="The address of a library.")],
    to: Annotated[str, typer.Argument(metavar="TO", show_default=False, help="The address of the copy, in any store.")],
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Copy a library from any store to any other.

    Both are compared at the end. An interrupted copy resumes when the command is run again. Exits with 3 if the copy is
    damaged.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.cli.ui.progress import show_progress
    from whorl.tasks.library.maintenance import copy as copy_library

    with show_progress(quiet=quiet) as progress:
        result = copy_library(source, to, progress=progress)
    if json:
        print_json(result.to_dict())
    else:
        summary: list[str] = [say_many("{count:,} article copied", "{count:,} articles copied", result.documents)]
        print_view(*map(translated, [*summary, *map(as_message, result.faults)]))
    if result.faults:
        raise typer.Exit(3)


def export(
    library: Place,
    to: Annotated[
        Path, typer.Argument(metavar="FILE", show_default=False, help="JSONL: .jsonl, .jsonl.gz, .jsonl.zst.")
    ],
    order: Order = "added",
    json: Json = False,
) -> None:
    """Export all articles with their clusters and histories as JSON Lines.

    The history of an article has its former texts, sightings, decisions, attestations and cases. Prints the compressed
    and uncompressed size, and what the file does not contain.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.tasks.library.maintenance import export as write

    result = write(library, to, order=order)
    if json:
        print_json(result.to_dict())
    else:
        summary = say_many(
            "{count:,} article, {bytes:,} → {written:,} bytes",
            "{count:,} articles, {bytes:,} → {written:,} bytes",
            result.documents,
            bytes=result.bytes,
            written=result.written,
        )
        rows = ", ".join(f"{translated(_LABELS[kind])} {count:,}" for kind, count in result.omitted.items())
        omitted = say("not in the file: {rows}; `whorl library copy` and `backup` have everything", rows=rows)
        print_view(*map(translated, [summary, omitted] if result.omitted else [summary]))


def shown_line(text: str) -> Any:
    """Return a line to display verbatim: markup and control characters have no effect."""
    from rich.text import Text as Styled

    from whorl._internal.visible_text import visible

    return Styled(visible(text))


def _tie(match: Match | None) -> str:
    """Return the other article, the relation and the larger copied share."""
    from whorl.cli.ui.matches import relation
    from whorl.types.comparison import percent

    if match is None:
        return ""
    if match.this_in_other >= match.other_in_this:
        figure = say("{share} of this article", share=percent(match.this_in_other))
    else:
        figure = say("{share} of the other article", share=percent(match.other_in_this))
    return " ".join([match.id, *map(translated, (relation(match), figure))])


def table(headings: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> Table:
    """Return a table whose cells are displayed verbatim, without markup."""
    from whorl.reports.tables import new_table

    view = new_table()
    for heading in headings:
        view.add_column(heading, overflow="fold")
    for row in rows:
        view.add_row(*(shown_line(str(translated(cell))) for cell in row))
    return view


__all__ = [
    "LIBRARY_EPILOG",
    "backup",
    "clusters",
    "collect",
    "copy",
    "export",
    "list_articles",
    "reindex",
    "remove",
    "stats",
    "table",
    "trace",
    "verify",
]

"""``whorl library``: look into a library, and look after it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from whorl.cli.epilogs import Epilog, examples
from whorl.cli.options import Json, Place

if TYPE_CHECKING:
    from rich.table import Table

    from whorl.tasks.library import Match

LIBRARY_EPILOG = Epilog(
    examples(
        "whorl library clusters newsroom --top 10",
        "whorl library trace newsroom 1",
        "whorl library verify newsroom",
        "whorl library export newsroom all.jsonl.zst --order cluster",
        "whorl library backup newsroom copy-of-newsroom",
    )
)

Cluster = Annotated[int, typer.Argument(metavar="CLUSTER", show_default=False, help="Its number.")]
Ids = Annotated[list[str], typer.Argument(metavar="ID", show_default=False, help="Articles.")]
Top = Annotated[int | None, typer.Option(min=1, metavar="N", help="How many. (default: all)")]
Repair = Annotated[bool, typer.Option("--repair", help="Look up every article again, for matches that are missing.")]
Order = Annotated[
    Literal["added", "time", "cluster"],
    typer.Option(metavar="added|time|cluster", help="Beside each other, copies are compressed best: `cluster`."),
]


def list_articles(library: Place, json: Json = False) -> None:
    """List the articles."""
    from whorl.cli.output import print_json_line, print_view
    from whorl.tasks.library import articles

    for id_ in articles(library):
        if json:
            print_json_line({"id": id_})
        else:
            print_view(_line(id_))


def clusters(
    library: Place,
    top: Top = None,
    at_least: Annotated[int, typer.Option(min=1, metavar="N", help="Articles that a cluster has.")] = 2,
    json: Json = False,
) -> None:
    """List the clusters, the largest first."""
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import clusters as list_clusters

    found = list_clusters(library, top=top, at_least=at_least)
    if json:
        print_json([cluster.to_dict() for cluster in found])
    else:
        rows = ((cluster.id, f"{cluster.size:,}", " ".join(cluster.documents[:5])) for cluster in found)
        print_view(_table(("簇 · cluster", "篇数 · articles", "文章 · ids"), rows))


def trace(library: Place, cluster: Cluster, json: Json = False) -> None:
    """Show the articles of a cluster in order of time, each with what ties it to those before."""
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import trace as follow

    found = follow(library, cluster)
    if json:
        print_json([one.to_dict() for one in found])
        return
    rows = (
        (
            f"{one.at:%Y-%m-%d %H:%M}",
            one.document.id,
            one.document.source or "",
            one.document.title or "",
            _tie(one.match),
        )
        for one in found
    )
    print_view(_table(("时间 · time", "编号 · id", "来源 · source", "标题 · title", "所据 · tied by"), rows))


def remove(library: Place, ids: Ids, json: Json = False) -> None:
    """Remove articles."""
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import remove as forget

    found = forget(library, ids)
    if json:
        print_json(found.to_dict())
    else:
        print_view(f"{found.removed:,} 篇已删 · removed")


def stats(library: Place, json: Json = False) -> None:
    """Say what a library holds."""
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import stats as count

    found = count(library)
    if json:
        print_json(found.to_dict())
    else:
        flat = {**found.held, **{f"index {name}": value for name, value in found.index.items()}}
        rows = ((name, f"{value:,}" if name != "recipe" else value) for name, value in flat.items())
        print_view(_table(("", ""), rows))


def verify(library: Place, repair: Repair = False, json: Json = False) -> None:
    """Read everything back and check it; an index that disagrees is built again.

    Exits with 3 if something is damaged.
    """
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import verify as check

    found = check(library, repair=repair)
    if json:
        print_json(found.to_dict())
    else:
        faults = [*found.faults, *(f"healed: {healed}" for healed in found.healed)]
        faults += [f"{found.repaired:,} 个匹配已找回 · matches found again"] if repair else []
        print_view(f"{found.documents:,} 篇已校验 · articles read back", *faults)
    if found.faults:
        raise typer.Exit(3)


def reindex(library: Place, json: Json = False) -> None:
    """Build the index again from the texts."""
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import reindex as build

    found = build(library)
    if json:
        print_json(found.to_dict())
    else:
        print_view(f"{found.documents:,} 篇已重建索引 · articles indexed again")


def backup(
    library: Place,
    to: Annotated[Path, typer.Argument(metavar="COPY", show_default=False, help="A new folder.")],
    json: Json = False,
) -> None:
    """Write a copy of this moment, while others read and write."""
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import backup as copy

    found = copy(library, to)
    if json:
        print_json(found.to_dict())
    else:
        print_view(f"已备份 · copied to {found.copy}")


def export(
    library: Place,
    to: Annotated[
        Path, typer.Argument(metavar="FILE", show_default=False, help="JSONL: .jsonl, .jsonl.gz, .jsonl.zst.")
    ],
    order: Order = "added",
    json: Json = False,
) -> None:
    """Write every article with its cluster as JSON Lines.

    Says how many bytes the file takes, and how many it holds.
    """
    from whorl.cli.output import print_json, print_view
    from whorl.tasks.library import export as write

    found = write(library, to, order=order)
    if json:
        print_json(found.to_dict())
    else:
        print_view(f"{found.documents:,} 篇 · articles, {found.bytes:,} → {found.written:,} bytes ({order})")


def _line(text: str) -> Any:
    from rich.text import Text as Styled

    from whorl.visible import visible

    return Styled(visible(text))


def _tie(match: Match | None) -> str:
    """The other article, what this one is to it, and the figure that says so."""
    from whorl.model import percent

    if match is None:
        return ""
    if match.kind in ("identical", "near-duplicate"):
        figure = f"{percent(match.similarity)} 相似 · similar"
    elif match.this_in_other >= match.other_in_this:
        figure = f"{percent(match.this_in_other)} 本篇在彼 · of this"
    else:
        figure = f"{percent(match.other_in_this)} 彼篇在此 · of other"
    return f"{match.id} {match.kind} {figure}"


def _table(headings: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> Table:
    from whorl.cli.output import new_table

    table = new_table(*headings)
    for row in rows:
        table.add_row(*(_line(str(cell)) for cell in row))
    return table


__all__ = [
    "LIBRARY_EPILOG",
    "backup",
    "clusters",
    "export",
    "list_articles",
    "reindex",
    "remove",
    "stats",
    "trace",
    "verify",
]

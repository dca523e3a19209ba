"""``whorl show``: the evidence for one removal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.options import Json

SHOW_EPILOG = """\
[bold]例子 · Examples[/bold]
  [cyan]whorl show clean ID[/cyan]
  [cyan]whorl show newsroom ID --json[/cyan]
"""


def show(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            show_default=False,
            help="The folder that `whorl dedup` wrote, or a library. · 文件夹",
        ),
    ],
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            show_default=False,
            help="The article: its id, or, if it was removed, FILE:ROW. · 文章编号",
        ),
    ],
    json: Json = False,
) -> None:
    """Show a removed article beside the one kept for it, or an article of a library with its matches.

    Passages that both have stand on one height, and what was changed in them is marked.
    并排看被删的一篇和留下的一篇，相同的段落左右对齐，改动之处有标记；或看库中一篇的匹配。
    """
    if is_library(out):
        _show_kept(str(out), id, json=json)
    else:
        _show_removed(out, id, json=json)


def is_library(place: Path) -> bool:
    """Whether a folder is a library, or what is left of one without its articles."""
    return (place / "library.sqlite").is_file() or any((place / "index").glob("*.manifest"))


def _show_kept(place: str, id_: str, *, json: bool) -> None:
    from whorl.cli.add import report_table
    from whorl.cli.output import print_json, print_view
    from whorl.errors import UsageError
    from whorl.library import open as open_library

    with open_library(place, create=False) as library:
        document = library.get(id_)
        if document is None:
            raise UsageError(f"there is no article {id_!r}", cure="see `whorl library list`")
        report = library.report(id_)
    if json:
        print_json({"document": document.to_dict(), "report": report.to_dict()})
    else:
        print_view(report_table(id_, report))


def _show_removed(out: Path, id: str, *, json: bool) -> None:
    from whorl.cli.output import columns, print_json, print_view
    from whorl.engines.local.evidence import removed_pair
    from whorl.reports.terminal import side_by_side

    pair = removed_pair(out, id)
    if json:
        print_json(pair.to_dict())
    else:
        width, plain = columns()
        print_view(side_by_side(pair, width, plain=plain))


__all__ = ["SHOW_EPILOG", "is_library", "show"]

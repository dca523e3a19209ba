"""``whorl show``: the evidence for one removal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whorl.cli.options import Json


def show(
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", show_default=False, help="The folder that `whorl dedup` wrote. · 输出文件夹"),
    ],
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID", show_default=False, help="The removed article: its id, or FILE:ROW. · 被删文章的编号"
        ),
    ],
    json: Json = False,
) -> None:
    """Show a removed article beside the one kept for it.

    Passages that both have are underlined.
    并排看被删的一篇和留下的一篇，相同之处有下划线。
    """
    from dataclasses import asdict

    from rich.console import Console

    from whorl.cli.output import print_json, print_view
    from whorl.engines.local.evidence import removed_pair
    from whorl.reports.terminal import side_by_side

    pair = removed_pair(out, id)
    if json:
        print_json(asdict(pair))
    else:
        print_view(side_by_side(pair, Console().width))


__all__ = ["show"]

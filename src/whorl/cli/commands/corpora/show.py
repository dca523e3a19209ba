"""``whorl show``: show the evidence for one removal."""

from __future__ import annotations

from typing import Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import Json

SHOW_EPILOG = Epilog(examples("whorl show clean ID", "whorl show newsroom ID --json"))


def show(
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            show_default=False,
            help="The output folder of `whorl dedup`, or a library: its folder or address.",
        ),
    ],
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            show_default=False,
            help="Id of the article, or FILE:ROW in a run.",
        ),
    ],
    json: Json = False,
) -> None:
    """Show a removed article next to the kept one, the removals of a kept one, or an article of a library.

    Common passages are aligned, and changes in them are marked.
    """
    from whorl.cli.ui.matches import report_table
    from whorl.cli.ui.output import columns, print_json, print_view
    from whorl.reports.terminal import removed_table, side_by_side
    from whorl.tasks.dedup.show import KeptArticle, LibraryArticle
    from whorl.tasks.dedup.show import show as look_up

    result = look_up(out, id)
    if json:
        print_json(result.to_dict())
    elif isinstance(result, LibraryArticle):
        print_view(report_table(result.report))
    elif isinstance(result, KeptArticle):
        print_view(removed_table(result))
    else:
        width, plain = columns()
        print_view(side_by_side(result, width, plain=plain))


__all__ = ["SHOW_EPILOG", "show"]

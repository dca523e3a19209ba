"""``whorl methods``: the ways to find copies, each with its public page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.options import Threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from whorl.tasks.methods import Method, MethodPage

_CURVE_BAR = 20


def methods(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="A method or preset; none lists all. · 方法名"),
    ] = None,
    threshold: Threshold = None,
) -> None:
    """List the methods, or explain one.

    For minhash also the bands and rows chosen for the threshold, and how surely a copy of each similarity is found.
    列出全部方法，或说明其中一种。
    """
    from whorl.cli.output import print_view
    from whorl.tasks.methods import describe_method
    from whorl.tasks.methods import methods as list_methods

    if name is None:
        print_view(_list(list_methods()))
    else:
        print_view(*_views(describe_method(name, threshold=threshold)))


def _list(known: Sequence[Method]) -> Table:
    from whorl.cli.output import new_table

    table = new_table()
    table.add_column("method", style="cyan")
    table.add_column("finds")
    for method in known:
        table.add_row(method.name, method.finds)
    return table


def _views(told: MethodPage) -> Iterator[RenderableType]:
    """Lay the public page out for this terminal, headings in bold, paragraphs refilled; then parameters and curve."""
    from rich.padding import Padding
    from rich.text import Text

    heading = "" if told.preset is None else f"{told.name}: {told.preset}\n\n"
    first, *sections = told.page.split("\n\n")
    yield Text(f"{heading}{told.family}: {first}", style="bold")
    for section in sections:
        heading, *lines = section.replace("``", "`").splitlines()
        yield Text(f"\n{heading}", style="bold cyan")
        yield Padding(Text(" ".join(line.strip() for line in lines)), (0, 0, 0, 4))
    if told.parameters:
        yield _parameters(told)
    if told.curve:
        yield _curve(told)


def _parameters(told: MethodPage) -> Table:
    from whorl.cli.output import new_table

    table = new_table("parameter", "value")
    for name, value in told.parameters.items():
        table.add_row(name, f"{value}")
    for name, value in told.derived.items():
        table.add_row(name, f"{value}, chosen from the above")
    return table


def _curve(told: MethodPage) -> Table:
    """The S-curve as a table: how likely two texts of a similarity share a key."""
    from whorl.cli.output import new_table

    table = new_table()
    table.add_column("similarity", justify="right")
    table.add_column("compared with probability")
    table.add_column("", style="cyan", width=_CURVE_BAR)
    table.add_column("", no_wrap=True)
    for similarity, chance in told.curve:
        mark = "← threshold" if similarity == told.threshold else ""
        table.add_row(f"{similarity:g}", f"{chance:.4f}", "█" * round(_CURVE_BAR * chance), mark)
    return table


__all__ = ["methods"]

"""``whorl methods``: list the methods with their public pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import Threshold
from whorl.i18n import Message, looked_up, say, translated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from whorl.tasks.methods import Method, MethodPage

METHODS_EPILOG = Epilog(
    examples(
        ("whorl methods", say("all methods and presets")),
        ("whorl methods minhash --threshold 0.9", say("a method, and its recall at a threshold")),
    )
)

_CURVE_BAR = 20


def methods(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="A method or preset; omit it to list all."),
    ] = None,
    threshold: Threshold = None,
) -> None:
    """List the methods, or describe one.

    For minhash this includes the bands and rows chosen for the threshold, and the probability that a copy of each
    similarity is found.
    """
    from whorl.cli.ui.output import print_view
    from whorl.tasks.methods import describe_method
    from whorl.tasks.methods import methods as list_methods

    if name is None:
        print_view(_list(list_methods()))
    else:
        print_view(*_views(describe_method(name, threshold=threshold)))


def paragraphs(page: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of a public page in English, each with its heading."""
    for number, section in enumerate(page.split("\n\n")):
        heading, _, text = section.partition("\n") if number and not section.startswith(" ") else ("", "", section)
        yield heading, " ".join(text.replace("``", "`").split())


def _list(listed: Sequence[Method]) -> Table:
    from whorl.reports.tables import new_table

    table = new_table()
    table.add_column(say("method"), style="cyan")
    table.add_column(say("finds"))
    for method in listed:
        table.add_row(method.name, _described(method.finds))
    return table


def _views(page: MethodPage) -> Iterator[RenderableType]:
    """Lay out the public page for this terminal: bold headings, refilled paragraphs, parameters and curve."""
    from rich.padding import Padding
    from rich.text import Text

    from whorl.cli.ui.flow import Flow
    from whorl.reports.tables import message_text

    (_, first), *sections = paragraphs(page.page)
    if page.preset is not None:
        yield Flow(message_text(say("{name}: {text}", name=page.name, text=page.preset), "bold"))
        yield Text()
    yield Flow(message_text(say("{name}: {text}", name=page.family, text=looked_up(first)), "bold"))
    for heading, text in sections:
        yield Text(f"\n{looked_up(heading)}" if heading else "", style="bold cyan")
        yield Padding(Flow(Text(looked_up(text))), (0, 0, 0, 4))
    if page.parameters:
        yield _parameters(page)
    if page.curve:
        yield _curve(page)


def _described(line: str) -> str:
    """Describe a method in one line: the beginning of its page, or the settings of a preset."""
    return str(translated(line)) if isinstance(line, Message) else looked_up(line)


def _parameters(page: MethodPage) -> Table:
    from whorl.reports.tables import new_table

    table = new_table(say("parameter"), say("value"))
    for name, value in page.parameters.items():
        table.add_row(name, f"{value}")
    for name, value in page.derived.items():
        table.add_row(name, say("{value}, derived from the values above", value=value))
    return table


def _curve(page: MethodPage) -> Table:
    """Return the S-curve as a table: the probability that two texts of a similarity share a key."""
    from whorl.reports.tables import new_table

    table = new_table()
    table.add_column(say("similarity"), justify="right")
    table.add_column(say("probability of a comparison"))
    table.add_column("", style="cyan", width=_CURVE_BAR)
    table.add_column("", no_wrap=True)
    for similarity, chance in page.curve:
        mark = say("← threshold") if similarity == page.threshold else ""
        table.add_row(f"{similarity:g}", f"{chance:.4f}", "█" * round(_CURVE_BAR * chance), mark)
    return table


__all__ = ["METHODS_EPILOG", "methods", "paragraphs"]

"""``whorl methods``: the ways to find copies, each with its public page."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whorl.cli.options import Threshold

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from whorl.fingerprints import Family

_CURVE_BAR = 20
_CURVE_STEPS = range(10, 101, 10)


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
    from whorl.fingerprints import families
    from whorl.recipe import PRESETS, Recipe

    if name is None:
        print_view(_list(families(), PRESETS))
        return
    family = Recipe().changed(method=name, threshold=threshold).family()
    heading = f"{name}: {_preset(PRESETS[name])}\n\n" if name in PRESETS else ""
    views = list(_page_views(heading, type(family)))
    if fields(family):  # type: ignore[arg-type]
        views.append(_parameters(family))
    if hasattr(family, "recall"):
        views.append(_curve(family))
    print_view(*views)


def _page(member: type) -> str:
    return inspect.cleandoc(sys.modules[member.__module__].__doc__ or "")


def _preset(preset: Mapping[str, Any]) -> str:
    """What a preset stands for, as one line: its family, then everything else that it sets."""
    chosen = {name: value for name, value in preset.items() if name not in ("method", "parameters")}
    chosen |= preset.get("parameters", {})
    settings = "".join(f", {name} {_shown(value)}" for name, value in chosen.items())
    return f"Preset of {preset['method']}{settings}."


def _shown(value: Any) -> str:
    """A value of a recipe, without the signs of a programming language."""
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{name} {_shown(item)}" for name, item in value.items()) + ")"
    return "+".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _page_views(heading: str, member: type[Family]) -> Iterator[RenderableType]:
    """Lay the public page out for this terminal: headings in bold, paragraphs refilled."""
    from rich.padding import Padding
    from rich.text import Text

    first, *sections = _page(member).split("\n\n")
    yield Text(f"{heading}{member.name}: {first}", style="bold")
    for section in sections:
        heading, *lines = section.replace("``", "`").splitlines()
        yield Text(f"\n{heading}", style="bold cyan")
        yield Padding(Text(" ".join(line.strip() for line in lines)), (0, 0, 0, 4))


def _list(members: dict[str, Any], presets: Mapping[str, Mapping[str, Any]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("method", style="cyan")
    table.add_column("finds")
    for name, member in sorted(members.items()):
        table.add_row(name, _page(member).splitlines()[0])
    for name, preset in sorted(presets.items()):
        table.add_row(name, _preset(preset))
    return table


def _parameters(family: Any) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table("parameter", "value", box=SIMPLE_HEAD, pad_edge=False)
    for field in fields(family):
        table.add_row(field.name, f"{getattr(family, field.name)}")
    for chosen in ("bands", "rows"):
        if hasattr(family, chosen):
            table.add_row(chosen, f"{getattr(family, chosen)}, chosen from the above")
    return table


def _curve(family: Any) -> Table:
    """The S-curve as a table: how likely two texts of a similarity share a key."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("similarity", justify="right")
    table.add_column("compared with probability")
    table.add_column("", style="cyan", width=_CURVE_BAR)
    table.add_column("", no_wrap=True)
    for similarity in sorted({step / 100 for step in _CURVE_STEPS} | {family.threshold}):
        chance = family.recall(similarity)
        mark = "← threshold" if similarity == family.threshold else ""
        table.add_row(f"{similarity:g}", f"{chance:.4f}", "█" * round(_CURVE_BAR * chance), mark)
    return table


__all__ = ["methods"]

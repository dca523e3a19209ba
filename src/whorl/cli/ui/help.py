"""Help of a command on the terminal: panels of arguments, options and commands, and the epilog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from whorl.cli.ui.epilogs import Section
from whorl.cli.ui.flow import Flow
from whorl.i18n import say, translated

_OPTION = r"(?<![\w-])--?[a-z][\w-]*"


def print_help(command: Any, context: Any) -> None:
    """Print the help of a command whose texts are already translated."""
    console = Console(highlight=False)
    usage = Text(command.get_usage(context), style="bold")
    console.print(Padding(usage, 1))
    for number, text in enumerate(command.help.split("\n\n")):
        console.print(Padding(Flow(_marked(text, "dim" if number else "")), (0, 1, 1, 1)))
    for panel in _panels(command, context):
        console.print(panel)
    for section in getattr(command.epilog, "sections", ()):
        console.print(Padding(Group(*_lines(section)), (1, 1, 0, 1)))
    console.print()


def _panels(command: Any, context: Any) -> Iterator[Panel]:
    arguments, options = translated(say("Arguments")), translated(say("Options"))
    panels: dict[str, list[Any]] = {arguments: [], options: []}
    for parameter in command.get_params(context):
        if getattr(parameter, "hidden", False):
            continue
        usual = arguments if parameter.param_type_name == "argument" else options
        panels.setdefault(parameter.rich_help_panel or usual, []).append(parameter)
    for title, parameters in panels.items():
        if parameters:
            yield _panel(title, map(_parameter, parameters))
    yield from _command_panels(getattr(command, "commands", {}))


def _command_panels(commands: Mapping[str, Any]) -> Iterator[Panel]:
    """Yield the panels of commands; their names have the same width in all panels."""
    width = max(map(len, commands), default=0)
    panels: dict[str, list[tuple[RenderableType, ...]]] = {}
    for name, child in commands.items():
        row = ("", Text(name.ljust(width), "bold cyan"), "", _text(child.short_help or child.help))
        panels.setdefault(child.rich_help_panel or translated(say("Commands")), []).append(row)
    for title, rows in panels.items():
        yield _panel(title, rows)


def _panel(title: str, rows: Iterable[tuple[RenderableType, ...]]) -> Panel:
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    filled = list(rows)
    for number, cells in enumerate(zip(*filled, strict=True)):
        if number == len(filled[0]) - 1:
            grid.add_column(ratio=1)
        else:
            grid.add_column(no_wrap=True, width=0 if not any(map(str, cells)) else None)
    for row in filled:
        grid.add_row(*row)
    return Panel(grid, border_style="dim", title=title, title_align="left")


def _parameter(parameter: Any) -> tuple[RenderableType, ...]:
    """Return a row of a panel: required mark, names, type and description."""
    required = Text("*" if parameter.required else "", "red")
    if parameter.param_type_name == "argument":
        return required, Text(parameter.metavar, "bold cyan"), "", _text(parameter.help)
    names = Text(", ".join(sorted(parameter.opts, key=len, reverse=True) + parameter.secondary_opts), "bold cyan")
    takes = Text(f"{parameter.metavar or ''}{_range(parameter)}", "yellow")
    return required, names, takes, _text(f"{parameter.help}{default_of(parameter)}")


def _range(parameter: Any) -> str:
    minimum, maximum = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if minimum is None:
        return ""
    return f" ≥ {minimum}" if maximum is None else f" {minimum}–{maximum}"


def default_of(parameter: Any) -> str:
    """Return the default of an option, as the end of its help."""
    value = parameter.default
    if value is None or value is False or value in ("", (), []) or not parameter.show_default:
        return ""
    display = parameter.show_default if isinstance(parameter.show_default, str) else value
    text = translated(say("(default: {value})", value=parameter.opts[0] if value is True else display))
    return text if text.startswith("（") else f" {text}"


def _text(text: str) -> Flow:
    first, _, _ = text.partition("\n\n")
    return Flow(_marked(first))


def _marked(text: str, style: str = "") -> Text:
    marked = Text(text, style)
    marked.highlight_regex(_OPTION, "bold cyan")
    marked.highlight_regex("`[^`]+`", "cyan")
    return marked


def _lines(section: Section) -> Iterator[RenderableType]:
    rows = [(row, "") if isinstance(row, str) else row for row in section.rows]
    texts = [(translated(name), translated(note)) for name, note in rows]
    width = max((Text(name).cell_len for name, note in texts if note), default=0)
    if section.title:
        yield Text(translated(section.title), "bold")
    for name, note in texts:
        line = Text(name, section.style)
        if note:
            grid = Table.grid(padding=(0, 2, 0, 0))
            grid.add_column(width=width, no_wrap=True)
            grid.add_row(line, Flow(_marked(note)))
        content = grid if note else Flow(line if section.style else _marked(name))
        yield Padding(content, (0, 0, 0, 2 if section.title else 0))


__all__ = ["default_of", "print_help"]

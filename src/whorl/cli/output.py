"""What goes to stdout: data, and nothing else."""

from __future__ import annotations

import json
import sys
from errno import EPIPE
from typing import TYPE_CHECKING, Any

from whorl.language import as_message, say, translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from rich.console import RenderableType


_OF_HINTS = ("encoding", "exclude", "id", "least", "method", "most", "out", "remove", "threshold", "top")
"""The options that hints and warnings name."""


def print_json(value: Any) -> None:
    """Print ``value`` as JSON in UTF-8, whatever the terminal's encoding; a lone surrogate stays a JSON escape."""
    data = json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")


def print_json_line(value: Any) -> None:
    """Print ``value`` as one line of JSON in UTF-8, at once."""
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def print_warnings(warnings: Iterable[Mapping[str, Any]]) -> None:
    """Print warnings on stderr, below what stdout has; being quiet about progress does not silence them."""
    from whorl.cli.failures import with_options

    sys.stdout.flush()
    for warning in warnings:
        told = say("warning: {warning}", warning=as_message(warning["message"]))
        sys.stderr.write(f"{with_options(translated(told), _OF_HINTS)}\n")


def print_hint(hint: str | None) -> None:
    """Print what a result suggests, below it; nothing where there is no hint."""
    if hint is None:
        return
    from rich.text import Text

    from whorl.cli.failures import with_options
    from whorl.cli.flow import Flow

    told = translated(say("hint: {hint}", hint=as_message(hint)))
    print_view(Flow(Text(with_options(told, _OF_HINTS), "italic")))


def takes_output(*places: Path | None, json: bool) -> bool:
    """Return whether a file that is written is standard output, called ``-``; nothing else is printed then.

    Args:
        places: what is written where.
        json: whether the result is printed as JSON.

    Raises:
        UsageError: two of them are.
    """
    from whorl.errors import UsageError
    from whorl.language import say
    from whorl.tasks.written import STANDARD_OUTPUT

    taken = places.count(STANDARD_OUTPUT)
    if taken + json > 1 and taken:
        raise UsageError(say("standard output is asked for twice"), cure=say("name a file for one of them"))
    return taken == 1


def columns() -> tuple[int, bool]:
    """Return how many cells a line of stdout has, and whether it shows no colours, as files and pipes do."""
    from rich.console import Console

    console = Console()
    return console.width, not console.is_terminal or console.no_color


def print_view(*views: RenderableType) -> None:
    """Print Rich renderables one below the other; a string is never read as markup."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(EPIPE, "the reader of stdout has left")

    console = Output(markup=False, highlight=False)
    for view in views:
        console.print(view)


__all__ = [
    "columns",
    "print_hint",
    "print_json",
    "print_json_line",
    "print_view",
    "print_warnings",
    "takes_output",
]

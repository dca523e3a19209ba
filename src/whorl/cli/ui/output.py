"""Output on stdout, which contains only data."""

from __future__ import annotations

import json
import os
import sys
from errno import EPIPE
from typing import TYPE_CHECKING, Any

from whorl._internal.visible_text import visible
from whorl.i18n import as_message, say, translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from rich.console import RenderableType


_OF_HINTS = ("encoding", "exclude", "id", "least", "method", "most", "ocr", "out", "remove", "threshold", "top")
"""Options that hints and warnings refer to."""


def print_json(value: Any) -> None:
    """Print ``value`` as JSON in UTF-8, whatever the terminal's encoding; a lone surrogate stays a JSON escape."""
    data = json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")


def print_json_line(value: Any) -> None:
    """Print ``value`` as one line of JSON in UTF-8, and flush it."""
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def print_warnings(warnings: Iterable[Mapping[str, Any]]) -> None:
    """Print warnings on stderr after the output; --quiet does not suppress them."""
    from whorl.cli.ui.failures import with_options

    sys.stdout.flush()
    for warning in warnings:
        text = say("warning: {warning}", warning=as_message(warning["message"]))
        sys.stderr.write(f"{with_options(translated(text), _OF_HINTS)}\n")


def print_hint(hint: str | None) -> None:
    """Print the hint of a result, if any, after the output."""
    if hint is None:
        return
    from whorl.cli.ui.failures import with_options

    text = with_options(translated(say("hint: {hint}", hint=as_message(hint))), _OF_HINTS)
    if not is_styled():
        print_text(visible(text))
        return
    from rich.text import Text

    from whorl.cli.ui.flow import Flow

    print_view(Flow(Text(text, "italic")))


def takes_output(*places: Path | None, json: bool) -> bool:
    """Return True if an output file is standard output (``-``), so that no other output may be printed.

    Args:
        places: output paths.
        json: True if the result is printed as JSON.

    Raises:
        UsageError: two outputs are standard output.
    """
    from whorl.errors import UsageError
    from whorl.i18n import say
    from whorl.tasks.dedup.outputs import STANDARD_OUTPUT

    count = places.count(STANDARD_OUTPUT)
    if count + json > 1 and count:
        raise UsageError(say("two outputs are set to standard output"), hint=say("choose a file for one of them"))
    return count == 1


def is_styled() -> bool:
    """Return True if stdout is a terminal, or FORCE_COLOR is set.

    Files and pipes get plain text, which also spares the import of Rich.
    """
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


def print_text(text: str) -> None:
    """Print a text as it is, followed by a line break."""
    sys.stdout.write(f"{text}\n")


def columns() -> tuple[int, bool]:
    """Return the width of stdout in cells, and True if it shows no colors, as for files and pipes."""
    from rich.console import Console

    console = Console()
    return console.width, not console.is_terminal or console.no_color


def print_view(*views: RenderableType) -> None:
    """Print Rich renderables below each other; strings are not read as markup."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(EPIPE, "the reader of stdout has left")

    console = Output(markup=False, emoji=False, highlight=False)
    for view in views:
        console.print(view)


__all__ = [
    "columns",
    "is_styled",
    "print_hint",
    "print_json",
    "print_json_line",
    "print_text",
    "print_view",
    "print_warnings",
    "takes_output",
]

"""Rich tables for the terminal that translate messages into the current language."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from whorl.i18n import translated


class Spoken(Table):
    """A Rich table that translates messages in headings and cells when they are added."""

    def add_column(self, header: RenderableType = "", *args: Any, **options: Any) -> None:
        """Add a column."""
        super().add_column(translated(header), *args, **options)

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """Add a row."""
        super().add_row(*map(translated, cells), **options)


def new_table(*headings: str, **options: Any) -> Spoken:
    """Return an empty table with a line below its headings; the options are those of Rich."""
    return Spoken(*headings, box=SIMPLE_HEAD, pad_edge=False, **options)


def new_grid() -> Spoken:
    """Return an empty table without headings and lines."""
    return Spoken(box=None, padding=(0, 2), collapse_padding=True, show_header=False, show_edge=False, pad_edge=False)


def facts() -> Spoken:
    """Return an empty table of labels and values."""
    table = new_grid()
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def message_text(message: str, style: str = "") -> Text:
    """Return a message as Rich text, never parsed as markup."""
    return Text(translated(message), style)


__all__ = ["Spoken", "facts", "message_text", "new_grid", "new_table"]

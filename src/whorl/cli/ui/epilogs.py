"""Epilog of a command's help: examples, tables and remarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from whorl.i18n import say

Row = str | tuple[str, str]


class Section(NamedTuple):
    """A heading with lines below it.

    Attributes:
        title: the heading, or an empty string.
        rows: lines, or names with descriptions.
        style: style of the lines and names.
    """

    title: str
    rows: Sequence[Row]
    style: str = ""


class Epilog(str):
    """Sections below the help of a command; its string value, for Typer, is their headings."""

    __slots__ = ("sections",)

    sections: tuple[Section, ...]

    def __new__(cls, *sections: Section) -> Self:
        """Create a string that carries the sections."""
        epilog = super().__new__(cls, "\n".join(section.title for section in sections))
        epilog.sections = sections
        return epilog


def examples(*rows: Row) -> Section:
    """Return commands with descriptions."""
    return Section(say("Examples"), rows, "cyan")


def paragraph(text: str) -> Section:
    """Return a paragraph without a heading."""
    return Section("", [text])


__all__ = ["Epilog", "Row", "Section", "examples", "paragraph"]

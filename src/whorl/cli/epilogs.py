"""What stands below the help of a command: examples, tables and remarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from whorl.language import say

Row = str | tuple[str, str]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and lines below it.

    Attributes:
        title: the heading; none where empty.
        rows: lines, or names with what they stand for.
        style: of the lines and names.
    """

    title: str
    rows: Sequence[Row]
    style: str = ""


class Epilog(str):
    """Sections below the help of a command; as a string, which is what Typer takes, their headings."""

    __slots__ = ("sections",)

    sections: tuple[Section, ...]

    def __new__(cls, *sections: Section) -> Self:
        """Keep the sections."""
        made = super().__new__(cls, "\n".join(section.title for section in sections))
        made.sections = sections
        return made


def examples(*rows: Row) -> Section:
    """Return commands, each with what it is for where that is said."""
    return Section(say("Examples"), rows, "cyan")


def paragraph(text: str) -> Section:
    """Return a remark without a heading."""
    return Section("", [text])


__all__ = ["Epilog", "Row", "Section", "examples", "paragraph"]

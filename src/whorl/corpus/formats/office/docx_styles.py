"""Formatting of Word documents that hides text or marks a table of contents [ECMA-376-1, 17.7]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import IO

from whorl.corpus.formats.office.hidden_text import MAX_HIDDEN_POINTS, hex_color
from whorl.corpus.formats.office.zip_parts import feed

WORD_NAMESPACES = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
    "{http://schemas.microsoft.com/office/word/2003/wordml}",
)
_CONTENTS = ("toc ", "table of figures")
_MAX_BASES = 32
_MAX_DEPTH = 12
_NARROWEST_PERCENT = 10
UNKNOWN_FILL = "unknown"
"""A background with an unknown color: text on it never counts as hidden."""

AUTOMATIC = "auto"
"""A letter color that Word chooses to be visible."""


@dataclass(slots=True)
class RunFormat:
    """Properties of a run, a style or a cell; None if not stated.

    Attributes:
        vanishes: whether it is marked as hidden.
        color: the letter color, six hexadecimal digits or ``AUTOMATIC``.
        fill: the background color, ``UNKNOWN_FILL`` for a theme color or a pattern.
        is_tiny: whether its size or width makes it unreadable.
    """

    vanishes: bool | None = None
    color: str | None = None
    fill: str | None = None
    is_tiny: bool | None = None

    def over(self, base: RunFormat) -> RunFormat:
        """Return this format, with properties that it does not state taken from ``base``."""
        return RunFormat(
            base.vanishes if self.vanishes is None else self.vanishes,
            self.color or base.color,
            self.fill or base.fill,
            base.is_tiny if self.is_tiny is None else self.is_tiny,
        )

    def take(self, name: str, attributes: dict[str, str]) -> None:
        """Set a property by the local name of its element; unknown properties are ignored."""
        values = {key.rpartition("}")[2]: value for key, value in attributes.items()}
        value = values.get("val", "")
        if name == "vanish":
            self.vanishes = value.lower() not in ("0", "false", "off")
        elif name == "color":
            self.color = hex_color(value) or AUTOMATIC
        elif name == "sz":
            self.is_tiny = value.isdecimal() and len(value) < 9 and int(value) <= 2 * MAX_HIDDEN_POINTS
        elif name == "w" and value.rstrip("%").isdecimal():
            narrow = len(value) < 9 and int(value.rstrip("%")) <= _NARROWEST_PERCENT
            self.is_tiny = narrow or self.is_tiny
        elif name == "highlight" and value.lower() != "none":
            self.fill = hex_color(value) or UNKNOWN_FILL
        elif name == "shd":
            self.fill = _fill(values) or self.fill


def _fill(values: dict[str, str]) -> str | None:
    pattern = values.get("val", "clear").lower()
    if pattern == "nil" or (pattern == "clear" and values.get("fill", "auto") == "auto" and "themeFill" not in values):
        return None
    color = values.get("color", "") if pattern == "solid" else values.get("fill", "")
    return (hex_color(color) if pattern in ("clear", "solid") else None) or UNKNOWN_FILL


def shading_fill(attributes: dict[str, str]) -> str | None:
    """Return the background color that a shading sets, or None."""
    shading = RunFormat()
    shading.take("shd", attributes)
    return shading.fill


@dataclass(slots=True)
class _WordStyle:
    base: str = ""
    name: str = ""
    run: RunFormat = field(default_factory=RunFormat)


class DocxStyles:
    """The styles of a document; without a styles part, the defaults of Word."""

    def __init__(self, part: IO[bytes] | None = None) -> None:
        reading = _StylesTarget()
        if part is not None:
            feed(part, reading)
        self._styles = reading.styles
        self._defaults = reading.styles.get("", _WordStyle()).run
        self._default_paragraph = reading.default_paragraph
        self._formats: dict[tuple[str, str], RunFormat] = {}
        self._contents = {id for id, style in self._styles.items() if _is_contents(style.name)}
        self.colored_tables = reading.colored_tables

    def format(self, paragraph: str, run: str) -> RunFormat:
        """Return the format of a run in a paragraph, by the style ids of both; an id may be empty."""
        key = paragraph or self._default_paragraph, run
        if key not in self._formats:
            paragraph_format = RunFormat()
            for name in (key[1], key[0]):
                for style in self._with_bases(name):
                    paragraph_format = paragraph_format.over(style.run)
            self._formats[key] = paragraph_format.over(self._defaults)
        return self._formats[key]

    def is_contents(self, paragraph: str) -> bool:
        """True if paragraphs of this style are lines or the heading of a table of contents."""
        return paragraph in self._contents or (paragraph not in self._styles and paragraph.upper().startswith("TOC"))

    def _with_bases(self, id: str) -> list[_WordStyle]:
        styles: list[_WordStyle] = []
        while id in self._styles and id and len(styles) < _MAX_BASES:
            styles.append(self._styles[id])
            id = styles[-1].base
        return styles


def _is_contents(name: str) -> bool:
    return name.lower().startswith(_CONTENTS)


class _StylesTarget:
    def __init__(self) -> None:
        self.styles: dict[str, _WordStyle] = {}
        self.colored_tables: set[str] = set()
        self.default_paragraph = ""
        self._path: list[str] = []
        self._id = ""
        self._is_table = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2] if tag.startswith(WORD_NAMESPACES) else ""
        path = self._path
        path.append(name)
        if name == "style":
            values = {key.rpartition("}")[2]: value for key, value in attributes.items()}
            self._id = values.get("styleId", "")
            self._is_table = values.get("type") == "table"
            self.styles.setdefault(self._id, _WordStyle())
            if values.get("type") == "paragraph" and values.get("default", "").lower() in ("1", "true", "on"):
                self.default_paragraph = self._id
        elif name == "docDefaults":
            self._id = ""
            self.styles.setdefault("", _WordStyle())
        elif len(path) > 1 and path[-2] == "style" and name in ("basedOn", "name"):
            value = next((value for key, value in attributes.items() if key.endswith("}val")), "")
            setattr(self.styles[self._id], "base" if name == "basedOn" else "name", value)
        elif name == "shd" and self._is_table:
            self.colored_tables.add(self._id)
        elif (name == "shd" or path[-2:-1] == ["rPr"]) and not self._is_table and self._is_own():
            self.styles.setdefault(self._id, _WordStyle()).run.take(name, attributes)

    def _is_own(self) -> bool:
        """True if the properties belong to a style, and not to the former version kept by a tracked change."""
        if len(self._path) > _MAX_DEPTH or not {"style", "docDefaults"}.intersection(self._path):
            return False
        return not any(name.endswith("Change") for name in self._path)

    def data(self, text: str) -> None:
        del text

    def end(self, tag: str) -> None:
        del tag
        self._path.pop()


__all__ = ["AUTOMATIC", "UNKNOWN_FILL", "WORD_NAMESPACES", "DocxStyles", "RunFormat", "shading_fill"]

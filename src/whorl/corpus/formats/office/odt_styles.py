"""Formatting of OpenDocument texts that hides text [OASIS OpenDocument 1.3, 16]."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from whorl._internal.frozen import frozen
from whorl.corpus.formats.office.hidden_text import MAX_HIDDEN_POINTS, WHITE, hex_color, is_invisible

_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_BOXES = frozenset((f"{_DRAW}text-box", f"{_DRAW}custom-shape", f"{_DRAW}frame", f"{_DRAW}rect"))
_FAMILIES = {
    f"{_TEXT}p": "paragraph",
    f"{_TEXT}h": "paragraph",
    f"{_TEXT}span": "text",
    f"{_TEXT}a": "text",
    "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table-cell": "table-cell",
}
_NAMES = (f"{_TEXT}style-name", "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}style-name")
_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(pt|cm|mm|in|%)")
_POINTS = {"pt": 1.0, "cm": 28.35, "mm": 2.835, "in": 72.0, "%": 0.12}
_UNKNOWN, _AUTOMATIC = "unknown", "auto"
_MAX_PARENTS = 32


@frozen
class TextFormat:
    """Letter format at a position of the text; None if not stated.

    Attributes:
        vanishes: whether it is marked as hidden.
        color: the letter color, six hexadecimal digits, or "auto" for a visible one.
        fill: the background color, or "unknown" for a drawing.
        is_tiny: whether its size is unreadably small.
    """

    vanishes: bool | None = None
    color: str | None = None
    fill: str | None = None
    is_tiny: bool | None = None

    def over(self, base: TextFormat) -> TextFormat:
        """Return this format, with properties that it does not state taken from ``base``."""
        return TextFormat(
            base.vanishes if self.vanishes is None else self.vanishes,
            self.color or base.color,
            self.fill or base.fill,
            base.is_tiny if self.is_tiny is None else self.is_tiny,
        )

    @property
    def is_hidden(self) -> bool:
        """True if readers cannot see the letters."""
        if self.vanishes or self.is_tiny:
            return True
        if self.color is None or self.color == _AUTOMATIC or self.fill == _UNKNOWN:
            return False
        return is_invisible(self.color, self.fill or WHITE)


@dataclass(slots=True)
class _OdtStyle:
    parent: str = ""
    format: TextFormat = field(default_factory=TextFormat)


class OdtStyles:
    """The styles of a document, collected while its elements before the body are parsed."""

    def __init__(self) -> None:
        self._styles: dict[tuple[str, str], _OdtStyle] = {}
        self._formats: dict[tuple[str, str], TextFormat] = {}
        self._now: _OdtStyle | None = None
        self._page = TextFormat()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element of a styles part."""
        if tag in (f"{_STYLE}style", f"{_STYLE}default-style"):
            family = attributes.get(f"{_STYLE}family", "")
            self._now = _OdtStyle(attributes.get(f"{_STYLE}parent-style-name", ""))
            self._styles[family, attributes.get(f"{_STYLE}name", "")] = self._now
        elif tag == f"{_STYLE}page-layout-properties" and _fill(attributes):
            self._page = TextFormat(fill=_UNKNOWN)
        elif self._now is not None and tag.startswith(_STYLE) and tag.endswith("-properties"):
            self._now.format = _format(tag, attributes).over(self._now.format)

    def end(self, tag: str) -> None:
        """Handle the end of an element of a styles part."""
        if tag in (f"{_STYLE}style", f"{_STYLE}default-style"):
            self._now = None

    def within(self, around: TextFormat | None, tag: str, attributes: dict[str, str]) -> TextFormat:
        """Return the format inside an element; ``around`` is the format outside it, None at the root."""
        if around is None:
            around = self._page
        if tag in _BOXES:
            return replace(around, fill=_UNKNOWN)
        family = _FAMILIES.get(tag)
        if family is None:
            return around
        name = next((attributes[name] for name in _NAMES if name in attributes), "")
        return self._resolved(family, name).over(around)

    def _resolved(self, family: str, name: str) -> TextFormat:
        if (family, name) not in self._formats:
            result, parents, at = TextFormat(), 0, name
            while at and (style := self._styles.get((family, at))) is not None and parents < _MAX_PARENTS:
                result, at, parents = result.over(style.format), style.parent, parents + 1
            if family == "paragraph" and (default := self._styles.get((family, ""))) is not None:
                result = result.over(default.format)
            self._formats[family, name] = result
        return self._formats[family, name]


def _format(tag: str, attributes: dict[str, str]) -> TextFormat:
    fill = _fill(attributes)
    if not tag.endswith("}text-properties"):
        return TextFormat(fill=fill)
    display, size = attributes.get(f"{_TEXT}display"), _SIZE.fullmatch(attributes.get(f"{_FO}font-size", ""))
    color = attributes.get(f"{_FO}color")
    if attributes.get(f"{_STYLE}use-window-font-color") == "true":
        color = _AUTOMATIC
    return TextFormat(
        None if display is None else display == "none",
        None if color is None else hex_color(color) or _AUTOMATIC,
        fill,
        None if size is None else float(size[1]) * _POINTS[size[2]] <= MAX_HIDDEN_POINTS,
    )


def _fill(attributes: dict[str, str]) -> str | None:
    value = attributes.get(f"{_FO}background-color", "transparent")
    return None if value == "transparent" else hex_color(value) or _UNKNOWN


__all__ = ["OdtStyles", "TextFormat"]

"""Visible text of pages inside documents: chapters of a book, and pages embedded in Word documents.

Such pages are all text, unlike web pages, from which an article is extracted. Left out are ruby readings, elements
hidden by attribute or style, and text in the color of its background or in an unreadably small size. Styles come from
the page and its style sheets, only from rules with one simple selector; rules for certain devices (``@media``) do not
hide text from readers on others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.formats.office.hidden_text import MAX_HIDDEN_POINTS, WHITE, count_characters, hex_color, is_invisible
from whorl.corpus.pages.parsing import parse, visible_lines

_ADDRESSES = ("src", "xlink:href", "{http://www.w3.org/1999/xlink}href", "href", "data")
_READINGS = frozenset(("rt", "rp", "rtc"))
_INVISIBLE = frozenset(("script", "style", "template", "title", "head", "noscript"))
_MAX_STYLE_CHARACTERS = 2**20
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?P<mark>[.#][\w-]+)?", re.IGNORECASE)
_SIZE = re.compile(r"(?P<number>\d{0,6}(?:\.\d{1,6})?)\s*(?P<unit>pt|px|em|rem|%)?")
_POINTS = {"pt": 1.0, "px": 0.75, "em": 12.0, "rem": 12.0, "%": 0.12}
_HIDING = {"visibility": ("hidden", "collapse"), "opacity": ("0", "0.0", "0%")}
_HIDES, _IS_TINY, _IS_COLORED, _COLOR = "hides", "is_tiny", "is_colored", "color"


@frozen
class ShownPage:
    """Visible content of a page.

    Attributes:
        text: its lines.
        hidden: number of hidden characters.
        pictures: number of pictures, including drawings.
        sources: the addresses of its pictures.
        linked: number of characters in links.
        kinds: the stated kinds of the page, such as "toc" or "cover" (``epub:type``, ``role``).
    """

    text: str
    hidden: int = 0
    pictures: int = 0
    sources: tuple[str, ...] = ()
    linked: int = 0
    kinds: frozenset[str] = frozenset()


def shown_page(data: bytes, style_sheet: Callable[[str], str] | None = None) -> ShownPage:
    """Read a page.

    Args:
        data: its bytes.
        style_sheet: returns a style sheet by its address in the page, or an empty string; None ignores style sheets.

    Raises:
        UnreadableError: the data is not a page.
    """
    tree, _ = parse(data)
    sheets = [] if style_sheet is None else [style_sheet(path) for path in _style_sheet_paths(tree)]
    styles = _PageStyleRules([*sheets, *(sheet.text or "" for sheet in tree.iter("style"))])
    pictures = list(tree.iter("img", "image", "svg", "object"))
    sources = tuple(filter(None, (next(filter(None, map(item.get, _ADDRESSES)), None) for item in pictures)))
    kinds = _kinds(tree)
    hidden = _remove_hidden(tree, styles)
    text = "\n".join(line.text for line in visible_lines(tree))
    return ShownPage(text, hidden, len(pictures), sources, _linked(tree), kinds)


def _linked(tree: Any) -> int:
    """Return the number of characters in links, which may be nested."""
    from lxml import etree

    count = links = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        is_link = element.tag == "a" and element.get("href") is not None
        if event == "start":
            links += is_link
            count += count_characters(element.text or "") if links else 0
        else:
            links -= is_link
            count += count_characters(element.tail or "") if links else 0
    return count


def _style_sheet_paths(tree: Any) -> list[str]:
    links = (link for link in tree.iter("link") if "stylesheet" in (link.get("rel") or "").lower().split())
    return [path for link in links if (path := link.get("href"))]


def _kinds(tree: Any) -> frozenset[str]:
    """Return the stated kinds of the body, or of its only element."""
    body = tree.find("body")
    element = tree if body is None else body
    kinds: set[str] = set()
    for _ in range(3):
        kinds.update((element.get("epub:type") or "").lower().split(), (element.get("role") or "").lower().split())
        children = list(element)
        if len(children) != 1 or (element.text or "").strip():
            break
        element = children[0]
    return frozenset(kind.removeprefix("doc-") for kind in kinds)


class _PageStyleRules:
    def __init__(self, sheets: Iterable[str]) -> None:
        self._rules: dict[tuple[str, str], dict[str, str]] = {}
        remaining = _MAX_STYLE_CHARACTERS
        for sheet in sheets:
            self._take(_without_blocks(_COMMENT.sub(" ", sheet[:remaining])))
            remaining = max(0, remaining - len(sheet))

    def of(self, element: Any) -> dict[str, str]:
        """Return the styles of an element, under ``_HIDES`` and the other keys."""
        style: dict[str, str] = {}
        if self._rules:
            marks = ["", *(f".{name}" for name in (element.get("class") or "").split()), f"#{element.get('id') or ''}"]
            for mark in marks:
                for tag in ("", element.tag):
                    style |= self._rules.get((tag, mark), {})
        written = element.get("style")
        if element.tag == "font" and (color := hex_color(element.get("color") or "")):
            style[_COLOR] = color
        if element.get("bgcolor") or element.get("background"):
            style[_IS_COLORED] = element.get("bgcolor") or ""
        return style | _effect(written) if written else style

    def _take(self, sheet: str) -> None:
        for rule in sheet.split("}"):
            selectors, _, declarations = rule.partition("{")
            effect = _effect(declarations)
            if not effect:
                continue
            for selector in selectors.split(","):
                match = _SELECTOR.fullmatch(selector.strip())
                if match and match.group():
                    key = (match["tag"] or "").lower(), match["mark"] or ""
                    self._rules[key] = self._rules.get(key, {}) | effect


def _without_blocks(sheet: str) -> str:
    """Return a style sheet without rules that begin with ``@``."""
    pieces, start, depth, at = [], 0, 0, -1
    for match in re.finditer(r"[@{};]", sheet):
        sign = match.group()
        if sign == "@" and at < 0 and depth == 0:
            at = match.start()
            pieces.append(sheet[start:at])
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(0, depth - 1)
        if at >= 0 and depth == 0 and sign in "};":
            at, start = -1, match.end()
    return "".join([*pieces, sheet[start:] if at < 0 else ""])


def _effect(declarations: str) -> dict[str, str]:
    effect: dict[str, str] = {}
    for declaration in declarations.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip().lower(), value.replace("!important", "").strip().lower()
        if name == "display":
            effect[_HIDES] = "yes" if value == "none" else ""
        elif value in _HIDING.get(name, ()):
            effect[_HIDES] = "yes"
        elif name == "font-size":
            effect[_IS_TINY] = "yes" if _is_tiny(value) else "no"
        elif name == "color" and (color := hex_color(value)):
            effect[_COLOR] = color
        elif name in ("background", "background-color", "background-image"):
            effect[_IS_COLORED] = value
    return effect


def _is_tiny(size: str) -> bool:
    match = _SIZE.fullmatch(size)
    if match is None or not match["number"]:
        return False
    if match["unit"] is None:
        return float(match["number"]) == 0
    return float(match["number"]) * _POINTS[match["unit"]] <= MAX_HIDDEN_POINTS


@dataclass(slots=True)
class _OpenElement:
    """An open element: whether its letters are tiny, their color, and whether it has a colored background."""

    is_tiny: bool = False
    color: str | None = None
    is_colored: bool = False

    @property
    def is_hidden(self) -> bool:
        """True if its direct text is unreadable; nested elements may have another format."""
        return self.is_tiny or (self.color is not None and not self.is_colored and is_invisible(self.color, WHITE))


def _remove_hidden(tree: Any, styles: _PageStyleRules) -> int:
    """Remove hidden elements, and count the characters that attributes and styles hide."""
    from lxml import etree

    body = tree.find("body")
    root = tree if body is None else body
    hidden = 0
    removed = []
    around = [_OpenElement()]
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            around.pop()
            if element is not root and around[-1].is_hidden and element.tail:
                hidden += count_characters(element.tail)
                element.tail = " "
            continue
        style = styles.of(element)
        is_hidden = style.get(_HIDES) or element.get("hidden") is not None
        if element.tag in _READINGS or (is_hidden and element is not root):
            hidden += count_characters("".join(element.itertext())) if element.tag not in _READINGS else 0
            removed.append(element)
            walk.skip_subtree()
        outer = around[-1]
        is_tiny = {"yes": True, "no": False}.get(style.get(_IS_TINY, ""), outer.is_tiny)
        is_colored = outer.is_colored or _is_color(style.get(_IS_COLORED, ""))
        # A white page is meant for reading apps with a dark background.
        color = None if element is root else style.get(_COLOR) or outer.color
        around.append(_OpenElement(is_tiny, color, is_colored))
        if around[-1].is_hidden and element.text and element.tag not in _INVISIBLE:
            hidden += count_characters(element.text)
            element.text = " "
    for element in list(root.iter("rb")):
        element.tag = "span"  # older markup of a ruby base
    for element in removed:  # emptied in place: removing many children of one parent is quadratic
        element.clear(keep_tail=True)
        element.tag = "span"
    return hidden


def _is_color(background: str) -> bool:
    """True if a background is neither white nor transparent."""
    first = hex_color(background.split(maxsplit=1)[0]) if background.split() else None
    return bool(background) and background not in ("none", "transparent", "inherit", "initial") and first != WHITE


__all__ = ["ShownPage", "shown_page"]

"""Remove invisible text from a page: hidden by an attribute, a style, its color, its size or its position.

Hidden words between the visible ones break up every passage, so a search does not find such a copy. Browsers do not
display them, and they are removed before the page is read further.

Only style attributes and simple rules of the page's style sheets are evaluated; external ones are not fetched. Two
exceptions keep real text: a page that hides most of its text has a script that displays it, as in WeChat articles, and
white text only counts as hidden if no element around it has a background.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from whorl.corpus.formats.office.hidden_text import MAX_HIDDEN_POINTS, WHITE, count_characters, hex_color, is_invisible
from whorl.corpus.pages.body import is_prose
from whorl.corpus.pages.parsing import remove

_MAX_CSS = 2**20
_MAX_RULES = 5000
_MAX_CLASSES = 32
_OFF_SCREEN_PX = -500
_FAINT = 0.05
_TINY_EM = 0.1
_MAX_SELECTORS, _MAX_DECLARATIONS = 500, 5000
_BRACE = re.compile("[{}]")
_FONT_SIZE = re.compile(r"(?<![\w.])(?:[0-9.]{1,9}(?:px|pt|em|rem|%)|0(?=/|\s|$))")
_CLEAR = re.compile(r"(?:rgb|hsl)a?\([^)]*[,/]\s*(?:0?\.0*|0+)%?\s*\)")
_MAX_WITHIN = 50
_FOLDED_PARAGRAPHS = 3
_FOLDED = 600
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?([.#][\w-]+)", re.IGNORECASE)
_LENGTH = re.compile(r"(-?[0-9]{0,9}\.?[0-9]{1,9})(px|pt|em|rem|%|vw|vh)?(?![\w.])")
_RELEVANT = frozenset((
    "display", "visibility", "opacity", "font-size", "font", "color", "background", "background-color", "position",
    "left", "top", "right", "text-indent", "clip", "clip-path", "width", "height", "overflow", "transform",
    "background-image", "margin-left", "max-height",
))  # fmt: skip
_UNSEEN = frozenset(("script", "style", "noscript", "template", "head", "title", "svg", "math", "select", "iframe"))
_NEVER_REMOVED = frozenset(("html", "body", "main", "article"))
_FOR_SCREEN_READERS = re.compile(r"(?:^|[\s_-])(?:sr|screen-?reader|visually-?hidden|assistive|a11y)", re.IGNORECASE)
_BLOCKS = frozenset(("div", "dl", "form", "ol", "section", "table", "ul"))
_BESIDE = 2
_CONTROLS = frozenset(("a", "button", "label", "nav", "li", "summary", "th"))

_Style = Mapping[str, str]


@dataclass(slots=True)
class _PageStyles:
    """The rules of a page's style sheets, by class and id; a later rule wins.

    Rules for tags alone are ignored: they are mostly overridden by rules that are not evaluated.
    """

    marks: dict[str, dict[str, str]] = field(default_factory=dict)

    def style_of(self, element: Any) -> _Style:
        style: dict[str, str] = {}
        if self.marks:
            for name in (element.get("class") or "").split()[:_MAX_CLASSES]:
                style.update(self.marks.get("." + name, ()))
                style.update(self.marks.get(f"{element.tag}.{name}", ()))
            if name := element.get("id"):
                style.update(self.marks.get("#" + name, ()))
        if written := element.get("style"):
            style.update(_declarations(written))
        return style


def remove_hidden(tree: Any) -> int:
    """Remove hidden elements from a page in place.

    Returns:
        The number of characters hidden within the text for disguise: menus, dialogs and words for screen readers are
        removed and not counted.

    Cost: linear in the page.
    """
    sheet = _sheet_of(tree)
    inline: list[Any] = []
    blocks: list[Any] = []
    counted: dict[Any, int] = {}
    hidden = visible = 0
    for element, is_disguised, size in _hidden(tree, sheet):
        if element is None:
            visible += size
            continue
        text = "".join(element.itertext())
        is_within = _is_within_text(element)
        if is_within:
            inline.append(element)
        elif is_disguised or not _is_folded(element):
            blocks.append(element)
            hidden += count_characters(text)
        is_evident = is_within or (is_disguised and element.get("style") and is_prose(text))
        if is_evident and not _is_for_screen_readers(element):
            counted[element] = count_characters(text)
    removed = [*inline, *(blocks if hidden <= visible else ())]
    remove(tree, removed)
    return sum(counted.get(element, 0) for element in removed)


def _is_folded(element: Any) -> bool:
    """True if an undisplayed element is part of an article that a script unfolds: several paragraphs."""
    sizes = [count_characters("".join(paragraph.itertext())) for paragraph in islice(element.iter("p"), _MAX_WITHIN)]
    return len(sizes) >= _FOLDED_PARAGRAPHS and sum(sizes) >= _FOLDED


def _hidden(tree: Any, sheet: _PageStyles) -> Iterator[tuple[Any, bool, int]]:
    """Return the outermost hidden elements, whether each is disguised by its style, and the visible length."""
    body = tree.find("body")
    stack: list[tuple[Any, str | None, str | None]] = [(tree if body is None else body, None, WHITE)]
    while stack:
        element, color, ground = stack.pop()
        tag = element.tag
        if not isinstance(tag, str) or tag in _UNSEEN:
            continue
        style = sheet.style_of(element)
        color, ground = _colors(element, style, color, ground)
        children = list(element)
        size = count_characters("".join([element.text or "", *[child.tail or "" for child in children]]))
        if tag not in _NEVER_REMOVED and (size or children):
            is_invisible_ink = bool(size and color and ground) and is_invisible(color or "", ground or "")
            is_disguised = (
                _is_moved(style)
                or (is_invisible_ink and not _restates(element, "color"))
                or (_is_tiny(style) and not _restates(element, "font"))
            )
            is_gone = element.get("hidden", "until-found") != "until-found" or _is_undisplayed(style)
            if is_gone or is_disguised:
                yield element, is_disguised and not is_gone, 0
                continue
        if size:
            yield None, False, size
        stack += [(child, color, ground) for child in children]


def _colors(element: Any, style: _Style, color: str | None, ground: str | None) -> tuple[str | None, str | None]:
    """Return the color of an element's text and of its background; None if it is not stated, or is a picture."""
    stated = style.get("color") or (element.get("color") if element.tag == "font" else None)
    behind = style.get("background-color") or style.get("background") or element.get("bgcolor")
    if style.get("background-image", "none") != "none" or element.get("background"):
        ground = None
    elif behind and behind not in ("transparent", "none", "inherit", "initial"):
        ground = hex_color(behind if "(" in behind else behind.split()[0])
    if stated == "transparent" or (stated and _CLEAR.fullmatch(stated)):
        return ground, ground
    return (hex_color(stated) if stated else color), ground


def _restates(element: Any, what: str) -> bool:
    """True if elements within this one override its color or size."""
    within = islice(element.iterdescendants(), _MAX_WITHIN)
    return any(what in (inner.get("style") or "") or inner.get("class") for inner in within)


def _is_undisplayed(style: _Style) -> bool:
    return bool(style) and (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or _number(style.get("opacity"), 1.0) <= _FAINT
    )


def _is_moved(style: _Style) -> bool:
    """True if a style moves text off the screen or clips it."""
    if not style:
        return False
    is_placed = style.get("position") in ("absolute", "fixed")
    moved = ("left", "top", "right") if is_placed else ()
    if any(_pixels(style.get(name)) <= _OFF_SCREEN_PX for name in (*moved, "text-indent", "margin-left")):
        return True
    clip = "".join(style.get("clip", "").split())
    if is_placed and clip.startswith(("rect(0", "rect(1px")):
        return True
    if style.get("clip-path", "").startswith(("inset(50%", "inset(100%", "circle(0")):
        return True
    if style.get("transform", "").startswith(("scale(0)", "translate(-9999", "translatex(-9999")):
        return True
    is_flat = any(0 <= _pixels(style.get(name), 99.0) <= 1 for name in ("width", "height", "max-height"))
    return is_flat and style.get("overflow") == "hidden"


def _is_tiny(style: _Style) -> bool:
    """True if a style makes text unreadably small."""
    if not style:
        return False
    size = style.get("font-size")
    if size is None:
        match = _FONT_SIZE.search(style.get("font", ""))
        size = match[0] if match else None
    length = _LENGTH.fullmatch(size or "")
    if length is None:
        return False
    value, unit = float(length[1]), length[2]
    if unit in ("em", "rem"):
        return value <= _TINY_EM
    if unit == "%":
        return value <= 100 * _TINY_EM
    return value <= MAX_HIDDEN_POINTS if unit in ("px", "pt") else value == 0


def _pixels(length: str | None, default: float = 0.0) -> float:
    """Convert a length to pixels, roughly: an em is 16, a percentage its number times ten."""
    match = _LENGTH.fullmatch(length or "")
    if match is None:
        return default
    return float(match[1]) * {"em": 16.0, "rem": 16.0, "%": 10.0, "vw": 10.0, "vh": 10.0}.get(match[2] or "", 1.0)


def _number(text: str | None, default: float) -> float:
    try:
        return float(text) if text else default
    except ValueError:
        return default


def _is_within_text(element: Any) -> bool:
    """True if a sentence of the parent element continues next to this element."""
    parent = element.getparent()
    if parent is None or element.tag in _BLOCKS:
        return False
    previous = element.getprevious()
    before = (parent.text if previous is None else previous.tail) or ""
    return len(before.strip()) + len((element.tail or "").strip()) >= _BESIDE


def _is_for_screen_readers(element: Any) -> bool:
    parent = element.getparent()
    return bool(
        element.tag in _CONTROLS
        or _FOR_SCREEN_READERS.search(element.get("class") or "")
        or element.get("role")
        or element.get("aria-hidden")
        or (parent is not None and parent.tag in _CONTROLS)
    )


def _sheet_of(tree: Any) -> _PageStyles:
    """Read the simple rules of style elements, without those for printing or one screen size."""
    sheet = _PageStyles()
    size = rules = 0
    for element in tree.iter("style"):
        text = element.text or ""
        size += len(text)
        if size > _MAX_CSS or (element.get("media") or "all").strip().lower() not in ("all", "screen"):
            continue
        for selectors, body in _rules(_top_level(_COMMENT.sub(" ", text))):
            matches = [match for selector in selectors.split(",") if (match := _SELECTOR.fullmatch(selector.strip()))]
            if not matches or rules > _MAX_RULES or not (style := _declarations(body)):
                continue
            rules += len(matches)
            for match in matches:
                name = match[2] if match[2][0] == "#" else (match[1] or "").lower() + match[2]
                sheet.marks.setdefault(name, {}).update(style)
    return sheet


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield the selectors and the declarations of each rule; of long lists of selectors only the end."""
    for rule in css.split("}")[:-1]:
        before, _, declarations = rule.rpartition("{")
        selectors = before.rpartition("{")[2][-_MAX_SELECTORS:]
        if selectors and len(declarations) <= _MAX_DECLARATIONS:
            yield selectors, declarations


def _top_level(css: str) -> str:
    """Return a style sheet without its at-rules, whose blocks may be nested."""
    if "@" not in css:
        return css
    kept: list[str] = []
    depth = start = 0
    for match in _BRACE.finditer(css):
        depth = depth + 1 if match[0] == "{" else max(0, depth - 1)
        if match[0] == "}" and depth == 0:
            rule = css[start : match.end()]
            if "@" not in rule.partition("{")[0].rpartition(";")[2]:
                kept.append(rule)
            start = match.end()
    return "".join(kept)


def _declarations(text: str) -> dict[str, str]:
    """Return the relevant declarations of a style, in lower case."""
    style = {}
    for declaration in text.split(";"):
        name, colon, value = declaration.partition(":")
        name = name.strip().lower()
        if colon and name in _RELEVANT:
            style[name] = value.replace("!important", "").strip().lower()
    return style


__all__ = ["remove_hidden"]

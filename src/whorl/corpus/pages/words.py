"""Merge elements within sentences into their text before the extractor drops them.

The extractor skips elements that mostly belong to forms, players and scripts: `<time>`, `<label>`, `<output>`, `<math>`
and unknown tags. Within a sentence their words are text, for example in "for `<time>nineteen years</time>`".
"""

from __future__ import annotations

from typing import Any

from whorl.corpus.pages.parsing import remove, unwrap

_IN_SENTENCES = frozenset((
    "blink", "button", "data", "dialog", "label", "map", "math", "meter", "object", "output", "progress", "slot",
    "time",
))  # fmt: skip
_NOT_SPOKEN = frozenset(("annotation", "annotation-xml", "rp", "rt", "rtc"))
_AROUND = frozenset(("button", "form", "nav", "select"))
_KNOWN_TAGS = frozenset((
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base", "basefont", "bdi",
    "bdo", "big", "blockquote", "body", "br", "button", "canvas", "caption", "center", "cite", "code", "col",
    "colgroup", "data", "datalist", "dd", "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "embed",
    "fieldset",
    "figcaption", "figure", "font", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head",
    "header", "hgroup", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "legend", "li", "link",
    "main", "map", "mark", "marquee", "math", "menu", "meta", "meter", "nav", "noframes", "noscript", "object", "ol",
    "optgroup", "option", "output", "p", "param", "picture", "plaintext", "pre", "progress", "q", "rb", "rp", "rt",
    "rtc", "ruby", "s", "samp", "script", "search", "section", "select", "slot", "small", "source", "span", "strike",
    "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th",
    "thead", "time", "title", "tr", "track", "tt", "u", "ul", "var", "video", "wbr", "xmp",
))  # fmt: skip
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "td", "th", "tr", "ul",
))  # fmt: skip
_HOLDERS = _BLOCKS | {"body"}
_MARKS = frozenset(("a", "b", "em", "font", "i", "mark", "s", "small", "span", "strong", "u"))
_MAX_MARKS = 5
_MAX_WITHIN = 2000


def normalize(tree: Any) -> None:
    """Normalize a tree, in place, to the one that browsers display.

    Removed are guides to pronunciation and typesetting: ruby text, and the source of formulas. Shadow roots become part
    of the page.
    """
    for element in tree.iter("template"):
        if element.get("shadowrootmode"):
            element.tag = "div"
    remove(tree, list(tree.iter(*_NOT_SPOKEN)))


def unwrap_words(tree: Any) -> None:
    """Replace, in place, elements within sentences by their text, and unknown tags by known ones.

    Cost: linear in the page, except for the first ``_MAX_WITHIN`` elements within each unknown tag.
    """
    wrapping: list[Any] = []
    for element in tree.iter():
        tag = element.tag
        if not isinstance(tag, str) or element.getparent() is None:
            continue
        if tag in _IN_SENTENCES:
            if _is_in_sentence(element) and not _is_in_form(element):
                wrapping += element.iter() if tag == "math" else [element]
        elif tag not in _KNOWN_TAGS and not _is_foreign(element):
            if _has_blocks(element):
                element.tag = "div"
            elif _is_in_sentence(element) or element.getparent().tag not in _HOLDERS:
                wrapping.append(element)
            else:
                element.tag = "div" if element.getnext() is not None or element.getprevious() is not None else "span"
    unwrap(tree, [element for element in wrapping if isinstance(element.tag, str)])


def _is_in_sentence(element: Any) -> bool:
    """True if text adjoins an element, or an inline element around it."""
    for _ in range(_MAX_MARKS):
        parent, previous = element.getparent(), element.getprevious()
        before = parent.text if previous is None else previous.tail
        if (before or "").strip() or (element.tail or "").strip():
            return True
        if parent.tag == "p":
            return previous is not None and previous.tag in _MARKS
        if parent.tag not in _MARKS or parent.getparent() is None:
            return False
        element = parent
    return False


def _is_in_form(element: Any) -> bool:
    return any(ancestor.tag in _AROUND for ancestor in element.iterancestors())


def _is_foreign(element: Any) -> bool:
    """Whether an element is part of a picture or a formula."""
    return any(ancestor.tag in ("svg", "math") for ancestor in element.iterancestors())


def _has_blocks(element: Any) -> bool:
    """True if an element contains blocks, or too many elements to check."""
    return any(
        number >= _MAX_WITHIN or descendant.tag in _BLOCKS
        for number, descendant in enumerate(element.iterdescendants())
    )


__all__ = ["normalize", "unwrap_words"]

"""Parse the bytes of a page into a tree, and return the visible text of elements. No code is executed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.encoding import DecodedText, decode_page
from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.corpus.pages.attributes import without_many_attributes
from whorl.i18n import say

_TAG = re.compile(r"<[a-zA-Z!/?]")
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]*>")
_CONTROLS = bytes(byte for byte in (*range(0x20), 0x7F) if byte not in b"\t\n\r")
_WITHOUT_CONTROLS = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))
_MOST_PIECES = 8
"""Maximum pieces of text read from a link in a line: links may be nested to any depth."""
_MARKER = "whorl-marked"
_UNSEEN = frozenset((
    "script", "style", "noscript", "template", "title", "iframe", "svg", "select", "button", "textarea", "object",
    "audio", "video", "canvas",
))  # fmt: skip
_INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn", "em", "font", "hi",
    "i", "ins", "kbd", "label", "mark", "math", "meter", "nobr", "output", "progress", "q", "rb", "ref", "ruby", "s",
    "samp", "slot", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
))  # fmt: skip


def parse(data: bytes, *, named: str | None = None, content_type: str = "") -> tuple[Any, DecodedText]:
    """Parse a page.

    Args:
        data: its bytes.
        named: its encoding, if known.
        content_type: the content type from the server.

    Returns:
        Its tree, as lxml has it, and its text with its encoding.

    Raises:
        UnreadableError: the data is not a page.
    """
    from lxml import etree, html

    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    try:
        decoded = decode_page(data, named, content_type)
    except ValueError as error:
        raise UnreadableError(say("the file is {reason}", reason=error)) from None
    if not _TAG.search(decoded.text):
        raise UnreadableError(say("the file is not HTML, it has no tag: rename it to .txt"))
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    # The parser of lxml.html chooses the class of every element in Python, for forms, which are of no interest.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=html.HtmlElement))
    try:
        return html.document_fromstring(_without_no_xml(decoded.text), parser=parser), decoded
    except etree.LxmlError:
        raise UnreadableError(say("the page has no text: save it again from a browser that shows it")) from None


def _without_no_xml(text: str) -> bytes:
    """Return a page in UTF-8, without an XML declaration, and with blanks in place of characters that XML forbids."""
    declared = _XML_DECLARATION.match(text)
    page = text[declared.end() :] if declared else text
    page = without_many_attributes(page.replace("\ufffe", " ").replace("\uffff", " "))
    return page.encode("utf-8", "replace").translate(_WITHOUT_CONTROLS)


@frozen
class PageLine:
    """A visible line of a page.

    Attributes:
        text: its text, without surrounding or repeated blanks.
        links: the links in it: text and target of each.
        parts: the texts of its elements, which styles may separate without a blank.
    """

    text: str
    links: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def spaced(self) -> str:
        """Its parts, separated by two blanks."""
        return "  ".join(self.parts)


def visible_lines(tree: Any) -> list[PageLine]:
    """Return all visible lines of a page; there may be none."""
    body = tree.find("body")
    return list(lines_of(tree if body is None else body))


def text_of(element: Any) -> str:
    """Return the text of an element, a line for each block in it."""
    return "\n".join(line.text for line in lines_of(element))


def lines_of(element: Any) -> Iterator[PageLine]:
    """Yield the lines of an element, one for each block in it, without scripts, styles and other invisible elements."""
    from lxml import etree

    pieces: list[str] = []
    links: list[tuple[str, str]] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        tag = node.tag
        if (pieces or links) and tag not in _INLINE:
            yield from _line(pieces, links)
            pieces, links = [], []
        if event == "end":
            fragment = None if node is element else node.tail
        elif tag in _UNSEEN:
            fragment = None
            walk.skip_subtree()
        else:
            fragment = node.text
            if tag == "a" and (target := node.get("href")):
                links.append(("".join(islice(node.itertext(), _MOST_PIECES)), target))
        if fragment:
            pieces.append(fragment.replace("\n", " "))
    yield from _line(pieces, links)


def _line(pieces: list[str], links: list[tuple[str, str]]) -> Iterator[PageLine]:
    if text := " ".join("".join(pieces).split()):
        parts = tuple(part for piece in pieces if (part := line_of(piece))) if len(pieces) > 1 else (text,)
        yield PageLine(text, tuple((line_of(label) or "", target) for label, target in links), parts)


def remove(tree: Any, elements: Iterable[Any]) -> None:
    """Remove elements from a tree, but not the text after each. Removing them one by one takes quadratic time."""
    from lxml import etree

    for element in elements:
        element.tag = _MARKER
    etree.strip_elements(tree, _MARKER, with_tail=False)


def unwrap(tree: Any, elements: Iterable[Any]) -> None:
    """Replace elements of a tree by their content."""
    from lxml import etree

    for element in elements:
        element.tag = _MARKER
    etree.strip_tags(tree, _MARKER)


def line_of(text: str | None) -> str | None:
    """Return the text on one line; None if it is empty."""
    return " ".join((text or "").split()) or None


__all__ = ["PageLine", "line_of", "lines_of", "parse", "remove", "text_of", "unwrap", "visible_lines"]

"""Extract the article of a page that is rendered by a script, from the embedded data.

Such a page shows a menu and a notice, and its text is in JSON: structured data (JSON-LD), the state of a framework
(`__NEXT_DATA__`, `__NUXT_DATA__`, `window.__INITIAL_STATE__ = {...}`), or an attribute of the root element. The JSON is
parsed and never executed. It has no schema, so the article is found by its shape: the smallest node that has most of
the prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from html import unescape
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.pages.body import weight
from whorl.corpus.pages.parsing import line_of, text_of

_MAX_CHARS = 8 * 2**20
_MAX_NODES = 200_000
_MAX_DEPTH = 60
_MAX_STATES = 20
_MIN_TEXT = 140
_MIN_SHARE = 0.5
_ATTRIBUTES = ("data-page", "data-props", "data-state", "data-initial-state", "props")
_SOURCES = ("text/html", "text/markdown", "text/template", "text/x-template", "text/x-markdown")
_ASSIGNED = re.compile(
    r"(?:^|[;\s.])(?:window\s*(?:\.\s*|\[\s*[\"'])|self\.|globalThis\.|var\s+|let\s+|const\s+)?"
    r"(?:__\w{2,40}|\w{0,40}(?:[Ss]tate|STATE|[Dd]ata|DATA))(?:[\"']\s*\])?\s*=\s*(JSON\.parse\(\s*)?(?=[{\[\"'])"
)
_SKIPPED = re.compile(
    r"^(?:summary|description|excerpt|abstract|digest|teaser|seo\w*|meta\w*|keywords?|tags?|copyright|disclaimer|caption|alt"
    r"|css|styles?|scripts?|svg|i18n|locales?|messages|translations?|config\w*|query|buildId|footer|header|nav\w*|menus?"
    r"|comments?|replies|related\w*|recommend\w*|ads?|\w*(?:url|uri|href|src|path|slug|id|class|classname))$",
    re.IGNORECASE,
)
_INLINE = ("children", "content", "spans", "runs", "inlines")
_LISTED = ("title", "headline", "url", "slug", "link")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>")
_WORDS = re.compile(r"[\u3400-\u9fff]{2}|\S\s+\S")
_CODE = re.compile(
    r"^\s*(?:https?://\S+|[\w.$-]+|[{\[<](?!/?(?:p|div|h\d|span|b|i|strong|em|br|ul|ol|li)\b).*)\s*$", re.DOTALL
)


@frozen
class EmbeddedArticle:
    """An article in the data of a page.

    Attributes:
        text: its paragraphs, separated by newlines.
        title: its title; None if it has none.
    """

    text: str
    title: str | None = None


def state_of(tree: Any, structured: dict[str, Any], *, is_shell: bool) -> EmbeddedArticle | None:
    """Find the article in the data of a page; None if there is none.

    Args:
        tree: the page.
        structured: its JSON-LD object that describes the article.
        is_shell: whether the visible text has no article, so that fallbacks and template sources are read too.

    Cost: linear in the data; only the first ``_MAX_CHARS`` are parsed.
    """
    body = structured.get("articleBody") or structured.get("text")
    if isinstance(body, str) and weight(text := _plain(body)) >= _MIN_TEXT:
        return EmbeddedArticle(text, line_of(_string(structured.get("headline")) or _string(structured.get("name"))))
    candidates = [article for value in _values(tree) if (article := _article(value)) is not None]
    if is_shell:
        candidates += [EmbeddedArticle(text) for text in _unshown(tree) if weight(text) >= _MIN_TEXT]
    return max(candidates, key=lambda state: weight(state.text), default=None)


def _unshown(tree: Any) -> Iterator[str]:
    """Yield the content of elements that browsers do not render: fallbacks, and template sources."""
    yield from map(_fallback, tree.iter("noscript"))
    for element in tree.iter("script", "textarea"):
        text = element.text or ""
        kind = (element.get("type") or "").lower() if element.tag == "script" else _SOURCES[0]
        if kind in _SOURCES and _MIN_TEXT <= len(text) <= _MAX_CHARS and is_text(text):
            yield _plain(text)


def _fallback(element: Any) -> str:
    """Return the text of a ``noscript`` element."""
    copy = deepcopy(element)
    copy.tag, copy.tail = "div", None
    return text_of(copy)


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _values(tree: Any) -> Iterator[Any]:
    """Yield the JSON values in a page."""
    remaining = _MAX_CHARS
    for number, text in enumerate(_sources(tree)):
        if number >= _MAX_STATES or len(text) > remaining:
            return
        remaining -= len(text)
        value = _parsed(text)
        if isinstance(value, str):  # JSON in JSON
            value = _parsed(value)
        if isinstance(value, (dict, list)):
            yield _resolved(value)


def _sources(tree: Any) -> Iterator[str]:
    for element in tree.iter("script"):
        text = element.text or ""
        kind = (element.get("type") or "").lower()
        if len(text) < _MIN_TEXT or "ld+json" in kind:
            continue
        if "json" in kind:
            yield text
        elif kind in ("", "module", "text/javascript", "application/javascript"):
            for match in _ASSIGNED.finditer(text[:_MAX_CHARS]):
                yield text[match.end() :]
                break
    for element in tree.iter():
        for name in _ATTRIBUTES if isinstance(element.tag, str) and element.attrib else ():
            value = element.get(name) or ""
            if len(value) >= _MIN_TEXT and value.lstrip()[:1] in ("{", "["):
                yield value


def _parsed(text: str) -> Any:
    """Parse the JSON value at the beginning of a text; None if it is not JSON."""
    text = text.strip()
    try:
        if text.startswith("'"):
            return text[1:].partition("'")[0] if "\\" not in text[: text.find("'", 1)] else None
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _resolved(value: Any) -> Any:
    """Resolve the flat list that Nuxt writes, in which objects and lists have indexes in place of values."""
    is_flat = isinstance(value, list) and len(value) > 1 and isinstance(value[0], (list, dict)) and value[0]
    if not is_flat or not all(map(_is_place, value[0].values() if isinstance(value[0], dict) else value[0][1:])):
        return value
    resolved: dict[int, Any] = {}

    def at(place: Any, depth: int) -> Any:
        if not _is_place(place) or not 0 <= place < len(value) or depth > _MAX_DEPTH:
            return None
        if place in resolved:
            return resolved[place]
        part = value[place]
        if isinstance(part, dict):
            fields: dict[str, Any] = {}
            resolved[place] = fields
            fields.update((name, at(field, depth + 1)) for name, field in part.items())
            return fields
        if not isinstance(part, list):
            return part
        if part and isinstance(part[0], str):  # the type of the object, and its index
            return at(part[1], depth + 1) if len(part) == 2 else None
        parts: list[Any] = []
        resolved[place] = parts
        parts.extend(at(inner, depth + 1) for inner in part)
        return parts

    return at(0, 0)


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _article(value: Any) -> EmbeddedArticle | None:
    """Return the node of a JSON value with most of its prose, and the title next to it."""
    weights: dict[int, int] = {}
    _weigh(value, weights)
    if weights.get(id(value), 0) < _MIN_TEXT:
        return None
    title: str | None = None
    node = value
    for _ in range(_MAX_DEPTH):
        if isinstance(node, dict):
            title = next((candidate for name in _LISTED[:2] if (candidate := line_of(_string(node.get(name))))), title)
        heaviest = max(_children(node), key=lambda child: _weight_of(child, weights), default=None)
        if heaviest is None or isinstance(heaviest, str):
            break
        if _weight_of(heaviest, weights) < _MIN_SHARE * weights[id(node)]:
            break
        node = heaviest
    text = "\n".join(_paragraphs(node))
    return EmbeddedArticle(text, title) if weight(text) >= _MIN_TEXT else None


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return [child for name, child in node.items() if not _SKIPPED.match(name)]
    return list(node) if isinstance(node, list) else []


def _weigh(value: Any, weights: dict[int, int]) -> None:
    """Record the amount of prose in each list and object below a value."""
    order: list[tuple[Any, int]] = []
    stack = [(value, 0)]
    while stack and len(order) < _MAX_NODES:
        node, depth = stack.pop()
        order.append((node, depth))
        if depth < _MAX_DEPTH:
            stack.extend((child, depth + 1) for child in _children(node) if isinstance(child, (dict, list)))
    for node, _ in reversed(order):
        weights[id(node)] = 0 if _is_index(node) else sum(_weight_of(child, weights) for child in _children(node))


def _weight_of(child: Any, weights: dict[int, int]) -> int:
    if isinstance(child, str):
        return weight(child) if is_text(child) else 0
    return weights.get(id(child), 0)


def is_text(value: str) -> bool:
    """True if a string is words, and not an address, name or code."""
    return _WORDS.search(value[:2000]) is not None and _CODE.match(value[:200]) is None


def _is_index(node: Any) -> bool:
    """True if a list has several articles, each with a title or an address and its text."""
    if not isinstance(node, list):
        return False
    entries = [part for part in node if isinstance(part, dict)]
    titled = [part for part in entries if any(part.get(name) for name in _LISTED)]
    return len(titled) > 1 and 2 * len(titled) > len(entries)


def _paragraphs(node: Any) -> Iterator[str]:
    """Yield the texts below a node in order, without repetitions and parts of a longer one."""
    texts: list[str] = []
    stack: list[tuple[Any, str]] = [(node, "")]
    visited = 0
    while stack and visited < _MAX_NODES:
        value, name = stack.pop()
        visited += 1
        if isinstance(value, str):
            if is_text(value) or (name in ("text", "value", "content", "children") and value.strip()):
                texts.append(_plain(value))
        elif isinstance(value, list):
            if name in _INLINE and (inline := _inline(value)):
                texts.append(inline)
            else:
                stack.extend((child, name) for child in reversed(value))
        elif isinstance(value, dict):
            fields = ((child, key) for key, child in reversed(value.items()) if key not in _LISTED)
            stack.extend((child, key) for child, key in fields if not _SKIPPED.match(key))
    longest = max(texts, key=len, default="")
    squeezed = "".join(longest.split())
    earlier = set()
    for text in texts:
        key = "".join(text.split())
        if key and key not in earlier and (text is longest or len(key) < 2 or key not in squeezed):
            earlier.add(key)
            yield text


def _inline(values: list[Any], depth: int = 0) -> str:
    """Return the text of a rich-text list that makes up one paragraph; empty for anything else."""
    pieces: list[str] = []
    for value in values:
        if not isinstance(value, dict) or depth > _MAX_DEPTH:
            return ""
        kind = value.get("type") or value.get("_type") or "text"
        inner = value.get("children") or value.get("content")
        if kind in ("text", "span") and isinstance(value.get("text"), str):
            pieces.append(value["text"])
        elif kind in ("a", "link", "hyperlink") and isinstance(inner, list):
            pieces.append(_inline(inner, depth + 1))
        elif kind in ("hardBreak", "br", "break"):
            pieces.append(" ")
        else:
            return ""
    text = "".join(pieces)
    return text if depth else line_of(text) or ""


def _plain(text: str) -> str:
    """Return a text without its markup."""
    if "&lt;" in text:
        text = unescape(text)
    if not _MARKUP.search(text):
        lines = map(line_of, text.replace("&nbsp;", " ").splitlines())
        return "\n".join(line for line in lines if line)
    from lxml import etree, html

    try:
        return text_of(html.fragment_fromstring(text.replace("\0", " "), create_parent="div"))
    except (etree.LxmlError, ValueError, AssertionError):
        return line_of(_MARKUP.sub(" ", text)) or ""


__all__ = ["EmbeddedArticle", "is_text", "state_of"]

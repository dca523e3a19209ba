"""Parse the statements in the head of a page: meta elements, links, structured data, and the variables of WeChat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import field
from itertools import islice
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.pages.parsing import line_of

_MOST_JSON = 2**20
_MOST_OBJECTS = 200
_MOST_PIECES = 8
_LONGEST = 200
_AUTHOR_CLASSES = frozenset((
    "author-name", "author_name", "authorname", "article-author", "article__author", "byline__name",
))  # fmt: skip
_MARKED = "//*[@itemprop or @rel='author' or contains(@class, 'author') or contains(@class, 'byline')]"
_ARTICLE = re.compile(r"(?:Article|Posting|Report|Review|Recipe|Story|CreativeWork|Opinion\w*|Analysis\w*)$")
_VARIABLE = re.compile(
    r"""var(?<!\wvar)\s+(ct|nickname|_?copyright_stat)\s{0,9}=\s{0,9}(?:htmlDecode\()?["']([^"'\n]{1,100})["']"""
)


@frozen
class PageHead:
    """Stated metadata of a page, by kind; the first statement of each kind is used.

    Attributes:
        meta: contents of the meta elements, by lower-case name.
        data: structured data (JSON-LD) of an article, or of the page if there is none.
        properties: texts of elements marked as properties (microdata), by name; "author" also if marked by a link or a
            class.
        links: the addresses of link elements, by relation.
        wechat: variables of a WeChat article: its publication time (``ct``) and its account (``nickname``).
    """

    meta: dict[str, str] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)
    wechat: dict[str, str] = field(default_factory=dict)

    def first_meta(self, *names: str) -> str | None:
        """Return the content of the first of the named meta elements that is not empty."""
        return next((self.meta[name] for name in names if name in self.meta), None)


def head_of(tree: Any) -> PageHead:
    """Read the stated metadata of a page. Cost: linear in the page."""
    head = PageHead()
    for element in tree.iter("meta", "link", "script"):
        if element.tag == "meta":
            _add_meta(element, head)
        elif element.tag == "link":
            for relation in (element.get("rel") or "").lower().split():
                head.links.setdefault(relation, []).append(element.get("href") or "")
        elif "ld+json" in (element.get("type") or "").lower():
            _add_data(element.text or "", head)
        elif not head.wechat.get("ct"):
            head.wechat.update(reversed(_VARIABLE.findall(element.text or "")))
    for element in filter(_is_marked, tree.xpath(_MARKED)):
        content = element.get("content") or element.get("datetime") or "".join(islice(element.itertext(), _MOST_PIECES))
        if element.tag != "meta" and (content := line_of(content[:_LONGEST])):
            head.properties.setdefault((element.get("itemprop") or "author").lower(), content)
    return head


def _is_marked(element: Any) -> bool:
    """True if an element is marked as a property of the page; XPath alone cannot match whole words."""
    is_property = element.get("itemprop") is not None or element.get("rel") == "author"
    return is_property or not _AUTHOR_CLASSES.isdisjoint((element.get("class") or "").split())


def _add_meta(element: Any, head: PageHead) -> None:
    name = element.get("property") or element.get("name") or element.get("itemprop") or ""
    if content := line_of(element.get("content")):
        head.meta.setdefault(" ".join(name.lower().split()), content)


def _add_data(text: str, head: PageHead) -> None:
    """Use the first object that is an article, else the first with a date."""
    try:
        objects = list(_objects(json.loads(text[:_MOST_JSON], strict=False)))
    except (ValueError, RecursionError):
        return
    dated = (item for item in objects if not head.data and ("datePublished" in item or "pubDate" in item))
    item = next(filter(_is_article, objects), None) or next(dated, None)
    if item is not None and not _is_article(head.data):
        head.data.clear()
        head.data.update(item)


def _is_article(item: dict[str, Any]) -> bool:
    return any(map(_ARTICLE.search, _texts(item.get("@type"))))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a list or graph."""
    if isinstance(value, dict):
        yield value
        value = value.get("@graph")
    if isinstance(value, list):
        for part in value[:_MOST_OBJECTS]:
            yield from _objects(part)


def _texts(value: Any) -> list[str]:
    """Return a text, or the texts of a list."""
    return [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, str)]


def names(value: Any) -> list[str]:
    """Return the names in structured data: texts, objects with a name, or lists of them."""
    parts = value if isinstance(value, list) else [value]
    values = (part.get("name") if isinstance(part, dict) else part for part in parts[:20])
    return [name for part in values for text in _texts(part) if (name := line_of(text))]


__all__ = ["PageHead", "head_of", "names"]

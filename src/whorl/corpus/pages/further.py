"""Link and join the pages of multi-page articles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from whorl.corpus.pages.addresses import absolute
from whorl.corpus.pages.parsing import line_of
from whorl.corpus.pages.stated import PageHead

_NEXT = re.compile(r"[\s\[【(（<]*(?:下一?[页頁]|后一?页|後一?頁|next(?:\s+page)?)[\s\])）】>»›→]*", re.IGNORECASE)
_NUMBER = re.compile(r"[\s\[(第]*([0-9]{1,3})[\s\])页頁]*")
_IN_QUERY = re.compile(
    r"(?:^|&)(?:p|page|pg|pn|pageno|page_no|pagenum|paged|curpage|currentpage|page_num)=([0-9]{1,3})(?=&|$)",
    re.IGNORECASE,
)
_IN_NAME = re.compile(r"(?:[_-](?:page[_-]?|p)?|/page/|/p)([0-9]{1,3})(?=(?:\.[a-z]{3,5})?/?$)", re.IGNORECASE)
_BEHIND = re.compile(r"(?<=[0-9])/([0-9]{1,3})/?$")
"""A page number after the address of an article, which contains digits; after that of a column it is an article."""
_MOST_LINKS = 5000
_MOST_PIECES = 8
_MOST_EDGE = 5


def next_page(tree: Any, head: PageHead, url: str) -> str | None:
    """Return the address of the next page of the same article.

    It is the address of this page with the next number (``_2`` before the suffix, or a trailing ``/2`` or ``?page=2``),
    and the page links to it as the next page (下一页, ``rel="next"``) or by that number. Links to the next article are
    ignored.

    Args:
        tree: the page.
        head: the statements of its head.
        url: its address; if that is unknown, there is no next page.
    """
    if not url:
        return None
    for label, target in _linked(tree, head):
        is_next, number = _NEXT.fullmatch(label), _NUMBER.fullmatch(label)
        if not (is_next or number):
            continue
        address = absolute(target, url)
        step = None if address is None else _step(url, address)
        if step is None:
            continue
        page_number, other = step
        labels = (other, other + 1) if page_number else (2,)
        if is_next or (number and int(number[1]) in labels):
            return address
    return None


def _linked(tree: Any, head: PageHead) -> Iterable[tuple[str, str]]:
    yield from (("next", target) for target in head.links.get("next", ()))
    for place, element in enumerate(tree.iter("a")):
        if place == _MOST_LINKS:
            return
        if target := element.get("href"):
            is_next = "next" in (element.get("rel") or "").lower().split()
            label = line_of("".join(islice(element.itertext(), _MOST_PIECES)))
            yield "next" if is_next else (label or ""), target


def _step(url: str, candidate: str) -> tuple[int, int] | None:
    """Return the page numbers of ``url``, 0 for none, and of ``candidate`` if that is the next page of the article.

    The page after one without a number has 2, or 1 if the numbers start at 0.
    """
    numbers = dict(_numbered(url))
    for stem, number in _numbered(candidate):
        before = numbers.get(stem)
        if before is not None and (number == before + 1 or (before == 0 and number == 2)):
            return before, number
    return None


def _numbered(url: str) -> list[tuple[tuple[str, str, str], int]]:
    """Return the ways to read an address as the page of an article: its common part, and its number, 0 for none."""
    parts = urlsplit(url)
    suffix = re.search(r"\.[a-z]{3,5}$", parts.path)
    bare = parts.path.removesuffix(suffix[0]) if suffix else parts.path
    ways = [((parts.netloc, bare.rstrip("/"), parts.query), 0)]
    if named := _IN_NAME.search(parts.path) or _BEHIND.search(parts.path):
        ways.append(((parts.netloc, parts.path[: named.start()], parts.query), int(named[1])))
    if match := _IN_QUERY.search(parts.query):
        query = (parts.query[: match.start()] + parts.query[match.end() :]).strip("&")
        ways.append(((parts.netloc, bare.rstrip("/"), query), int(match[1])))
    return ways


def joined(texts: Sequence[str]) -> str:
    """Join the texts of the pages of an article in order.

    Lines at the start or end of a page that repeat those of the first or last page are kept once; repeated pages are
    dropped.

    Raises:
        ValueError: there is no page.
    """
    if not texts:
        raise ValueError("an article has a page at least")
    pages = [text.split("\n") for text in dict.fromkeys(texts)]
    first, last = pages[0], pages[-1]
    parts = [first, *(_without_beginning(lines, first) for lines in pages[1:])]
    parts = [*(_without_end(lines, last) for lines in parts[:-1]), parts[-1]]
    return "\n".join(line for lines in parts for line in lines)


def _without_beginning(lines: list[str], first: list[str]) -> list[str]:
    first_lines = set(first[:_MOST_EDGE])
    begin = next((place for place, line in enumerate(lines[:_MOST_EDGE]) if line not in first_lines), _MOST_EDGE)
    return lines[begin:]


def _without_end(lines: list[str], last: list[str]) -> list[str]:
    return _without_beginning(lines[::-1], last[::-1])[::-1]


__all__ = ["joined", "next_page"]

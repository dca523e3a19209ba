"""Find the title of a page, without the name of the site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from whorl.corpus.pages.parsing import PageLine, line_of
from whorl.corpus.pages.stated import PageHead

_SEPARATOR = re.compile(r"\s*(?:_+|\||｜|--+|——|\s[-–—·•«»>:]\s|[-–—](?=[^-–—\s]{2,12}$))\s*")
_SITE = re.compile(
    r"(?:网|新闻|频道|中心|日报|晚报|门户|官网|客户端|栏目|首页|[a-z]\.(?:com|cn|net|org)(?:\.cn)?)\W*$", re.IGNORECASE
)
_MIN_LENGTH = 4
_LONG = 8
_MOST_HEADINGS = 20


def title_of(tree: Any, head: PageHead, lines: Sequence[PageLine]) -> str | None:
    """Return the title of the article of a page, on one line.

    It is the heading that begins the page title or continues the stated title (``og:title``, ``headline``); else the
    stated title; else the line that begins the page title; else the page title up to the name of the site.

    Args:
        tree: the page.
        head: the statements of its head.
        lines: its visible lines.
    """
    whole = line_of(tree.findtext(".//title"))
    stated = head.first_meta("og:title", "articletitle", "twitter:title") or line_of(_text(head.data.get("headline")))
    for heading in filter(None, _headings(tree)):
        is_title = whole is not None and whole.startswith(heading)
        if len(heading) >= _MIN_LENGTH and (is_title or (stated is not None and heading.startswith(stated))):
            return heading
    if stated is not None:
        return _without_name(stated, head.first_meta("og:site_name"))
    candidates = [line.text for line in lines if whole and len(line.text) >= _LONG and whole.startswith(line.text)]
    return max(candidates, key=len, default=None) or (None if whole is None else _without_site(whole))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _headings(tree: Any) -> list[str]:
    candidates = []
    for element in tree.iter("h1"):
        candidates.append(line_of("".join(element.itertext())) or "")
        if len(candidates) == _MOST_HEADINGS:
            break
    return candidates


def _without_name(title: str, name: str | None) -> str:
    """Return a title without the name of the site after its last separator."""
    last = next(reversed(list(_SEPARATOR.finditer(title))), None)
    is_name = last is not None and name is not None and title[last.end() :].casefold() == name.casefold()
    return title[: last.start()] if last is not None and is_name else title


def _without_site(title: str) -> str:
    """Return a title up to the first separator after which only names of sites and columns follow."""
    end = len(title)
    for separator in reversed(list(_SEPARATOR.finditer(title))):
        rest = title[separator.end() : end]
        is_sure = separator[0].strip() in ("_", "|", "｜", "--")
        if separator.start() < _MIN_LENGTH or not (is_sure or _SITE.search(rest)):
            break
        end = separator.start()
    return title[:end]


__all__ = ["title_of"]

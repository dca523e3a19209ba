"""Errors in the links of pages: broken links, and resources of other hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_OUTSIDE = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"']+")


class _Links(HTMLParser):
    """The anchors, links and fetched resources of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.followed: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if "href" in values:
            (self.followed if tag == "a" else self.fetched).append(values["href"])
        if "src" in values:
            self.fetched.append(values["src"])


def complaints(folder: Path) -> Iterator[str]:
    """Yield the errors of the pages and styles in a folder."""
    for page in sorted(folder.rglob("*.html")):
        links = _links(page)
        for link in (*links.followed, *links.fetched):
            if wrong := _complaint(page, link, is_fetched=link in links.fetched):
                yield f"{page.relative_to(folder)}: {wrong}: {link}"
    for style in sorted(folder.rglob("*.css")):
        for match in _OUTSIDE.findall(style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(folder)}: asks another host: {match}"


def _complaint(page: Path, link: str, *, is_fetched: bool) -> str | None:
    split = urlsplit(link)
    if split.scheme in ("data", "mailto"):
        return None
    if split.scheme or split.netloc:
        return "asks another host" if is_fetched else None if split.scheme in ("http", "https") else "no such address"
    target = (page.parent / unquote(split.path)).resolve() if split.path else page
    if not target.is_file():
        return "leads nowhere"
    anchor = unquote(split.fragment)
    if anchor and target.suffix == ".html" and anchor not in _links(target).anchors:
        return "has no such place"
    return None


@cache
def _links(page: Path) -> _Links:
    links = _Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links

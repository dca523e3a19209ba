"""What a page states of itself in its head."""

from __future__ import annotations

from typing import Any

from whorl.corpus.pages.parsing import line_of


def meta(tree: Any, *names: str) -> str | None:
    """What the first of the meta elements called one of ``names`` says."""
    for element in tree.iterfind(".//meta"):
        if (element.get("property") or element.get("name") or "").lower() in names and line_of(element.get("content")):
            return line_of(element.get("content"))
    return None


def related(tree: Any, kind: str) -> list[str]:
    """The addresses that the head names as those of the page's ``kind``, such as "canonical" or "next"."""
    links = tree.iterfind(".//link")
    return [link.get("href") for link in links if kind in (link.get("rel") or "").lower().split() and link.get("href")]


__all__ = ["meta", "related"]

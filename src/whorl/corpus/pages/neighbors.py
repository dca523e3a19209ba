"""Remove text after an article that may be longer than it: comments, and the next article of an endless page.

The extractor takes the part with the most text, or the first `<article>` element. This is the wrong part if comments
outweigh the article, or only the next article has such an element. Both follow the article, so they are searched for
only after its first paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from whorl.corpus.pages.body import is_prose, weight
from whorl.corpus.pages.parsing import remove

_MIN_PROSE = 140
_MIN_STORY = 300
_MIN_PARAGRAPHS = 2
_MAX_HEADING = 60
_MAX_CLIMB = 2
_MAX_PIECES = 50
_TITLES = frozenset(("h1", "h2", "h3"))
_HEADINGS = _TITLES | {"h4", "h5", "h6"}
_AROUND_HEADINGS = _HEADINGS | {"div", "p", "span", "strong", "dt"}
_MAX_IN_HEADING = 2
"""Maximum number of elements in a heading of comments."""
_NO_COMMENTS = _HEADINGS | {"body", "html", "main", "a", "span", "p"}
_NO_PROSE = frozenset(("a", "noscript", "script", "style"))
_TOKEN = re.compile(r"[\s_-]+")
_COMMENT_TOKENS = frozenset((
    "comment", "comments", "commentlist", "commentarea", "disqus", "replies", "respond", "gentie", "liuyan", "pinglun",
    "kommentare", "commentaires", "comentarios",
))  # fmt: skip
_COMMENT_HEADING = re.compile(
    r"\W*(?:\d{1,6}\s*)?(?:comments?|replies|responses|reader comments|leave a (?:reply|comment)|join the (?:discussion"
    r"|conversation)|kommentare?|commentaires?|comentarios?|(?:全部|最新|热门|精彩|网友|读者|发表|用户|文章)?(?:评论|跟帖|跟贴|留言|回复)(?:区|列表)?)"
    r"\W*(?:\d{1,6}\s*条?)?\W*",
    re.IGNORECASE,
)


def drop_neighbors(tree: Any, title: str | None) -> None:
    """Remove, in place, comments and further articles that follow the article of a page.

    Args:
        tree: the page.
        title: the title of its article.

    Cost: linear in the page.
    """
    search = _NeighborScan(title)
    removed: set[Any] = set()
    outermost: list[Any] = []
    for element in tree.iter():
        tag = element.tag
        if not isinstance(tag, str) or element in removed:
            continue
        if removed and element.getparent() in removed:
            removed.add(element)
        elif behind := search.neighbors_at(element, tag):
            outermost += behind
            removed.update(behind)
        else:
            search.read(element, tag)
    remove(tree, outermost)


class _NeighborScan:
    """State of the scan of a page in document order."""

    def __init__(self, title: str | None) -> None:
        self._title = title
        self._prose = 0
        self._story = 0
        self._paragraphs = 0
        self._is_titled = False
        self._has_next_heading = False

    def neighbors_at(self, element: Any, tag: str) -> list[Any]:
        """Return the neighbors that start at this element."""
        if self._prose < _MIN_PROSE:
            return []
        if _is_comments(element, tag) or (tag == "article" and self._is_next(element)):
            return [element]
        return list(_under_heading(element)) if tag in _AROUND_HEADINGS and len(element) <= _MAX_IN_HEADING else []

    def _is_next(self, element: Any) -> bool:
        """True if an `<article>` is the next one, after one that is not in such an element."""
        is_behind = self._is_titled and self._story >= _MIN_STORY and self._paragraphs >= _MIN_PARAGRAPHS
        return is_behind and (self._has_next_heading or _starts_with_heading(element, self._title))

    def read(self, element: Any, tag: str) -> None:
        """Update the state with the direct text of an element."""
        if tag in _TITLES and (heading := _text(element)):
            is_title = _is_same(heading, self._title)
            self._is_titled |= is_title
            self._has_next_heading = not is_title
        if tag in _NO_PROSE:
            return
        text = " ".join([element.text or "", *[child.tail or "" for child in element]])
        if not is_prose(text):
            return
        self._prose += weight(text)
        if self._is_titled and all(
            ancestor.tag != "article" for ancestor in islice(element.iterancestors(), _MAX_PIECES)
        ):
            self._story += weight(text)
            self._paragraphs += 1


def _is_same(heading: str, title: str | None) -> bool:
    """True if a heading is the title, with or without the name of a site."""
    return bool(title) and (heading.startswith(title or "") or (title or "").startswith(heading))


def _text(element: Any) -> str:
    return " ".join("".join(islice(element.itertext(), _MAX_PIECES)).split())


def _is_comments(element: Any, tag: str) -> bool:
    """True if an element is named as comments and contains no title."""
    if tag in _NO_COMMENTS:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''} {element.get('aria-label') or ''}".lower()
    is_named = not _COMMENT_TOKENS.isdisjoint(_TOKEN.split(names)) or element.get("itemprop") == "comment"
    return is_named and next(element.iter("h1"), None) is None


def _under_heading(element: Any) -> Iterator[Any]:
    """Yield a heading of comments and the elements under it."""
    heading = _text(element)
    if not heading or len(heading) > _MAX_HEADING or not _COMMENT_HEADING.fullmatch(heading):
        return
    for _ in range(_MAX_CLIMB):
        is_alone = element.getnext() is None and element.getprevious() is None
        if not is_alone or element.getparent() is None or element.getparent().tag == "body":
            break
        element = element.getparent()
    level = element.tag
    yield element
    for sibling in element.itersiblings():
        if sibling.tag == level and level in _HEADINGS:
            return
        if isinstance(sibling.tag, str):
            yield sibling


def _starts_with_heading(article: Any, title: str | None) -> bool:
    """True if an article begins with a title other than that of the page."""
    for descendant in islice(article.iterdescendants(), _MAX_PIECES):
        if descendant.tag in _TITLES:
            heading = _text(descendant)
            return bool(heading) and not _is_same(heading, title)
        if descendant.tag == "p" and is_prose(_text(descendant)):
            return False
    return False


__all__ = ["drop_neighbors"]

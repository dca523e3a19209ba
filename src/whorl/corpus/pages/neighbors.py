"""What follows an article on its page and may be longer than it: comments, and the next article of an endless page.

The extractor takes the part with the most text, or the first `<article>` element. Where comments outweigh the article,
or only the next one stands in such an element, that is the wrong part. Both follow the article, so they are looked for
behind the first paragraphs alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from whorl.corpus.pages.body import is_prose, weight

_MIN_PROSE = 140
_MIN_STORY = 300
_MIN_PARAGRAPHS = 2
_MAX_HEADING = 60
_MAX_CLIMB = 2
_MAX_PIECES = 50
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
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
    prose = 0
    paragraphs = story = 0
    is_titled = False
    heading: Any = None
    gone: list[Any] = []
    skipped: set[Any] = set()
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        if element.getparent() in skipped:
            skipped.add(element)
            continue
        if prose >= _MIN_PROSE and _is_comments(element):
            gone.append(element)
            skipped.add(element)
            continue
        if prose >= _MIN_PROSE and (behind := list(_under_heading(element))):
            gone += behind
            skipped.update(behind)
        if element.tag in _HEADINGS[:3]:
            said = _said(element)
            is_title = bool(title and said and (said == title or said.startswith(title) or title.startswith(said)))
            is_titled, heading = is_titled or is_title, None if is_title else element
            story, paragraphs = (0, 0) if is_title and not story else (story, paragraphs)
        is_next = element.tag == "article" and is_titled and story >= _MIN_STORY and paragraphs >= _MIN_PARAGRAPHS
        if is_next and (heading is not None or _starts_with_heading(element, title)):
            gone.append(element)
            skipped.add(element)
            continue
        own = " ".join((element.text or "", *(child.tail or "" for child in element)))
        if is_prose(own) and element.tag not in ("script", "style", "noscript", "a"):
            prose += weight(own)
            if is_titled and not any(one.tag == "article" for one in islice(element.iterancestors(), _MAX_PIECES)):
                story, paragraphs = story + weight(own), paragraphs + 1
    for element in gone:
        if element.getparent() is not None:
            element.drop_tree()


def _said(element: Any) -> str:
    return " ".join("".join(islice(element.itertext(), _MAX_PIECES)).split())


def _is_comments(element: Any) -> bool:
    """Whether an element calls itself comments, and holds no title."""
    if element.tag in ("body", "html", "main", "a", "span", "p", *_HEADINGS):
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''} {element.get('aria-label') or ''}".lower()
    is_named = not _COMMENT_TOKENS.isdisjoint(_TOKEN.split(names)) or element.get("itemprop") == "comment"
    return is_named and next(element.iter("h1"), None) is None


def _under_heading(element: Any) -> Iterator[Any]:
    """What stands under a heading of comments, with it."""
    if element.tag not in (*_HEADINGS, "div", "p", "span", "strong", "dt") or len(element) > 2:
        return
    said = _said(element)
    if not said or len(said) > _MAX_HEADING or not _COMMENT_HEADING.fullmatch(said):
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
    """Whether an article begins with a title that is not that of the page."""
    for one in islice(article.iterdescendants(), _MAX_PIECES):
        if one.tag in _HEADINGS[:3]:
            said = _said(one)
            return bool(said) and not (title and (said.startswith(title) or title.startswith(said)))
        if one.tag == "p" and is_prose(_said(one)):
            return False
    return False


__all__ = ["drop_neighbors"]

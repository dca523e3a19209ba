"""Extract the article of a page, without the text around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from whorl._internal.frozen import frozen
from whorl.corpus.pages.parsing import line_of, text_of

_HAN = re.compile("[\u3400-\u9fff]+")
SENTENCE_END = re.compile(r"[。！？；…]|[.!?;][\"”’»)]?(?:\s|$)")
_OTHERS = re.compile(
    r"\W*(?:(?:相关|推荐|延伸|精彩|热门)(?:阅读|推荐|新闻|文章|报道|链接|视频)|(?:为您|猜你|编辑|今日)(?:推荐|喜欢)"
    r"|大家都在看|(?:网友|最新|热门|全部|精彩)?(?:评论|跟贴|留言)(?:区|列表)?\W*\d*|加载更多|微信扫一扫)\W*"
)
"""Headings over links to other articles, and over comments."""
_LISTED = re.compile(
    r"(?:19|20)[0-9]{2}[-/.年][0-9]{1,2}[-/.月][0-9]{1,2}日?(?:\s*[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?\W?\w{0,6}$"
)
"""A date after the title of another article."""
_NO_CONTENT = (
    "head", "script", "style", "noscript", "template", "svg", "iframe", "object", "embed", "audio", "video", "canvas",
    "nav", "menu", "aside", "footer", "dialog", "button", "select", "input", "textarea", "link", "map", "picture",
)  # fmt: skip
"""Elements that trafilatura's rules skip."""
_CONTAINERS = frozenset(("body", "div", "list", "table", "row"))
_LEAST_HAN = 0.3
_MOST_LINKED = 0.5
_LONG = 40
_LEAST_PROSE = 140
_MOST_OF_PAGE = 0.5
_LEAST_PARAGRAPHS = 3
_MUCH = 1000
_A_CHAPTER = 50_000
_MUCH_OF_PAGE = 0.2


@frozen
class ArticleBody:
    """The article of a page.

    Attributes:
        text: its paragraphs, separated by newlines.
        links: its link targets, as written in the page.
    """

    text: str
    links: tuple[str, ...] = ()


def main_body(tree: Any, visible: str, prepare: Callable[[Any], None]) -> ArticleBody:
    """Return the article as trafilatura finds it [Barbaresi, ACL 2021, demo 15]; of Chinese pages, its prose.

    Its rules alone, on the page without navigation, find most articles. Only if they find little is their result
    compared with its other algorithms on the whole page, which takes twice the time.

    Args:
        tree: the page, which is not modified.
        visible: all its visible text.
        prepare: changes a copy of the page before the extraction.
    """
    from lxml import etree

    whole = copy(tree)
    prepare(whole)
    content = copy(whole)
    etree.strip_elements(content, *_NO_CONTENT, with_tail=False)
    blocks = _extracted(content, fast=True)
    if not _is_enough(blocks, visible):
        blocks = _extracted(whole, fast=False)
    if is_chinese("".join(block.text for block in blocks)):
        blocks = _prose(blocks)
    links = dict.fromkeys(link for block in blocks for link in block.links)
    return ArticleBody("\n".join(block.text for block in blocks), tuple(links))


def _extracted(tree: Any, *, fast: bool) -> list[_TextBlock]:
    from trafilatura import bare_extraction

    try:
        extracted: Any = bare_extraction(
            tree, fast=fast, include_comments=False, include_links=True, with_metadata=False
        )
        return [] if extracted is None else list(_blocks(extracted.body))
    except Exception:  # for any error that a page causes, the visible text remains
        return []


def _is_enough(blocks: Sequence[_TextBlock], visible: str) -> bool:
    """True if the result is more than a teaser: it has paragraphs, and much text or much of the page."""
    amount = sum(weight(block.text) for block in blocks)
    is_much = amount >= _MUCH or amount >= max(_LEAST_PROSE, _MUCH_OF_PAGE * weight(visible))
    has_paragraphs = sum(block.kind == "p" for block in blocks) >= _LEAST_PARAGRAPHS
    return (is_much and has_paragraphs) or amount >= _A_CHAPTER


def is_article(text: str, visible: str) -> bool:
    """True if the text is the article of a page: most of the visible text, or some prose.

    In a list or a table, the extraction may return a stray line; an article among much navigation has sentences.
    """
    prose = sum(map(weight, filter(SENTENCE_END.search, text.split("\n"))))
    return prose >= _LEAST_PROSE or weight(text) >= _MOST_OF_PAGE * weight(visible)


def is_prose(text: str) -> bool:
    """True if a paragraph has a sentence, or is as long as one."""
    return SENTENCE_END.search(text) is not None or len(text) >= _LONG


def is_chinese(text: str) -> bool:
    """True if a text is in Han characters; other scripts need about three characters for one of these."""
    return _count_han(text) >= _LEAST_HAN * max(1, len("".join(text.split())))


def weight(text: str) -> int:
    """Return the amount of text: characters without white space, Chinese ones counted twice."""
    return len("".join(text.split())) + _count_han(text)


def _count_han(text: str) -> int:
    return 0 if text.isascii() else sum(map(len, _HAN.findall(text)))


@frozen
class _TextBlock:
    """A paragraph, heading, item or cell.

    Attributes:
        kind: its tag, as trafilatura names it.
        text: its text.
        linked: the share of the text that is links.
        links: the targets of these links.
    """

    kind: str
    text: str
    linked: float
    links: tuple[str, ...] = ()

    @property
    def is_prose(self) -> bool:
        """True if it has a sentence, or is as long as one, and is not made of links."""
        return self.linked <= _MOST_LINKED and is_prose(self.text) and not _LISTED.search(self.text)


def _blocks(element: Any) -> Iterator[_TextBlock]:
    """Yield the blocks of an extracted text in order, including the text between them."""
    stray: list[tuple[Any, str | None]] = [(None, element.text), *((child, child.tail) for child in element)]
    for child, after in stray:
        if child is not None and child.tag in _CONTAINERS:
            yield from _blocks(child)
        elif child is not None and (text := text_of(child)):
            links = list(child.iter("ref"))
            linked = sum(len(text_of(link)) for link in links)
            targets = tuple(target for link in links if (target := link.get("target")))
            yield _TextBlock(child.tag, text, linked / len(text), targets)
        if line := line_of(after):
            yield _TextBlock("p", line, 0.0)


def _prose(blocks: list[_TextBlock]) -> list[_TextBlock]:
    """Return the blocks from the first prose to the last, without link lists and without headings and items.

    Headings and items are kept if they have a sentence.

    The article of a Chinese page is surrounded by columns, other reports and notices in blocks of a few characters,
    which are long enough to pass for text if length is measured in words.
    """
    prose = [place for place, block in enumerate(blocks) if block.is_prose]
    if not prose:
        return blocks
    others = (place for place in range(prose[0], len(blocks)) if _OTHERS.fullmatch(blocks[place].text))
    behind = next((place for place in others if 2 * sum(index < place for index in prose) > len(prose)), len(blocks))
    prose = [place for place in prose if place < behind]
    within = blocks[prose[0] : prose[-1] + 1]
    return [block for block in within if block.is_prose or (block.kind == "p" and block.linked <= _MOST_LINKED)]


__all__ = ["ArticleBody", "is_article", "is_chinese", "is_prose", "main_body", "weight"]

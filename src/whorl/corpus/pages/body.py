"""The article of a page, without what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from whorl.corpus.pages.parsing import line_of, text_of

_HAN = re.compile("[\u3400-\u9fff]")
_SENTENCE = re.compile(r"[。！？；…]|[.!?;][\"”’»)]?(?:\s|$)")
_CONTAINERS = frozenset(("body", "div", "list", "table", "row"))
_LEAST_HAN = 0.3
_MOST_LINKED = 0.5
_LONG = 40
_LEAST_PROSE = 140
_MOST_OF_PAGE = 0.5


@dataclass(frozen=True, slots=True)
class Body:
    """The article of a page.

    Attributes:
        text: its paragraphs, apart by newlines.
        links: what its links point to, as the page has it.
    """

    text: str
    links: tuple[str, ...] = ()


def main_body(tree: Any) -> Body:
    """The article as trafilatura finds it [Barbaresi, ACL 2021, demo 15]; of Chinese pages, its prose."""
    from trafilatura import bare_extraction

    try:
        found: Any = bare_extraction(tree, include_comments=False, include_links=True, with_metadata=False)
        blocks = [] if found is None else list(_blocks(found.body))
    except Exception:  # whatever a page makes it fail at, the visible text is there
        return Body("")
    if is_chinese("".join(block.text for block in blocks)):
        blocks = _prose(blocks)
    links = dict.fromkeys(link for block in blocks for link in block.links)
    return Body("\n".join(block.text for block in blocks), tuple(links))


def is_article(text: str, visible: str) -> bool:
    """Whether what was found is the article of a page: most of what the page shows, or some prose.

    Of a list or a table a stray line may be taken for the text; of an article among much navigation, sentences are.
    """
    prose = sum(map(_weight, filter(_SENTENCE.search, text.split("\n"))))
    return prose >= _LEAST_PROSE or _weight(text) >= _MOST_OF_PAGE * _weight(visible)


def is_chinese(text: str) -> bool:
    """Whether a text is written in Han characters, of which other scripts need about three for one."""
    return len(_HAN.findall(text)) >= _LEAST_HAN * len(text)


def _weight(text: str) -> int:
    """How much a text says: its characters without white space, those of Chinese twice."""
    return len("".join(text.split())) + len(_HAN.findall(text))


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, heading, item or cell.

    Attributes:
        kind: its tag, as trafilatura names it.
        text: what it says.
        linked: the share of it that is links.
        links: what these point to.
    """

    kind: str
    text: str
    linked: float
    links: tuple[str, ...] = ()

    @property
    def is_prose(self) -> bool:
        """Whether it has a sentence, or is as long as one, and is not made of links."""
        return self.linked <= _MOST_LINKED and (_SENTENCE.search(self.text) is not None or len(self.text) >= _LONG)


def _blocks(element: Any) -> Iterator[_Block]:
    """The blocks of an extracted text, in order, with the text that stands between them."""
    stray: list[tuple[Any, str | None]] = [(None, element.text), *((child, child.tail) for child in element)]
    for child, after in stray:
        if child is not None and child.tag in _CONTAINERS:
            yield from _blocks(child)
        elif child is not None and (text := text_of(child)):
            links = list(child.iter("ref"))
            linked = sum(len(text_of(link)) for link in links)
            targets = tuple(target for link in links if (target := link.get("target")))
            yield _Block(child.tag, text, linked / len(text), targets)
        if line := line_of(after):
            yield _Block("p", line, 0.0)


def _prose(blocks: list[_Block]) -> list[_Block]:
    """The blocks from the first prose to the last, but for those made of links, and headings and items of no sentence.

    Around the article of a Chinese page stand its columns, other reports and notices in blocks of a few characters,
    long enough to pass for text where length was measured for words.
    """
    prose = [place for place, block in enumerate(blocks) if block.is_prose]
    if not prose:
        return blocks
    within = blocks[prose[0] : prose[-1] + 1]
    return [block for block in within if block.is_prose or (block.kind == "p" and block.linked <= _MOST_LINKED)]


__all__ = ["Body", "is_article", "is_chinese", "main_body"]

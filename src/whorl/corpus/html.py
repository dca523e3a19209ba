"""HTML pages: the main text of each is one document. Needs the extra ``html``.

Nothing of a page is executed, and nothing that it names is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from whorl.corpus.contract import WHOLE_PAGE, Batch, Columns, ReadOptions, Source
from whorl.corpus.encoding import decode_page
from whorl.corpus.rejected import Rejects
from whorl.corpus.whole import Document, UnreadableError, batches_of, parsed, write
from whorl.language import say
from whorl.release import missing_package

MOST_BYTES = 16 * 2**20

_TAG = re.compile(r"<[a-zA-Z!/?]")
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]*>")
_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_HAN = re.compile("[\u3400-\u9fff]")
_SENTENCE = re.compile(r"[。！？；…]|[.!?;][\"”’»)]?(?:\s|$)")
_UNSEEN = frozenset((
    "script", "style", "noscript", "template", "title", "iframe", "svg", "select", "button", "textarea", "object",
    "audio", "video", "canvas",
))  # fmt: skip
_INLINE = frozenset((
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "hi", "i", "ins", "kbd", "mark",
    "q", "ref", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "tt", "u", "var", "wbr",
))  # fmt: skip
_CONTAINERS = frozenset(("body", "div", "list", "table", "row"))
_DATES = ("article:published_time", "og:release_date", "publishdate", "pubdate", "datepublished")
_LEAST_HAN = 0.3
_MOST_LINKED = 0.5
_LONG = 40
_LEAST_PROSE = 140
_MOST_OF_PAGE = 0.5


def read(source: Source, columns: Columns, rejects: Rejects, options: ReadOptions) -> Iterator[Batch]:
    """Yield the main text of the page as one document: without navigation, links to other pages, scripts and styles.

    A page that is no article, such as an index, gives all its visible text, and a notice. Title, url, date and author
    are those that the page states in its head; a date that is not stated there is looked for in the usual places.

    Rejected: a page longer than ``MOST_BYTES`` or ``max_row_bytes``, that breaks off, has no text, or is not HTML.

    Raises:
        UsageError: trafilatura is not installed.

    Cost: about 20 ms a page of 50 kB; memory about 30 times the page.
    """
    dated = columns.others or "date" in (columns.id, columns.order, *columns.text)
    return batches_of(_documents(source, rejects, options, dated=dated), columns)


def _documents(source: Source, rejects: Rejects, options: ReadOptions, *, dated: bool) -> Iterator[Document]:
    demand_parser(source)

    def parse(data: bytes) -> Document:
        return document_of(data, options.encoding, dated=dated)

    return parsed(source, rejects, options, parse, min(MOST_BYTES, options.max_row_bytes))


def demand_parser(source: Source) -> None:
    """Refuse a file with pages where no parser of pages is installed.

    Raises:
        UsageError: with the cure.
    """
    try:
        import trafilatura  # noqa: F401
    except ImportError:
        raise missing_package(
            say("{what} needs {package}", what=say("reading {path}", path=source.label), package="trafilatura"), "html"
        ) from None


def document_of(data: bytes, named: str | None, *, dated: bool) -> Document:
    """Return the document of a page, for formats that hold pages too.

    Args:
        data: the page.
        named: its encoding; None finds it out.
        dated: whether a date is looked for that the page does not state in its head.

    Raises:
        UnreadableError: it has no text, or is no page.
    """
    tree, notices = _tree(data, named)
    visible = _visible_text(tree)
    if not visible:
        raise UnreadableError(say("the page has no text: save it again from a browser that shows it"))
    text = _main_text(tree)
    if not _is_article(text, visible):
        text = visible
        notices[WHOLE_PAGE] = "no article was found in it"
    return Document(
        text=text,
        title=_stated(tree, "og:title") or _line(tree.findtext(".//title")),
        url=_url(tree),
        date=_date(tree) if dated else None,
        author=_stated(tree, "author"),
        notices=notices,
    )


def text_of(data: bytes, named: str | None) -> str:
    """Return all that a page shows, which may be nothing. Raises UnreadableError for what is no page."""
    return _visible_text(_tree(data, named)[0])


def _tree(data: bytes, named: str | None) -> tuple[Any, dict[str, str]]:
    """Parse a page, and say how it was decoded; raises UnreadableError when it is none."""
    from lxml import etree, html

    if not data:
        raise UnreadableError(say("the file is empty: fetch it again"))
    try:
        decoded = decode_page(data, named)
    except ValueError as error:
        raise UnreadableError(say("the file is {reason}", reason=error)) from None
    if not _TAG.search(decoded.text):
        raise UnreadableError(say("the file is not HTML, it has no tag: rename it to .txt"))
    page = _NOT_IN_XML.sub(" ", _XML_DECLARATION.sub("", decoded.text, count=1))
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    try:
        return html.document_fromstring(page.encode(), parser=parser), decoded.encoding.notices
    except etree.LxmlError:
        raise UnreadableError(say("the page has no text: save it again from a browser that shows it")) from None


def _is_article(text: str, visible: str) -> bool:
    """Whether what was found is the article of a page: most of what the page shows, or some prose.

    Of a list or a table a stray line may be taken for the text; of an article among much navigation, sentences are.
    """
    prose = sum(map(_weight, filter(_SENTENCE.search, text.split("\n"))))
    return prose >= _LEAST_PROSE or _weight(text) >= _MOST_OF_PAGE * _weight(visible)


def _weight(text: str) -> int:
    """How much a text says: its characters without white space, those of Chinese twice."""
    return len("".join(text.split())) + len(_HAN.findall(text))


def _main_text(tree: Any) -> str:
    """The main text as trafilatura finds it [Barbaresi, ACL 2021, demo 15]; of Chinese pages, its prose."""
    from trafilatura import bare_extraction

    try:
        found: Any = bare_extraction(tree, include_comments=False, include_links=True, with_metadata=False)
        blocks = [] if found is None else list(_blocks(found.body))
    except Exception:  # whatever a page makes it fail at, the visible text is there
        return ""
    letters = "".join(block.text for block in blocks)
    if len(_HAN.findall(letters)) >= _LEAST_HAN * len(letters):
        blocks = _prose(blocks)
    return "\n".join(block.text for block in blocks)


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, heading, item or cell.

    Attributes:
        kind: its tag, as trafilatura names it.
        text: what it says.
        linked: the share of it that is links.
    """

    kind: str
    text: str
    linked: float

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
        elif child is not None and (text := _text(child)):
            linked = sum(len(_text(link)) for link in child.iter("ref"))
            yield _Block(child.tag, text, linked / len(text))
        if line := _line(after):
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


def _visible_text(tree: Any) -> str:
    body = tree.find("body")
    return _text(tree if body is None else body)


def _text(element: Any) -> str:
    """What an element says, a line for each block in it; scripts, styles and what else is not shown left out."""
    from lxml import etree

    pieces: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        hidden = node.tag in _UNSEEN
        pieces.append("" if node.tag in _INLINE else "\n")
        if event == "start" and hidden:
            walk.skip_subtree()
        elif event == "start":
            pieces.append(_spaced(node.text))
        elif node is not element:
            pieces.append(_spaced(node.tail))
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def _spaced(text: str | None) -> str:
    """Text with blanks for its line ends, which tell nothing in HTML."""
    return "" if text is None else text.replace("\n", " ")


def _line(text: str | None) -> str | None:
    """Text on one line, None for none."""
    return " ".join((text or "").split()) or None


def _stated(tree: Any, *names: str) -> str | None:
    """What the first of the meta elements called one of ``names`` says."""
    for meta in tree.iterfind(".//meta"):
        if (meta.get("property") or meta.get("name") or "").lower() in names and _line(meta.get("content")):
            return _line(meta.get("content"))
    return None


def _url(tree: Any) -> str | None:
    links = (link.get("href") for link in tree.iterfind(".//link") if "canonical" in (link.get("rel") or "").split())
    url = next(links, None) or _stated(tree, "og:url")
    try:
        parts = urlsplit((url or "").strip())
    except ValueError:
        return None
    return parts.geturl() if parts.scheme in ("http", "https") and parts.netloc else None


def _date(tree: Any) -> str | None:
    """When the page was published: to the second where it is stated, else to the day as htmldate finds it."""
    from htmldate import find_date

    stated = _stated(tree, *_DATES)
    if stated is not None:
        return stated
    try:
        return find_date(tree, extensive_search=False, original_date=True)
    except Exception:  # a page without a date is one all the same
        return None


__all__ = ["MOST_BYTES", "demand_parser", "document_of", "read", "text_of", "write"]

"""Extract author, editor and source of an article, from the lines around it and from its head."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from whorl._internal.frozen import frozen
from whorl._internal.patterns import lazy_pattern
from whorl.attribution.statements import Statement, statements
from whorl.corpus.pages.dates import moments
from whorl.corpus.pages.frame import ArticleFrame
from whorl.corpus.pages.parsing import PageLine
from whorl.corpus.pages.stated import PageHead, names

_ORIGINS = ("source", "reprint", "first")
_MARGINAL = frozenset(("source", "author", "reporter", "editor"))
"""Statements in lines around an article that are not part of it; an earlier source and title are."""
_FILLING = lazy_pattern(r"[\W\d_]+|(?:发[布表](?:时间|日期|于)|时间|日期|摄影|年|月|日)")
_MOST_FILLING = 4
_MOST_MARGINS = 4
_LONGEST_MARGIN = 200

_LONGEST_CREDIT = 80
_EDITED = lazy_pattern(r"[责責](?:任[编編][辑輯]|[编編])\s*[:：|丨/]")
_ORIGINAL = lazy_pattern(r"[\[【(（]?原创(?:文章|首发|稿件?)?(?:[\]】)）:：\s]|$)")
_MEDIUM = re.compile(r"[\w·-]{0,12}(?:网|报|社|刊|新闻|电视台|通讯|客户端|杂志|频道|自媒体综合)")
_OF_REPORTERS = lazy_pattern(
    r"[\u4e00-\u9fff]{0,8}记者[\s:：/]*(?P<names>[\u4e00-\u9fff]{2,4}(?:[\s、]+[\u4e00-\u9fff]{2,4}){0,5})"
)
_OF_MEDIUM = re.compile(
    rf"(?P<names>[\u4e00-\u9fff]{{2,4}}(?:[\s、]+[\u4e00-\u9fff]{{2,4}}){{0,3}})\s*[/|]\s*(?P<medium>{_MEDIUM.pattern})"
)
_BETWEEN_NAMES = lazy_pattern(r"[\s、，,/／|&]+")
_NO_NAME = lazy_pattern(r"整合|编译|编辑|报道|综合|摄影?|图|文|文字|通讯员|实习生|实习记者|记者|见习")
_NO_PERSON = lazy_pattern(r"^[\W\d_]*$|@|https?:|^(?:admin|name|author|editor|root|user|www\.)", re.IGNORECASE)
_BY = lazy_pattern(r"^\W*by\b[\s:]+", re.IGNORECASE)
_DAY = lazy_pattern(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*\.?\s[0-9]"
)
_AUTHORS = ("author", "article:author", "og:article:author", "byl", "parsely-author", "dc.creator")
_LABEL = lazy_pattern(r"^(?:文章)?(?:来源|稿源)\s*[:：]\s*|\s+(?:原创稿?|转载)$")


@frozen
class Credits:
    """Author, account, editor and source of an article, as in `ExtractedPage`."""

    author: str | None = None
    author_from: str | None = None
    account: str | None = None
    origin: str | None = None
    origin_url: str | None = None
    editor: str | None = None
    is_original: bool = False


def credits_of(head: PageHead, frame: ArticleFrame, lines: Sequence[PageLine], text: str, site: str) -> Credits:
    """Extract the credits of an article.

    Args:
        head: the statements of the page's head.
        frame: the lines around the article.
        lines: all visible lines.
        text: the article.
        site: the stated name of the site, which is never an author.
    """
    above = statements("\n".join(line.spaced for line in frame.before))
    below = (*statements(text), *statements("\n".join(line.spaced for line in frame.after)))
    statement, beside = _origin(above), _medium(frame.before)
    if statement is None and beside is None:
        statement = _origin(below)
    origin = (statement.name if statement else beside) or _stated_origin(head)
    address = (statement.url if statement else "") or _address(origin, (*frame.before, *frame.after))
    byline = _byline(above) or _reporters(frame.before) or _byline(below)
    editor = _first((*above, *below), "editor") or _editor(lines)
    account = head.wechat.get("nickname") or None
    author, author_from = _stated_author(head), "page"
    if author is None and byline is not None:
        author, author_from = byline, "text"
    if author is None:
        author = _author_of_head(head, (site, origin or ""))
    return Credits(
        author=author,
        author_from=None if author is None else "account" if author == account else author_from,
        account=account,
        origin=origin,
        origin_url=address or head.first_meta("original-source", "syndication-source"),
        editor=None if editor is None else editor.name,
        is_original=_is_original(head, frame.before),
    )


def without_margins(text: str, title: str | None) -> str:
    """Remove lines at the ends of an article that are its title or only credits; at least one line remains."""
    lines = text.split("\n")
    begin, end = 0, len(lines)
    while begin < min(_MOST_MARGINS, end - 1) and (lines[begin] == title or _is_margin(lines[begin])):
        begin += 1
    while end > max(begin + 1, len(lines) - _MOST_MARGINS) and _is_margin(lines[end - 1]):
        end -= 1
    return "\n".join(lines[begin:end])


def _is_margin(line: str) -> bool:
    """True if a line only has credits and a date."""
    credits = statements(line) if len(line) <= _LONGEST_MARGIN else ()
    if not credits or any(statement.kind not in _MARGINAL for statement in credits):
        return False
    rest = line
    for statement in reversed(credits):
        rest = rest[: statement.span[0]] + " " + rest[statement.span[1] :]
    return len(_FILLING.sub("", rest)) <= _MOST_FILLING


def _first(credits: Iterable[Statement], *kinds: str) -> Statement | None:
    return next((statement for statement in credits if statement.kind in kinds), None)


def _origin(credits: Iterable[Statement]) -> Statement | None:
    """Return the first statement of an earlier source; "first published on Tuesday" is not one."""
    return _first((statement for statement in credits if not _DAY.match(statement.name.casefold())), *_ORIGINS)


def _byline(credits: Sequence[Statement]) -> str | None:
    """Return the persons of the first statement of an author, else of a reporter, separated by commas."""
    author = _first(credits, "author") or _first(credits, "reporter")
    return None if author is None else _listed(author.name)


def _listed(value: str) -> str | None:
    """Separate names by commas. Names in Latin letters contain blanks."""
    if value.isascii():
        return value
    return ", ".join(name for name in _BETWEEN_NAMES.split(value) if not _NO_NAME.fullmatch(name)) or None


def _reporters(lines: Sequence[PageLine]) -> str | None:
    """Return the persons of a line that is only a byline: 本报记者 张三 李四, or 张三/晨报."""
    for line in lines:
        if match := _OF_REPORTERS.fullmatch(line.text) or _OF_MEDIUM.fullmatch(line.text):
            return _listed(match["names"])
    return None


def _editor(lines: Sequence[PageLine]) -> Statement | None:
    """Return the editor named in a line of the page: the label is more reliable than the position."""
    for line in lines:
        if len(line.text) <= _LONGEST_CREDIT and _EDITED.search(line.text):
            editor = _first(statements(line.spaced), "editor")
            if editor is not None:
                return editor
    return None


def _stated_author(head: PageHead) -> str | None:
    """Return the persons in structured data, or the marked author, but not the publisher."""
    publishers = names(head.data.get("publisher"))
    persons = (_BY.sub("", name) for name in names(head.data.get("author")) if name not in publishers)
    return ", ".join(dict.fromkeys(name for name in persons if not _NO_PERSON.search(name))) or None


def _author_of_head(head: PageHead, others: Sequence[str]) -> str | None:
    """Return the marked or stated author, unless it is no person: a number, an address, or a name in ``others``."""
    stated = (head.properties.get("author"), *map(head.first_meta, _AUTHORS))
    for value in filter(None, stated):
        is_other = any(value.casefold() in other.casefold() for other in others)
        if not (is_other or _NO_PERSON.search(value) or len(value) > _LONGEST_CREDIT):
            return _BY.sub("", value)
    return None


def _stated_origin(head: PageHead) -> str | None:
    medium = head.first_meta("source", "contentsource", "sourcename", "mediaid") or head.wechat.get("nickname") or ""
    return _LABEL.sub("", _LABEL.sub("", medium)).strip() or None


def _medium(lines: Sequence[PageLine]) -> str | None:
    """Return the medium that a line names alone, after a person, or next to the date."""
    for line in lines:
        if match := _OF_MEDIUM.fullmatch(line.text):
            return match["medium"]
        parts = [part for piece in line.parts for part in piece.split()]
        is_dated = any(True for _ in moments(line.spaced, None))
        if (is_dated or len(parts) == 1) and (name := next(filter(_MEDIUM.fullmatch, parts), None)):
            return name
    return None


def _address(name: str | None, lines: Sequence[PageLine]) -> str | None:
    """Return the link target of the name of the source."""
    if not name:
        return None
    return next((target for line in lines for label, target in line.links if label.strip("《》") == name), None)


def _is_original(head: PageHead, lines: Sequence[PageLine]) -> bool:
    marks = {head.wechat.get("copyright_stat"), head.wechat.get("_copyright_stat")}
    stated = head.first_meta("source", "contentsource") or ""
    return bool(marks & {"1", "11"}) or stated.endswith("原创稿") or any(_ORIGINAL.match(line.text) for line in lines)


__all__ = ["Credits", "credits_of", "without_margins"]

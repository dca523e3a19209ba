"""Extract author, editor and source of an article, from the lines around it and from its head."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whorl.corpus.pages.dates import moments
from whorl.corpus.pages.frame import Frame
from whorl.corpus.pages.parsing import Line
from whorl.corpus.pages.stated import Head, names
from whorl.matching.statements import Statement, statements

_ORIGINS = ("source", "reprint", "first")
_MARGINAL = frozenset(("source", "author", "reporter", "editor"))
"""Statements in lines around an article that are not part of it; an earlier source and title are."""
_FILLING = re.compile(r"[\W\d_]+|(?:发[布表](?:时间|日期|于)|时间|日期|摄影|年|月|日)")
_MOST_FILLING = 4
_MOST_MARGINS = 4
_LONGEST_MARGIN = 200

_LONGEST_CREDIT = 80
_EDITED = re.compile(r"[责責](?:任[编編][辑輯]|[编編])\s*[:：|丨/]")
_ORIGINAL = re.compile(r"[\[【(（]?原创(?:文章|首发|稿件?)?(?:[\]】)）:：\s]|$)")
_MEDIUM = re.compile(r"[\w·-]{0,12}(?:网|报|社|刊|新闻|电视台|通讯|客户端|杂志|频道|自媒体综合)")
_OF_REPORTERS = re.compile(
    r"[\u4e00-\u9fff]{0,8}记者[\s:：/]*(?P<names>[\u4e00-\u9fff]{2,4}(?:[\s、]+[\u4e00-\u9fff]{2,4}){0,5})"
)
_OF_MEDIUM = re.compile(
    rf"(?P<names>[\u4e00-\u9fff]{{2,4}}(?:[\s、]+[\u4e00-\u9fff]{{2,4}}){{0,3}})\s*[/|]\s*(?P<medium>{_MEDIUM.pattern})"
)
_BETWEEN_NAMES = re.compile(r"[\s、，,/／|&]+")
_NO_NAME = re.compile(r"整合|编译|编辑|报道|综合|摄影?|图|文|文字|通讯员|实习生|实习记者|记者|见习")
_NO_PERSON = re.compile(r"^[\W\d_]*$|@|https?:|^(?:admin|name|author|editor|root|user|www\.)", re.IGNORECASE)
_BY = re.compile(r"^\W*by\b[\s:]+", re.IGNORECASE)
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*\.?\s[0-9]"
)
_AUTHORS = ("author", "article:author", "og:article:author", "byl", "parsely-author", "dc.creator")
_LABEL = re.compile(r"^(?:文章)?(?:来源|稿源)\s*[:：]\s*|\s+(?:原创稿?|转载)$")


@dataclass(frozen=True, slots=True)
class Credits:
    """Author, editor and source of an article, as in `Page`."""

    author: str | None = None
    origin: str | None = None
    origin_url: str | None = None
    editor: str | None = None
    is_original: bool = False


def credits_of(head: Head, frame: Frame, lines: Sequence[Line], text: str, site: str) -> Credits:
    """Extract the credits of an article.

    Args:
        head: the statements of the page's head.
        frame: the lines around the article.
        lines: all visible lines.
        text: the article.
        site: the stated name of the site, which is never an author.
    """
    shown = statements("\n".join(line.spaced for line in frame.before))
    own = (*statements(text), *statements("\n".join(line.spaced for line in frame.after)))
    said, beside = _origin(shown), _medium(frame.before)
    if said is None and beside is None:
        said = _origin(own)
    origin = (said.name if said else beside) or _stated_origin(head)
    address = (said.url if said else "") or _address(origin, (*frame.before, *frame.after))
    byline = _byline(shown) or _reporters(frame.before) or _byline(own)
    editor = _first((*shown, *own), "editor") or _editor(lines)
    return Credits(
        author=_stated_author(head) or byline or _author_of_head(head, (site, origin or "")),
        origin=origin,
        origin_url=address or head.said("original-source", "syndication-source"),
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
    found = statements(line) if len(line) <= _LONGEST_MARGIN else ()
    if not found or any(one.kind not in _MARGINAL for one in found):
        return False
    rest = line
    for one in reversed(found):
        rest = rest[: one.span[0]] + " " + rest[one.span[1] :]
    return len(_FILLING.sub("", rest)) <= _MOST_FILLING


def _first(found: Iterable[Statement], *kinds: str) -> Statement | None:
    return next((one for one in found if one.kind in kinds), None)


def _origin(found: Iterable[Statement]) -> Statement | None:
    """Return the first statement of an earlier source; "first published on Tuesday" is not one."""
    return _first((one for one in found if not _DAY.match(one.name.casefold())), *_ORIGINS)


def _byline(found: Sequence[Statement]) -> str | None:
    """Return the persons of the first statement of an author, else of a reporter, separated by commas."""
    said = _first(found, "author") or _first(found, "reporter")
    return None if said is None else _listed(said.name)


def _listed(said: str) -> str | None:
    """Separate names by commas. Names in Latin letters contain blanks."""
    if said.isascii():
        return said
    return ", ".join(name for name in _BETWEEN_NAMES.split(said) if not _NO_NAME.fullmatch(name)) or None


def _reporters(lines: Sequence[Line]) -> str | None:
    """Return the persons of a line that is only a byline: 本报记者 张三 李四, or 张三/晨报."""
    for line in lines:
        if found := _OF_REPORTERS.fullmatch(line.text) or _OF_MEDIUM.fullmatch(line.text):
            return _listed(found["names"])
    return None


def _editor(lines: Sequence[Line]) -> Statement | None:
    """Return the editor named in a line of the page: the label is more reliable than the position."""
    for line in lines:
        if len(line.text) <= _LONGEST_CREDIT and _EDITED.search(line.text):
            found = _first(statements(line.spaced), "editor")
            if found is not None:
                return found
    return None


def _stated_author(head: Head) -> str | None:
    """Return the persons in structured data, or the marked author, but not the publisher."""
    publishers = names(head.data.get("publisher"))
    persons = (_BY.sub("", one) for one in names(head.data.get("author")) if one not in publishers)
    return ", ".join(dict.fromkeys(one for one in persons if not _NO_PERSON.search(one))) or None


def _author_of_head(head: Head, others: Sequence[str]) -> str | None:
    """Return the marked or stated author, unless it is no person: a number, an address, or a name in ``others``."""
    stated = (head.properties.get("author"), *map(head.said, _AUTHORS))
    for said in filter(None, stated):
        is_other = any(said.casefold() in other.casefold() for other in others)
        if not (is_other or _NO_PERSON.search(said) or len(said) > _LONGEST_CREDIT):
            return _BY.sub("", said)
    return None


def _stated_origin(head: Head) -> str | None:
    said = head.said("source", "contentsource", "sourcename", "mediaid") or head.wechat.get("nickname") or ""
    return _LABEL.sub("", _LABEL.sub("", said)).strip() or None


def _medium(lines: Sequence[Line]) -> str | None:
    """Return the medium that a line names alone, after a person, or next to the date."""
    for line in lines:
        if found := _OF_MEDIUM.fullmatch(line.text):
            return found["medium"]
        parts = [part for piece in line.parts for part in piece.split()]
        is_dated = any(True for _ in moments(line.spaced, None))
        if (is_dated or len(parts) == 1) and (name := next(filter(_MEDIUM.fullmatch, parts), None)):
            return name
    return None


def _address(name: str | None, lines: Sequence[Line]) -> str | None:
    """Return the link target of the name of the source."""
    if not name:
        return None
    return next((target for line in lines for said, target in line.links if said.strip("《》") == name), None)


def _is_original(head: Head, lines: Sequence[Line]) -> bool:
    marks = {head.wechat.get("copyright_stat"), head.wechat.get("_copyright_stat")}
    stated = head.said("source", "contentsource") or ""
    return bool(marks & {"1", "11"}) or stated.endswith("原创稿") or any(_ORIGINAL.match(line.text) for line in lines)


__all__ = ["Credits", "credits_of", "without_margins"]

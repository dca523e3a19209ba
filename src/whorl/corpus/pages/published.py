"""Find the publication date of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from whorl._internal.patterns import lazy_pattern
from whorl.corpus.pages.dates import PageDate, is_possible, moments
from whorl.corpus.pages.frame import ArticleFrame
from whorl.corpus.pages.parsing import PageLine
from whorl.corpus.pages.stated import PageHead

_META = (
    "article:published_time", "og:article:published_time", "og:published_time", "og:release_date", "og:time",
    "weibo: article:create_at", "bytedance:published_time", "publishdate", "publish_date", "publish-date", "pubdate",
    "publishtime", "publish_time", "datepublished", "date.published", "article.published", "parsely-pub-date",
    "sailthru.date", "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date", "published_at",
    "firstpublishedtime",
)  # fmt: skip
_DATA = ("datePublished", "pubDate", "uploadDate", "dateCreated")
_LATER = lazy_pattern(
    r"(?:更新|修改|修订|修訂|截[止至]|有效|活动|活動|当前|今天是|现在是|现时|登录|打印|评论|评|浏览|最近|最后|编辑于|编辑|上次|update\w*|modified)"
    r"[^0-9]{0,12}$",
    re.IGNORECASE,
)
_LONGEST_LINE = 160
_PAST_BODY = 3


def published(
    tree: Any,
    head: PageHead,
    frame: ArticleFrame,
    lines: Sequence[PageLine],
    *,
    now: datetime | None,
    zone: tzinfo,
    url: str,
) -> PageDate | None:
    """Return the stated publication date of a page; None if it is missing or impossible.

    The head takes precedence over the lines around the article, and these over the result of htmldate. Of two dates
    with the same day, the one with a time is used.

    Args:
        tree: the page.
        head: the statements of its head.
        frame: the lines around its article.
        lines: all visible lines.
        now: the time of the download, if known.
        zone: the zone of times without one.
        url: its address.
    """
    best: PageDate | None = None
    for moment in (*_stated(head, now, zone), *_framed(frame, now, zone)):
        if best is None:
            best = moment
        if best.precision != "day":
            return best
        if moment.precision != "day" and moment.at.date() == best.at.date():
            return moment
    best = best or _searched(tree, now, zone, url)
    return best if best is None or best.precision != "day" else _to_the_minute(best, lines)


def _to_the_minute(day: PageDate, lines: Sequence[PageLine]) -> PageDate:
    """Add the time to a day from a line of the page; a line with links may have the time of another article."""
    evening = day.at + timedelta(hours=23, minutes=59)
    for line in lines:
        if not line.links and len(line.text) <= _LONGEST_LINE:
            for before, moment in moments(line.spaced, evening):
                if moment.precision != "day" and moment.at.date() == day.at.date() and not _LATER.search(before):
                    return moment
    return day


def _stated(head: PageHead, now: datetime | None, zone: tzinfo) -> Iterator[PageDate]:
    clock = head.wechat.get("ct", "")
    if clock.isdecimal() and len(clock) <= 10 and is_possible(at := datetime.fromtimestamp(int(clock), UTC), now):
        yield PageDate(at.astimezone(zone), "second", has_zone=True, written=clock)
    texts = [head.meta.get(name) for name in _META]
    texts += [head.data[name] for name in _DATA if isinstance(head.data.get(name), str)]
    texts.append(head.properties.get("datepublished"))
    for text in texts:
        for _, moment in moments(text or "", now, zone):
            yield moment


def _framed(frame: ArticleFrame, now: datetime | None, zone: tzinfo) -> Iterator[PageDate]:
    """Yield the dates of the lines around the article, except dates of other events."""
    for line in (*frame.before, *frame.after[:_PAST_BODY]):
        if len(line.text) <= _LONGEST_LINE:
            for before, moment in moments(line.spaced, now, zone):
                if not _LATER.search(before):
                    yield moment


def _searched(tree: Any, now: datetime | None, zone: tzinfo, url: str) -> PageDate | None:
    """Return the day that htmldate finds."""
    from htmldate import find_date

    try:
        day = find_date(tree, extensive_search=False, original_date=True, url=url or None)
    except Exception:  # an error means no date, but the page remains readable
        return None
    return next((moment for _, moment in moments(day or "", now, zone)), None)


__all__ = ["published"]

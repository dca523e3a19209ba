"""Extract the parts of a page from its bytes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from whorl.corpus.contract import WHOLE_PAGE
from whorl.corpus.formats.office.hidden_text import hidden_notice
from whorl.corpus.formats.text.whole_files import UnreadableError
from whorl.corpus.pages.addresses import absolute, canonical_url, plausible_canonical
from whorl.corpus.pages.body import is_article, is_chinese, main_body, weight
from whorl.corpus.pages.credits import credits_of, without_margins
from whorl.corpus.pages.dates import CHINA, PageDate
from whorl.corpus.pages.frame import frame_of
from whorl.corpus.pages.further import next_page
from whorl.corpus.pages.neighbors import drop_neighbors
from whorl.corpus.pages.page import ExtractedPage
from whorl.corpus.pages.parsing import parse, visible_lines
from whorl.corpus.pages.published import published
from whorl.corpus.pages.shells import shell_of
from whorl.corpus.pages.state import state_of
from whorl.corpus.pages.stated import head_of
from whorl.corpus.pages.titles import title_of
from whorl.corpus.pages.visibility import remove_hidden
from whorl.corpus.pages.words import normalize, unwrap_words
from whorl.i18n import say
from whorl.types.times import UNKNOWN_ZONE, offset_name, zone_of

NO_TEXT = say("the page has no text: save it again from a browser that shows it")
_LITTLE = 2000
_MUCH_MORE = 3
"""Minimum ratio of text in the embedded data to the visible text, to prefer the data."""


def extract(
    body: bytes,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    encoding: str | None = None,
    dated: bool = True,
    zone: str = "",
) -> ExtractedPage:
    """Extract a page. No code in it is executed, and no link is fetched.

    Args:
        body: its bytes.
        url: its address, the base of relative links.
        content_type: the content type from the server, such as ``text/html; charset=gbk``.
        fetched_at: the time of the download, the reference of relative dates (昨天). None reads only dates with a year.
            A time without a zone is in Asia/Shanghai.
        encoding: its encoding, if known for certain.
        dated: whether to search for a date.
        zone: the zone of dates without one; empty assumes that of China in Chinese pages, else it is unknown.

    Raises:
        UnreadableError: it has no text, is not a page, or is a shell: see ``whorl.corpus.pages.shells``.

    Cost: about 35 ms a page of 120 kB; memory about 30 times the page. A malicious page takes far more of both:
    ``corpus.isolated`` reads with limits.
    """
    tree, decoded = parse(body, named=encoding, content_type=content_type)
    normalize(tree)
    hidden = remove_hidden(tree)
    lines = visible_lines(tree)
    head = head_of(tree)
    if not lines and state_of(tree, head.data, is_shell=True) is None:
        raise UnreadableError(NO_TEXT)
    title = title_of(tree, head, lines)
    stated = [*head.links.get("canonical", ()), head.first_meta("og:url")]
    canonical = plausible_canonical(stated, url) or canonical_url(url) or None
    place = url or canonical or ""
    following = next_page(tree, head, place)
    visible = "\n".join(line.text for line in lines)
    text, links, notices = _article(tree, visible, title)
    shell = NO_TEXT if not lines else shell_of(lines, tree.findtext(".//title"))
    embedded = state_of(tree, head.data, is_shell=shell is not None) if shell or _is_little(text, notices) else None
    if embedded is not None and (shell or weight(embedded.text) >= _MUCH_MORE * weight(text)):
        text, links, notices, title = embedded.text, (), {}, embedded.title or title
    elif shell:
        raise UnreadableError(shell)
    frame = frame_of(lines, text, title)
    is_chinese_page = (tree.get("lang") or "").startswith("zh") or is_chinese(text) or is_chinese(title or "")
    assumed = zone or ("+08:00" if is_chinese_page else UNKNOWN_ZONE)
    local = zone_of(zone) if zone else CHINA if is_chinese_page else UTC
    moment = published(tree, head, frame, lines, now=fetched_at, zone=local, url=place) if dated else None
    site = " ".join(filter(None, (tree.findtext(".//title"), head.first_meta("og:site_name")))).replace(
        title or " ", " "
    )
    article_credits = credits_of(head, frame, lines, text, site)
    return ExtractedPage(
        text=without_margins(text, title),
        title=title,
        author=article_credits.author,
        author_from=article_credits.author_from,
        account=article_credits.account,
        published_at=None if moment is None else moment.at,
        precision=None if moment is None else moment.precision,
        zone=None if moment is None else _zone_name(moment, assumed),
        written=None if moment is None else moment.written,
        origin=article_credits.origin,
        origin_url=None if article_credits.origin_url is None else absolute(article_credits.origin_url, place),
        editor=article_credits.editor,
        canonical=canonical,
        links=tuple(dict.fromkeys(target for link in links if (target := absolute(link, place)))),
        next_page=following,
        is_original=article_credits.is_original,
        encoding=decoded.encoding.codec,
        notices={**decoded.encoding.notices, **notices, **hidden_notice(hidden)},
    )


def _zone_name(moment: PageDate, assumed: str) -> str:
    """Return the stated offset of a date, else the assumed zone."""
    return offset_name(moment.at.utcoffset() or timedelta()) if moment.has_zone else assumed


def _is_little(text: str, notices: dict[str, str]) -> bool:
    """True if the visible text may be a teaser of the article in the embedded data."""
    return bool(notices) or weight(text) < _LITTLE


def _article(tree: Any, visible: str, title: str | None) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """Return the article of a page with its links; if there is none, all visible text and a notice."""

    def prepare(page: Any) -> None:
        unwrap_words(page)
        drop_neighbors(page, title)

    article = main_body(tree, visible, prepare)
    if is_article(article.text, visible):
        is_all = "".join(article.text.split()) == "".join(visible.split())
        return visible if is_all else article.text, article.links, {}  # extraction may drop lines of short pages
    return visible, (), {WHOLE_PAGE: "no article was found in it"}


__all__ = ["extract"]

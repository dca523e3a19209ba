"""From the bytes of a page to its parts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from whorl.corpus.contract import WHOLE_PAGE
from whorl.corpus.pages.addresses import absolute, canonical_url, plausible_canonical
from whorl.corpus.pages.body import is_article, is_chinese, main_body
from whorl.corpus.pages.dates import CHINA
from whorl.corpus.pages.page import Page
from whorl.corpus.pages.parsing import line_of, parse, visible_text
from whorl.corpus.pages.published import published
from whorl.corpus.pages.stated import meta, related
from whorl.corpus.whole import UnreadableError
from whorl.language import say


def extract(
    body: bytes,
    *,
    url: str = "",
    content_type: str = "",
    fetched_at: datetime | None = None,
    encoding: str | None = None,
    dated: bool = True,
) -> Page:
    """Read a page. Nothing of it is executed, and nothing that it names is fetched.

    Args:
        body: its bytes.
        url: where it was fetched, which relative links in it are relative to.
        content_type: what the server said it is, such as ``text/html; charset=gbk``.
        fetched_at: when; what is said relative to that (昨天) is counted from it. None reads only dates that tell their
            year. A time without a zone is of Asia/Shanghai.
        encoding: its encoding, where that is known for sure.
        dated: whether a date is looked for, which is half of the work.

    Raises:
        UnreadableError: it has no text, or is no page.

    Cost: about 20 ms a page of 50 kB; memory about 30 times the page. A page made for that takes far more of both:
    ``corpus.isolated`` reads with limits.
    """
    tree, decoded = parse(body, named=encoding, content_type=content_type)
    visible = visible_text(tree)
    if not visible:
        raise UnreadableError(say("the page has no text: save it again from a browser that shows it"))
    notices = decoded.encoding.notices
    # What is read of the head comes first: the search for the article takes the tree apart.
    title = meta(tree, "og:title") or line_of(tree.findtext(".//title"))
    author = meta(tree, "author")
    canonical = plausible_canonical([*related(tree, "canonical"), meta(tree, "og:url")], url)
    zone = CHINA if is_chinese(visible) else UTC
    moment = published(tree, fetched_at, zone) if dated else None
    article = main_body(tree)
    text, links = article.text, article.links
    if not is_article(text, visible):
        text, links = visible, ()
        notices[WHOLE_PAGE] = "no article was found in it"
    return Page(
        text=text,
        title=title,
        author=author,
        published_at=None if moment is None else moment.at,
        precision=None if moment is None else moment.precision,
        canonical=canonical or (canonical_url(url) or None),
        links=_absolute(links, url),
        next_page=_next(tree, url),
        encoding=decoded.encoding.codec,
        notices=notices,
    )


def _absolute(links: tuple[str, ...], url: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found for link in links if (found := absolute(link, url))))


def _next(tree: Any, url: str) -> str | None:
    return next((found for link in related(tree, "next") if (found := absolute(link, url))), None)


__all__ = ["extract"]

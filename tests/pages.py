"""Pages of the console as a browser parses them."""

from __future__ import annotations

import httpx
from lxml import html

PAGE = {"Accept": "text/html"}
"""The headers of a browser request."""


def page_of(answer: httpx.Response) -> html.HtmlElement:
    """Parse a page, and assert that it has no scripts other than those of the service, and no handlers."""
    page = html.document_fromstring(answer.text)
    assert all(script.get("src", "").startswith("/static/") for script in page.iter("script"))
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    assert not page.xpath("//@style")
    assert not [link for link in page.xpath("//@href") if link.strip().lower().startswith("javascript:")]
    return page

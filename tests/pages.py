"""Pages of the console as a browser reads them."""

from __future__ import annotations

import httpx
from lxml import html

PAGE = {"Accept": "text/html"}
"""What browsers ask for."""


def seen(answer: httpx.Response) -> html.HtmlElement:
    """A page as a browser reads it, which has no script but those of the service and no handler."""
    page = html.document_fromstring(answer.text)
    assert all(script.get("src", "").startswith("/static/") for script in page.iter("script"))
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    assert not page.xpath("//@style")
    assert not [link for link in page.xpath("//@href") if link.strip().lower().startswith("javascript:")]
    return page

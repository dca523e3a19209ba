"""Result of looking up a page before a crawler fetches it."""

from __future__ import annotations

from datetime import datetime

from whorl._internal.frozen import frozen
from whorl.types.comparison import Plain


@frozen
class SeenPage(Plain):
    """Result of looking up an address, a content, or both.

    >>> import whorl
    >>> with whorl.open("fetched") as library:
    ...     kept = library.pages.keep("https://copies.example/7", b"<p>...</p>")
    ...     [page] = library.pages.seen_each([{"url": "https://copies.example/7", "page_digest": kept.digest}])
    >>> page.is_known, page.unchanged, page.status
    (True, True, 200)

    Attributes:
        url: the address; None if only a digest was given.
        is_known: True if the library has the address or the content.
        unchanged: True if the content is the latest one of the address; None if the address is not known, or no digest
            was given.
        last_seen_at: when the address was last fetched or seen; for a content alone, when any address last had it.
        status: HTTP status of the last fetch; None if no page is stored.
        etag: ``ETag`` of the latest page, to send as ``If-None-Match``; empty for none.
        last_modified: ``Last-Modified`` of the latest page, to send as ``If-Modified-Since``; empty for none.
        document: id of the article at the address; None for none.
        elsewhere: up to ten other addresses with the content, or ids of articles without an address.
    """

    url: str | None
    is_known: bool
    unchanged: bool | None
    last_seen_at: datetime | None
    status: int | None
    etag: str
    last_modified: str
    document: str | None
    elsewhere: tuple[str, ...]


__all__ = ["SeenPage"]

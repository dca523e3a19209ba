"""Whether a page may reprint, based on observations: the address it came from, and when it was first seen.

A permission may be limited to an author, or end on a day. Author and publication time of a page are only claims of the
page, and so is the address of a page that was read from a file; a copier can forge them. Such claims never make a
permission cover a page. They are not ignored either: a page of a partner that was found late looks the same, so a
person has to decide.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from whorl.library.authorship import document_was_fetched

if TYPE_CHECKING:
    from whorl.library.registers import Registers
    from whorl.types.library import Document

Permission = Literal["given", "claimed", "none"]


def permission_of(library: Registers, document: Document, url: str, seen_at: datetime | None) -> Permission:
    """Return whether a document may reprint: "given", "claimed" (only if its claims are true) or "none".

    Args:
        library: supplies permissions and sites.
        document: the page.
        url: its address.
        seen_at: when it was first seen with the reprinted text; None is now.
    """
    site = library.sites.of(url)
    if (site is not None and site.authorised) or library.leaves.covering(url, at=seen_at) is not None:
        return "given" if document_was_fetched(library, document) else "claimed"
    author = document.author or ""
    times = [seen_at, *([document.published_at] if document.published_at else [])]
    if any(library.leaves.covering(url, author=author, at=at) is not None for at in times):
        return "claimed"
    return "none"


__all__ = ["Permission", "permission_of"]

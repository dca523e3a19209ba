"""Whether a page may reprint, by what was observed of it: the address it came from, and when it was first seen.

A permission may be for one author, or end on a day. Who wrote a page and when it was published is only what the page
says, and so is the address of a page that was read from a file; a copier says what suits it. These claims never make a
permission cover a page. They are not ignored either: the page of a partner that was found late looks the same, and a
person has to decide.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from whorl.library.library import Library
    from whorl.library.model import Document

Permission = Literal["given", "claimed", "none"]


def permission_of(library: Library, document: Document, url: str, seen_at: datetime | None) -> Permission:
    """Return whether a document may reprint: "given", "claimed" (only if what it says is true) or "none".

    Args:
        library: with the permissions and the sites.
        document: the page.
        url: its address.
        seen_at: when it was first seen with what it reprints; None is now.
    """
    site = library.sites.of(url)
    if (site is not None and site.authorised) or library.leaves.covering(url, at=seen_at) is not None:
        return "claimed" if _is_from_file(library, document) else "given"
    author = document.author or ""
    times = [seen_at, *([document.published_at] if document.published_at else [])]
    if any(library.leaves.covering(url, author=author, at=at) is not None for at in times):
        return "claimed"
    return "none"


def _is_from_file(library: Library, document: Document) -> bool:
    """Whether all that was kept of a page was read from files, so that only the page says what its address is."""
    pages = library.pages.of(document.id)
    return bool(pages) and all(page.status == 0 for page in pages)


__all__ = ["Permission", "permission_of"]

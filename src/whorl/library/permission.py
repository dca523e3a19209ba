"""Whether a page may reprint, based on observations: the address it came from, and when it was first seen.

A permission may be limited to an author, or end on a day. Author and publication time of a page are only claims of the
page, and so is the address of a page that was read from a file; a copier can forge them. Such claims never make a
permission cover a page. They are not ignored either: a page of a partner that was found late looks the same, so a
person has to decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from whorl.library.registers import Registers
    from whorl.library.reviews.permissions import Permission as ReprintPermission
    from whorl.types.library import Document

Permission = Literal["given", "claimed", "none"]


class JudgedPage(NamedTuple):
    """A page whose permission is asked for.

    Attributes:
        document: its document; the text is not needed.
        url: its address.
        seen_at: when it was first seen with the reprinted text; None is now.
    """

    document: Document
    url: str
    seen_at: datetime | None


class PageRights(NamedTuple):
    """Permission of a page.

    Attributes:
        permission: "given", "claimed" (only if its claims are true) or "none".
        basis: the permission that covers its address and time; None without one.
    """

    permission: Permission
    basis: ReprintPermission | None


def permission_of(library: Registers, document: Document, url: str, seen_at: datetime | None) -> Permission:
    """Return whether a document may reprint: "given", "claimed" (only if its claims are true) or "none".

    Args:
        library: supplies permissions and sites.
        document: the page.
        url: its address.
        seen_at: when it was first seen with the reprinted text; None is now.
    """
    return rights_of(library, [JudgedPage(document, url, seen_at)])[0].permission


def rights_of(library: Registers, pages: Sequence[JudgedPage]) -> list[PageRights]:
    """Return the permissions of pages, with the round trips of a single page."""
    sites = library.sites.of_each({page.url for page in pages})
    by_author = [(row, at) for row, page in enumerate(pages) for at in _times(page)]
    permissions = library.permissions.covering_each(
        [
            *((page.url, "", page.seen_at) for page in pages),
            *((pages[row].url, pages[row].document.author or "", at) for row, at in by_author),
        ]
    )
    bases = permissions[: len(pages)]
    claimed = {
        row for (row, _), permission in zip(by_author, permissions[len(pages) :], strict=True) if permission is not None
    }
    covered = [
        basis is not None or ((site := sites[page.url]) is not None and site.authorised)
        for page, basis in zip(pages, bases, strict=True)
    ]
    candidates = [page.document.id for page, is_covered in zip(pages, covered, strict=True) if is_covered]
    fetched = library.pages.fetched(candidates) if candidates else set()

    def permission(row: int) -> Permission:
        if covered[row]:
            return "given" if pages[row].document.id in fetched else "claimed"
        return "claimed" if row in claimed else "none"

    return [PageRights(permission(row), basis) for row, basis in enumerate(bases)]


def _times(page: JudgedPage) -> Iterator[datetime | None]:
    """Yield when a page was seen, and when it claims to have been published."""
    yield page.seen_at
    if page.document.published_at:
        yield page.document.published_at


__all__ = ["JudgedPage", "PageRights", "Permission", "permission_of", "rights_of"]

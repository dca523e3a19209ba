"""Whether a page was published by the author of an article, as far as it is known and not merely stated.

A name on a page, in a column, a line, its metadata or a link, is a claim that a thief keeps or makes. What counts is a
site or account that was entered as the author's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whorl.attribution.syndication import names_of

if TYPE_CHECKING:
    from whorl.library.registers import Registers
    from whorl.types.library import Document

ACCOUNT = "account"
"""Metadata: the account that the platform of a page states."""


def authors_at(library: Registers, document: Document) -> frozenset[str]:
    """Return the normalized names of the authors that are known to own the site or account of a document.

    A document without a record of a response was read from a file, so its address is only a claim: it has none.
    """
    if not document.url or not document_was_fetched(library, document):
        return frozenset()
    stated = document.metadata.get(ACCOUNT)
    accounts = library.accounts.of(document.url, stated if isinstance(stated, str) else "")
    return frozenset(name for account in accounts for name in names_of(account.author))


def is_by_author(library: Registers, page: Document, article: Document) -> bool:
    """Return True if a page is at a site or account that is known to be that of the article's author."""
    if not len(library.accounts):
        return False
    authors = names_of(article.author or "") | authors_at(library, article)
    return not authors.isdisjoint(authors_at(library, page))


def document_was_fetched(library: Registers, document: Document) -> bool:
    """Return False if all stored data of a page was read from files, so that its address is only a claim."""
    pages = library.pages.of(document.id)
    return not pages or any(page.status != 0 for page in pages)


__all__ = ["ACCOUNT", "authors_at", "document_was_fetched", "is_by_author"]

"""Registers of a library by which a reprint is judged. They are declared here, below the library that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from whorl.library.provenance.accounts import Accounts
    from whorl.library.provenance.pages import Pages
    from whorl.library.provenance.sites import Sites
    from whorl.library.reviews.permissions import Permissions


class Registers(Protocol):
    """Part of a library that permissions and authorship are judged by.

    Attributes:
        sites: known sites.
        permissions: permissions to reprint.
        accounts: sites and accounts known to belong to authors.
        pages: pages as they were fetched.
    """

    sites: Sites
    permissions: Permissions
    accounts: Accounts
    pages: Pages


__all__ = ["Registers"]

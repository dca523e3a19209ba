"""Accounts and sites that are known to belong to an author.

A byline is text: a thief keeps it, or writes it into the metadata of the page. A copier on another site can forge
neither the address of a page nor the account that a platform states for it. Two articles are therefore of the same
author only if the site or the account of the page was entered here.

All accounts are one setting of the store: an owner has a few for each author, and no store needs a table for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple
from typing import Any
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl.library.core import Core
from whorl.library.ingest.user_data import FieldReader, several
from whorl.library.provenance.hosts import demand_domain, domain_of, domains_above
from whorl.types.comparison import Plain

_SETTING = "accounts"


@frozen
class Account(Plain):
    """A site, or an account on a platform, that is known to belong to an author.

    >>> import whorl
    >>> from whorl.results import Account
    >>> with whorl.open("newsroom") as library:
    ...     count = library.accounts.put([Account("王小渡", "columns.example", "/u/wang")])
    ...     [account.author for account in library.accounts.of("https://columns.example/u/wang/7")]
    ['王小渡']

    Attributes:
        author: the author, as the registered articles name them.
        domain: of the site, including its subdomains; for an address, its domain is used.
        path: of the author's pages, including those below it; empty for the whole site, or if ``name`` identifies them.
        name: name of the account, as the platform states it on its pages; empty for any account below the path.
        by: person who entered it.
        note: how it is known, such as a contract.
    """

    author: str
    domain: str
    path: str = ""
    name: str = ""
    by: str = ""
    note: str = ""


class Accounts:
    """The accounts and sites of authors, ordered by domain, path, name and author.

    >>> import whorl
    >>> with whorl.open("watched") as library:
    ...     count = library.accounts.put([{"author": "王小渡", "domain": "wang.example"}])
    ...     [account.domain for account in library.accounts.of("https://wang.example/7")]
    ['wang.example']

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[Account]:
        return iter(self._stored())

    def __len__(self) -> int:
        return len(self._stored())

    def of(self, url: str, name: str = "") -> list[Account]:
        """Return the accounts that a page belongs to.

        Args:
            url: address that the page came from.
            name: account that the platform states on the page; empty if unknown.
        """
        domains, path = domains_above(domain_of(url)), _path_of(url)
        return [
            account
            for account in self._stored()
            if account.domain in domains and f"{path}/".startswith(f"{account.path}/") and account.name in ("", name)
        ]

    def put(self, accounts: Iterable[Account | Mapping[str, Any]]) -> int:
        """Store accounts, or mappings of their fields; return how many. Existing ones get the new person and note.

        Raises:
            InputError: one is invalid; then none is stored.
        """
        new = {_key(account): account for account in map(_account, several(accounts))}
        with self._changing() as stored:
            stored.update(new)
        return len(new)

    def remove(self, accounts: Iterable[Account | Mapping[str, Any]]) -> int:
        """Remove accounts, whatever their person and note; return how many existed."""
        unwanted = {_key(account) for account in map(_account, several(accounts))}
        with self._changing() as stored:
            removed = unwanted & stored.keys()
            for key in removed:
                del stored[key]
        return len(removed)

    def _stored(self) -> list[Account]:
        rows = json.loads(self._core.store.settings().get(_SETTING) or "[]")
        return [Account(*row) for row in rows]

    @contextmanager
    def _changing(self) -> Iterator[dict[tuple[str, ...], Account]]:
        """Read the accounts, and write them as they are changed, in one transaction."""
        with self._core.turn, self._core.store.writing() as writer:
            accounts = {_key(account): account for account in self._stored()}
            yield accounts
            rows = [list(astuple(accounts[key])) for key in sorted(accounts)]
            writer.put_settings({_SETTING: json.dumps(rows, ensure_ascii=False)})


def owners_of(accounts: Iterable[Account]) -> dict[str, frozenset[str]]:
    """Return the authors that own whole sites, by domain."""
    owners: dict[str, frozenset[str]] = {}
    for account in accounts:
        if not account.path and not account.name:
            owners[account.domain] = owners.get(account.domain, frozenset()) | {account.author}
    return owners


def _key(account: Account) -> tuple[str, ...]:
    return account.domain, account.path, account.name, account.author


def _account(value: Any) -> Account:
    fields = FieldReader(Account, value)
    path = fields.text("path").strip("/")
    return Account(
        fields.named("author"),
        demand_domain(fields.get("domain")),
        f"/{path}" if path else "",
        fields.text("name"),
        fields.text("by"),
        fields.text("note"),
    )


def _path_of(url: str) -> str:
    with suppress(ValueError):
        return urlsplit(url).path.rstrip("/") if "://" in url else ""
    return ""


__all__ = ["Account", "Accounts", "owners_of"]

"""Permissions to reprint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from whorl._internal.frozen import frozen
from whorl.library.core import Core
from whorl.library.ingest.user_data import FieldReader, several
from whorl.library.provenance.hosts import demand_domain, domain_of, domains_above
from whorl.library.provenance.times import time_of
from whorl.stores import monitoring_records
from whorl.types.comparison import Plain
from whorl.types.library import microseconds, moment


@frozen
class Permission(Plain):
    """A permission to reprint.

    >>> import whorl
    >>> from whorl.results import Permission
    >>> with whorl.open("newsroom") as library:
    ...     kept = library.permissions.put([Permission("example.org", "/reprints", until="2027-01-01")])
    ...     library.permissions.covering("https://example.org/reprints/a.html", at="2026-05-01").path
    '/reprints'

    Attributes:
        domain: of the site, including its subdomains; for an address, its domain is used.
        path: of the permitted pages, including those below it; empty for all.
        author: author of the permitted pages; empty for all.
        since: beginning; None for unlimited.
        until: end; None for unlimited.
        note: basis of the permission, such as a contract.
    """

    domain: str
    path: str = ""
    author: str = ""
    since: datetime | None = None
    until: datetime | None = None
    note: str = ""


class Permissions:
    """Permissions to reprint protected articles, ordered by domain, path, author and beginning.

    >>> import whorl
    >>> with whorl.open("watched") as library:
    ...     count = library.permissions.put([{"domain": "partner.example", "path": "/news"}])
    ...     library.permissions.covering("https://partner.example/news/3").domain
    'partner.example'

    Args:
        core: the library.
        on_change: called with the domains whose rights to reprint may have changed.
    """

    def __init__(self, core: Core, on_change: Callable[[Iterable[str]], None] = lambda _: None) -> None:
        self._core = core
        self._on_change = on_change

    def __iter__(self) -> Iterator[Permission]:
        with self._core.store.reading() as reader:
            for kept in reader.all_permissions():
                yield _permission_from(kept)

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["permissions"]

    def covering(self, url: str, *, author: str = "", at: datetime | str | None = None) -> Permission | None:
        """Return the permission for a page, by the longest domain and path, or None.

        Args:
            url: address of the page.
            author: its author.
            at: time of publication; None is now.
        """
        return self.covering_each([(url, author, time_of(at, "at"))])[0]

    def covering_each(self, pages: Iterable[tuple[str, str, datetime | None]]) -> list[Permission | None]:
        """Return the permission for each page, given by address, author and time, with the round trips of one."""
        requested = list(pages)
        domains = {domain for url, *_ in requested for domain in domains_above(domain_of(url))}
        with self._core.store.reading() as reader:
            kept = reader.permissions(domains)
        return [_covering(kept, *page) for page in requested]

    def put(self, permissions: Iterable[Permission | Mapping[str, Any]]) -> int:
        """Store permissions, or mappings of their fields; return how many. Existing ones get the new end and note.

        Raises:
            InputError: one is invalid; then none is stored.
        """
        rows = {row[:4]: row for row in map(_permission_row, several(permissions))}
        with self._core.turn, self._core.store.writing() as writer:
            writer.put_permissions(list(rows.values()))
        self._on_change({row.domain for row in rows.values()})
        return len(rows)

    def remove(self, permissions: Iterable[Permission | Mapping[str, Any]]) -> int:
        """Remove permissions, whatever their end and note; return how many existed."""
        rows = {row[:4]: row for row in map(_permission_row, several(permissions))}
        with self._core.turn, self._core.store.writing() as writer:
            kept = [
                permission
                for stored in writer.permissions(row.domain for row in rows.values()).values()
                for permission in stored
            ]
            there = [permission for permission in kept if permission[:4] in rows]
            writer.remove_permissions(there)
        self._on_change({permission.domain for permission in there})
        return len(there)


def _covering(
    kept: Mapping[str, Sequence[monitoring_records.PermissionRecord]], url: str, author: str, at: datetime | None
) -> Permission | None:
    """Return the permission for a page, by the longest domain and path, or None."""
    path, when = _path_of(url), microseconds(at or datetime.now(UTC))
    matching = [
        permission
        for domain in domains_above(domain_of(url))
        for permission in kept.get(domain, ())
        if permission.author in ("", author)
        and f"{path}/".startswith(f"{permission.path}/")
        and (permission.since is None or permission.since <= when)
        and (permission.until is None or when < permission.until)
    ]
    best = max(
        matching,
        key=lambda permission: (len(permission.domain), len(permission.path), len(permission.author)),
        default=None,
    )
    return None if best is None else _permission_from(best)


def _permission_row(value: Any) -> monitoring_records.PermissionRecord:
    fields = FieldReader(Permission, value)
    since, until = fields.time("since"), fields.time("until")
    path = fields.text("path").strip("/")
    return monitoring_records.PermissionRecord(
        demand_domain(fields.get("domain")),
        f"/{path}" if path else "",
        fields.text("author"),
        None if since is None else microseconds(since),
        None if until is None else microseconds(until),
        fields.text("note"),
    )


def _permission_from(kept: monitoring_records.PermissionRecord) -> Permission:
    since, until = (None if time is None else moment(time) for time in (kept.since, kept.until))
    return Permission(kept.domain, kept.path, kept.author, since, until, kept.note)


def _path_of(url: str) -> str:
    with suppress(ValueError):
        return urlsplit(url).path.rstrip("/") if "://" in url else ""
    return ""


__all__ = ["Permission", "Permissions"]

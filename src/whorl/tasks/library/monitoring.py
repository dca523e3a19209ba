"""Import and export the sites, permissions, attestations and page snapshots of a library."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl._internal.frozen import frozen
from whorl.corpus.formats.json.objects import JsonObjects
from whorl.errors import InputError, NotFoundError
from whorl.i18n import say
from whorl.library.ingest.files import write_documents
from whorl.library.ledger import LedgerEntry
from whorl.library.provenance.accounts import Account
from whorl.library.provenance.attestations import Attestation
from whorl.library.provenance.pages import PageSnapshot
from whorl.library.provenance.sites import Site
from whorl.library.provenance.times import time_of
from whorl.library.reviews.permissions import Permission
from whorl.tasks.library.arguments import Place, demand_from, lent
from whorl.types.comparison import Plain

if TYPE_CHECKING:
    from whorl.library import Library

Kind = Literal["sites", "permissions", "accounts", "attestations", "snapshots"]
KINDS = ("sites", "permissions", "accounts", "attestations", "snapshots")
_DECIDED = ("number", "bytes")
"""Fields of a snapshot that the library assigns on import."""


@frozen
class Imported(Plain):
    """Result of an import.

    Attributes:
        kept: number of stored rows.
        known: number of rows that already existed and were skipped.
    """

    kept: int
    known: int = 0


@frozen
class ExportResult(Plain):
    """Result of an export.

    Attributes:
        rows: number of rows.
        bytes: uncompressed size.
        written: size of the file, smaller if compressed.
    """

    rows: int
    bytes: int
    written: int


def sites(library: Library | Place) -> Iterator[Site]:
    """Yield the known sites, ordered by domain. Exhaust the iterator or close it."""
    with lent(library) as opened:
        yield from opened.sites


def permissions(library: Library | Place) -> Iterator[Permission]:
    """Yield the permissions to reprint, ordered by domain, path, author and start. Exhaust the iterator or close it."""
    with lent(library) as opened:
        yield from opened.permissions


def accounts(library: Library | Place) -> Iterator[Account]:
    """Yield the sites and accounts of authors, ordered by domain, path and name. Exhaust the iterator or close it."""
    with lent(library) as opened:
        yield from opened.accounts


def attestations(library: Library | Place) -> Iterator[Attestation]:
    """Yield the attestations of articles in the order of adding and of time. Exhaust the iterator or close it."""
    with lent(library) as opened:
        yield from opened.attestations


def snapshots(library: Library | Place) -> Iterator[PageSnapshot]:
    """Yield the fetched pages in the order of storing. Exhaust the iterator or close it."""
    with lent(library) as opened:
        yield from opened.pages


def ledger(library: Library | Place) -> Iterator[LedgerEntry]:
    """Yield the entries of the ledger, oldest first. Exhaust the iterator or close it."""
    with lent(library) as opened:
        yield from opened.ledger


def prune_pages(library: Library | Place, keep_days: int) -> int:
    """Remove fetched pages older than a number of days, except those of open cases; return how many were removed.

    Raises:
        UsageError: the number is below 1.
    """
    demand_from("keep_days", keep_days, 1)
    with lent(library) as opened:
        return opened.pages.prune(datetime.now(UTC) - timedelta(days=keep_days))


def import_rows(library: Library | Place, kind: Kind, file: Place) -> Imported:
    """Import rows in the format of ``export_rows``; informal times and domains are accepted.

    Sites, permissions, accounts and attestations are stored all or none. Snapshots are stored in batches, and known
    ones, by address, time and digest, are skipped, so that an interrupted import can be repeated.

    Args:
        library: its address, or an open library.
        kind: "sites", "permissions", "accounts", "attestations" or "snapshots".
        file: JSON Lines: .jsonl, .jsonl.gz or .jsonl.zst; ``-`` is standard input.

    Raises:
        NotFoundError: the kind is unknown.
        InputError: a line cannot be read or stored; the error names file and line.
    """
    _demand_kind(kind)
    rows = JsonObjects(fspath(file))
    with lent(library) as opened, rows.locating():
        if kind == "sites":
            return Imported(opened.sites.put(rows))
        if kind == "permissions":
            return Imported(opened.permissions.put(rows))
        if kind == "accounts":
            return Imported(opened.accounts.put(rows))
        if kind == "attestations":
            return Imported(opened.attestations.put(_of_known_documents(opened, rows)))
        pages = _Pages(opened, _of_known_documents(opened, rows))
        return Imported(sum(1 for _ in opened.pages.keep_each(pages)), pages.skipped)


def export_rows(library: Library | Place, kind: Kind, to: Place) -> ExportResult:
    """Export rows as JSON Lines, compressed according to the file suffix; page bodies are in Base64.

    Args:
        library: its address, or an open library.
        kind: "sites", "permissions", "accounts", "attestations" or "snapshots".
        to: a new file: .jsonl, .jsonl.gz or .jsonl.zst.

    Raises:
        NotFoundError: the kind is unknown.
        UsageError: the file exists.
    """
    _demand_kind(kind)
    path = Path(to)
    with lent(library) as opened:
        count, size = write_documents(_plain(opened, kind), path)
    return ExportResult(count, size, path.stat().st_size)


def _demand_kind(kind: str) -> None:
    if kind not in KINDS:
        raise NotFoundError(
            say("there is no kind {kind!r}", kind=kind), hint=say("choose one of: {known}", known=", ".join(KINDS))
        )


def _plain(opened: Library, kind: Kind) -> Iterator[Mapping[str, Any]]:
    if kind == "snapshots":
        for snapshot in opened.pages:
            yield snapshot.to_dict() | {"body": b64encode(opened.pages.body(snapshot.digest)).decode()}
        return
    rows: Mapping[str, Iterable[Site | Permission | Account | Attestation]]
    rows = {
        "sites": opened.sites,
        "permissions": opened.permissions,
        "accounts": opened.accounts,
        "attestations": opened.attestations,
    }
    for row in rows[kind]:
        yield row.to_dict()


def _of_known_documents(opened: Library, rows: JsonObjects) -> Iterator[Mapping[str, Any]]:
    """Yield the objects whose documents exist.

    Raises:
        NotFoundError: a document does not exist; its object is the last one read.
    """
    for row in rows:
        document = row.get("document")
        if isinstance(document, str) and document not in opened:
            raise NotFoundError(say("document {id!r} not found", id=document), hint=say("add it first: `whorl add`"))
        yield row


class _Pages:
    """Converts exported rows to pages, counting and skipping known ones."""

    def __init__(self, opened: Library, rows: Iterator[Mapping[str, Any]]) -> None:
        self._opened = opened
        self._rows = rows
        self.skipped = 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for row in self._rows:
            fields = {name: value for name, value in row.items() if name not in _DECIDED}
            body = _body(fields.pop("body", None))
            digest, at = fields.pop("digest", None), fields.pop("fetched_at", None)
            body_digest = sha256(body).hexdigest()
            if digest not in (None, body_digest):
                raise InputError(say("the digest of the body does not match"), hint=say("export it again"))
            if self._is_known(fields.get("url"), at, body_digest):
                self.skipped += 1
            else:
                yield fields | {"body": body, "at": at}

    def _is_known(self, url: object, at: object, digest: str) -> bool:
        time = time_of(at, "fetched_at")
        if time is None or not isinstance(url, str):
            return False
        return any(page.fetched_at == time and page.digest == digest for page in self._opened.pages.at(url))


def _body(body: object) -> bytes:
    with suppress(ValueError):
        if isinstance(body, str):
            return b64decode(body, validate=True)
    raise InputError(say("body: expected Base64"), hint=say("encode the bytes of the page in Base64"))


__all__ = [
    "KINDS",
    "ExportResult",
    "Imported",
    "accounts",
    "attestations",
    "export_rows",
    "import_rows",
    "ledger",
    "permissions",
    "prune_pages",
    "sites",
    "snapshots",
]

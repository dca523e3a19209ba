"""Web pages as they were fetched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl._internal.frozen import frozen
from whorl.errors import InputError, NotFoundError
from whorl.i18n import say
from whorl.library import ledger
from whorl.library.cases.retention import prune_pages
from whorl.library.core import Core
from whorl.library.ingest.arguments import demand_entry, demand_text
from whorl.library.ingest.user_data import FieldReader, several
from whorl.library.provenance.bodies import MOST_BYTES, demand_body, packed_body, readable_body, unpacked_body
from whorl.library.provenance.seen_pages import seen_pages
from whorl.library.provenance.times import time_of
from whorl.stores import monitoring_records
from whorl.types.cards import CardList
from whorl.types.comparison import Plain
from whorl.types.library import microseconds, moment
from whorl.types.pages import SeenPage

if TYPE_CHECKING:
    from whorl.stores import Reader

KIND = "snapshot"
"""Kind of ledger entries that record fetches."""

_BATCH_PAGES, _BATCH_BYTES, _BLOCK = 500, 16 * 1024 * 1024, 500
_MOST_OF_HEADERS = 256 * 1024
_ANY, _WITH_A_PAGE = range(1000), range(200, 300)

Headers = Iterable[tuple[str, str]] | Mapping[str, str]


@frozen
class PageSnapshot(Plain):
    """A fetch of a page.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     snapshot = library.pages.keep("https://example.org/a", b"<p>Ice</p>", headers={"ETag": "x"})
    >>> snapshot.bytes, snapshot.status, snapshot.headers
    (10, 200, (('ETag', 'x'),))

    Attributes:
        url: the address.
        fetched_at: time of the fetch.
        digest: SHA-256 of its body as it was received, in hexadecimal digits.
        status: HTTP status; 0 if there was no response.
        headers: names and values, in their order.
        document: id of the document extracted from it, or None.
        bytes: size of the body.
        number: number of its ledger entry.
    """

    url: str
    fetched_at: datetime
    digest: str
    status: int
    headers: tuple[tuple[str, str], ...]
    document: str | None
    bytes: int
    number: int

    @property
    def witness(self) -> str:
        """Digest that the ledger records: SHA-256 of address, time, status, headers and body digest as JSON."""
        headers = _json([list(header) for header in self.headers])
        return _witness(self.url, microseconds(self.fetched_at), self.status, headers, self.digest).hex()


@frozen
class KnownPage(Plain):
    """Stored fetches of an address, for a crawler to consult before it stores a page.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     snapshot = library.pages.keep("https://example.org/a", b"<p>Ice</p>")
    ...     known = library.pages.find("https://example.org/b", snapshot.digest)
    >>> known.last, known.same.url
    (None, 'https://example.org/a')

    Attributes:
        last: latest fetch of the address with any outcome, or None.
        page: latest fetch that returned a page, with its ``ETag`` and ``Last-Modified``, or None.
        same: latest fetch of any address that returned the requested body, or None.
    """

    last: PageSnapshot | None
    page: PageSnapshot | None
    same: PageSnapshot | None


@frozen
class _Fetched:
    """A page as the caller passes it."""

    url: str
    body: bytes
    at: datetime | None = None
    status: int = 200
    headers: Headers = ()
    document: str | None = None


class _Ready(NamedTuple):
    """A validated page, ready to be stored."""

    url: str
    body: bytes
    at: int
    status: int
    headers: str
    document: str | None
    digest: bytes


class Pages:
    """Fetched pages of a library, in the order of storing. Each distinct body is stored once.

    >>> import whorl
    >>> with whorl.open("fetched") as library:
    ...     kept = library.pages.keep("https://copies.example/7", b"<p>...</p>")
    ...     library.pages.find("https://copies.example/7").last.status
    200

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[PageSnapshot]:
        last = 0
        with self._core.store.reading() as reader:
            while block := reader.snapshots_after(last, _BLOCK):
                yield from _from(reader, block)
                last = block[-1].number

    def __len__(self) -> int:
        with self._core.store.reading() as reader:
            return reader.kept()["snapshots"]

    def keep(
        self,
        url: str,
        body: bytes,
        *,
        at: datetime | str | None = None,
        status: int = 200,
        headers: Headers = (),
        document: str | None = None,
    ) -> PageSnapshot:
        """Store a page as it was fetched, and record it in the ledger; it is durable when this returns.

        Args:
            url: the address.
            body: content as received, with only the transfer encoding decoded; at most ``MOST_BYTES``.
            at: time of the fetch; None is now.
            status: HTTP status; 0 if there was no response.
            headers: names and values.
            document: id of the document extracted from it; None for none, or none yet.

        Raises:
            InputError: a value has the wrong type, or is too long.
            NotFoundError: the document does not exist.
            ResourceError: the disk is full or not writable.

        Cost: a commit of some milliseconds, and about 10 ms per megabyte to compress the body.
        """
        fields = {"url": url, "body": body, "at": at, "status": status, "headers": headers, "document": document}
        return next(self.keep_each([fields]))

    def keep_each(self, pages: Iterable[Mapping[str, Any]]) -> Iterator[PageSnapshot]:
        """Store pages batch by batch, and yield each once it is durable.

        Args:
            pages: mappings of the arguments of ``keep``; read ahead by at most 500 pages or about 16 MiB.

        Raises:
            InputError: as for ``keep``; earlier batches remain stored.
            NotFoundError: as for ``keep``; earlier batches remain stored.
            ResourceError: as for ``keep``.
        """
        rest = map(_ready, several(pages))
        while batch := list(_batch(rest)):
            yield from self._keep(batch)

    def _keep(self, batch: list[_Ready]) -> list[PageSnapshot]:
        bodies = {page.digest: page.body for page in batch}
        packed = [packed_body(digest, bodies[digest]) for digest in sorted(bodies)]
        with self._core.turn, self._core.store.writing() as writer:
            writer.put_bodies(packed)
            entries = writer.entries({page.document for page in batch if page.document is not None})
            ledger_rows = ledger.append(writer, ((KIND, _witness_of(page)) for page in batch))
            rows = [
                monitoring_records.SnapshotRecord(
                    number=entry.number,
                    url=page.url,
                    fetched_at=page.at,
                    digest=page.digest,
                    size=len(page.body),
                    status=page.status,
                    headers=page.headers,
                    document=None
                    if page.document is None
                    else (entries.get(page.document) or demand_entry(writer, page.document)).number,
                )
                for page, entry in zip(batch, ledger_rows, strict=True)
            ]
            writer.put_snapshots(rows)
            return _from(writer, rows)

    def assign(self, snapshot: PageSnapshot, id: str) -> PageSnapshot:
        """Link a snapshot to the document that was extracted from it after it was stored.

        Raises:
            InputError: it is not a snapshot.
            NotFoundError: the snapshot or the document does not exist.
        """
        if not isinstance(snapshot, PageSnapshot):
            raise InputError(
                say("expected {kind}, got {given}", given=type(snapshot).__name__, kind=PageSnapshot.__name__),
                hint=say("use the number that keep or find returned"),
            )
        with self._core.turn, self._core.store.writing() as writer:
            kept = writer.snapshots_at([snapshot.url]).get(snapshot.url, ())
            snapshot_row = next((row for row in kept if row.number == snapshot.number), None)
            if snapshot_row is None:
                raise NotFoundError(
                    say("snapshot {number} not found", number=snapshot.number),
                    hint=say("list them with `whorl library snapshots`"),
                )
            rows = [snapshot_row._replace(document=demand_entry(writer, id).number)]
            writer.put_snapshots(rows)
            return _from(writer, rows)[0]

    def find(self, url: str, digest: str | None = None) -> KnownPage | None:
        """Return the stored fetches of an address, or None.

        >>> import whorl
        >>> with whorl.open("newsroom") as library:
        ...     library.pages.find("https://example.org/a") is None
        True

        Args:
            url: the address.
            digest: digest of a body, to look for the latest fetch of any address that returned it.

        Raises:
            InputError: the digest is malformed.
        """
        demand_text("url", url)
        body = None if digest is None else ledger.digest_of(digest)
        with self._core.store.reading() as reader:
            rows = [
                reader.latest_at([url], _ANY).get(url),
                reader.latest_at([url], _WITH_A_PAGE).get(url),
                None if body is None else reader.latest_with([body]).get(body),
            ]
            snapshots = [None if row is None else _from(reader, [row])[0] for row in rows]
        return KnownPage(*snapshots) if any(snapshots) else None

    def seen_each(self, pages: Iterable[Mapping[str, Any]]) -> list[SeenPage]:
        """Look up many pages at once, in their order, so that a crawler can ask before it fetches.

        Args:
            pages: mappings with "url", "page_digest" (SHA-256 of the body as received, hexadecimal) and "text_digest"
                (the digest of ``whorl.fingerprint``, hexadecimal), at least one of them.

        Raises:
            InputError: a page has none of these, or a digest is malformed.

        Cost: some queries for all pages together, whatever the size of the library.
        """
        return seen_pages(self._core, pages)

    def of(self, id: str) -> list[PageSnapshot]:
        """Return the snapshots that a document was extracted from, in chronological order.

        Raises:
            NotFoundError: the document does not exist.
        """
        with self._core.store.reading() as reader:
            number = demand_entry(reader, id).number
            return CardList(_from(reader, reader.snapshots_of([number]).get(number, [])))

    def fetched(self, ids: Iterable[str]) -> set[str]:
        """Return which documents have a page that a server sent, or no stored page at all.

        The other ones were read from files, so that their addresses are only claims.
        """
        with self._core.store.reading() as reader:
            entries = reader.entries(dict.fromkeys(ids))
            snapshots = reader.snapshots_of([entry.number for entry in entries.values()])
        pages = {id: snapshots.get(entry.number, ()) for id, entry in entries.items()}
        return {id for id, rows in pages.items() if not rows or any(row.status != 0 for row in rows)}

    def at(self, url: str) -> list[PageSnapshot]:
        """Return the snapshots of an address, in chronological order."""
        demand_text("url", url)
        with self._core.store.reading() as reader:
            return CardList(_from(reader, reader.snapshots_at([url]).get(url, [])))

    def prune(self, before: datetime | str) -> int:
        """Remove the snapshots that were fetched before a time, and their bodies; return how many were removed.

        Snapshots at the address of an open case are kept, and those of its copy and its article. The ledger keeps all
        its entries.

        Args:
            before: the time.

        Cost: a pass over all snapshots, without their bodies.
        """
        time = time_of(before, "before")
        if time is None:
            raise InputError(say("before is missing"), hint=say("give a time"))
        return prune_pages(self._core, time)

    def body(self, digest: str) -> bytes:
        """Return the body with a digest, as it was received.

        Raises:
            InputError: the digest is malformed, or the body is damaged.
            NotFoundError: the body does not exist.
        """
        digest_bytes = ledger.digest_of(digest)
        with self._core.store.reading() as reader:
            kept = reader.bodies([digest_bytes]).get(digest_bytes)
        if kept is None:
            raise NotFoundError(
                say("page {digest} not found", digest=digest), hint=say("list them with `whorl library snapshots`")
            )
        return unpacked_body(kept)


def faults_of_pages(reader: Reader) -> list[str]:
    """Return a sentence for each snapshot that differs from its ledger entry, and for each damaged body."""
    faults: list[str] = []
    last = 0
    while block := reader.snapshots_after(last, _BLOCK):
        last = block[-1].number
        entries = reader.ledger_records(row.number for row in block)
        bodies = reader.known_bodies({row.digest for row in block})
        for row in block:
            entry = entries.get(row.number)
            witness = _witness(row.url, row.fetched_at, row.status, row.headers, row.digest.hex())
            if entry is None or (entry.kind, entry.digest) != (KIND, witness):
                faults.append(say("snapshot {number:,} differs from the ledger", number=row.number))
            if row.digest not in bodies:
                faults.append(say("the stored page {digest} is missing", digest=row.digest.hex()))
    digest = b""
    while digests := reader.bodies_after(digest, _BLOCK):
        digest = digests[-1]
        # One body at a time: a single body may use all the memory that a check should take.
        damaged = (
            body_digest for body_digest in digests if readable_body(reader.bodies([body_digest])[body_digest]) is None
        )
        faults += [say("the stored page {digest} is damaged", digest=body_digest.hex()) for body_digest in damaged]
    return faults


def _witness_of(page: _Ready) -> bytes:
    return _witness(page.url, page.at, page.status, page.headers, page.digest.hex())


def _witness(url: str, at: int, status: int, headers: str, digest: str) -> bytes:
    return sha256(f"[{_json(url)},{at},{status},{headers},{_json(digest)}]".encode()).digest()


def _batch(pages: Iterator[_Ready]) -> Iterator[_Ready]:
    """Return the next pages to be stored together."""
    size = 0
    for page in islice(pages, _BATCH_PAGES):
        yield page
        size += len(page.body)
        if size > _BATCH_BYTES:
            return


def _ready(value: Mapping[str, Any]) -> _Ready:
    fields = FieldReader(_Fetched, value)
    body, at, status = demand_body(fields.get("body")), fields.time("at"), fields.get("status")
    status = 200 if status is None else status
    if type(status) is not int or status not in _ANY:
        raise fields.unfit("status", hint=say("use a whole number from 0 to 999"))
    now = datetime.now(UTC) if at is None else at
    document = None if fields.get("document") is None else fields.named("document")
    headers = _headers(fields)
    return _Ready(fields.named("url"), body, microseconds(now), status, headers, document, sha256(body).digest())


def _headers(fields: FieldReader) -> str:
    value = fields.get("headers") or ()
    pairs = [*value.items()] if isinstance(value, Mapping) else [*value] if isinstance(value, Iterable) else [value]
    for pair in pairs:
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise fields.unfit("headers", hint=say("use text for names and values"))
    headers = _json([list(pair) for pair in pairs])
    if len(headers) > _MOST_OF_HEADERS:
        raise InputError(
            say(
                "headers have {count:,} characters; the maximum is {most:,}",
                count=len(headers),
                most=_MOST_OF_HEADERS,
            ),
            hint=say("remove headers that are not needed"),
        )
    return headers


def _headers_of(row: monitoring_records.SnapshotRecord) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((str(name), str(value)) for name, value in json.loads(row.headers))
    except (TypeError, ValueError) as error:
        hint = say("check for more damage with `whorl library verify`, then restore a backup")
        raise InputError(say("the headers of snapshot {number:,} are damaged", number=row.number), hint=hint) from error


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _from(reader: Reader, rows: Iterable[monitoring_records.SnapshotRecord]) -> list[PageSnapshot]:
    kept = list(rows)
    entries = reader.numbered({row.document for row in kept if row.document is not None})
    return [
        PageSnapshot(
            row.url,
            moment(row.fetched_at),
            row.digest.hex(),
            row.status,
            _headers_of(row),
            None if row.document is None else entries[row.document].id,
            row.size,
            row.number,
        )
        for row in kept
    ]


__all__ = ["KIND", "MOST_BYTES", "KnownPage", "PageSnapshot", "Pages", "faults_of_pages"]

"""Pages as they were fetched."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from whorl.cards import CardList
from whorl.errors import InputError, NotFoundError
from whorl.language import say
from whorl.library import ledger
from whorl.library.arguments import demand_entry, demand_text
from whorl.library.bodies import MOST_BYTES, demand_body, packed_body, readable_body, unpacked_body
from whorl.library.core import Core
from whorl.library.given import Given, several
from whorl.library.model import microseconds, moment
from whorl.model import Plain
from whorl.stores import records

if TYPE_CHECKING:
    from whorl.stores import Reader

KIND = "snapshot"
"""Of the entries of the ledger that tell of fetches."""

_BATCH_PAGES, _BATCH_BYTES, _BLOCK = 500, 16 * 1024 * 1024, 500
_MOST_OF_HEADERS = 256 * 1024
_ANY, _WITH_A_PAGE = range(1000), range(200, 300)

Headers = Iterable[tuple[str, str]] | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PageSnapshot(Plain):
    """A fetch of a page.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     snapshot = library.pages.keep("https://example.org/a", b"<p>Ice</p>", headers={"ETag": "x"})
    >>> snapshot.bytes, snapshot.status, snapshot.headers
    (10, 200, (('ETag', 'x'),))

    Attributes:
        url: the address.
        fetched_at: when.
        digest: the SHA-256 of its body as it was received, in hexadecimal digits.
        status: what the server said, as HTTP has it; 0 where it said nothing.
        headers: names and values, in their order.
        document: the id of the document that was made of it; None for none.
        bytes: how many the body has.
        number: of the entry of the ledger that tells of it.
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
        """The digest that the ledger has of it: the SHA-256 of address, time, status, headers and digest as JSON."""
        headers = _json([list(header) for header in self.headers])
        return _witness(self.url, microseconds(self.fetched_at), self.status, headers, self.digest).hex()


@dataclass(frozen=True, slots=True)
class KnownPage(Plain):
    """What a library knows of an address, for a crawler that asks before it stores.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     snapshot = library.pages.keep("https://example.org/a", b"<p>Ice</p>")
    ...     known = library.pages.seen("https://example.org/b", snapshot.digest)
    >>> known.last, known.same.url
    (None, 'https://example.org/a')

    Attributes:
        last: the latest fetch of the address, whatever came of it; None where there was none.
        page: the latest that brought a page, with its ``ETag`` and ``Last-Modified``; None likewise.
        same: the latest, of any address, that brought the body asked for; None likewise.
    """

    last: PageSnapshot | None
    page: PageSnapshot | None
    same: PageSnapshot | None


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A page as it is given."""

    url: str
    body: bytes
    at: datetime | None = None
    status: int = 200
    headers: Headers = ()
    document: str | None = None


class _Ready(NamedTuple):
    """A page that can be kept."""

    url: str
    body: bytes
    at: int
    status: int
    headers: str
    document: str | None
    digest: bytes


class Pages:
    """The pages of a library as they were fetched, in the order of keeping. Each body is kept once.

    >>> import whorl
    >>> with whorl.open("fetched") as library:
    ...     kept = library.pages.keep("https://copies.example/7", b"<p>...</p>")
    ...     library.pages.seen("https://copies.example/7").last.status
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
        """Keep a page as it was fetched, and note it in the ledger; it is on the disk when this returns.

        Args:
            url: the address.
            body: as it was received, with nothing decoded but its transfer; at most ``MOST_BYTES``.
            at: when it was fetched; None is now.
            status: what the server said, as HTTP has it; 0 where it said nothing.
            headers: names and values.
            document: the id of the document that was made of it; None for none, or none yet.

        Raises:
            InputError: a value is of another kind, or too long.
            NotFoundError: there is no such document.
            ResourceError: the disk is full or may not be written to.

        Cost: a commit of some milliseconds, and packing the body: about 10 ms a megabyte.
        """
        given = {"url": url, "body": body, "at": at, "status": status, "headers": headers, "document": document}
        return next(self.keep_each([given]))

    def keep_each(self, pages: Iterable[Mapping[str, Any]]) -> Iterator[PageSnapshot]:
        """Keep pages one batch after the other, and yield each once it is on the disk.

        Args:
            pages: mappings of what ``keep`` takes; at most 500, or some more than 16 MiB, are read ahead.

        Raises:
            InputError: as for ``keep``; the batches before are kept.
            NotFoundError: likewise.
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
            noted = ledger.append(writer, ((KIND, _witness_of(page)) for page in batch))
            rows = [
                records.Snapshot(
                    number=one.number,
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
                for page, one in zip(batch, noted, strict=True)
            ]
            writer.put_snapshots(rows)
            return _from(writer, rows)

    def assign(self, snapshot: PageSnapshot, id: str) -> PageSnapshot:
        """Say of what document a snapshot is, which was made of it after it was kept.

        Raises:
            InputError: it is no snapshot.
            NotFoundError: there is no such snapshot or document.
        """
        if not isinstance(snapshot, PageSnapshot):
            raise InputError(
                say("a {given} is no {kind}", given=type(snapshot).__name__, kind=PageSnapshot.__name__),
                cure=say("give what keep or seen returned"),
            )
        with self._core.turn, self._core.store.writing() as writer:
            kept = writer.snapshots_at([snapshot.url]).get(snapshot.url, ())
            own = next((row for row in kept if row.number == snapshot.number), None)
            if own is None:
                raise NotFoundError(
                    say("there is no snapshot {number}", number=snapshot.number),
                    cure=say("see `whorl library snapshots`"),
                )
            rows = [own._replace(document=demand_entry(writer, id).number)]
            writer.put_snapshots(rows)
            return _from(writer, rows)[0]

    def seen(self, url: str, digest: str | None = None) -> KnownPage | None:
        """Return what is known of an address; None for nothing.

        >>> import whorl
        >>> with whorl.open("newsroom") as library:
        ...     library.pages.seen("https://example.org/a") is None
        True

        Args:
            url: the address.
            digest: of the body that came from it: is it known, there or at another address?

        Raises:
            InputError: the digest is none.
        """
        demand_text("url", url)
        body = None if digest is None else ledger.digest_of(digest)
        with self._core.store.reading() as reader:
            found = [
                reader.latest_at([url], _ANY).get(url),
                reader.latest_at([url], _WITH_A_PAGE).get(url),
                None if body is None else reader.latest_with([body]).get(body),
            ]
            known = [None if one is None else _from(reader, [one])[0] for one in found]
        return KnownPage(*known) if any(known) else None

    def of(self, id: str) -> list[PageSnapshot]:
        """Return the snapshots of which a document was made, in order of time.

        Raises:
            NotFoundError: there is no such document.
        """
        with self._core.store.reading() as reader:
            number = demand_entry(reader, id).number
            return CardList(_from(reader, reader.snapshots_of([number]).get(number, [])))

    def at(self, url: str) -> list[PageSnapshot]:
        """Return the snapshots of an address, in order of time."""
        demand_text("url", url)
        with self._core.store.reading() as reader:
            return CardList(_from(reader, reader.snapshots_at([url]).get(url, [])))

    def body(self, digest: str) -> bytes:
        """Return the body of a digest, as it was received.

        Raises:
            InputError: the digest is none, or the body is damaged.
            NotFoundError: there is no such body.
        """
        asked = ledger.digest_of(digest)
        with self._core.store.reading() as reader:
            kept = reader.bodies([asked]).get(asked)
        if kept is None:
            raise NotFoundError(
                say("there is no body {digest}", digest=digest), cure=say("see `whorl library snapshots`")
            )
        return unpacked_body(kept)


def faults_of_pages(reader: Reader) -> list[str]:
    """Return a sentence for each snapshot that is not as it was noted, and for each body that is not as it was kept."""
    faults: list[str] = []
    last = 0
    while block := reader.snapshots_after(last, _BLOCK):
        last = block[-1].number
        noted = reader.noted(row.number for row in block)
        bodies = reader.known_bodies({row.digest for row in block})
        for row in block:
            entry = noted.get(row.number)
            witness = _witness(row.url, row.fetched_at, row.status, row.headers, row.digest.hex())
            if entry is None or (entry.kind, entry.digest) != (KIND, witness):
                faults.append(say("snapshot {number:,} is not the one that was noted", number=row.number))
            if row.digest not in bodies:
                faults.append(say("the body {digest} is not there", digest=row.digest.hex()))
    digest = b""
    while digests := reader.bodies_after(digest, _BLOCK):
        digest = digests[-1]
        # One at a time, since a body may take all the memory that a check should.
        damaged = (one for one in digests if readable_body(reader.bodies([one])[one]) is None)
        faults += [say("the body {digest} is damaged", digest=one.hex()) for one in damaged]
    return faults


def _witness_of(page: _Ready) -> bytes:
    return _witness(page.url, page.at, page.status, page.headers, page.digest.hex())


def _witness(url: str, at: int, status: int, headers: str, digest: str) -> bytes:
    return sha256(f"[{_json(url)},{at},{status},{headers},{_json(digest)}]".encode()).digest()


def _batch(pages: Iterator[_Ready]) -> Iterator[_Ready]:
    """The next pages that are kept together."""
    size = 0
    for page in islice(pages, _BATCH_PAGES):
        yield page
        size += len(page.body)
        if size > _BATCH_BYTES:
            return


def _ready(given: Mapping[str, Any]) -> _Ready:
    told = Given(_Fetched, given)
    body, at, status = demand_body(told.get("body")), told.time("at"), told.get("status")
    status = 200 if status is None else status
    if type(status) is not int or status not in _ANY:
        raise told.unfit("status", cure=say("give a whole number from 0 to 999"))
    now = datetime.now(UTC) if at is None else at
    document = None if told.get("document") is None else told.named("document")
    headers = _headers(told)
    return _Ready(told.named("url"), body, microseconds(now), status, headers, document, sha256(body).digest())


def _headers(told: Given) -> str:
    given = told.get("headers") or ()
    pairs = [*given.items()] if isinstance(given, Mapping) else [*given] if isinstance(given, Iterable) else [given]
    for pair in pairs:
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise told.unfit("headers", cure=say("give names and values as texts"))
    headers = _json([list(pair) for pair in pairs])
    if len(headers) > _MOST_OF_HEADERS:
        raise InputError(
            say(
                "headers have {count:,} characters, and a library takes {most:,}",
                count=len(headers),
                most=_MOST_OF_HEADERS,
            ),
            cure=say("leave out those that nobody needs"),
        )
    return headers


def _headers_of(row: records.Snapshot) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((str(name), str(value)) for name, value in json.loads(row.headers))
    except (TypeError, ValueError) as error:
        cure = say("see what else is damaged: `whorl library verify`; then restore a backup")
        raise InputError(say("the headers of snapshot {number:,} are damaged", number=row.number), cure=cure) from error


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _from(reader: Reader, rows: Iterable[records.Snapshot]) -> list[PageSnapshot]:
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

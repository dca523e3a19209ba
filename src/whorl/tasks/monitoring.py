"""What a library knows of sites, reprinters, proofs and pages, out of files and into them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl.corpus.objects import JsonObjects
from whorl.errors import InputError, NotFoundError
from whorl.language import say
from whorl.library.files import write_documents
from whorl.library.leaves import Leave
from whorl.library.ledger import Noted
from whorl.library.pages import PageSnapshot
from whorl.library.proofs import Proof
from whorl.library.sites import Site
from whorl.library.times import time_of
from whorl.model import Plain
from whorl.tasks.arguments import Place, lent

if TYPE_CHECKING:
    from whorl.library import Library

Kind = Literal["sites", "leaves", "proofs", "snapshots"]
KINDS = ("sites", "leaves", "proofs", "snapshots")
_DECIDED = ("number", "bytes")
"""What of a snapshot the library decides that takes it."""


@dataclass(frozen=True, slots=True)
class Imported(Plain):
    """What a library was given.

    Attributes:
        kept: how many.
        known: how many were there already, and left alone.
    """

    kept: int
    known: int = 0


@dataclass(frozen=True, slots=True)
class Written(Plain):
    """What was written of a library.

    Attributes:
        rows: how many.
        bytes: that the file holds.
        written: bytes that it takes, less where it is compressed.
    """

    rows: int
    bytes: int
    written: int


def sites(library: Library | Place) -> Iterator[Site]:
    """Yield what is known of sites, in the order of their domains. Close it, or read it to its end."""
    with lent(library) as opened:
        yield from opened.sites


def leaves(library: Library | Place) -> Iterator[Leave]:
    """Yield who may reprint, in the order of domain, path, author and beginning. Close it, or read it to its end."""
    with lent(library) as opened:
        yield from opened.leaves


def proofs(library: Library | Place) -> Iterator[Proof]:
    """Yield the proofs of articles, in the order of adding and of time. Close it, or read it to its end."""
    with lent(library) as opened:
        yield from opened.proofs


def snapshots(library: Library | Place) -> Iterator[PageSnapshot]:
    """Yield the pages that were fetched, in the order of keeping. Close it, or read it to its end."""
    with lent(library) as opened:
        yield from opened.pages


def ledger(library: Library | Place) -> Iterator[Noted]:
    """Yield the entries of the ledger, oldest first. Close it, or read it to its end."""
    with lent(library) as opened:
        yield from opened.ledger


def import_rows(library: Library | Place, kind: Kind, file: Place) -> Imported:
    """Keep what a file tells, as ``export_rows`` writes it; times and domains as people write them do as well.

    Sites, leaves and proofs are kept whole or not at all; snapshots in batches, and one that is known, by address, time
    and digest, is left alone: an import that was interrupted may be run again.

    Args:
        library: its address, or an open library.
        kind: "sites", "leaves", "proofs" or "snapshots".
        file: JSON Lines: .jsonl, .jsonl.gz or .jsonl.zst; ``-`` is standard input.

    Raises:
        NotFoundError: there is no such kind.
        InputError: a line cannot be read or kept; file and line are named.
    """
    _demand_kind(kind)
    rows = JsonObjects(fspath(file))
    with lent(library) as opened, rows.locating():
        if kind == "sites":
            return Imported(opened.sites.put(rows))
        if kind == "leaves":
            return Imported(opened.leaves.put(rows))
        if kind == "proofs":
            return Imported(opened.proofs.put(_of_known_documents(opened, rows)))
        pages = _Pages(opened, _of_known_documents(opened, rows))
        return Imported(sum(1 for _ in opened.pages.keep_each(pages)), pages.known)


def export_rows(library: Library | Place, kind: Kind, to: Place) -> Written:
    """Write what a library knows as JSON Lines, compressed as the name of the file says; bodies of pages in Base64.

    Args:
        library: its address, or an open library.
        kind: "sites", "leaves", "proofs" or "snapshots".
        to: a new file: .jsonl, .jsonl.gz or .jsonl.zst.

    Raises:
        NotFoundError: there is no such kind.
        UsageError: there is such a file.
    """
    _demand_kind(kind)
    path = Path(to)
    with lent(library) as opened:
        count, size = write_documents(_plain(opened, kind), path)
    return Written(count, size, path.stat().st_size)


def _demand_kind(kind: str) -> None:
    if kind not in KINDS:
        raise NotFoundError(
            say("there is no kind {kind!r}", kind=kind), cure=say("choose one of: {known}", known=", ".join(KINDS))
        )


def _plain(opened: Library, kind: Kind) -> Iterator[Mapping[str, Any]]:
    if kind == "snapshots":
        for snapshot in opened.pages:
            yield snapshot.to_dict() | {"body": b64encode(opened.pages.body(snapshot.digest)).decode()}
        return
    rows: Mapping[str, Iterable[Site | Leave | Proof]]
    rows = {"sites": opened.sites, "leaves": opened.leaves, "proofs": opened.proofs}
    for row in rows[kind]:
        yield row.to_dict()


def _of_known_documents(opened: Library, rows: JsonObjects) -> Iterator[Mapping[str, Any]]:
    """The objects whose documents are there.

    Raises:
        NotFoundError: one is not; it is the last that was read.
    """
    for row in rows:
        document = row.get("document")
        if isinstance(document, str) and document not in opened:
            raise NotFoundError(say("there is no document {id!r}", id=document), cure=say("add it first: `whorl add`"))
        yield row


class _Pages:
    """Rows of an export as pages; those that are known are counted and left out."""

    def __init__(self, opened: Library, rows: Iterator[Mapping[str, Any]]) -> None:
        self._opened = opened
        self._rows = rows
        self.known = 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for row in self._rows:
            given = {name: value for name, value in row.items() if name not in _DECIDED}
            body = _body(given.pop("body", None))
            digest, at = given.pop("digest", None), given.pop("fetched_at", None)
            own = sha256(body).hexdigest()
            if digest not in (None, own):
                raise InputError(say("the body is not that of its digest"), cure=say("export it again"))
            if self._is_known(given.get("url"), at, own):
                self.known += 1
            else:
                yield given | {"body": body, "at": at}

    def _is_known(self, url: object, at: object, digest: str) -> bool:
        time = time_of(at, "fetched_at")
        if time is None or not isinstance(url, str):
            return False
        return any(one.fetched_at == time and one.digest == digest for one in self._opened.pages.at(url))


def _body(given: object) -> bytes:
    with suppress(ValueError):
        if isinstance(given, str):
            return b64decode(given, validate=True)
    raise InputError(say("body is no Base64"), cure=say("give the bytes of the page in Base64"))


__all__ = [
    "KINDS",
    "Imported",
    "Written",
    "export_rows",
    "import_rows",
    "leaves",
    "ledger",
    "proofs",
    "sites",
    "snapshots",
]

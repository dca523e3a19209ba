"""The ledger: an append-only log of what was stored and when, with each entry chained to the one before.

Anyone who keeps the chain of an entry elsewhere, as a time-stamp or in an evidence pack, can detect whether any entry
up to it was altered, removed or inserted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from time import time_ns
from typing import TYPE_CHECKING

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import say
from whorl.indexes.columns import demand_positive
from whorl.library.core import Core
from whorl.library.ingest.arguments import is_number
from whorl.stores import monitoring_records
from whorl.types.comparison import Plain
from whorl.types.library import microseconds, moment

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer

FIRST = "0" * 64
"""The chain before the first entry."""

_BLOCK = 1000
_KIND = re.compile(r"[a-z0-9-]{1,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@frozen
class LedgerEntry(Plain):
    """An entry of the ledger of a library.

    >>> import whorl
    >>> with whorl.open("newsroom") as library:
    ...     noted = library.ledger.note("manifest", "ab" * 32)
    >>> noted.number, noted.kind, len(noted.chain)
    (1, 'manifest', 64)

    Attributes:
        number: from 1, without gaps.
        at: when it was written, by the clock of the machine.
        kind: kind of the recorded item.
        digest: SHA-256 of the recorded item, in hexadecimal digits.
        chain: the SHA-256 of the chain before and of this entry, as `chained` computes it.
    """

    number: int
    at: datetime
    kind: str
    digest: str
    chain: str


class Ledger:
    """The ledger of a library, oldest entry first. Entries are never removed.

    >>> import whorl
    >>> with whorl.open("noted") as library:
    ...     library.ledger.note(kind="manifest", digest="0" * 64).number
    1

    Args:
        core: the library.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def __iter__(self) -> Iterator[LedgerEntry]:
        with self._core.store.reading() as reader:
            for entry in _all(reader):
                yield _from(entry)

    def __len__(self) -> int:
        last = self.last()
        return 0 if last is None else last.number

    def last(self) -> LedgerEntry | None:
        """Return the last entry; None for an empty ledger."""
        with self._core.store.reading() as reader:
            last = reader.last_ledger_record()
        return None if last is None else _from(last)

    def get(self, number: int) -> LedgerEntry | None:
        """Return the entry with a number; None if it does not exist."""
        if not is_number(number):
            return None
        with self._core.store.reading() as reader:
            record = reader.ledger_records([number]).get(number)
        return None if record is None else _from(record)

    def after(self, number: int, limit: int = _BLOCK) -> list[LedgerEntry]:
        """Return the next entries after a number in ascending order, up to a limit."""
        demand_positive("limit", limit)
        if not is_number(number):
            return []
        with self._core.store.reading() as reader:
            return [_from(entry) for entry in reader.ledger_records_after(number, limit)]

    def note(self, kind: str, digest: str) -> LedgerEntry:
        """Append an entry; it is durable when this returns.

        Args:
            kind: kind of the recorded item, in lower case letters, digits and hyphens, at most 64.
            digest: the SHA-256 of the recorded item, as 64 hexadecimal digits in lower case.

        Raises:
            InputError: kind or digest is malformed.
            ResourceError: it cannot be written.
        """
        items = [(_kind_of(kind), digest_of(digest))]
        with self._core.turn, self._core.store.writing() as writer:
            (entry,) = append(writer, items)
        return _from(entry)


def digest_of(digest: object) -> bytes:
    """Return the bytes of a SHA-256 in hexadecimal digits.

    Raises:
        InputError: it is malformed.
    """
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise InputError(
            say("invalid digest {digest!r:.80}", digest=digest),
            hint=say("use a SHA-256 of 64 lower-case hexadecimal digits"),
        )
    return bytes.fromhex(digest)


def append(writer: Writer, items: Iterable[tuple[str, bytes]]) -> list[monitoring_records.LedgerRecord]:
    """Append entries, each a kind and a digest, within a transaction."""
    last = writer.last_ledger_record()
    number, chain = (0, FIRST) if last is None else (last.number, last.chain.hex())
    now = time_ns() // 1000
    ledger_entries = []
    for kind, digest in items:
        number += 1
        chain = _chained(chain, number, now, kind, digest.hex())
        ledger_entries.append(monitoring_records.LedgerRecord(number, now, kind, digest, bytes.fromhex(chain)))
    writer.put_ledger_records(ledger_entries)
    return ledger_entries


def chained(previous: str, number: int, at: datetime, kind: str, digest: str) -> str:
    """Return the chain of an entry: the SHA-256 of five lines, without a newline at the end.

    Args:
        previous: the chain of the entry before; for the first entry, 64 zeros.
        number: number of the entry, in decimal digits.
        at: its time, in microseconds since 1970.
        kind: kind of the recorded item.
        digest: SHA-256 of the recorded item.
    """
    return _chained(previous, number, microseconds(at), kind, digest)


def faults_of_ledger(reader: Reader) -> list[str]:
    """Return a sentence for the first entry that is not chained to the one before; empty for a sound ledger."""
    before, chain = 0, FIRST
    for entry in _all(reader):
        chain = _chained(chain, before + 1, entry.at, entry.kind, entry.digest.hex())
        if (entry.number, entry.chain.hex()) != (before + 1, chain):
            return [say("the ledger was altered at entry {number:,}", number=before + 1)]
        before = entry.number
    return []


def _kind_of(kind: object) -> str:
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise InputError(
            say("invalid kind {kind!r:.80}", kind=kind),
            hint=say("use lower case letters, digits and hyphens, at most 64"),
        )
    return kind


def _chained(previous: str, number: int, at: int, kind: str, digest: str) -> str:
    return sha256(f"{previous}\n{number}\n{at}\n{kind}\n{digest}".encode()).hexdigest()


def _all(reader: Reader) -> Iterator[monitoring_records.LedgerRecord]:
    last = 0
    while block := reader.ledger_records_after(last, _BLOCK):
        yield from block
        last = block[-1].number


def _from(kept: monitoring_records.LedgerRecord) -> LedgerEntry:
    return LedgerEntry(kept.number, moment(kept.at), kept.kind, kept.digest.hex(), kept.chain.hex())


__all__ = ["FIRST", "Ledger", "LedgerEntry", "append", "chained", "digest_of", "faults_of_ledger"]

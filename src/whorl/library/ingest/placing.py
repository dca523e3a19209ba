"""Decide which documents are new, and which content each of them has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.core import Core
from whorl.library.ingest.documents import FileDocument, entry_of, times_of, updated
from whorl.library.ingest.naming import DocumentNaming
from whorl.library.maintenance.packing import unpacked
from whorl.library.maintenance.removal import loosen, release
from whorl.stores.records import Content, Entry, FormerText
from whorl.types.library import Document

if TYPE_CHECKING:
    from whorl.stores import Reader, Writer

NEW, UNCHANGED, REVISED = "new", "known", "revised"


class PlacedDocument(NamedTuple):
    """A document with its decided state and entry, about to be stored.

    Attributes:
        document: as the caller passed it.
        row: its position in the batch.
        state: "new", "known" or "revised".
        entry: entry to be stored.
        before: entry stored before; None for a new document.
    """

    document: Document
    row: int
    state: str
    entry: Entry
    before: Entry | None


class _KeptTexts:
    """Stored texts that the documents of a batch may equal, prefetched as far as possible.

    Args:
        core: the library.
        reader: read access to the store.
        entries: the stored documents.
    """

    def __init__(self, core: Core, reader: Reader, entries: Collection[Entry]) -> None:
        self._reader = reader
        self._is_told_by_texts = core.making.rules.texts
        self._numbers: set[int] = set()
        self._packed: dict[int, bytes] = {}
        self._texts: dict[int, str] = {}
        self._digests: dict[int, bytes | None] = {}
        self._read(entries)

    def says(self, entry: Entry, text: str, digest: bytes | None) -> bool:
        """Return True if a document has a text with this digest."""
        if entry.number not in self._numbers:
            self._read([entry])
        if self._is_told_by_texts:
            return self._texts.get(entry.number) == text
        return self._digests[entry.content] == digest

    def former(self, entry: Entry, until: int) -> list[FormerText]:
        """Return the former texts of a document to be stored; empty if the library keeps no texts."""
        body = self._packed.get(entry.number)
        return [] if body is None else [FormerText(entry.number, entry.revision, until, body)]

    def _read(self, entries: Collection[Entry]) -> None:
        self._numbers |= {entry.number for entry in entries}
        if self._is_told_by_texts:
            packed = self._reader.texts(entry.number for entry in entries)
            self._packed |= packed
            self._texts |= unpacked(packed)
        else:
            contents = self._reader.contents({entry.content for entry in entries})
            self._digests |= {number: content.digest for number, content in contents.items()}


class Placement:
    """Places the documents of one batch, with distinct ids, within a transaction.

    Attributes:
        digests: digests of the normalised texts; None for a text that normalises to nothing.
        changed: contents whose members change, including new ones, by number.
        fresh: the new contents in ascending order, each with the row of its document.
    """

    def __init__(self, core: Core, writer: Writer, digests: Sequence[bytes | None], now: int) -> None:
        self.changed: dict[int, Content] = {}
        self.fresh: dict[int, int] = {}
        self.digests = digests
        self._core, self._writer, self._now = core, writer, now
        self._by_digest: dict[tuple[bytes, int], int] = {}
        self._kept: dict[tuple[bytes, int], Content] = {}
        self._departures: Counter[int] = Counter()
        self._first = self._next = writer.next_content()

    def place(self, documents: Sequence[Document]) -> list[PlacedDocument]:
        """Decide for all documents. ``settle`` removes their former contents, after the new ones are stored."""
        naming = DocumentNaming(self._writer, documents)
        kept = _KeptTexts(self._core, self._writer, naming.stored_entries())
        number = self._writer.next_document()
        placed: list[PlacedDocument] = []
        former: list[FormerText] = []
        staying: set[int] = set()

        def says(row: int, entry: Entry) -> bool:
            return kept.says(entry, documents[row].text, self.digests[row])

        for row, (document, before) in enumerate(naming.named(says)):
            if before is None:
                times = times_of(document, self._now)
                placed.append(PlacedDocument(document, row, NEW, entry_of(document, number, 0, times), None))
                number += 1
            elif says(row, before):
                placed.append(PlacedDocument(document, row, UNCHANGED, updated(before, document), before))
                if not self._is_moved(before, placed[row].entry):
                    staying.add(row)
            else:
                former += kept.former(before, self._now)
                placed.append(PlacedDocument(document, row, REVISED, _revised(document, before), before))
        self._writer.put_former(former)
        self._kept = self._equal(placed)
        joined = [
            placed_document if placed_document.row in staying else self._joined(placed_document)
            for placed_document in placed
        ]
        self._core.company.note(self._first, self._next)
        return joined

    def settle(self) -> None:
        """Release the contents that documents have left."""
        release(
            self._core, self._writer, [number for number in self._departures.elements() if number not in self.changed]
        )
        rejoined = [number for number in self._departures if number in self.changed]
        for number in rejoined:
            content = self.changed[number]
            self.changed[number] = content._replace(members=content.members - self._departures[number])
        loosen(self._core, self._writer, rejoined)

    def _equal(self, placed: Sequence[PlacedDocument]) -> dict[tuple[bytes, int], Content]:
        """Return the stored contents that equal a document, by digest and period."""
        places = (
            (self.digests[placed_document.row], self._core.period(self._core.when(placed_document.entry)))
            for placed_document in placed
        )
        digests = {(digest, range(period, period + 1)) for digest, period in places if digest is not None}
        return self._core.index.same(list(digests), self._writer)

    def _is_moved(self, before: Entry, entry: Entry) -> bool:
        """Return True if a corrected time brings a document near others."""
        return self._core.making.rules.span is not None and self._core.when(before) != self._core.when(entry)

    def _joined(self, placed_document: PlacedDocument) -> PlacedDocument:
        """Add the content that the document now has."""
        if placed_document.state != NEW:
            self._departures[placed_document.entry.content] += 1
        content = self._join(placed_document.row, self._core.when(placed_document.entry))
        return PlacedDocument(
            placed_document.document,
            placed_document.row,
            placed_document.state,
            placed_document.entry._replace(content=content),
            placed_document.before,
        )

    def _join(self, row: int, when: int) -> int:
        """Return the content of a document at a time, with the document added as a member."""
        digest, period = self.digests[row], self._core.period(when)
        shared = self._shared(digest, period)
        if shared is None:
            content = Content(self._next, digest, period, 1, 0)
            self.fresh[self._next] = row
            self._next += 1
        else:
            content = shared._replace(members=shared.members + 1)
        if digest is not None:
            self._by_digest[digest, period] = content.number
        self.changed[content.number] = content
        return content.number

    def _shared(self, digest: bytes | None, period: int) -> Content | None:
        if digest is None:
            return None
        number = self._by_digest.get((digest, period))
        return self.changed[number] if number else self._kept.get((digest, period))


def _revised(document: Document, before: Entry) -> Entry:
    origin = before.origin if isinstance(document, FileDocument) else None
    entry = updated(before, document)
    return entry._replace(revision=before.revision + 1, characters=len(document.text), origin=origin)


__all__ = ["NEW", "REVISED", "UNCHANGED", "PlacedDocument", "Placement"]

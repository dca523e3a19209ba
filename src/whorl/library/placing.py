"""Which documents are new, and which content each of them says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.core import Core
from whorl.library.documents import entry_of, times_of, updated
from whorl.library.leaving import leave
from whorl.library.model import Document
from whorl.stores.records import Content, Entry

if TYPE_CHECKING:
    from whorl.stores import Writer

NEW, KNOWN, REVISED = "new", "known", "revised"


class Placed(NamedTuple):
    """A document on its way into the library.

    Attributes:
        document: as it was given.
        row: its place in the batch.
        state: "new", "known" or "revised".
        entry: what is kept of it.
    """

    document: Document
    row: int
    state: str
    entry: Entry


class Placing:
    """The documents of one batch, whose ids are all different, within a transaction.

    Attributes:
        digests: of the folded texts of the documents; None where nothing is left of one.
        changed: the contents that have other members now, new ones among them, by number.
        fresh: of these the new ones, ascending, each with the row of the document that brought it.
    """

    def __init__(self, core: Core, writer: Writer, digests: Sequence[bytes | None], now: int) -> None:
        self.changed: dict[int, Content] = {}
        self.fresh: dict[int, int] = {}
        self.digests = digests
        self._core, self._writer, self._now = core, writer, now
        self._by_digest: dict[tuple[bytes, int], int] = {}
        self._kept: dict[tuple[bytes, int], int] = {}
        self._next = writer.next_content()

    def place(self, documents: Sequence[Document]) -> list[Placed]:
        """Decide for all documents. What is revised leaves what it said before."""
        known = self._writer.entries(document.id for document in documents)
        texts = self._writer.texts(entry.number for entry in known.values())
        self._kept = self._equal()
        number = self._writer.next_document()
        placed = []
        for row, document in enumerate(documents):
            before = known.get(document.id)
            if before is None:
                times = times_of(document, self._now)
                content = self._join(row, self._core.clock(*times))
                placed.append(Placed(document, row, NEW, entry_of(document, number, content, times)))
                number += 1
            elif self._is_unchanged(row, document, before, texts.get(before.number)):
                placed.append(Placed(document, row, KNOWN, updated(before, document)))
            else:
                entry = self._revised(row, document, before, texts.get(before.number))
                placed.append(Placed(document, row, REVISED, entry))
        return placed

    def _equal(self) -> dict[tuple[bytes, int], int]:
        """The contents that are kept and say what one of the documents says, by digest and period."""
        digests = {digest for digest in self.digests if digest is not None}
        same = self._core.index.same(list(digests), self._writer)
        return {(content.digest, content.period): content.number for content in same if content.digest is not None}

    def _is_unchanged(self, row: int, document: Document, before: Entry, text: str | None) -> bool:
        if self._core.making.rules.texts:
            return text == document.text
        return self._writer.contents([before.content])[before.content].digest == self.digests[row]

    def _revised(self, row: int, document: Document, before: Entry, text: str | None) -> Entry:
        if text is not None:
            self._writer.put_former(before.number, before.revision, self._now, text)
        entry = updated(before, document)
        content = self._join(row, self._core.when(entry))
        self._leave(before.content)
        return entry._replace(content=content, revision=before.revision + 1, characters=len(document.text))

    def _leave(self, number: int) -> None:
        if number not in self.changed:
            leave(self._writer, number)
            return
        content = self.changed[number]
        self.changed[number] = content._replace(members=content.members - 1)

    def _join(self, row: int, when: int) -> int:
        """The content that a document of this time says, of which it is one more member."""
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
        if number:
            return self.changed[number]
        kept = self._kept.get((digest, period))
        return None if kept is None else self._writer.contents([kept]).get(kept)


__all__ = ["KNOWN", "NEW", "REVISED", "Placed", "Placing"]

"""Which documents are new, and which content each of them says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from whorl.library.core import Core
from whorl.library.documents import FromFile, entry_of, times_of, updated
from whorl.library.leaving import leave, loosen
from whorl.library.model import Document
from whorl.library.naming import Naming
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
        self._left: list[int] = []
        self._next = writer.next_content()

    def place(self, documents: Sequence[Document]) -> list[Placed]:
        """Decide for all documents. What they said before is left by ``settle``, once it is kept what they say now."""
        naming = Naming(self._writer, documents)
        texts = self._writer.texts(naming.known())
        number = self._writer.next_document()
        placed: list[Placed] = []
        staying: set[int] = set()

        def says(row: int, entry: Entry) -> bool:
            if entry.number not in texts:
                texts.update(self._writer.texts([entry.number]))
            return self._says(row, documents[row], entry, texts.get(entry.number))

        for row, (document, before) in enumerate(naming.named(says)):
            if before is None:
                times = times_of(document, self._now)
                placed.append(Placed(document, row, NEW, entry_of(document, number, 0, times)))
                number += 1
            elif says(row, before):
                placed.append(Placed(document, row, KNOWN, updated(before, document)))
                if not self._is_moved(before, placed[row].entry):
                    staying.add(row)
            else:
                entry = self._revised(document, before, texts.get(before.number))
                placed.append(Placed(document, row, REVISED, entry))
        self._kept = self._equal(placed)
        return [one if one.row in staying else self._joined(one) for one in placed]

    def settle(self) -> None:
        """Let go of the contents that documents have left."""
        for number in self._left:
            content = self.changed.get(number)
            if content is None:
                leave(self._core, self._writer, number)
            else:
                self.changed[number] = content._replace(members=content.members - 1)
                loosen(self._core, self._writer, content)

    def _equal(self, placed: Sequence[Placed]) -> dict[tuple[bytes, int], int]:
        """The contents that are kept and say what one of the documents says, by digest and period."""
        places = ((self.digests[one.row], self._core.period(self._core.when(one.entry))) for one in placed)
        asked = {(digest, range(period, period + 1)) for digest, period in places if digest is not None}
        same = self._core.index.same(list(asked), self._writer)
        return {place: content.number for place, content in same.items()}

    def _says(self, row: int, document: Document, before: Entry, text: str | None) -> bool:
        if self._core.making.rules.texts:
            return text == document.text
        return self._writer.contents([before.content])[before.content].digest == self.digests[row]

    def _revised(self, document: Document, before: Entry, text: str | None) -> Entry:
        if text is not None:
            self._writer.put_former(before.number, before.revision, self._now, text)
        origin = before.origin if isinstance(document, FromFile) else None
        entry = updated(before, document)
        return entry._replace(revision=before.revision + 1, characters=len(document.text), origin=origin)

    def _is_moved(self, before: Entry, entry: Entry) -> bool:
        """Whether a correction of its time has brought a document near others."""
        return self._core.making.rules.span is not None and self._core.when(before) != self._core.when(entry)

    def _joined(self, one: Placed) -> Placed:
        """With the content that the document says now."""
        if one.state != NEW:
            self._left.append(one.entry.content)
        return one._replace(entry=one.entry._replace(content=self._join(one.row, self._core.when(one.entry))))

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

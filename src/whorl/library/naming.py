"""Which document is meant: by its id, or, where that is made of a path, by its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import PurePosixPath
from typing import NamedTuple

from whorl.library.documents import FromFile
from whorl.library.model import Document
from whorl.stores import Reader
from whorl.stores.records import Entry

Says = Callable[[int, Entry], bool]
"""Whether an entry says what the document of a row says."""


class Named(NamedTuple):
    """A document under the id that it has in the library.

    Attributes:
        document: itself.
        before: what is kept under that id; None for a new document.
    """

    document: Document
    before: Entry | None


class Naming:
    """The documents of one batch, whose ids and origins are all different.

    An id that somebody gave means the document that has it. An id that is made of a path means the document of that
    file, whatever it is called. A file that is not known yet may be known under its id by the same text; if that id is
    another's, folders of its path are put before it, one by one, until it is nobody's.
    """

    def __init__(self, reader: Reader, documents: Sequence[Document]) -> None:
        self._reader, self._documents = reader, documents
        self._kept = reader.entries(document.id for document in documents)
        given = {document.id for document in documents if not isinstance(document, FromFile)}
        origins = reader.entries_from(document.origin for document in documents if isinstance(document, FromFile))
        self._own = {origin: entry for origin, entry in origins.items() if entry.id not in given}
        self._lost = origins.keys() - self._own.keys()
        self._given = {document.id for document in documents}
        self._meant = {*given, *(entry.id for entry in self._own.values())}

    def known(self) -> set[int]:
        """The numbers of the kept documents that may be meant."""
        return {entry.number for found in (self._kept, self._own) for entry in found.values()}

    def named(self, says: Says) -> Iterator[Named]:
        """Yield the documents in their order."""
        for row, document in enumerate(self._documents):
            if not isinstance(document, FromFile):
                yield Named(document, self._kept.get(document.id))
            elif document.origin in self._own:
                before = self._own[document.origin]
                yield Named(replace(document, id=before.id), before)
            else:
                yield self._first_met(row, document, says)

    def _first_met(self, row: int, document: FromFile, says: Says) -> Named:
        """A file that is not known, under the first of its names that is nobody's or whose document says the same."""
        tried = (
            (name, self._kept.get(name) if name == document.id else self._reader.entries([name]).get(name))
            for name in _names(document.id, document.origin)
            if name not in self._meant and (name == document.id or name not in self._given)
        )
        name, before = next((name, before) for name, before in tried if before is None or says(row, before))
        self._meant.add(name)
        # Whoever gave the id of a document as their own has taken it over, and its origin with it.
        origin = "" if document.origin in self._lost else document.origin
        return Named(replace(document, id=name, origin=origin), before)


def _names(id_: str, origin: str) -> Iterator[str]:
    """The id, the ends of the path that are longer, the whole path, and that with numbers."""
    parts = PurePosixPath(origin).parts
    yield id_
    for length in range(len(PurePosixPath(id_).parts) + 1, len(parts)):
        yield "/".join(parts[-length:])
    yield origin
    yield from (f"{origin}~{number}" for number in count(2))


__all__ = ["Named", "Naming"]

"""Which document is meant: by its id, or, where that is made of a path, by its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import PurePosixPath
from typing import NamedTuple, TypeGuard

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
        self._looked_up = {document.id for document in documents}
        self._kept = reader.entries(self._looked_up)
        given = {document.id for document in documents if not isinstance(document, FromFile)}
        origins = reader.entries_from(document.origin for document in documents if isinstance(document, FromFile))
        self._own = {origin: entry for origin, entry in origins.items() if entry.id not in given}
        self._lost = origins.keys() - self._own.keys()
        self._given = {document.id for document in documents}
        self._meant = {*given, *(entry.id for entry in self._own.values())}
        further = {name for document in documents if self._may_be_renamed(document) for name in _ends(document)}
        self._kept |= reader.entries(further - self._looked_up)
        self._looked_up |= further

    def known(self) -> list[Entry]:
        """The kept documents that may be meant."""
        return list({entry.number: entry for found in (self._kept, self._own) for entry in found.values()}.values())

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

    def _may_be_renamed(self, document: Document) -> TypeGuard[FromFile]:
        is_new = isinstance(document, FromFile) and document.origin not in self._own
        return is_new and (document.id in self._kept or document.id in self._meant)

    def _under(self, name: str) -> Entry | None:
        """What is kept under a name; only those with numbers, of files met under many, were not looked up before."""
        return self._kept.get(name) if name in self._looked_up else self._reader.entries([name]).get(name)

    def _first_met(self, row: int, document: FromFile, says: Says) -> Named:
        """A file that is not known, under the first of its names that is nobody's or whose document says the same."""
        tried = (
            (name, self._under(name))
            for name in _names(document)
            if name not in self._meant and (name == document.id or name not in self._given)
        )
        name, before = next((name, before) for name, before in tried if before is None or says(row, before))
        self._meant.add(name)
        # Whoever gave the id of a document as their own has taken it over, and its origin with it.
        origin = "" if document.origin in self._lost else document.origin
        return Named(replace(document, id=name, origin=origin), before)


def _names(document: FromFile) -> Iterator[str]:
    """The id, the ends of the path that are longer, the whole path, and that with numbers."""
    yield document.id
    yield from _ends(document)
    yield from (f"{document.origin}~{number}" for number in count(2))


def _ends(document: FromFile) -> Iterator[str]:
    parts = PurePosixPath(document.origin).parts
    for length in range(len(PurePosixPath(document.id).parts) + 1, len(parts)):
        yield "/".join(parts[-length:])
    yield document.origin


__all__ = ["Named", "Naming"]
